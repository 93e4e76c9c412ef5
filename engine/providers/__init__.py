"""Models behind one interface: one small module per wire format over one `httpx` client.

Cheap to import: HTTP is loaded with the first request.
"""

from engine.providers.discovery import FoundServer, Readiness, discover_loopback, keys_found, readiness
from engine.providers.provider_registry import resolve

__all__ = ["FoundServer", "Readiness", "discover_loopback", "keys_found", "readiness", "resolve"]

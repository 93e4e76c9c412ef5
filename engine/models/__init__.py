"""Models and services behind one guarded HTTP: providers, one module for each wire format, and what checks call.

Cheap to import: HTTP is loaded with the first request.
"""

from engine.models.discovery import FoundServer, Readiness, discover_loopback, keys_found, readiness
from engine.models.provider_registry import resolve

__all__ = ["FoundServer", "Readiness", "discover_loopback", "keys_found", "readiness", "resolve"]

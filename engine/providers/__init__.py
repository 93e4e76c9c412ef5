"""Models behind one interface: one small module per wire format over one `httpx` client.

Cheap to import: what speaks HTTP is loaded when the first model is asked.
"""

from engine.providers.registry import resolve

__all__ = ["resolve"]

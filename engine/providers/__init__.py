"""Models behind one interface: one small module per wire format over one `httpx` client."""

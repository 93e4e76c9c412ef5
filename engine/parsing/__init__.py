"""Nodes → `Blueprint`, with the facts that rules speak of, and the platform's own answer."""

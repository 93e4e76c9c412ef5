"""Services that checks call."""

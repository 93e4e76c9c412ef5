"""Point functions, and what they look for."""

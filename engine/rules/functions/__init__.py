"""Point functions and their arguments."""

"""Keys, values and parts of a file that are not what Weval expects."""

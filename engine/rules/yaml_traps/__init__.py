"""Texts that YAML reads in another way than they look."""

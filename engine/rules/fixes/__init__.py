"""Trying fixes, and applying them to a whole text."""

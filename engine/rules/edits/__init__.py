"""Edits of a blueprint that several fixes share: adding and moving points."""

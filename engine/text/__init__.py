"""Texts: places, edits, diagnostics, records, and what no file may exceed."""

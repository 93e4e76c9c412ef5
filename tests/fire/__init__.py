"""Attacks on the studio, with figures: `python -m tests.fire`."""

"""Slips of the hand, made by listed operators at seeded places of corpus files: what is reported, and what is fixed."""

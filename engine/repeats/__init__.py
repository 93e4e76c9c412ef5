"""Repeated answers and verdicts: how far scores vary, and whether two models differ by more than that."""

"""Alternative paths."""

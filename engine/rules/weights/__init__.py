"""Weights of points and prompts."""

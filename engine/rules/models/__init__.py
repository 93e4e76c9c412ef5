"""Models and judges."""

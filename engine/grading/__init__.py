"""Blind grading: people grade answers whose verdicts they do not see, and judges are compared with them."""

"""Measures what estimates can and cannot tell: the figures on their page. `python -m tests.estimating` prints them."""

"""From closeness of meaning to what a point would amount to: a measured table, and lines between its rows.

What it was measured on is English; of other scripts the encoder knows single letters at most, and any two texts in them
are near each other.
"""

from __future__ import annotations

from itertools import pairwise

TABLE = (
    (0.0, 0.0),
    (0.1, 0.12),
    (0.2, 0.25),
    (0.3, 0.38),
    (0.4, 0.58),
    (0.5, 0.75),
    (0.6, 0.85),
    (0.7, 0.9),
    (0.8, 0.95),
    (1.0, 1.0),
)
"""Closeness of the closest sentence → of all criteria this close to an ideal, the share that stood beside the ideal of
their own prompt, which their author wrote to meet them; the others stood beside an ideal of another prompt, half of
them of the same file. From one half of the corpus' files; `tests.estimating` holds it against the other half."""


def extent_of(closeness: float, *, inverted: bool) -> float:
    """What a point at `closeness` (0–1) would amount to, 0–1; the opposite of it where the point is in `should_not`."""
    extent = _at(closeness)
    return 1 - extent if inverted else extent


def _at(closeness: float) -> float:
    for (low, below), (high, above) in pairwise(TABLE):
        if closeness <= high:
            return below + (above - below) * max(closeness - low, 0.0) / (high - low)
    return TABLE[-1][1]


def is_read(text: str) -> bool:
    """Whether most letters of `text` are Latin, or it has none: only of such texts can anything be estimated."""
    letters = [each for each in text if each.isalpha()]
    return 2 * sum(each < "\u0250" or "\u1e00" <= each < "\u1f00" for each in letters) >= len(letters)

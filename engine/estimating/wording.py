"""How estimates are written: always with the word, never as a score."""

from __future__ import annotations

NOT_READ = "no estimate: only texts in Latin letters are estimated, and only English ones well"


def estimated_score(score: float) -> str:
    """A score of 0–1 that is estimated: `≈ 43, an estimate`."""
    return f"≈ {score * 100:.0f}, an estimate"


def estimated_extent(extent: float) -> str:
    """What a point would amount to, 0–1, in a column: `≈  43`."""
    return f"≈ {extent * 100:3.0f}"


def near(closeness: float) -> str:
    """A closeness of 0–1 with two decimals."""
    return f"{closeness:.2f}"

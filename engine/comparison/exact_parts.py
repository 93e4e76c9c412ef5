"""Figures that add up as they are printed."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import floor

from engine.scoring.aggregation import to_fixed


def tenths(number: float) -> int:
    """A score or a difference (−1 to 1) in tenths of a point of 100, rounded as it is printed."""
    return int(Decimal(to_fixed(number * 100, 1)) * 10)


def exact_tenths(parts: Sequence[float], wanted: int) -> tuple[int, ...]:
    """Each part in tenths of a point of 100, such that they add up to `wanted`, the printed total.

    A part that is 0 stays 0 unless the others cannot take the rest. The parts must add up to it but for rounding.
    """
    exact = [part * 1000 for part in parts]
    lower = [floor(part + 1e-9) for part in exact]
    missing = wanted - sum(lower)
    step = 1 if missing > 0 else -1
    nearest = sorted(range(len(parts)), key=lambda at: (parts[at] == 0, step * (lower[at] - exact[at])))
    while missing and nearest:
        for at in nearest[: abs(missing)]:
            lower[at] += step
            missing -= step
    return tuple(lower)


def signed_text(number: int) -> str:
    """A number of tenths with its sign: `+4.2`, `−0.3`, `0.0`."""
    sign = "+" if number > 0 else "−" if number < 0 else ""
    return f"{sign}{abs(number) // 10}.{abs(number) % 10}"

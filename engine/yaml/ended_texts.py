"""Texts in which many pieces can be read without a copy for each: a cursor needs `END` behind what it reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.text.pacing import give_way
from engine.text.spans import Span
from engine.yaml.cursor import END


def ended_texts(text: str, pieces: Iterable[Span]) -> Mapping[int, str]:
    """For the end of each of `pieces` a text with `END` there, and with the piece as it is in `text`.

    `pieces` may touch and not overlap. They share two texts, as `END` stands where the next piece begins. A piece that
    ends with `text`, or not behind a line break, has none.
    """
    ends = sorted({piece.end for piece in pieces if _may_end(text, piece.end)})
    if len(ends) < 3:
        return {}
    one, other = (_with_ends(text, some) for some in (ends[::2], ends[1::2]))
    return {end: (one, other)[number % 2] for number, end in enumerate(ends)}


def _may_end(text: str, end: int) -> bool:
    return 0 < end < len(text) and text[end - 1] in "\n\r"


def _with_ends(text: str, ends: Sequence[int]) -> str:
    """`text` with `END` instead of the characters at `ends`."""
    give_way()
    starts = [0, *(end + 1 for end in ends)]
    return END.join(text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True))

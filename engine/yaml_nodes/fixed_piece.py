"""Whether a piece of text that js-yaml refuses can be read once a fix is applied."""

from __future__ import annotations

from engine.diagnostics import Fix
from engine.text import Span, apply_edits
from engine.yaml_nodes.reader import Reader, Refusal


def is_readable(text: str, piece: Span, fix: Fix) -> bool:
    """Whether `piece` of `text` can be read once `fix` is applied."""
    return refused_at(text, piece, fix) is None


def refused_at(text: str, piece: Span, fix: Fix) -> int | None:
    """Where `piece` is still refused once `fix` is applied, as an offset of the unfixed text; None if it is read."""
    fixed = apply_edits(piece.of(text), (edit.shifted(-piece.start) for edit in fix.edits))
    reader = Reader(fixed, 0, len(fixed), {})
    try:
        reader.read()
    except Refusal as refusal:
        return piece.end - (len(fixed) - refusal.offset)
    return piece.start if reader.duplicates else None

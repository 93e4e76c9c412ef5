"""Drafted points as an edit that adds them to their prompt."""

from __future__ import annotations

from collections.abc import Sequence

from engine.blueprint import Block, Prompt
from engine.diagnostics import Fix
from engine.parsing import Parsed
from engine.rules.edits.added_points import added_criteria, as_item
from engine.rules.views import FileView


def insertion(parsed: Parsed, prompt: Prompt, points: Sequence[str]) -> Fix | None:
    """The fix that adds `points` in words to `should` of `prompt`; None where its layout leaves no room for them."""
    edit = added_criteria(FileView(parsed), prompt, Block.SHOULD, tuple(points))
    counted = "1 point" if len(points) == 1 else f"{len(points)} points"
    return None if edit is None else Fix(f"add {counted} to should", False, (edit,))


def as_yaml(points: Sequence[str]) -> str:
    """The block `should` with `points` in words, as an author would write it below a prompt."""
    return "".join(["should:\n", *(f"  - {as_item(point)}\n" for point in points)])


def why_not(prompt: Prompt) -> str | None:
    """Why no points can be drafted for `prompt`, as a message for authors; None where they can."""
    if prompt.points():
        return f"{prompt.id} has points already: points are drafted only for a prompt without any."
    if not (prompt.ideal or "").strip():
        return f"{prompt.id} has no ideal: points are drafted from an ideal answer."
    return None

"""Where lines are moved beside lines that nothing makes readable, where they belong is a guess: no such fix is safe."""

from __future__ import annotations

from collections.abc import Iterable

from engine.diagnostics import Diagnostic, Fix
from engine.record import replace


def with_guesses(found: Iterable[Diagnostic], text: str) -> tuple[Diagnostic, ...]:
    """The errors `found` in `text`, with no fix safe that only moves lines."""
    return tuple(
        replace(each, fixes=tuple(replace(fix, safe=False) if _moves(fix, text) else fix for fix in each.fixes))
        for each in found
    )


def _moves(fix: Fix, text: str) -> bool:
    return not any(edit.text.strip() or edit.span.of(text).strip() for edit in fix.edits)

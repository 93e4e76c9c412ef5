"""Applying fixes to a whole text, as `studio check --fix` does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.diagnostics import Diagnostic
from engine.parsing import Parsed, parse
from engine.rules.checker import Checker
from engine.rules.choosing import EVERYTHING, Choice
from engine.text import TextEdit, apply_edits

if TYPE_CHECKING:
    from engine.javascript import JavaScript

_MOST_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Mended:
    """A text after its safe fixes, how many were applied, and what can still be said about it."""

    parsed: Parsed
    applied: int
    remaining: tuple[Diagnostic, ...]

    @property
    def text(self) -> str:
        """The text after the fixes."""
        return self.parsed.text


def mend(
    text: str,
    path: Path | None,
    javascript: JavaScript | None = None,
    *,
    choice: Choice = EVERYTHING,
    collections: Path | None = None,
) -> Mended:
    """Apply every safe fix of the rules that are asked for, again and again until none is left.

    `collections` is the folder of the model collections, where it is not any `models` above the file.

    Fixes that touch the same place wait for the next round. A round that would leave a text that cannot be read is not
    taken. `remaining` is what `choice` tells of the text after them.
    """
    checker = Checker(choice.rules(), collections)
    parsed = parse(text, path)
    found = choice.told(checker.check(parsed, javascript))
    applied = 0
    for _ in range(_MOST_ROUNDS):
        chosen = safe_fixes(found)
        if not chosen:
            break
        after = parse(apply_edits(parsed.text, [edit for edits in chosen for edit in edits]), path)
        left = choice.told(checker.check(after, javascript))
        if after.tree.error is not None and parsed.tree.error is None:
            break
        parsed, found, applied = after, left, applied + len(chosen)
    return Mended(parsed, applied, found)


def safe_fixes(diagnostics: Iterable[Diagnostic]) -> Sequence[tuple[TextEdit, ...]]:
    """The edits of the first safe fix of each diagnostic, those left out that touch the place of an earlier one."""
    chosen: list[tuple[TextEdit, ...]] = []
    for diagnostic in diagnostics:
        fix = next((fix for fix in diagnostic.fixes if fix.safe), None)
        if fix is not None and not any(_touch(one, other) for edits in chosen for one in edits for other in fix.edits):
            chosen.append(fix.edits)
    return chosen


def _touch(one: TextEdit, other: TextEdit) -> bool:
    """Whether two edits overlap, or write at one place. Those side by side do not: in brackets most fixes are."""
    overlap = one.span.start < other.span.end and other.span.start < one.span.end
    return overlap or one.span == other.span

"""The problems of a text as a new checker finds them, and as the list of problems has them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import Checker
from engine.rules.selection import SettingsCache
from engine.text.diagnostics import Diagnostic
from engine.text.spans import Span


def fresh_problems(path: Path, text: str, javascript: JavaScript) -> tuple[Diagnostic, ...]:
    """What a checker that has seen nothing before says of the text."""
    selection = SettingsCache().of(path).selection
    found = selection.reported(Checker(selection.rules()).check(parse(text, path), javascript))
    return tuple(sorted(found, key=lambda each: (each.span.start, each.severity.rank)))


def place(diagnostic: Diagnostic) -> tuple[Span, str, str]:
    """By what problems are sorted to be compared."""
    return diagnostic.span, diagnostic.code, diagnostic.message


def only_in(these: Sequence[Diagnostic], those: Sequence[Diagnostic]) -> list[str]:
    """The first of `these` that are not among `those`, by name and place."""
    return [f"{each.slug} at {each.span}" for each in these if each not in those][:5]

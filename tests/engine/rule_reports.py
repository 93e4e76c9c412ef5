"""What one rule reports of a short blueprint, and what its fixes make of it."""

from __future__ import annotations

from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse
from engine.rules import ALL, Checker
from engine.rules.selection import EVERYTHING
from engine.text.diagnostics import Diagnostic
from engine.text.spans import apply_edits

USUAL = EVERYTHING.rules()
HEAD = "- id: p\n  prompt: q\n"


def should(*points: str) -> str:
    return f"{HEAD}  should:\n" + "".join(f"    - {point}\n" for point in points)


def rubric(wanted: list[str], forbidden: list[str]) -> str:
    return f"{should(*wanted)}  should_not:\n" + "".join(f"    - {point}\n" for point in forbidden)


def checker_of(slug: str) -> Checker:
    """The usual rules, and this one as if selected by name."""
    return Checker(rule.selected() for rule in ALL if rule.slug == slug or rule in USUAL)


def reported(parsed: Parsed, slug: str, javascript: JavaScript | None = None) -> list[Diagnostic]:
    """What the rule `slug` reports, with what is off by default."""
    return [one for one in checker_of(slug).check(parsed, javascript) if one.slug == slug]


def found(text: str, slug: str, javascript: JavaScript | None = None) -> list[Diagnostic]:
    return reported(parse(text), slug, javascript)


def only(text: str, slug: str, javascript: JavaScript | None = None) -> Diagnostic:
    [one] = found(text, slug, javascript)
    return one


def underlined(text: str, slug: str, javascript: JavaScript | None = None) -> str:
    return only(text, slug, javascript).span.of(text)


def fixed(text: str, slug: str, number: int = 0, javascript: JavaScript | None = None) -> str:
    """The text after one of the fixes, which must have mended it."""
    after = apply_edits(text, only(text, slug, javascript).fixes[number].edits)
    assert parse(after).tree.error is None
    assert found(after, slug, javascript) == []
    return after

"""What one rule reports of a short blueprint, and what its fixes make of it."""

from __future__ import annotations

from engine.diagnostics import Diagnostic
from engine.javascript import JavaScript
from engine.parsing import parse
from engine.rules import check
from engine.text import apply_edits

HEAD = "- id: p\n  prompt: q\n"


def should(*points: str) -> str:
    return f"{HEAD}  should:\n" + "".join(f"    - {point}\n" for point in points)


def found(text: str, slug: str, javascript: JavaScript | None = None) -> list[Diagnostic]:
    return [one for one in check(parse(text), javascript) if one.slug == slug]


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

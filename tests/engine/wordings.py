"""Short blueprints of points in some wording, and what the usual rules report of them."""

from __future__ import annotations

from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Diagnostic
from engine.text.spans import apply_edits

HEAD = "- id: p\n  prompt: What is the way out?\n"


def found(text: str, slug: str) -> list[Diagnostic]:
    return [one for one in check(parse(text)) if one.slug == slug]


def only(text: str, slug: str) -> Diagnostic:
    [one] = found(text, slug)
    return one


def should(*points: str) -> str:
    return f"{HEAD}  should:\n" + "".join(f"    - {point}\n" for point in points)


def should_not(*points: str) -> str:
    return f"{HEAD}  should_not:\n" + "".join(f"    - {point}\n" for point in points)


def asked(prompt: str, *points: str) -> str:
    return f"- id: p\n  prompt: {prompt}\n  should:\n" + "".join(f"    - {point}\n" for point in points)


def underlined(text: str, slug: str) -> str:
    return only(text, slug).span.of(text)


def fixed(text: str, slug: str) -> str:
    [fix] = only(text, slug).fixes
    return apply_edits(text, fix.edits)

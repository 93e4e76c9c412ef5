"""A file with comments that silence rules, and what is reported of it all the same."""

from __future__ import annotations

from pathlib import Path

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Diagnostic

HEAD = "- id: p\n  prompt: q\n  should:\n"
QUOTED = "- \"$contains: 'x'\""
BOTH = f"{HEAD}    {QUOTED}\n- id: o\n  prompt: q2\n  should:\n    {QUOTED}\n"


def told(text: str, path: Path | None = None, javascript: JavaScript | None = None) -> list[Diagnostic]:
    return list(check(parse(text, path), javascript))


def slugs(text: str, path: Path | None = None) -> list[str]:
    return [one.slug for one in told(text, path)]

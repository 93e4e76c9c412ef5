"""What `studio fix` makes of a text, and what it leaves to its author."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.blueprint import ABSENT, Point
from engine.rules.fixes import fix_text
from engine.text.diagnostics import Severity
from tests.engine.short_cases import assert_says, parsed_case


def mended(mark: str, text: str) -> Iterator[str]:
    """The lines that safe fixes change, the points that are read then, and the errors that stay with their fixes."""
    before = parsed_case(mark, text)
    after = fix_text(before.text, before.path)
    changed = difflib.unified_diff(before.text.splitlines(), after.text.splitlines(), n=0, lineterm="")
    yield from (line.rstrip() for line in list(changed)[2:] if not line.startswith("@@"))
    for prompt in after.parsed.blueprint.prompts:
        yield f"{prompt.id}: {', '.join(map(shown, prompt.points()))}"
    left = [each for each in after.remaining if each.severity is not Severity.HINT]
    yield from dict.fromkeys(f"left: {each.slug} ({', '.join(fix.title for fix in each.fixes)})" for each in left)


def shown(point: Point) -> str:
    weight = "" if point.multiplier == 1 else f" ×{point.multiplier:g}"
    call = point.function
    args = "" if call is None or call.args is ABSENT else f": {call.args}"
    return f"“{point.text}”{weight}" if call is None else f"${call.name}{args}{weight}"


def test_a_text_is_mended_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("mend_cases.txt"), mended, pytestconfig)

"""The traps of YAML: backslashes, tabs, comments that cut a text short."""

from __future__ import annotations

from pathlib import Path

from engine.parsing import parse
from engine.rules import check
from engine.rules.fixes import fix_text
from engine.text.diagnostics import Diagnostic

HEAD = "- id: a\n  prompt: Say hello.\n"


def of(slug: str, text: str, path: Path | None = None) -> list[Diagnostic]:
    return [found for found in check(parse(text, path)) if found.slug == slug]


def point(written: str) -> str:
    return f"{HEAD}  should:\n    - {written}\n"


# backslash-in-double-quotes


def test_single_quotes_mend_it() -> None:
    assert fix_text(point('$matches: "it\'s \\d"'), None).text == point(r"$matches: 'it''s \d'")


def test_every_pattern_of_a_prompt_is_mended() -> None:
    text = point('$matches: "\\d"\n    - $matches: "\\w"')
    assert fix_text(text, None).text == point("$matches: '\\d'\n    - $matches: '\\w'")


def test_beside_another_escape_the_backslash_is_written_twice() -> None:
    assert fix_text(point(r'$matches: "\d\n"'), None).text == point(r'$matches: "\\d\n"')


def test_in_json_every_lone_backslash_is_written_twice() -> None:
    text = '{"prompts": [{"id": "a", "prompt": "b", "should": [{"$matches": "\\d\\\\d"}, {"$matches": "\\w\\n"}]}]}'
    mended = fix_text(text, Path("a.json")).text
    assert mended == text.replace('"\\d', '"\\\\d').replace('"\\w', '"\\\\w')

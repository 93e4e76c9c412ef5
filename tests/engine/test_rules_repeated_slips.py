"""The same slip on several lines, and slips that YAML reads as words: each is named, and one fix is enough."""

from __future__ import annotations

from engine.parsing import parse
from engine.rules import check

RIGHT = "title: Bees\n---\n- id: a\n  prompt: Is it: late?\n  should:\n    - Names the hour\n    - Names the day\n"
PROMPT = "- id: a\n  prompt: How late is it?\n  should:\n"


def test_a_header_that_is_no_key_is_named_beside_an_error_below() -> None:
    text = RIGHT.replace("title: ", "title:")
    assert {one.slug for one in check(parse(text))} >= {"stray-item", "yaml-syntax"}


def test_a_check_in_curly_quotes_is_one_report() -> None:
    slugs = [one.slug for one in check(parse(f"{PROMPT}    - Names the hour\n    - “$icontains: veil”\n"))]
    assert slugs.count("unknown-function") == 1
    assert "unfilled-placeholder" not in slugs

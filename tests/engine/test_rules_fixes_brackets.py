"""Fixes of lists in brackets, `[a, b]`: what they leave behind, laid out as before, in YAML and in JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.parsing import parse
from engine.text.diagnostics import Fix
from engine.text.spans import apply_edits
from tests.engine.rule_reports import reported

HEAD = "- id: p\n  prompt: What is due?\n"


def fixes_of(text: str, slug: str, path: Path | None = None) -> list[Fix]:
    return [fix for found in reported(parse(text, path), slug) for fix in found.fixes]


def mended(text: str, slug: str, path: Path | None = None) -> str:
    return apply_edits(text, fixes_of(text, slug, path)[0].edits)


@pytest.mark.parametrize(
    ("slug", "before", "after"),
    [
        ("duplicate-point", "  should: [One thing, Two, one thing]\n", "  should: [One thing, Two]\n"),
        (
            "duplicate-point",
            "  should: [\n    One thing,\n    one thing,\n    Two\n  ]\n",
            "  should: [\n    One thing,\n    Two\n  ]\n",
        ),
        (
            "duplicate-path",
            "  should: [[One, Two], [Two, One], [Three, Four]]\n",
            "  should: [[One, Two], [Three, Four]]\n",
        ),
        (
            "double-negative",
            "  should: [One thing]\n  should_not: [Must not guess, Two]\n",
            "  should: [One thing, Must not guess]\n  should_not: [Two]\n",
        ),
        (
            "bad-weight",
            "  should: [One thing, {text: Errs, weight: -2}] # why\n  weight: 2\n",
            "  should: [One thing] # why\n  should_not: [{text: Errs, weight: 2}]\n  weight: 2\n",
        ),
        (
            "weight-as-point",
            "  should: [One thing, weight: '2', Two]\n",
            "  should: [{point: One thing, weight: 2}, Two]\n",
        ),
        (
            "weight-as-point",
            "  should: [{$contains: one}, {weight: '2'}]\n",
            "  should: [{$contains: one, weight: 2}]\n",
        ),
    ],
)
def test_a_list_in_brackets_is_mended_where_it_stands(slug: str, before: str, after: str) -> None:
    assert mended(HEAD + before, slug) == HEAD + after


def test_paths_in_brackets_become_one_any_of() -> None:
    text = f"{HEAD}  should: [One thing, [$contains: a], [$contains: b]]\n"
    titles = {fix.title: apply_edits(text, fix.edits) for fix in fixes_of(text, "single-element-path")}
    after = titles["any will do: join them as $contains_any_of"]
    assert after == f"{HEAD}  should: [One thing, $contains_any_of: ['a', 'b']]\n"


@pytest.mark.parametrize(
    ("slug", "written"),
    [
        ("duplicate-point", "  should: [\n    One thing, # why\n    one thing,\n    Two\n  ]\n"),
        ("weight-as-point", "  should: [\n    One thing, # why\n    weight: '2'\n  ]\n"),
    ],
)
def test_a_fix_that_would_lose_a_comment_or_mix_two_layouts_is_not_offered(slug: str, written: str) -> None:
    text = HEAD + written
    assert reported(parse(text), slug)
    assert fixes_of(text, slug) == []


JSON = Path("x.json")


def in_json(rubric: str) -> str:
    return f'{{\n  "prompts": [\n    {{\n      "id": "p",\n      "prompt": "What is due?",\n{rubric}    }}\n  ]\n}}\n'


@pytest.mark.parametrize(
    ("slug", "before", "after"),
    [
        (
            "lone-path",
            '      "should": [\n        "One thing",\n        [\n          {\n            "point": "Two"\n'
            '          },\n          "Three"\n        ]\n      ]\n',
            '      "should": [\n        "One thing",\n        {\n          "point": "Two"\n        },\n'
            '        "Three"\n      ]\n',
        ),
        (
            "not-enforced",
            '      "maxCalls": 2\n',
            '      "maxCalls": 2,\n      "should": [\n        {"$tool_call_count_between": [0, 2]}\n      ]\n',
        ),
        (
            "not-enforced",
            '      "maxCalls": 2,\n      "should": [\n        "One thing"\n      ]\n',
            '      "maxCalls": 2,\n      "should": [\n        "One thing",\n'
            '        {"$tool_call_count_between": [0, 2]}\n      ]\n',
        ),
        (
            "weight-as-point",
            '      "should": [\n        "One thing",\n        {\n          "weight": "2"\n        }\n      ]\n',
            '      "should": [\n        {\n          "point": "One thing",\n          "weight": 2\n'
            "        }\n      ]\n",
        ),
    ],
)
def test_json_keeps_its_lines_and_their_depth(slug: str, before: str, after: str) -> None:
    assert mended(in_json(before), slug, JSON) == in_json(after)


def test_an_id_in_json_gets_a_line_as_the_other_keys_have() -> None:
    text = '{"prompts": [\n  {\n    "prompt": "What is due?",\n    "should": ["One thing"]\n  }\n]}\n'
    assert mended(text, "unstable-prompt-id", JSON) == text.replace(
        '    "prompt"', '    "id": "what-is-due",\n    "prompt"'
    )

"""Fixes mend what they are offered for, in the author's own layout, and nothing else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from engine.parsing import parse
from engine.rules import ALL, Checker, check
from engine.rules.fixes import fix_text
from engine.text.diagnostics import Diagnostic, Fix
from engine.text.spans import apply_edits
from tests.checked_corpus import checked, read
from tests.many_cases import every
from tests.processor_time import costs_less_than
from tests.thoroughness import one_in
from tests.world import corpus_files, needs_corpus

HEAD = "- id: p\n  prompt: q\n"


def fixes_of(text: str, slug: str) -> list[Fix]:
    return [fix for found in check(parse(text)) if found.slug == slug for fix in found.fixes]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("should: Mentions x # c", "should:\n    - Mentions x # c"),
        ("should:\n    $contains: x\n    weight: 2", "should:\n    - $contains: x\n      weight: 2"),
        ("should: {$contains: x}", "should:\n    - {$contains: x}"),
    ],
)
def test_a_rubric_that_is_no_list_becomes_one(before: str, after: str) -> None:
    text = f"{HEAD}  {before}\n  ideal: x\n"
    fixed = apply_edits(text, fixes_of(text, "rubric-not-a-list")[0].edits)
    assert fixed == f"{HEAD}  {after}\n  ideal: x\n"
    assert len(parse(fixed).blueprint.prompts[0].points()) == 1


@pytest.mark.parametrize(("errors", "fixes"), [(1, 1), (30, 1), (80, 0)])
def test_a_misspelt_key_has_a_fix_unless_too_many_yaml_errors_are_read_with_it(errors: int, fixes: int) -> None:
    lines = "".join(f"k{number}: x: y\n" for number in range(errors))
    text = f"descripton: a\n{lines}---\n- id: a\n  prompt: b\n  should: [c]\n"
    (found,) = [each for each in check(parse(text)) if "`descripton`" in each.message]
    assert len(found.fixes) == fixes


def test_mending_applies_every_safe_fix_and_no_unsafe_one() -> None:
    text = f"{HEAD}  should:\n    - \"$contains: 'word'\"\n    - 42\n    - {{point: x, weight: 20}}\n"
    mended = fix_text(text, None)
    assert mended.text == f"{HEAD}  should:\n    - $contains: 'word'\n    - '42'\n    - {{point: x, weight: 20}}\n"
    assert (mended.applied, [left.slug for left in mended.remaining]) == (2, ["bad-weight"])


def test_mending_leaves_windows_line_ends_as_they_are() -> None:
    text = f"{HEAD}  should: Mentions x\n".replace("\n", "\r\n")
    assert fix_text(text, None).text == f"{HEAD}  should:\n    - Mentions x\n".replace("\n", "\r\n")


def test_mending_a_sound_file_changes_nothing() -> None:
    text = f"{HEAD}  should: [a]\n"
    assert fix_text(text, None).text == text


REVEALED = {
    "quoted-function": ["short-substring", "format-fragile-literal"],
    "duplicate-prompt-id": ["repeated-question"],
}
"""What may come to light behind a mended problem: a check that never ran, and two prompts that differ by their ids."""


@needs_corpus
@every("path", one_in(2, corpus_files()), ids=str)
def test_every_fix_in_the_corpus_mends_its_problem_and_brings_no_other(path: Path) -> None:
    parsed, found, checker = read(path), checked(path), Checker()
    text = parsed.text
    for diagnostic in found:
        for fix in diagnostic.fixes:
            fixed = apply_edits(text, fix.edits)
            after = parse(fixed, path)
            left = checker.check(after)
            assert after.tree.error is None or parsed.tree.error is not None
            assert _slugs(left) <= _slugs(found) + Counter(REVEALED.get(diagnostic.slug))
            assert _slugs(left)[diagnostic.slug] < _slugs(found)[diagnostic.slug]
            assert fixed.count("#") >= text.count("#")


def _slugs(diagnostics: tuple[Diagnostic, ...]) -> Counter[str]:
    return Counter(diagnostic.slug for diagnostic in diagnostics)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\"$contains: 'b'\"", '{"$contains": "b"}'),
        ('"$100 is named"', '{"text": "$100 is named"}'),
        ("42", '"42"'),
        ('["contains", "b"]', '{"$contains": "b"}'),
        ('{"point": "b", "wieght": 2}', '{"point": "b", "weight": 2}'),
    ],
)
def test_fixes_in_json_write_json(before: str, after: str) -> None:
    text = '{"prompts": [{"id": "a", "prompt": "x", "should": [POINT]}]}\n'
    assert fix_text(text.replace("POINT", before), Path("x.json")).text == text.replace("POINT", after)


def test_naming_many_prompts_with_one_id_is_not_quadratic() -> None:
    parsed = parse("- id: a\n  prompt: b\n- id: a-2\n  prompt: b\n" + "- id: a\n  prompt: b\n" * 9_000)
    with costs_less_than(10):
        found = Checker([rule for rule in ALL if rule.slug == "duplicate-prompt-id"]).check(parsed)
    assert [each.fixes[0].title for each in found[:2]] == ["call it a-3", "call it a-4"]

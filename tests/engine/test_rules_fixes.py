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
    ("slug", "before", "after"),
    [
        ("quoted-function", """- "$icontains: 'x'" # c""", """- $icontains: 'x' # c"""),
        ("quoted-function", "- '$js: r.length > 3 # x'", "- $js: 'r.length > 3 # x'"),
        ("quoted-function", '- "$matches: \\\\d+: x"', "- $matches: '\\d+: x'"),
        ("quoted-function", '- "$contains_any_of: [a, b]"', "- $contains_any_of: [a, b]"),
        ("quoted-function", "- \"$contains('x')\"", "- $contains: 'x'"),
        ("quoted-function", "- $contains:x", "- $contains: x"),
        ("quoted-function", r'''- "$matches: \"^\\[\\\\d+\\s\""''', r"- $matches: '^\[\d+\s'"),
        ("quoted-function", r'''- "$matches: \"\\bcat\\b\""''', r"- $matches: '\bcat\b'"),
        ("quoted-function", r'''- "$icontains: \"yes\""''', '- $icontains: "yes"'),
        ("dollar-text", "- $100 is named # c", "- text: '$100 is named' # c"),
        ("dollar-text", '- "$100: the fee"', '- text: "$100: the fee"'),
        ("non-string-scalar", "- 42 # c", "- '42' # c"),
        ("non-string-scalar", "- 2024-01-01", "- '2024-01-01'"),
        ("legacy-tuple", '- ["contains", "x"] # c', '- $contains: "x" # c'),
        ("text-in-path-function", "- - $is_json # c\n      - b", "- - $is_json: true # c\n      - b"),
        ("bad-weight", "- {point: x, weight: 20}", "- {point: x, weight: 10}"),
        ("bad-weight", "- {point: x, weight: 0.01}", "- {point: x, weight: 0.1}"),
        ("bad-weight", '- {point: x, weight: "3"}', "- {point: x, weight: 3}"),
        ("weight-as-point", '- point: x\n    - weight: "2" # c', "- point: x\n      weight: 2 # c"),
        ("unknown-function", "- $Contains: x", "- $contains: x"),
        ("unknown-function", '- {fn: "contians", arg: x}', '- {fn: "contains", arg: x}'),
        ("unknown-function", "- {fn: $contains, arg: x}", "- {fn: contains, arg: x}"),
        ("unknown-key", "- {point: x, wieght: 2}", "- {point: x, weight: 2}"),
        ("documented-only", "- $imatches_all_of: [a]", "- $imatch_all_of: [a]"),
        ("inline-flags", '- $matches: "(?i)abc" # c', '- $imatches: "abc" # c'),
        ("inline-flags", "- $matches_all_of: ['(?i)a', \"(?i)b\"]", "- $imatch_all_of: ['a', \"b\"]"),
        ("falsy-argument-lost", '- fn: contains\n      fnArgs: ""', '- fn: contains\n      arg: ""'),
        ("colon-made-citation", '- Says: it is "so" # c', '- "Says: it is \\"so\\"" # c'),
        ("deep-nesting", "- - - a # one\n        - b\n      - - c", "- - a # one\n      - b\n    - - c"),
        ("deep-nesting", "- - # Path 1\n        - a\n        - b", "- # Path 1\n      - a\n      - b"),
    ],
)
def test_a_fix_mends_the_point_and_keeps_its_comment_and_quotes(slug: str, before: str, after: str) -> None:
    text = f"{HEAD}  should:\n    {before}\n"
    assert apply_edits(text, fixes_of(text, slug)[0].edits) == f"{HEAD}  should:\n    {after}\n"


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


@pytest.mark.parametrize("written", ["5", "true", "2024-01-31"])
def test_a_rubric_that_would_be_refused_as_a_point_is_not_made_one(written: str) -> None:
    assert fixes_of(f"{HEAD}  should: {written}\n  ideal: x\n", "rubric-not-a-list") == []


PATHS = f"""{HEAD}  should:
    - - $icontains: "a" # one
    # between
    - - $icontains: b
    -   - $icontains: 'c'
"""


def test_paths_of_one_literal_each_become_one_any_of() -> None:
    _, any_of = fixes_of(PATHS, "single-element-path")
    assert (any_of.title, any_of.safe) == ("any will do: join them as $icontains_any_of", False)
    assert apply_edits(PATHS, any_of.edits) == (
        f"{HEAD}  should:\n    - $icontains_any_of: ['a', 'b', 'c'] # one\n    # between\n"
    )


def test_paths_of_one_point_each_become_a_flat_list() -> None:
    flat, *_ = fixes_of(PATHS, "single-element-path")
    assert (flat.title, flat.safe) == ("all are needed: flatten", False)
    assert apply_edits(PATHS, flat.edits) == PATHS.replace("- - ", "- ").replace("-   - ", "- ")


def test_patterns_become_one_with_alternatives() -> None:
    text = f"{HEAD}  should:\n    - - $matches: 'a|b'\n    - - $matches: it's\n"
    fix = fixes_of(text, "single-element-path")[1]
    assert apply_edits(text, fix.edits) == f"{HEAD}  should:\n    - $matches: '(?:a|b)|(?:it''s)'\n"


def test_no_single_check_is_offered_for_paths_with_weights() -> None:
    text = f"{HEAD}  should:\n    - - {{$contains: a, weight: 2}}\n    - - $contains: b\n"
    assert "any will do" not in " ".join(fix.title for fix in fixes_of(text, "single-element-path"))


def test_flattening_moves_every_line_of_a_long_point() -> None:
    text = f"{HEAD}  should:\n    - - point: b\n        # inner\n        citation: |\n          long\n    - - c\n"
    fix = fixes_of(text, "single-element-path")[0]
    assert apply_edits(text, fix.edits) == (
        f"{HEAD}  should:\n    - point: b\n      # inner\n      citation: |\n        long\n    - c\n"
    )


def test_a_double_negative_moves_to_should_with_its_comment() -> None:
    text = f"{HEAD}  should:\n    - a\n\n  should_not:\n    - Must not b # c\n    - d\n  weight: 2\n"
    fix = fixes_of(text, "double-negative")[0]
    assert apply_edits(text, fix.edits) == (
        f"{HEAD}  should:\n    - a\n    - Must not b # c\n\n  should_not:\n    - d\n  weight: 2\n"
    )


def test_the_last_point_of_should_not_takes_its_key_along() -> None:
    text = f"{HEAD}  should:\n    - a\n  should_not:\n    - Must not b\n  weight: 2\n"
    fix = fixes_of(text, "double-negative")[0]
    assert apply_edits(text, fix.edits) == f"{HEAD}  should:\n    - a\n    - Must not b\n  weight: 2\n"


def test_a_duplicate_id_gets_a_number_that_is_free_inside_its_quotes() -> None:
    text = '- id: "p"\n  prompt: a\n- id: p-2\n  prompt: b\n- id: "p" # c\n  prompt: d\n'
    fix = fixes_of(text, "duplicate-prompt-id")[0]
    assert apply_edits(text, fix.edits).endswith('- id: "p-3" # c\n  prompt: d\n')


def test_a_misspelt_key_is_mended_wherever_it_stands() -> None:
    text = "- id: p\n  prompt: q\n  shoud: [a]\n- id: r\n  prompt: s\n  shoud: [b]\n"
    fix = fixes_of(text, "unknown-key")[0]
    assert fix.safe
    assert apply_edits(text, fix.edits) == text.replace("shoud", "should")


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

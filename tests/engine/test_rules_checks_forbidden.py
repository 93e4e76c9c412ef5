"""Checks under `should_not`: what is said of them, and that moving them changes no score."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.diagnostics import Diagnostic, Fix, Severity
from engine.evaluation import assess_functions
from engine.javascript import JavaScript
from engine.parsing import parse
from engine.rules.fixes.application import apply_fixes
from engine.rules.fixes.fix_trial import FixTrial
from engine.rules.selection import Level, RuleSelection
from engine.scoring import PointExtent, aggregate, score_of
from engine.text import apply_edits
from tests.engine.rule_reports import HEAD, found, only, rubric, should
from tests.world import corpus_files, needs_corpus


def fixed(text: str) -> str:
    [fix] = only(text, "function-in-should-not").fixes
    return apply_edits(text, fix.edits)


def test_a_check_under_should_not_is_a_hint_with_its_share() -> None:
    text = rubric(["a", "b", "c"], ["$contains: x"])
    one = only(text, "function-in-should-not")
    assert (one.severity, one.span.of(text)) == (Severity.HINT, "$contains")
    assert one.message == "$not_contains under `should` says the same: 25% of this score, there as here"


def test_the_last_check_takes_its_block_along() -> None:
    text = rubric(["a"], ["$icontains: x # c\n      weight: 2\n      citation: s"]) + "  ideal: y\n"
    assert fixed(text) == should("a", "$not_icontains: x # c\n      weight: 2\n      citation: s") + "  ideal: y\n"


def test_other_points_of_should_not_stay_where_they_are() -> None:
    assert fixed(rubric(["a"], ["b", "$contains: x"])) == rubric(["a", "$not_contains: x"], ["b"])


def test_a_block_with_a_comment_of_its_own_is_not_removed() -> None:
    text = rubric(["a"], ["$contains: x"]).replace("should_not:", "should_not: # why")
    assert only(text, "function-in-should-not").fixes == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("$contain: x", "$not_contains: x"),
        ("fn: match\n      arg: x", "fn: not_matches\n      arg: x"),
        ('"$contains": contains', '"$not_contains": contains'),
        ("weight: 2\n      $contains: x", "weight: 2\n      $not_contains: x"),
    ],
)
def test_only_the_name_of_the_check_is_changed(before: str, after: str) -> None:
    assert fixed(rubric(["a"], [before])) == should("a", after)


def test_a_block_without_should_becomes_should_when_asked() -> None:
    text = f"{HEAD}  should_not:\n    - $contains: x\n"
    [fix] = only(text, "function-in-should-not").fixes
    assert (fix.safe, apply_edits(text, fix.edits)) == (False, should("$not_contains: x"))


def test_a_check_beside_a_text_gets_a_block_of_its_own_when_asked() -> None:
    text = f"{HEAD}  should_not:\n    - Says a\n    - $contains: x\n"
    [fix] = only(text, "function-in-should-not").fixes
    assert (fix.safe, apply_edits(text, fix.edits)) == (False, rubric(["$not_contains: x"], ["Says a"]))


@pytest.mark.parametrize(
    "point",
    ["Says a", "$not_contains: x", "$tool_called: x", "$is_json: true", "$js: r", "$matches: (?i)x", "$nothing: x"],
)
def test_what_has_no_twin_on_weval_or_is_told_otherwise_is_left_alone(point: str) -> None:
    assert found(rubric(["a"], [point]), "function-in-should-not") == []


def test_checks_on_paths_of_should_not_are_left_alone() -> None:
    assert found(rubric(["a"], ["- $contains: x\n      - b"]), "function-in-should-not") == []


def test_beside_paths_of_should_not_there_is_no_fix() -> None:
    text = rubric(["a", "b"], ["$contains: x", "- c\n      - d"])
    assert only(text, "function-in-should-not").fixes == ()


def scores(prompt: Prompt, answer: str, javascript: JavaScript) -> tuple[float | None, float]:
    """Our score and Weval's, over the checks alone."""
    points = [PointExtent.of(each) for each in assess_functions(prompt, answer, javascript)]
    return score_of(points), aggregate(points)


ALONE = RuleSelection(select=frozenset({"R012"}), levels=(("R012", Level.WARNING),))
"""The moves alone, as a project asks for them: of hints no fix is applied unasked."""

checks = st.sampled_from(["$contains: a", "$icontains_any_of: [a, b]", "$contains_all_of: [a, b, c]", "$matches: b"])
weights = st.sampled_from([1, 0.5, 2.5])


@given(st.lists(st.tuples(checks, weights), min_size=1, max_size=3), st.text("abcAB ", max_size=6), st.booleans())
def test_moving_checks_out_of_should_not_leaves_every_score_as_it_was(
    javascript: JavaScript, points: list[tuple[str, float]], answer: str, paths: bool
) -> None:
    wanted = ["$contains: b", *(["- $contains: a\n      - $contains: c", "- $contains: B"] if paths else [])]
    text = rubric(wanted, [f"{check}\n      weight: {weight}" for check, weight in points])
    mended = apply_fixes(FixTrial(text, selection=ALONE), first_fix)
    [before], [after] = parse(text).blueprint.prompts, mended.parsed.blueprint.prompts
    assert after.should_not is None
    assert scores(before, answer, javascript) == pytest.approx(scores(after, answer, javascript))


def first_fix(problem: Diagnostic) -> Fix | None:
    return next(iter(problem.fixes), None)


def corpus_files_that_forbid() -> list[Path]:
    return [path for path in corpus_files() if "should_not:" in path.read_text("utf-8")]


@needs_corpus
@pytest.mark.parametrize("path", corpus_files_that_forbid(), ids=lambda path: path.stem)
@pytest.mark.parametrize("answer", ["", "I would call 988 and x"])
def test_moving_the_checks_of_the_corpus_changes_no_score(path: Path, answer: str, javascript: JavaScript) -> None:
    before = parse(path.read_text("utf-8"), path)
    mended = apply_fixes(FixTrial(before.text, path, selection=ALONE), first_fix)
    assert [one.message for one in mended.remaining] == []
    assert [scores(prompt, answer, javascript) for prompt in mended.parsed.blueprint.prompts] == [
        scores(prompt, answer, javascript) for prompt in before.blueprint.prompts
    ]

"""What-if: the score under changes is the score once they are made, and their edits make just these."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt
from engine.parsing import parse
from engine.rules.rubric_edits import Refusal, rubric_edits
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import PointExtent, place
from engine.scoring.what_if import RubricChanges, stepped, what_if
from engine.text.spans import apply_edits
from tests.checked_corpus import read
from tests.engine.builders import assessed, prompt, text
from tests.engine.short_cases import assert_says, data_of
from tests.many_cases import every
from tests.world import corpus_files, needs_corpus

ENTRY = st.one_of(
    st.builds(text, st.just("p"), st.sampled_from([0.5, 1.0, 2.0])),
    st.lists(st.builds(text, st.just("p"), st.sampled_from([1.0, 2.0])), min_size=1, max_size=3),
)
EXTENT = st.none() | st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


@st.composite
def changed(draw: st.DrawFn) -> tuple[Prompt, list[float | None], RubricChanges]:
    some = prompt(draw(st.lists(ENTRY, min_size=1, max_size=4)), draw(st.lists(ENTRY, max_size=2)))
    count = len(some.points())
    extents = draw(st.lists(EXTENT, min_size=count, max_size=count))
    places = st.integers(0, count - 1)
    paths = sorted({each.path_id for each in place(some) if each.path_id is not None})
    flat = draw(st.frozensets(st.sampled_from(paths))) if paths else frozenset[str]()
    weights = draw(st.dictionaries(places, st.sampled_from([0.1, 1.4, 3.0, 10.0]), max_size=3))
    return some, extents, RubricChanges(weights, draw(st.frozensets(places, max_size=2)), flat)


def points_of(some: Prompt, extents: list[float | None]) -> list[PointExtent]:
    return [PointExtent.of(each) for each in assessed(some, extents)]


def really(some: Prompt, extents: list[float | None], changes: RubricChanges) -> tuple[float | None, float, float]:
    """The score and its bounds by `explain`, of the rubric with the changes made."""
    left = [
        (each, changes.weights.get(at, each.point.multiplier), extents[at])
        for at, each in enumerate(place(some))
        if at not in changes.off
    ]
    paths: dict[str | None, list[tuple[float, float | None]]] = {}
    for each, weight, extent in left:
        free = each.path_id is None or each.path_id in changes.flat
        paths.setdefault(None if free else each.path_id, []).append((weight, extent))
    required = [text("p", weight) for weight, _ in paths.get(None, [])]
    others = [[text("p", weight) for weight, _ in path] for key, path in paths.items() if key is not None]
    made = prompt([*required, *others])
    order = [extent for _, extent in paths.get(None, [])]
    order += [extent for key, path in paths.items() if key is not None for _, extent in path]
    found = explain(made, assessed(made, order))
    return found.score, found.bounds.low, found.bounds.high


@given(changed())
def test_the_score_is_that_of_the_rubric_with_the_changes_made(
    case: tuple[Prompt, list[float | None], RubricChanges],
) -> None:
    some, extents, changes = case
    found = what_if(points_of(some, extents), changes)
    assert (found.score, found.bounds.low, found.bounds.high) == pytest.approx(really(some, extents, changes))


@given(changed(), st.sampled_from([0.0, 0.5, 1.0]))
def test_every_completion_lies_within_the_bounds(
    case: tuple[Prompt, list[float | None], RubricChanges], extent: float
) -> None:
    some, extents, changes = case
    points = points_of(some, extents)
    bounds = what_if(points, changes).bounds
    filled = {at: extent for at, each in enumerate(extents) if each is None}
    score = what_if(points, changes, filled).score
    assert score is None or bounds.low - 1e-9 <= score <= bounds.high + 1e-9


def test_a_rounding_makes_no_path_the_best() -> None:
    points = [PointExtent(0.75, 1.0, "should-0"), PointExtent(0.75, 1.0, "should-1")]
    assert what_if(points, RubricChanges({0: 0.7})).best_path_id == "should-0"


@every(
    ("weight", "by", "then"),
    [(1.0, 1, 1.25), (1.0, -1, 0.75), (1.4, 1, 1.5), (1.4, -1, 1.25), (10, 1, 10), (0.1, -1, 0.1)],
)
def test_a_key_steps_through_round_weights(weight: float, by: int, then: float) -> None:
    assert stepped(weight, by) == then


def made(mark: str, source: str) -> Iterator[str]:
    """The lines that a change of the rubric writes anew, or why it is refused."""
    case, parsed = data_of(mark), parse(source)
    of = parsed.blueprint.prompts[case.get("prompt", 0)]
    weights = {int(at): float(weight) for at, weight in case.get("weights", {}).items()}
    changes = RubricChanges(weights, frozenset(case.get("off", ())), frozenset(case.get("flat", ())))
    edits = rubric_edits(parsed, of, changes, {0: case["forms"]} if "forms" in case else {})
    if isinstance(edits, Refusal):
        yield f"refused: {edits.message}"
        return
    after = apply_edits(source, edits)
    yield from list(difflib.unified_diff(source.splitlines(), after.splitlines(), n=0, lineterm=""))[2:]


def test_a_change_of_the_rubric_is_written_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("rubric_edit_cases.txt"), made, pytestconfig)


@needs_corpus
def test_weights_and_points_of_the_corpus_can_be_changed() -> None:
    done = refused = 0
    for path in corpus_files()[::12]:
        parsed = read(path)
        for some in [each for each in parsed.blueprint.prompts[:2] if len(each.points()) > 1]:
            last = len(some.points()) - 1
            found = rubric_edits(parsed, some, RubricChanges({0: 2.0}, frozenset({last})), {})
            refused += isinstance(found, Refusal)
            done += not isinstance(found, Refusal)
    assert done > 20 * refused

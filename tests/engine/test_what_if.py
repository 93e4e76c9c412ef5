"""What-if: the score under changes is the score once they are made, and their edits make just these."""

from __future__ import annotations

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


SOURCE = """\
- id: p   # the first
  prompt: x
  should:
    # what matters
    - Names the lease   # a comment
    - $contains: rent
    - {$icontains: bank, weight: 2}
    - text: Says when
      weight: 3  # thrice
    - - $contains: a
      - $contains: b
    - - $contains: c
  should_not:
    - Names the king
"""


def made(source: str, changes: RubricChanges, forms: dict[int, list[tuple[str, str]]] | None = None) -> str:
    parsed = parse(source)
    edits = rubric_edits(parsed, parsed.blueprint.prompts[0], changes, forms or {})
    assert not isinstance(edits, Refusal), edits
    return apply_edits(source, edits)


@every(
    ("changes", "old", "new"),
    [
        (
            RubricChanges({0: 2.0}),
            "    - Names the lease   # a comment\n",
            "    - text: Names the lease   # a comment\n      weight: 2\n",
        ),
        (RubricChanges({1: 0.5}), "    - $contains: rent\n", "    - $contains: rent\n      weight: 0.5\n"),
        (RubricChanges({2: 4.0}), "weight: 2}", "weight: 4}"),
        (RubricChanges({3: 1.0}), "weight: 3  # thrice", "weight: 1  # thrice"),
        (RubricChanges({4: 2.0}), "    - - $contains: a\n", "    - - $contains: a\n        weight: 2\n"),
        (RubricChanges(off=frozenset({1})), "    - $contains: rent\n", "    # - $contains: rent\n"),
        (RubricChanges(off=frozenset({3})), "    - text: Says when\n      w", "    # - text: Says when\n    #   w"),
        (RubricChanges(off=frozenset({4})), "    - - $contains: a\n      - $c", "    - - $c"),
        (RubricChanges(off=frozenset({5})), "      - $contains: b\n", "      # - $contains: b\n"),
        (RubricChanges(off=frozenset({6})), "    - - $contains: c\n", "    # - - $contains: c\n"),
        (RubricChanges(flat=frozenset({"path_5"})), "    - - $contains: c\n", "    - $contains: c\n"),
        (
            RubricChanges(off=frozenset({7})),
            "  should_not:\n    - Names the king\n",
            "  # should_not:\n  #   - Names the king\n",
        ),
    ],
)  # fmt: skip
def test_a_change_is_made_in_its_place_and_nowhere_else(changes: RubricChanges, old: str, new: str) -> None:
    assert made(SOURCE, changes) == SOURCE.replace(old, new)


def test_several_changes_are_made_together() -> None:
    after = made(SOURCE, RubricChanges({0: 2.0, 4: 3.0}, frozenset({1, 5}), frozenset({"path_4", "path_5"})))
    assert (
        after
        == """\
- id: p   # the first
  prompt: x
  should:
    # what matters
    - text: Names the lease   # a comment
      weight: 2
    # - $contains: rent
    - {$icontains: bank, weight: 2}
    - text: Says when
      weight: 3  # thrice
    - $contains: a
      weight: 3
    # - $contains: b
    - $contains: c
  should_not:
    - Names the king
"""
    )


@every(
    ("call", "forms", "then"),
    [
        ("$contains: Rent", [("Rent", "rent")], "$icontains: Rent"),
        ("$contains_word: Paraná", [("Paraná", "Paraná")], "$contains: Paraná"),
        ("$starts_with: 'Yes'", [("Yes", "Yes")], "$contains: 'Yes'"),
        ("$contains: Paraná", [("Paraná", "Parana")], "$matches: '(?:Paraná|Parana)'"),
        ("$contains_any_of: [a, leases]", [("leases", "lease")], "$contains_any_of: [a, leases, 'lease']"),
    ],
)
def test_a_check_is_loosened_to_what_the_answer_has(call: str, forms: list[tuple[str, str]], then: str) -> None:
    source = f"- prompt: x\n  should:\n    - {call}  # why\n"
    assert made(source, RubricChanges(), {0: forms}) == source.replace(call, then)


@pytest.mark.parametrize(
    ("point", "then"),
    [
        ('["A", {"$contains": "b"}]', '[{"text": "A", "weight": 2}, {"$contains": "b"}]'),
        ('[{"$contains": "b"}, "A"]', '[{"$contains": "b", "weight": 2}, "A"]'),
    ],
)
def test_json_is_changed_as_json(point: str, then: str) -> None:
    source = f'{{"prompts": [{{"id": "p", "prompt": "x", "should": {point}}}]}}'
    assert made(source, RubricChanges({0: 2.0})) == source.replace(point, then)


@every("style", ["|", ">-", "|2"])
def test_a_block_of_text_is_indented_with_its_mapping(style: str) -> None:
    source = f"- prompt: x\n  should:\n    - {style}\n      Names the lease\n      and the rent\n    - B\n"
    parsed = parse(source)
    edits = rubric_edits(parsed, parsed.blueprint.prompts[0], RubricChanges({0: 2.0}), {})
    after = source if isinstance(edits, Refusal) else apply_edits(source, edits)
    point = parse(after).blueprint.prompts[0].points()[0]
    assert isinstance(edits, Refusal) or (point.multiplier, point.text) == (
        2.0,
        parsed.blueprint.prompts[0].points()[0].text,
    )


def test_a_change_without_a_place_is_refused_and_named() -> None:
    source = "- prompt: x\n  should: &s\n    - Names the lease\n- prompt: y\n  should: *s\n"
    parsed = parse(source)
    found = rubric_edits(parsed, parsed.blueprint.prompts[1], RubricChanges({0: 2.0}), {})
    assert found == Refusal("the weight of “Names the lease” has no place where it is written: change it in the text")
    shared = parsed.blueprint.prompts[0]  # whose weight would be that of the other prompt, too
    assert isinstance(rubric_edits(parsed, shared, RubricChanges({0: 2.0}), {}), Refusal)


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

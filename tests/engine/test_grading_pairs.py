"""Which pairs can be graded blind, which are drawn, and in which order they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.parsing import parse
from engine.scoring.assessment import Grade
from engine.store import Store
from engine.store.grades import BlindGrade, blueprint_key
from engine.study.judged_pairs import JudgedPair, QueueReason, grading_queue, new_seed, pair_key, sample
from tests.engine.judged import FILE, pairs_in, save_answer

TEXT = """\
- id: rent
  prompt: When is the rent due?
  should:
    - Names the day
    - $contains: rent
    - Names the lease
  should_not:
    - Advises to withhold rent
"""
BLUEPRINT = parse(TEXT).blueprint
(RENT,) = BLUEPRINT.prompts


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    found = Store(tmp_path / "studio.sqlite3")
    yield found
    found.close()


def found(store: Store, text: str = TEXT) -> dict[tuple[str, str], JudgedPair]:
    """The pairs by the answer's source and the criterion."""
    return {(pair.source, pair.criterion.text): pair for pair in pairs_in(store, parse(text).blueprint)}


def test_each_criterion_in_words_of_each_judged_answer_is_a_pair(store: Store) -> None:
    save_answer(store, BLUEPRINT, RENT, "On the 1st.", [[1.0], [0.25], [0.0]], "own:a")
    save_answer(store, BLUEPRINT, RENT, "On the 3rd.", [[0.5], [0.0], [1.0]], "own:b")
    assert [(pair.source, pair.criterion.text, pair.extent) for pair in pairs_in(store, BLUEPRINT)] == [
        ("a", "Names the day", 1.0),
        ("a", "Names the lease", 0.25),
        ("a", "Advises to withhold rent", 0.0),
        ("b", "Names the day", 0.5),
        ("b", "Names the lease", 0.0),
        ("b", "Advises to withhold rent", 1.0),
    ]


def test_the_consensus_of_the_judges_decides_the_side(store: Store) -> None:
    save_answer(store, BLUEPRINT, RENT, "x", [[1.0, 0.0], [0.75, 0.0], [0.75, 0.5]])
    passed = {criterion: pair.is_passed for (_, criterion), pair in found(store).items()}
    assert passed == {"Names the day": True, "Names the lease": False, "Advises to withhold rent": False}


def test_an_answer_that_was_given_twice_is_one(store: Store) -> None:
    save_answer(store, BLUEPRINT, RENT, "On the 1st.", [[1.0], [0.0], [0.0]])
    save_answer(store, BLUEPRINT, RENT, "On the 1st.", [[0.0], [0.0], [0.0]])
    assert [pair.extent for pair in pairs_in(store, BLUEPRINT)] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Names the lease", "Names the contract"),
        ("When is the rent", "Why is the rent"),
        ("- id: rent", "description: Tenancy\n---\n- id: rent"),
    ],
    ids=["another criterion", "another question", "a description"],
)
def test_verdicts_that_are_carried_over_are_not_graded(store: Store, before: str, after: str) -> None:
    save_answer(store, BLUEPRINT, RENT, "On the 1st.", [[1.0], [0.0], [0.0]])
    assert found(store, TEXT.replace(before, after)) == {}


def test_a_check_that_is_added_leaves_the_pairs(store: Store) -> None:
    save_answer(store, BLUEPRINT, RENT, "On the 1st.", [[1.0], [0.0], [0.0]])
    assert len(found(store, TEXT.replace("- $contains: rent", "- $contains: rent\n    - $contains: day"))) == 3


# The sample


def many(store: Store, answers: int = 12) -> tuple[JudgedPair, ...]:
    for number in range(answers):
        save_answer(store, BLUEPRINT, RENT, f"Answer {number}.", [[1.0], [0.0], [0.0]])
    return pairs_in(store, BLUEPRINT)


def test_a_seed_draws_the_same_sample_whatever_the_order(store: Store) -> None:
    pairs = many(store)
    assert sample(pairs, 7, 5) == sample(pairs[::-1], 7, 5)
    assert sample(pairs, 7, 5) != sample(pairs, 8, 5)


def test_a_larger_sample_begins_with_the_smaller_one(store: Store) -> None:
    pairs = many(store)
    assert sample(pairs, 7, 20)[:5] == sample(pairs, 7, 5)


def test_the_drawn_keys_are_those_of_every_version(store: Store) -> None:
    """A sample must not change with Python or with the studio: colleagues compare by its seed."""
    drawn = [pair_key(pair.id) for pair in sample(many(store), 1, 3)]
    assert drawn == DRAWN


DRAWN = ["k3edf3aa4b093", "k5b32c6df16b3", "k5f7d704e13ac"]


def test_each_pair_is_drawn_about_as_often(store: Store) -> None:
    pairs = many(store, 4)
    drawn = Counter(pair.id for seed in range(600) for pair in sample(pairs, seed, 4))
    assert len(drawn) == 12
    assert min(drawn.values()) > 150
    assert max(drawn.values()) < 250


def test_seeds_differ() -> None:
    assert len({new_seed() for _ in range(20)}) > 15


# The queue


def test_the_sample_comes_first_then_judges_that_differ_then_the_borderline(store: Store) -> None:
    extents = [[[0.0, 1.0], [1.0, 1.0], [0.0]], [[0.5], [0.25], [0.4]], [[0.25, 0.75], [0.55], [1.0]]]
    for number, each in enumerate(extents):
        save_answer(store, BLUEPRINT, RENT, f"Answer {number}.", each, f"own:{number}")
    judged = {pair.id: pair for pair in pairs_in(store, BLUEPRINT)}
    first = found(store)["0", "Names the lease"]
    queue = grading_queue([first.id], judged, ())
    assert [(each.reason, each.pair.source, each.pair.criterion.text) for each in queue] == [
        (QueueReason.SAMPLE, "0", "Names the lease"),
        (QueueReason.JUDGES_DIFFER, "0", "Names the day"),
        (QueueReason.JUDGES_DIFFER, "2", "Names the day"),
        (QueueReason.BORDERLINE, "1", "Names the day"),
        (QueueReason.BORDERLINE, "2", "Names the lease"),
        (QueueReason.BORDERLINE, "1", "Advises to withhold rent"),
    ]


def test_what_is_graded_or_skipped_does_not_come_again(store: Store) -> None:
    pairs = many(store)
    judged = {pair.id: pair for pair in pairs}
    drawn = [pair.id for pair in sample(pairs, 3, 4)]
    queue = grading_queue(drawn, judged, {drawn[0], drawn[2]})
    assert [each.pair.id for each in queue] == [drawn[1], drawn[3]]


# What is kept


def test_a_sample_and_its_grades_are_there_after_a_restart(tmp_path: Path) -> None:
    path, blueprint = tmp_path / "studio.sqlite3", blueprint_key(FILE)
    store = Store(path)
    drawn = [pair.id for pair in sample(many(store), 5, 3)]
    store.save_sample(blueprint, 5, 36, drawn)
    grades = {drawn[0]: BlindGrade(Grade.ABSENT), drawn[2]: BlindGrade(None, "cannot tell")}
    store.save_blind_grades(blueprint, "human", grades)
    store.close()
    again = Store(path)
    kept = again.sample(blueprint)
    assert kept is not None
    assert (kept.seed, kept.judged, list(kept.pairs)) == (5, 36, drawn)
    assert again.blind_grades(blueprint) == {"human": grades}
    assert again.sampled_pairs(blueprint) == frozenset(drawn)


def test_a_new_sample_takes_the_place_of_the_old_one_and_keeps_its_grades(store: Store) -> None:
    pairs, blueprint = many(store), blueprint_key(FILE)
    first, second = sample(pairs, 1, 2), sample(pairs, 2, 2)
    store.save_sample(blueprint, 1, 36, [pair.id for pair in first])
    store.save_blind_grades(blueprint, "human", {first[0].id: BlindGrade(Grade.ABSENT)})
    store.save_sample(blueprint, 2, 36, [pair.id for pair in second])
    kept = store.sample(blueprint)
    assert kept is not None
    assert kept.seed == 2
    assert list(store.blind_grades(blueprint)["human"]) == [first[0].id]
    assert store.sampled_pairs(blueprint) == {pair.id for pair in (*first, *second)}


def test_a_blueprint_without_a_sample_has_none(store: Store) -> None:
    assert store.sample("other.yml") is None
    assert store.blind_grades("other.yml") == {}


def test_a_failed_verdict_is_no_pair(store: Store) -> None:
    save_answer(store, BLUEPRINT, RENT, "x", [[], [0.5], [0.5]])
    assert ("secret-model", "Names the day") not in found(store)


def test_the_verdicts_of_a_pair_are_there_in_words(store: Store) -> None:
    save_answer(store, BLUEPRINT, RENT, "x", [[0.75, 0.25], [0.5], [0.5]])
    words = found(store)["secret-model", "Names the day"].words
    assert [(word.judge, word.label, word.reflection) for word in words] == [
        ("strict", "majorly present", "strict says so."),
        ("mild", "slightly present", "mild says so."),
    ]

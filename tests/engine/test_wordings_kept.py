"""Wordings of a criterion in the database, the verdicts under each, and which answers are fresh to a wording."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.blueprint import Block
from engine.blueprint.conversation import Variant
from engine.evaluation.events import Response
from engine.evaluation.sources import AnswerSource, Candidate, ModelSource, WrittenSource
from engine.parsing import parse
from engine.scoring.sums import place as placed_points
from engine.store import JudgeForm, PromptPlace, Store, WordingVerdict, WrittenWording
from engine.store.stored_answers import UNKNOWN, wordings_of
from engine.study.case import Case, Label
from engine.study.criterion_counts import freshness
from engine.text.record import text_digest
from engine.text.spans import NOWHERE
from tests.many_cases import every

PARSED = parse("- id: a\n  prompt: When?\n  should:\n    - Names the day\n    - Is kind\n").blueprint
PROMPT = PARSED.prompts[0]
PLACE = PromptPlace("a.yml", "a")
OLD, NEW = "2026-01-01T00:00:00.000+00:00", "2026-02-01T00:00:00.000+00:00"
DAY, KIND = placed_points(PROMPT)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "studio.sqlite3")


def answered(store: Store, text: str, source: AnswerSource) -> None:
    number = store.begin_run(PLACE, Candidate(source, Variant()), "", "")
    store.save_run_answer(number, PLACE, Candidate(source), Response(text, ()))


def test_an_answer_of_a_model_has_the_time_of_its_first_showing(store: Store) -> None:
    answered(store, "On Monday.", ModelSource("openai:m"))
    store.mark_shown(PLACE, ["On Monday."])
    first = dict(store.first_shown(PLACE))
    store.mark_shown(PLACE, ["On Monday."])
    assert first == store.first_shown(PLACE)
    assert first[text_digest("On Monday.")] > NEW


@pytest.mark.parametrize("text", ["Written by hand.", "In a file."])
def test_of_an_answer_from_elsewhere_it_is_unknown_who_saw_it(store: Store, text: str) -> None:
    answered(store, "Written by hand.", WrittenSource("Written by hand."))
    store.mark_shown(PLACE, [text])
    assert store.first_shown(PLACE) == {text_digest(text): UNKNOWN}


def test_a_wording_has_the_time_of_its_first_use_until_it_is_taken_back(store: Store) -> None:
    store.note_wordings(PLACE, wordings_of(PROMPT))
    first = dict(store.wordings_since(PLACE))
    store.note_wordings(PLACE, wordings_of(PROMPT))
    assert store.wordings_since(PLACE) == first
    with store.writing() as connection:
        connection.execute("UPDATE point_wording SET since = ?", (OLD,))
    store.renew_wording(PLACE, Block.SHOULD, "Names the day")
    since = store.wordings_since(PLACE)
    assert since[Block.SHOULD, "Names the day"] > NEW
    assert since[Block.SHOULD, "Is kind"] == OLD


CASE = Case(1, NOWHERE, "a", NOWHERE, ("On Monday.",), Label.GOOD, model="openai:m")
SHOWN = text_digest("On Monday.")


@every(
    ("shown", "since", "is_fresh"),
    [
        ({SHOWN: NEW}, {"Names the day": OLD, "Is kind": OLD}, True),
        ({SHOWN: OLD}, {"Names the day": NEW, "Is kind": OLD}, False),
        ({SHOWN: NEW}, {"Names the day": OLD}, False),
        ({SHOWN: UNKNOWN}, {"Names the day": OLD, "Is kind": OLD}, False),
        ({}, {"Names the day": OLD, "Is kind": OLD}, False),
    ],
)
def test_an_answer_is_fresh_if_all_points_had_their_wording_before_it_was_shown(
    shown: dict[str, str], since: dict[str, str], is_fresh: bool
) -> None:
    known = {(Block.SHOULD, name): time for name, time in since.items()}
    assert freshness(PROMPT, PARSED.header, shown, known)(CASE, [DAY, KIND]) is is_fresh


# Wordings and the verdicts under each

FIRST = WrittenWording("Names the lease", "Names the lease", "Names the lease", 6)
SECOND = WrittenWording("Names the contract", "Names the contract", "Names the contract", 6)

FIVE, TEN = JudgeForm("five steps", "x"), JudgeForm("ten steps", "y")


def test_a_lineage_has_its_wordings_in_the_order_of_their_first_use(store: Store) -> None:
    number = store.begin_lineage(PLACE, Block.SHOULD)
    for wording in (FIRST, SECOND, FIRST):
        store.use_wording(number, wording)
    (lineage,) = store.lineages(PLACE)
    assert [each.written for each in lineage.wordings] == [FIRST, SECOND]
    assert lineage.last_used.written == FIRST


def test_a_lineage_without_a_wording_is_none(store: Store) -> None:
    store.begin_lineage(PLACE, Block.SHOULD)
    assert store.lineages(PLACE) == ()


def test_a_verdict_replaces_the_same_judge_s_under_the_same_wording_alone(store: Store) -> None:
    number = store.begin_lineage(PLACE, Block.SHOULD_NOT)
    first, second = store.use_wording(number, FIRST), store.use_wording(number, SECOND)
    old, new = WordingVerdict("a(x:a)", 0.0), WordingVerdict("a(x:a)", 1.0, "Yes.", "c")
    other = WordingVerdict("b", 0.5)
    for wording, verdict in ((first, old), (second, old), (first, other), (first, new)):
        store.save_wording_verdict(wording.number, "answer", verdict)
    (lineage,) = store.lineages(PLACE)
    assert [set(each.verdicts["answer"]) for each in lineage.wordings] == [{new, other}, {old}]


def test_a_judge_has_a_verdict_for_each_way_in_which_it_was_asked(store: Store) -> None:
    wording = store.use_wording(store.begin_lineage(PLACE, Block.SHOULD), FIRST)
    five, ten = WordingVerdict("a", 0.5, form=FIVE), WordingVerdict("a", 0.625, form=TEN)
    for verdict in (WordingVerdict("a", 0.5, form=FIVE), ten, five):
        store.save_wording_verdict(wording.number, "answer", verdict)
    assert store.lineages(PLACE)[0].wordings[0].verdicts == {"answer": (ten, five)}


def test_a_verdict_replaces_the_judge_s_of_which_that_was_not_recorded(store: Store) -> None:
    wording = store.use_wording(store.begin_lineage(PLACE, Block.SHOULD), FIRST)
    new = WordingVerdict("a", 0.5, form=FIVE)
    for verdict in (WordingVerdict("a", 0.0), new):
        store.save_wording_verdict(wording.number, "answer", verdict)
    assert store.lineages(PLACE)[0].wordings[0].verdicts == {"answer": (new,)}


def test_lineages_of_another_prompt_are_not_found(store: Store) -> None:
    store.use_wording(store.begin_lineage(PLACE, Block.SHOULD), FIRST)
    assert store.lineages(PromptPlace("a.yml", "b")) == ()


def test_odd_characters_of_a_wording_survive(store: Store) -> None:
    odd = WrittenWording("lone \ud83d", "'lone \ud83d'", "\ufdd0", 0, is_check=True)
    store.use_wording(store.begin_lineage(PLACE, Block.SHOULD), odd)
    assert store.lineages(PLACE)[0].wordings[0].written == odd


def test_the_choice_of_answers_is_kept_by_prompt(store: Store) -> None:
    store.choose_answers(PLACE, {"one": True, "other": False})
    store.choose_answers(PLACE, {"other": True})
    assert store.chosen_answers(PLACE) == {"one": True, "other": True}

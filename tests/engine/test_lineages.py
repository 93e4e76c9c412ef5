"""Wordings of a criterion and the verdicts under each, in the database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.blueprint import Block
from engine.store import UNKNOWN_FORM, JudgeForm, PromptPlace, Store, WordingVerdict, WrittenWording
from engine.store.database import migrations

PLACE = PromptPlace("a.yml", "a")
FIRST = WrittenWording("Names the lease", "Names the lease", "Names the lease", 6)
SECOND = WrittenWording("Names the contract", "Names the contract", "Names the contract", 6)

FIVE, TEN = JudgeForm("five steps", "x"), JudgeForm("ten steps", "y")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "studio.sqlite3")


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


def test_a_verdict_of_an_earlier_database_is_there_and_how_it_was_asked_is_not_known(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "".join(step.read_text("utf-8") for step in migrations()[:13])
            + "INSERT INTO lineage VALUES (1, 'a.yml', 'a', 'should');"
            + "INSERT INTO wording VALUES (1, 1, 'Names it', 'Names it', 'Names it', 6, 0, 1);"
            + "INSERT INTO wording_verdict VALUES (1, 'answer', 'a', 0.5, 'Half.', 'c'); PRAGMA user_version = 13;"
        )
    with closing(Store(path)) as store:
        [wording] = store.lineages(PLACE)[0].wordings
    assert wording.verdicts == {"answer": (WordingVerdict("a", 0.5, "Half.", "c", UNKNOWN_FORM),)}


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

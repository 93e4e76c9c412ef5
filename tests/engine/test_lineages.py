"""Wordings of a criterion and the verdicts under each, in the database."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.blueprint import Block
from engine.store import PromptPlace, Store, WordingVerdict, WrittenWording

PLACE = PromptPlace("a.yml", "a")
FIRST = WrittenWording("Names the lease", "Names the lease", "Names the lease", 6)
SECOND = WrittenWording("Names the contract", "Names the contract", "Names the contract", 6)


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

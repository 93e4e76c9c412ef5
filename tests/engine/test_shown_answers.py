"""Fresh answers: first shown, as far as is known, after the point had its present wording."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.blueprint import Block
from engine.blueprint.conversation import Variant
from engine.evaluation.events import Response
from engine.evaluation.sources import AnswerSource, Candidate, ModelSource, WrittenSource
from engine.parsing import parse
from engine.scoring.sums import place as placed_points
from engine.store import PromptPlace, Store
from engine.store.database import migrations
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


def test_of_an_answer_from_before_the_recording_it_is_unknown_too(tmp_path: Path) -> None:
    path = tmp_path / "studio.sqlite3"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        steps = [step.read_text("utf-8") for step in migrations()]
        before = next(number for number, step in enumerate(steps) if "showing_recorded" in step)
        for step in steps[:before]:
            connection.executescript(step)
        connection.execute(
            "INSERT INTO response (id, blueprint, prompt, source, subject, thread, complete, created)"
            " VALUES (1, 'a.yml', 'a', 'openai:m', 'On Monday.', '[]', 1, ?)",
            (OLD,),
        )
        connection.execute(
            "INSERT INTO run (blueprint, prompt, source, suffix, began, state, rubric, response)"
            " VALUES ('a.yml', 'a', '[\"model\", \"openai:m\", null]', '', ?, 'scored', '', 1)",
            (OLD,),
        )
        connection.execute(f"PRAGMA user_version = {before}")
    store = Store(path)
    store.mark_shown(PLACE, ["On Monday."])
    assert store.first_shown(PLACE) == {text_digest("On Monday."): UNKNOWN}


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

"""Blind grading without a widget: what is hidden, what is saved, what comes next, and how far judges agree."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from pytest_httpserver import HTTPServer

from engine.files.own_files import data_dir
from engine.parsing import parse
from engine.scoring.assessment import Grade
from engine.store import HUMAN, PromptPlace, Store
from engine.store.grades import BlindGrade, blueprint_key
from engine.study.judged_pairs import load_sample
from studio.session.blind_grading import BlindGrading
from studio.session.views.criterion_view import CriterionView
from tests.engine.judged import save_answer
from tests.session.criterion_faces import Opener, says, view
from tests.session.faces import Face, open_face
from tests.studio.model_server import ModelServer
from tests.studio.text_files import text_file

TEXT = text_file("blind-grading.yml")
Open: TypeAlias = Callable[..., Awaitable[Face]]
FULL, NONE = Grade.FULLY_PRESENT, Grade.ABSENT


def judge(path: Path, text: str, *extents: list[float], answer: str = "Answer") -> None:
    """Save judged answers to each prompt of `text`, as of earlier runs of the file at `path`."""
    blueprint = parse(text, path).blueprint
    store = Store(data_dir() / "studio.sqlite3")
    for number, given in enumerate(extents):
        for prompt in blueprint.prompts:
            save_answer(store, blueprint, prompt, f"{answer} {number}.", [given], file=path)
    store.close()


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Opens a file whose two prompts have judged answers with these extents, and grades the first criterion blind."""

    async def opens(*extents: list[float], at: str = "Names the day", begins: bool = True) -> Face:
        path = tmp_path / "rent.yml"
        path.write_text(TEXT, "utf-8")
        judge(path, TEXT, *extents)
        face = await open_face(path, at=at)
        await face.runs.criterion.open(None, face.text.index(at))
        if begins:
            await blind(face).begin()
        return face

    return opens


def blind(face: Face) -> BlindGrading:
    return face.runs.blind


async def grade(face: Face, **grades: Grade | None) -> None:
    """Grade answers, by the first word of their texts."""
    for each in view(face).rows:
        name = each.answer.subject.partition(" ")[0]
        if name in grades:
            await face.runs.criterion.grade(each.key, grades[name])
    await face.settled()


async def ended(face: Face) -> CriterionView:
    assert blind(face).end()
    await face.settled()
    return view(face)


def stored(face: Face) -> dict[str, list[BlindGrade]]:
    """The blind grades in the database, by person."""
    store = Store(data_dir() / "studio.sqlite3")
    try:
        found = store.blind_grades(blueprint_key(face.session.state.path))
        return {person: list(grades.values()) for person, grades in found.items()}
    finally:
        store.close()


async def test_names_verdicts_and_evidence_are_hidden_and_shown_again(opened: Open) -> None:
    face = await opened([0.75, 0.25], begins=False)
    known = repr(view(face))
    await blind(face).begin()
    hidden = view(face)
    assert [row.answer.label for row in hidden.rows] == ["answer 1", "answer 2"]
    assert "the ideal" in known
    for told in ("the ideal", "is_ideal=True", "strict", "mild", "0.75", "secret-model"):
        assert told not in repr(hidden)
    assert (await ended(face)).rows[0].answer.label == "the ideal"


async def test_answers_that_judges_judged_are_there_though_nobody_chose_them(opened: Open) -> None:
    face = await opened([1.0], [0.0], begins=False)
    assert len(view(face).rows) == 1
    await blind(face).begin()
    assert {row.answer.subject for row in view(face).rows} == {"On the 3rd.", "Answer 0.", "Answer 1."}


async def test_a_grade_is_saved_as_the_author_s_and_as_a_blind_one(opened: Open) -> None:
    face = await opened([1.0, 0.5])
    await grade(face, Answer=FULL)
    assert stored(face) == {HUMAN: [BlindGrade(FULL)]}
    place = PromptPlace(str(face.session.state.path), "rent")
    grades = face.resources.store().grades(place, "Answer 0.")
    assert {each.text: given for each, given in grades.items()} == {"Names the day": FULL}


async def test_a_grade_that_is_taken_back_counts_as_skipped_until_it_is_given_again(opened: Open) -> None:
    face = await opened([1.0])
    await grade(face, Answer=FULL)
    await grade(face, Answer=None)
    assert stored(face) == {HUMAN: [BlindGrade(None)]}
    assert face.resources.store().grades(PromptPlace(str(face.session.state.path), "rent"), "Answer 0.") == {}
    await grade(face, Answer=NONE)
    assert stored(face) == {HUMAN: [BlindGrade(NONE)]}


async def test_what_was_seen_with_its_verdict_is_not_graded_blind_again(opened: Open) -> None:
    face = await opened([1.0])
    await grade(face, Answer=FULL)
    await ended(face)
    await blind(face).begin()
    await grade(face, Answer=NONE)
    assert stored(face) == {HUMAN: [BlindGrade(FULL)]}
    assert (await ended(face)).agreement.startswith("Graded blind: the judges agree with you on 0 of 1 answer.")


async def test_what_is_skipped_stays_hidden_and_is_counted(opened: Open) -> None:
    face = await opened([1.0])
    (key,) = (row.key for row in view(face).rows if row.answer.subject == "Answer 0.")
    blind(face).skip(key)
    await face.settled()
    assert stored(face) == {HUMAN: [BlindGrade(None)]}
    assert view(face).state == "1 of 2 graded here · 1 of 2 of the file's sample"
    assert (await ended(face)).agreement == ""


async def test_at_the_end_the_agreement_is_said_in_words(opened: Open) -> None:
    face = await opened([1.0], [0.0])
    await grade(face, Answer=NONE)
    told = (await ended(face)).agreement
    assert told.startswith("Graded blind: the judges agree with you on 1 of 2 answers. They pass what you fail: ")
    assert "They fail" not in told


async def test_of_a_should_not_an_answer_passes_that_avoids_it(opened: Open) -> None:
    face = await opened([1.0], at="Names a queen")
    await grade(face, Answer=NONE)
    assert "They fail what you pass: " in (await ended(face)).agreement


async def test_without_a_verdict_there_is_nothing_to_compare_with(opened: Open) -> None:
    face = await opened()
    await grade(face, On=FULL)
    assert (await ended(face)).agreement == (
        "You graded 1 answer blind, on which there is no verdict to compare with yet."
    )


async def test_judges_who_are_asked_once_all_is_graded_are_compared_with(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    server = ModelServer(httpserver, says)
    opener = Opener(tmp_path, server)
    face = await opener()
    await face.open_criterion("Names the lease")
    await blind(face).begin()
    await grade(face, On=NONE)
    assert "no verdict to compare with yet" in (await ended(face)).agreement
    await face.again()
    assert view(face).agreement == (
        "Graded blind: the judges agree with you on 2 of 3 answers. They pass what you fail: the ideal."
    )


async def test_the_agreement_over_the_sample_of_the_file_stands_beside_it(opened: Open) -> None:
    face = await opened([1.0])
    await grade(face, Answer=FULL)
    _, pair = blind(face).next() or (None, None)
    assert pair is not None
    assert pair.prompt == "king"
    await face.runs.criterion.open(0, 0)
    assert await face.open_criterion("Names a queen")
    await grade(face, Answer=FULL)
    assert blind(face).next() is None
    assert (
        "The judges agree with you on 2 of 2 pairs (100%). This is of the random sample of the file."
        in (await ended(face)).agreement
    )


async def test_after_the_sample_come_the_pairs_in_which_a_fault_is_likely(opened: Open) -> None:
    face = await opened(*([0.5] for _ in range(30)))
    sitting = blind(face).sitting
    assert sitting is not None
    seen: list[str] = []
    while (found := blind(face).next()) is not None:
        point, pair = found
        face.cursor_at(point.point.text or "")
        await face.runs.criterion.open(point.index, 0)
        seen.append(f"{pair.prompt} {pair.subject}")
        blind(face).skip(pair.subject)
    sample = [f"{pair.prompt} {pair.subject}" for pair in sitting.found.pairs]
    assert seen[: len(sample)] == sample
    assert len({*seen}) == len(seen) == 60


async def test_a_sample_of_which_nothing_is_left_is_drawn_anew(opened: Open) -> None:
    face = await opened([1.0])
    text = TEXT.replace("Names the day", "Names the month").replace("a queen", "a prince")
    path = face.session.state.path
    judge(path, text, [0.0], answer="Another")
    await face.rewrite(text)
    blind(face).end()
    await blind(face).begin()
    store = Store(data_dir() / "studio.sqlite3")
    drawn = load_sample(store, parse(text, path).blueprint, path)
    store.close()
    assert {pair.criterion.text for pair in drawn.pairs} == {"Names the month", "Names a prince"}


async def test_another_criterion_ends_what_is_told_of_the_last_sitting(opened: Open) -> None:
    face = await opened([1.0])
    await grade(face, Answer=FULL)
    assert (await ended(face)).agreement
    await face.runs.criterion.open(0, 0)
    assert not view(face).agreement


async def test_an_unusable_database_is_reported(opened: Open) -> None:
    face = await opened([1.0])
    face.resources.store().close()
    await grade(face, Answer=NONE)
    await face.until(lambda: any("cannot be" in message for message in face.author.messages))

"""Blind grading without a widget: what is shown when, what is saved, and where the rate comes from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.files.own_files import data_dir
from engine.parsing import parse
from engine.scoring.assessment import Grade
from engine.store import HUMAN, PromptPlace, Store
from engine.store.grades import BlindGrade, blueprint_key
from studio.session.blind_grading import BlindGrading
from studio.session.views.grading_view import NOTHING_TO_GRADE, AskingView, RateView, RevealedView
from tests.engine.judged import save_answer
from tests.session.faces import Face, OpenFace

TEXT = """\
- id: rent
  prompt: When is the rent due?
  should:
    - Names the day
- id: king
  prompt: Who is the king?
  should_not:
    - Names a queen
"""
Open = Callable[..., Any]


@pytest.fixture
def opened(tmp_path: Path, open_face: OpenFace) -> Open:
    """Opens a file whose two prompts have judged answers with these extents, and begins to grade."""

    async def opens(*extents: list[float], answers: tuple[Any, ...] = ()) -> tuple[Face, BlindGrading]:
        path = tmp_path / "rent.yml"
        path.write_text(TEXT, "utf-8")
        blueprint = parse(TEXT, path).blueprint
        with_store = Store(data_dir() / "studio.sqlite3")
        for number, given in enumerate(extents):
            for prompt in blueprint.prompts:
                save_answer(with_store, blueprint, prompt, f"Answer {number}.", [given], file=path)
        with_store.close()
        face = await open_face(path, *answers)
        grading = await face.runs.blind_grading()
        return face, grading

    return opens


def asking(grading: BlindGrading) -> AskingView:
    view = grading.view()
    assert isinstance(view, AskingView)
    return view


def stored(face: Face) -> dict[str, list[BlindGrade]]:
    """The blind grades in the database, by person."""
    store = Store(data_dir() / "studio.sqlite3")
    try:
        found = store.blind_grades(blueprint_key(face.session.state.path))
        return {person: list(grades.values()) for person, grades in found.items()}
    finally:
        store.close()


async def test_without_verdicts_it_says_how_to_get_some(opened: Open) -> None:
    _, grading = await opened()
    assert grading.view() is NOTHING_TO_GRADE


async def test_pairs_of_all_prompts_are_asked_about_one_by_one(opened: Open) -> None:
    _, grading = await opened([1.0])
    seen = set[str]()
    for _ in range(2):
        seen.add(asking(grading).card.title)
        grading.skip()
    assert seen == {"rent", "king"}


async def test_what_is_asked_has_nothing_of_the_verdicts(opened: Open) -> None:
    _, grading = await opened([0.75, 0.25])
    assert not {"strict", "mild", "secret-model", "75", "25"} & set(repr(asking(grading)).replace(".", " ").split())


async def test_a_grade_reveals_the_verdicts_and_is_saved_as_the_authors(opened: Open) -> None:
    face, grading = await opened([1.0, 0.5])
    grading.grade(Grade.FULLY_PRESENT)
    view = grading.view()
    assert isinstance(view, RevealedView)
    assert [word.label for word in view.words] == ["fully present", "partially present"]
    await face.settled()
    assert stored(face) == {HUMAN: [BlindGrade(Grade.FULLY_PRESENT)]}
    criterion = "Names the day" if view.card.title == "rent" else "Names a queen"
    place = PromptPlace(str(face.session.state.path), view.card.title)
    grades = face.resources.store().grades(place, "Answer 0.")
    assert {each.text: grade for each, grade in grades.items()} == {criterion: Grade.FULLY_PRESENT}


async def test_a_second_key_does_not_grade_twice(opened: Open) -> None:
    face, grading = await opened([1.0])
    grading.grade(Grade.FULLY_PRESENT)
    grading.grade(Grade.ABSENT)
    grading.skip()
    await face.settled()
    assert stored(face) == {HUMAN: [BlindGrade(Grade.FULLY_PRESENT)]}


async def test_a_skipped_pair_stays_hidden_and_is_counted(opened: Open) -> None:
    face, grading = await opened([1.0])
    assert asking(grading).card.progress == "1 of 2"
    grading.skip()
    assert asking(grading).card.progress == "2 of 2, 1 skipped"
    await face.settled()
    assert stored(face) == {HUMAN: [BlindGrade(None)]}


async def test_a_grade_that_is_taken_back_counts_as_skipped(opened: Open) -> None:
    face, grading = await opened([1.0])
    title = asking(grading).card.title
    grading.grade(Grade.FULLY_PRESENT)
    grading.take_back()
    assert asking(grading).card.progress == "2 of 2, 1 skipped"
    await face.settled()
    assert stored(face) == {HUMAN: [BlindGrade(None)]}
    place = PromptPlace(str(face.session.state.path), title)
    assert face.resources.store().grades(place, "Answer 0.") == {}


async def graded(grading: BlindGrading, grade: Grade = Grade.FULLY_PRESENT) -> RateView:
    """The rate after all pairs that are asked about have this grade."""
    while isinstance(grading.view(), AskingView):
        grading.grade(grade)
        grading.go_on()
    view = grading.view()
    assert isinstance(view, RateView)
    return view


async def test_after_the_sample_comes_the_rate(opened: Open) -> None:
    _, grading = await opened([1.0])
    view = await graded(grading)
    assert view.lines[0] == "The judges agree with you on 2 of 2 pairs (100%)."
    assert (view.faults, view.likely) == ((), 0)


async def test_disagreements_are_listed_by_kind(opened: Open) -> None:
    _, grading = await opened([1.0])
    view = await graded(grading, Grade.ABSENT)
    assert sorted((fault.kind, fault.prompt, fault.criterion, fault.detail) for fault in view.faults) == [
        ("false failure", "king", "not: Names a queen", "you: absent, judged 100.0"),
        ("false pass", "rent", "Names the day", "you: absent, judged 100.0"),
    ]


async def test_after_the_sample_the_doubtful_pairs_are_offered_and_do_not_count(opened: Open) -> None:
    extents = [[0.5] for _ in range(30)]
    _, grading = await opened(*extents)
    rate = await graded(grading)
    assert rate.likely == 20
    grading.go_on()
    card = asking(grading).card
    assert (card.progress, card.reason) == ("looking for faults: 20 left", "Borderline for the judges.")
    after = await graded(grading, Grade.ABSENT)
    assert (after.lines, after.likely) == (rate.lines, 0)


async def test_the_queue_goes_on_where_it_was_left(opened: Open) -> None:
    face, grading = await opened([1.0])
    grading.skip()
    left = asking(grading)
    await face.settled()
    again = await face.runs.blind_grading()
    assert again.view() == left


async def test_a_new_sample_is_drawn_after_asking(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    face, grading = await opened([1.0], answers=("stay", "draw"))
    before = await graded(grading)
    monkeypatch.setattr("engine.study.judged_pairs.new_seed", lambda: 5)
    await grading.draw_again()
    assert grading.view() == before
    await grading.draw_again()
    view = grading.view()
    assert isinstance(view, RateView)
    assert view.drawn == "The sample: 2 of 2 judged pairs, drawn at random with the seed 5."
    assert view.lines[0] == "The judges agree with you on 2 of 2 pairs (100%)."
    assert len(face.author.asked) == 2


async def test_a_sample_of_which_nothing_is_left_is_drawn_anew(opened: Open) -> None:
    face, grading = await opened([1.0])
    await graded(grading)
    await face.settled()
    path = face.session.state.path
    text = TEXT.replace("Names the day", "Names the month").replace("a queen", "a prince")
    store = Store(data_dir() / "studio.sqlite3")
    blueprint = parse(text, path).blueprint
    for prompt in blueprint.prompts:
        save_answer(store, blueprint, prompt, "Another.", [[0.0]], file=path)
    store.close()
    face.write(text)
    await face.settled()
    again = await face.runs.blind_grading()
    assert asking(again).card.progress == "1 of 2"


async def test_an_unusable_database_is_reported(opened: Open) -> None:
    face, grading = await opened([1.0])
    face.resources.store().close()
    grading.grade(Grade.ABSENT)
    await face.until(lambda: any("cannot be" in message for message in face.author.messages))

"""Making cases of answers: what is asked, what is written, and what is said where it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import Block, Role
from engine.blueprint.conversation import Stop, StopReason, ThreadTurn
from engine.evaluation.sources import ControlKind, ControlSource
from engine.scoring.assessment import Grade
from engine.study.case import Case, Label, NamedPoint, ScoreRange
from engine.study.case_reader import read_cases
from engine.study.file_places import beside, in_data_folder
from engine.study.wordings import refusal_of
from studio.session.questions import FirstCase
from tests.session.faces import Face, open_face
from tests.studio.text_files import text_file

USUAL = FirstCase("usual")
TEXT = text_file("new-cases.yml")


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
    """Opens a file with the answer of the ideal, and an author with these answers to questions."""

    async def opened(*answers: Any, folder: Path = tmp_path) -> Face:
        folder.mkdir(exist_ok=True)
        path = folder / "rent.yml"
        face = await open_face(path, *answers, text=TEXT, at="prompt")
        await face.f5()
        return face

    return opened


def cases(face: Face) -> tuple[Case, ...]:
    return read_cases(beside(face.session.state.path).read_text("utf-8"))[0].cases


async def test_a_label_makes_a_case_of_the_answer_that_is_shown(run: Callable[..., Any]) -> None:
    face = await run("good", USUAL)
    await face.runs.cases.make()
    (case,) = cases(face)
    assert (case.prompt, case.turns, case.label, case.score) == ("rent", ("On the 3rd.",), Label.GOOD, None)
    assert face.author.messages[-1] == "Case 1 is in rent.yml.cases. `studio test rent.yml` tests the rubric with it."


async def test_the_author_sees_what_the_file_will_hold_before_the_first_case_alone(run: Callable[..., Any]) -> None:
    face = await run("good", USUAL, "bad")
    await face.runs.cases.make()
    await face.runs.cases.make()
    first = face.author.asked[1]
    assert "will hold the answers, your labels, reasons and grades" in first.text
    assert len(face.author.asked) == 3
    assert [case.label for case in cases(face)] == [Label.GOOD, Label.BAD]


async def test_a_range_is_asked_for_until_it_can_be_read(run: Callable[..., Any]) -> None:
    face = await run("bad-range", "90 to 10", "0–40", USUAL)
    await face.runs.cases.make()
    (case,) = cases(face)
    assert (case.label, case.score) == (Label.BAD, ScoreRange(0, 40))
    assert face.author.asked[2].text.startswith("Write two numbers from 0 to 100, the lower one first, such as 0–40.")


async def test_an_answer_that_is_bad_in_one_way_names_its_point(run: Callable[..., Any]) -> None:
    face = await run("fails", "2", USUAL)
    await face.runs.cases.make()
    (case,) = cases(face)
    assert (case.label, case.fails) == (None, NamedPoint("Names the king", Block.SHOULD_NOT))
    assert [choice.label for choice in face.author.asked[1].choices] == [
        "$contains: 3rd",
        "“Names the lease”",
        "not: “Names the king”",
    ]


async def test_the_author_s_grades_of_the_answer_go_into_its_case(run: Callable[..., Any]) -> None:
    face = await run("good", USUAL)
    await face.runs.grade(1, Grade.ABSENT)
    await face.runs.cases.make()
    (case,) = cases(face)
    assert [(each.point, each.grade) for each in case.grades] == [
        (NamedPoint("Names the lease", Block.SHOULD), Grade.ABSENT)
    ]


async def test_a_case_says_what_wrote_its_answer(run: Callable[..., Any]) -> None:
    face = await run("bad", USUAL)
    await face.choose(ControlSource(ControlKind.REFUSAL))
    await face.f5()
    await face.runs.cases.make()
    assert [case.model for case in cases(face)] == ["control:refusal"]


@pytest.mark.parametrize("answers", [(), ("good",), ("fails",), ("bad-range",)])
async def test_a_cancelled_question_writes_nothing(run: Callable[..., Any], answers: tuple[str, ...]) -> None:
    face = await run(*answers)
    await face.runs.cases.make()
    assert not beside(face.session.state.path).exists()


async def test_the_first_case_can_stay_in_the_data_folder(run: Callable[..., Any]) -> None:
    face = await run("good", FirstCase("other"))
    await face.runs.cases.make()
    assert in_data_folder(face.session.state.path).exists()
    assert not beside(face.session.state.path).exists()


async def test_below_blueprints_cases_go_to_the_data_folder_unless_the_author_chooses(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    face = await run("good", USUAL, folder=tmp_path / "blueprints")
    await face.runs.cases.make()
    assert in_data_folder(face.session.state.path).exists()


async def test_a_case_file_that_cannot_be_read_is_left_as_it_is(run: Callable[..., Any]) -> None:
    face = await run("good")
    path = beside(face.session.state.path)
    path.write_text("version: 1\ncases:\n  - prompt: 'open\n", "utf-8")
    await face.runs.cases.make()
    assert face.author.messages[-1].startswith("Not saved: rent.yml.cases: Line 3:")
    assert path.read_text("utf-8") == "version: 1\ncases:\n  - prompt: 'open\n"


async def test_without_an_answer_there_is_nothing_to_make_a_case_of(tmp_path: Path) -> None:
    path = tmp_path / "rent.yml"
    face = await open_face(path, text=TEXT, at="prompt")
    await face.runs.cases.make()
    assert face.author.messages[-1] == "There is no answer yet: F5 runs this prompt."


async def test_an_answer_to_another_question_makes_no_case(run: Callable[..., Any]) -> None:
    face = await run("good", USUAL)
    await face.change("When is the rent due?", "Who pays?")
    await face.runs.cases.make()
    assert "The conversation has changed since this answer" in face.author.messages[-1]


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        ([StopReason.REFUSAL], ControlKind.REFUSAL),
        ([StopReason.REFUSAL, StopReason.STOP], None),
        ([StopReason.STOP], None),
        ([None], None),
        ([], None),
    ],
)
def test_only_what_the_provider_calls_a_refusal_is_taken_for_one(
    reasons: list[StopReason | None], expected: ControlKind | None
) -> None:
    said = "I'd rather not help with that, sorry."
    stops = [None if reason is None else Stop(reason, "word") for reason in reasons]
    turns = [ThreadTurn(Role.ASSISTANT, said, generated=True, stop=stop) for stop in stops]
    assert refusal_of(turns) is expected


# --- Of one of all answers

CASE = "version: 1\ncases:\n  - prompt: rent\n    answer: On the 5th.\n    label: bad\n"


async def made(face: Face, answer: str, *answers: Any) -> None:
    """Make a case of this one of all answers, with these answers to what is asked."""
    assert await face.open_criterion("Names the lease")
    current = face.runs.criterion.current
    assert current is not None
    (found,) = [each for each in current.answers.every if each.subject == answer]
    face.author.answers = list(answers)
    await face.runs.cases.make(found)
    await face.settled()


async def test_of_all_answers_the_reason_is_asked_for_and_may_be_empty_but_not_cancelled(
    run: Callable[..., Any],
) -> None:
    face = await run()
    await made(face, "On the 3rd.", "good", None)
    assert not beside(face.session.state.path).exists()
    await made(face, "On the 3rd.", "good", "", USUAL)
    assert [(case.label, case.reason) for case in cases(face)] == [(Label.GOOD, None)]
    await face.until(lambda: face.runs.state.cases.prompts[0].good == 1)


async def test_another_reason_keeps_the_quote_of_a_case_and_the_opposite_label_drops_it(
    run: Callable[..., Any],
) -> None:
    face = await run()
    beside(face.session.state.path).write_text(CASE + "    quote: the 5th\n    score: [0, 40]\n", "utf-8")
    await made(face, "On the 5th.", "bad", "Wrong day")
    assert [(case.reason, case.quote) for case in cases(face)] == [("Wrong day", "the 5th")]
    await made(face, "On the 5th.", "good", "")
    assert [(case.label, case.quote, case.score) for case in cases(face)] == [(Label.GOOD, None, None)]
    assert face.author.messages[-1].endswith("has another label. Its range of scores went with the label before.")


async def test_a_case_that_changed_on_disk_is_left_alone(run: Callable[..., Any]) -> None:
    face = await run()
    path = beside(face.session.state.path)
    path.write_text(CASE, "utf-8")
    other = CASE.replace("5th", "6th")

    def changes_meanwhile(_question: Any) -> str:
        path.write_text(other, "utf-8")
        return ""

    await made(face, "On the 5th.", "good", changes_meanwhile)
    assert path.read_text("utf-8") == other
    assert "It has changed on disk since it was read" in face.author.messages[-1]


@pytest.mark.parametrize(("answer", "left"), [("keep", 1), (None, 1), ("remove", 0)])
async def test_more_than_a_label_is_not_removed_without_a_question(
    run: Callable[..., Any], answer: str | None, left: int
) -> None:
    face = await run()
    beside(face.session.state.path).write_text(CASE + "    score: [0, 40]\n", "utf-8")
    await made(face, "On the 5th.", "none", answer)
    assert face.author.asked[-1].text.startswith("Case 1 also has its range of scores")
    assert len(cases(face)) == left

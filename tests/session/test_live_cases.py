"""Cases: made of answers, under a name, and checked while their author works; and what is left to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import Role
from engine.blueprint.conversation import Stop, StopReason, ThreadTurn
from engine.evaluation.sources import ControlKind
from engine.store import PromptPlace, Store
from engine.study.case import CaseState
from engine.study.file_places import beside, in_data_folder
from engine.study.wordings import refusal_of
from studio.session.host import FirstCase
from studio.session.resources import Resources, as_name, ask_author_name, author_name, save_author_name
from studio.session.views.case_view import CaseLine, CasesView, PromptCases
from studio.session.views.outline_view import left_to_do
from tests.engine.builders import prompt
from tests.session.faces import Author, Face, at_work, open_face
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


# --- The author's name


async def test_the_name_is_asked_for_and_remembered() -> None:
    author, resources = Author("  Ahmed ", ""), Resources()
    await ask_author_name(author, resources.settings)
    assert await author_name(Resources().settings) == "Ahmed"
    assert author.messages == ["What you write into cases from now on has the name Ahmed."]
    await ask_author_name(author, resources.settings)
    assert await author_name(Resources().settings) is None


async def test_a_cancelled_question_leaves_the_name() -> None:
    resources = Resources()
    await save_author_name(resources.settings, "Ahmed")
    await ask_author_name(Author(None), resources.settings)
    assert await author_name(resources.settings) == "Ahmed"


def test_a_name_is_one_short_line() -> None:
    assert as_name(" A\n B ") == "A B"
    assert as_name("\u200b\u202e ") == ""
    assert as_name("A\u202eB\x1b") == "A B"
    assert as_name("x" * 100) == "x" * 80


# --- Cases that are checked while their author works, and what the outline says is left to do


RUBRIC = text_file("live-cases.yml")
CASES = text_file("live-cases.yml.cases")
RIGHT = CaseLine(1, False, CaseState.PASSED, "", "")
WRONG_ONE = CaseLine(2, True, CaseState.PASSED, "", "")


@pytest.fixture
def rent(tmp_path: Path) -> Path:
    path = tmp_path / "rent.yml"
    path.write_text(RUBRIC, "utf-8")
    beside(path).write_text(CASES, "utf-8")
    return path


async def test_the_cases_of_a_file_are_counted_when_it_is_opened(rent: Path) -> None:
    async with at_work(rent) as face:
        await face.until(lambda: face.runs.state.cases.text == "1 of 3 passes, 1 undecided, 1 orphaned")


async def test_an_edit_of_the_rubric_is_followed(rent: Path) -> None:
    async with at_work(rent) as face:
        face.replace("    - $contains: never\n", "    - $contains: Soon\n")
        await face.until(lambda: face.runs.state.cases.text == "2 of 3 pass, 1 undecided, 1 orphaned")


async def test_a_file_of_cases_that_cannot_be_read_is_named(rent: Path) -> None:
    beside(rent).write_text("cases: [1, }\n", "utf-8")
    async with at_work(rent) as face:
        await face.until(lambda: face.runs.state.cases.text == "rent.yml.cases cannot be read")


async def test_without_cases_nothing_is_said(rent: Path) -> None:
    beside(rent).unlink()
    async with at_work(rent) as face:
        await face.until(lambda: "cases" not in face.session.tasks.busy)
        assert face.runs.state.cases.text == ""


WRONG = """\
version: 1
cases:
  - {prompt: rent, answer: Soon., label: good}
  - {prompt: rent, answer: On the 3rd., label: bad}
"""


async def test_what_they_say_of_the_rubric_is_known_for_each_prompt(rent: Path) -> None:
    beside(rent).write_text(WRONG, "utf-8")
    async with at_work(rent) as face:
        await face.until(lambda: face.runs.state.cases.text == "2 labelled")
        ranks, points = face.runs.state.cases.prompts[0].rubric
        assert (ranks.text, ranks.parts) == (
            "ranks 0 of 2 good–bad pairs rightly, 1 wrongly, 1 tie",
            (
                "case 2, bad, scores 100.0; case 1, good, only 50.0",
                "criteria that favour the bad answer: $contains: 3rd",
            ),
        )
        assert (points.text, points.parts) == (
            "its criteria catch 0 of 1 bad · fail 1 of 2 good",
            (
                "$contains: 3rd: catches 0 of 1 bad · fails 1 of 2 good",
                "not: $contains: never: catches 0 of 1 bad · fails 0 of 2 good · untested",
            ),
        )


async def test_a_case_says_who_gave_which_reason_and_that_it_is_a_test_answer(rent: Path) -> None:
    case = "{prompt: rent, answer: Not today., label: bad, test: refusal, reason: Evasive, by: Maria}"
    beside(rent).write_text(f"version: 1\ncases:\n  - {case}\n", "utf-8")
    async with at_work(rent) as face:
        await face.until(lambda: face.runs.state.cases.text == "1 labelled")
        found = face.runs.state.cases.prompts[0]
        assert [(line.reason, line.test) for line in found.lines] == [("Evasive, Maria", "refusal")]
        assert (found.good, found.bad) == (0, 0)


async def test_cases_without_a_label_say_nothing_of_the_rubric(rent: Path) -> None:
    beside(rent).write_text("version: 1\ncases:\n  - {prompt: rent, answer: Soon., score: [0, 50]}\n", "utf-8")
    async with at_work(rent) as face:
        await face.until(lambda: face.runs.state.cases.text == "1 of 1 passes")
        assert face.runs.state.cases.prompts[0].rubric == ()


@pytest.mark.parametrize(
    ("cases", "left"),
    [
        (PromptCases(), "write an ideal, read an answer of a model, label a good and a bad answer"),
        (
            PromptCases((RIGHT,), guards=3, untested=2),
            "write an ideal, read an answer of a model, label a bad answer, test 2 should_not criteria on a bad answer",
        ),
        (PromptCases((RIGHT, WRONG_ONE)), "write an ideal, read an answer of a model"),
    ],
)
def test_what_is_left_to_do_for_a_prompt(cases: PromptCases, left: str) -> None:
    assert left_to_do(prompt(), None, CasesView({0: cases})) == left


async def test_a_case_with_a_label_alone_shows_its_score(rent: Path) -> None:
    beside(rent).write_text(WRONG, "utf-8")
    async with at_work(rent) as face:
        await face.until(lambda: face.runs.state.cases.text == "2 labelled")
        assert [line.why for line in face.runs.state.cases.prompts[0].lines] == ["scores 50.0", "scores 100.0"]


async def test_a_case_file_that_another_program_changes_is_noticed_without_an_edit(rent: Path) -> None:
    async with at_work(rent) as face:
        await face.until(lambda: face.runs.state.cases.text.startswith("1 of 3 passes"))
        beside(rent).write_text(CASES.replace("score: [0, 40]", "score: [0, 60]"), "utf-8")
        await face.until(lambda: face.runs.state.cases.text.startswith("2 of 3 pass"))


async def test_the_outline_says_what_is_left_and_counts_the_answers_that_were_read(rent: Path) -> None:
    notice = PromptPlace(str(rent), "notice")
    Store().mark_shown((notice, answer, True) for answer in ("A month.", "A week.", ""))

    def left(face: Face) -> list[str]:
        return [note for row in face.session.outline()[1:] for note in row.notes]

    both = [
        "read an answer of a model, test 1 should_not criterion on a bad answer",
        "write an ideal, label a good answer",
    ]
    async with at_work(rent) as face:
        await face.until(lambda: left(face) == [f"Left to do: {words}." for words in both])
        face.runs.shown.mark(PromptPlace(str(rent), "rent"), ["Another."])
        await face.until(lambda: left(face)[0] == "Left to do: test 1 should_not criterion on a bad answer.")

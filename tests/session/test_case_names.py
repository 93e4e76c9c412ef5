"""Who says what: the author's name in cases, and what another person said before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.evaluation.sources import ControlKind
from engine.study.case import Case, Label
from engine.study.case_reader import read_cases
from engine.study.file_places import beside
from studio.session.host import Choose, EnterText, FirstCase, FirstCaseQuestion
from studio.session.resources import Resources, as_name, ask_author_name, author_name, save_author_name
from tests.session.faces import Author, Face, open_face
from tests.stored_answers import answered
from tests.studio.text_files import text_file

TEXT = text_file("case-names.yml")
CASES = text_file("case-names.yml.cases")


class Sitting:
    """An open file with two answers, its author, and its cases."""

    def __init__(self, face: Face) -> None:
        self.face = face

    async def mark(self, part: str, *answers: Any) -> None:
        """Make a case of the one answer that has this text, with these answers to what is asked."""
        self.asks(*answers)
        current = self.face.runs.criterion.current
        assert current is not None
        (answer,) = [each for each in current.answers.every if part in each.subject]
        await self.face.runs.cases.make(answer)

    def asks(self, *answers: Any) -> None:
        self.face.author.answers = list(answers)
        self.face.author.asked.clear()

    @property
    def asked(self) -> list[Any]:
        return self.face.author.asked

    @property
    def file(self) -> Path:
        return beside(self.face.session.state.path)

    @property
    def cases(self) -> tuple[Case, ...]:
        return read_cases(self.file.read_text("utf-8"))[0].cases

    async def named(self, name: str) -> None:
        await save_author_name(self.face.resources.settings, name)


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Any]:
    """Opens a file with stored answers, and with these cases."""

    async def opened(cases: str = "") -> Sitting:
        path = answered(tmp_path / "rent.yml", TEXT, {"own:a": "On the 3rd, says the lease.", "own:b": "Ask a lawyer."})
        if cases:
            beside(path).write_text(cases, "utf-8")
        face = await open_face(path, at="Names the lease")
        await face.runs.criterion.open(None, face.text.index("Names the lease"))
        return Sitting(face)

    return opened


# --- The name


async def test_nobody_is_named_until_the_author_gives_a_name(opened: Callable[..., Any]) -> None:
    sitting = await opened()
    await sitting.mark("lease", "good", "", FirstCase("usual"))
    assert [case.by for case in sitting.cases] == [None]
    assert await author_name(sitting.face.resources.settings) is None


async def test_the_name_given_with_the_first_case_stands_in_all_that_follow(opened: Callable[..., Any]) -> None:
    sitting = await opened()
    await sitting.mark("lease", "good", "", FirstCase("usual", "  Ahmed\tN. "))
    await sitting.mark("lawyer", "bad", "No date")
    assert [(case.by, case.reason) for case in sitting.cases] == [("Ahmed N.", None), ("Ahmed N.", "No date")]


async def test_the_first_case_offers_the_name_that_is_known(opened: Callable[..., Any]) -> None:
    sitting = await opened()
    await sitting.named("Ahmed")
    await sitting.mark("lease", "good", "", None)
    question = sitting.asked[-1]
    assert isinstance(question, FirstCaseQuestion)
    assert question.name == "Ahmed"
    assert not sitting.file.exists()


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


# --- What another person said


async def test_the_mark_of_another_person_is_replaced_only_after_asking(opened: Callable[..., Any]) -> None:
    sitting = await opened(CASES)
    await sitting.named("Ahmed")
    await sitting.mark("lawyer", "bad", "No date", "keep")
    assert sitting.file.read_text("utf-8") == CASES
    question = sitting.asked[-1]
    assert isinstance(question, Choose)
    assert question.text.startswith("Maria marked this answer, in case 1. Your mark takes the place of that one, under")
    await sitting.mark("lawyer", "bad", "No date", "replace")
    assert [(case.label, case.reason, case.by) for case in sitting.cases] == [(Label.BAD, "No date", "Ahmed")]


async def test_without_a_name_a_replaced_mark_names_nobody(opened: Callable[..., Any]) -> None:
    sitting = await opened(CASES)
    await sitting.mark("lawyer", "bad", "No date", "replace")
    assert [(case.label, case.by) for case in sitting.cases] == [(Label.BAD, None)]


async def test_the_author_s_own_mark_is_changed_without_a_question(opened: Callable[..., Any]) -> None:
    sitting = await opened(CASES)
    await sitting.named("Maria")
    await sitting.mark("lawyer", "bad", "No date")
    assert [(case.label, case.by) for case in sitting.cases] == [(Label.BAD, "Maria")]
    assert [type(each) for each in sitting.asked] == [Choose, EnterText]


async def test_the_same_mark_again_changes_nobody_s_name(opened: Callable[..., Any]) -> None:
    sitting = await opened(CASES)
    await sitting.named("Ahmed")
    await sitting.mark("lawyer", "good", "It is safe")
    assert sitting.file.read_text("utf-8") == CASES


async def test_a_mark_that_changed_on_disk_meanwhile_is_not_overwritten(opened: Callable[..., Any]) -> None:
    sitting = await opened(CASES)
    await sitting.named("Maria")
    theirs = CASES.replace("Maria", "Zoe")
    sitting.file.write_text(theirs, "utf-8")
    await sitting.mark("lawyer", "bad", "No date")
    assert sitting.file.read_text("utf-8") == theirs
    assert "It has changed on disk since it was read" in sitting.face.author.messages[-1]


async def test_taking_the_mark_of_another_person_back_names_them(opened: Callable[..., Any]) -> None:
    grades = "    grades:\n      - {criterion: Names the lease, grade: absent, by: Zoe}\n"
    sitting = await opened(CASES + grades)
    await sitting.named("Ahmed")
    await sitting.mark("lawyer", "none", "keep")
    assert sitting.file.read_text("utf-8") == CASES + grades
    assert sitting.asked[-1].text == (
        "Maria marked this answer, in case 1. Case 1 also has grades by Zoe, which are removed with it."
    )


async def test_another_mark_leaves_a_test_answer_one(opened: Callable[..., Any]) -> None:
    sitting = await opened(CASES + "    test: refusal\n")
    await sitting.named("Maria")
    await sitting.mark("lawyer", "bad", "")
    assert [(case.test, case.label) for case in sitting.cases] == [(ControlKind.REFUSAL, Label.BAD)]

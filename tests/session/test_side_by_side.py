"""Answers side by side: which are read, how they are marked, and what becomes of their passages. Nothing is sent."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import Block
from engine.evaluation.sources import FixtureSource
from engine.parsing import parse
from engine.scoring.assessment import Criterion, Grade
from engine.store import PromptPlace, Store
from engine.study.case import Case, Label, NamedPoint
from engine.study.case_reader import read_cases
from engine.study.file_places import beside
from engine.text.record import replace, text_digest
from studio.session.analysis import Analysis
from studio.session.fixes import TextChange
from studio.session.questions import FirstCase
from studio.session.run_configuration import AnswerChoice
from studio.session.side_by_side import SideBySide
from studio.session.views.answers_view import MarkKind
from tests.session.faces import Face, OpenFace
from tests.stored_answers import ANSWERS, RENT, answered, response

USUAL = FirstCase("usual")
RUBRIC = """\
- id: rent
  prompt: When is the rent due?
  should:
    - Names the lease: Law 3
    - $contains: 3rd
  should_not:
    - Names the king
"""
LAW = {"own:a": "By law, on the 3rd. The king says so.", "own:b": "Ask a lawyer."}


class Text:
    """The text of a face, which may be read-only or change behind the author's back."""

    def __init__(self, face: Face) -> None:
        self.face = face
        self.is_read_only = False
        self.meanwhile: Callable[[], None] = lambda: None

    async def checked(self) -> Analysis:
        return await self.face.session.checked()

    def refuses_change(self) -> bool:
        return self.is_read_only

    def apply(self, change: TextChange) -> bool:
        self.meanwhile()
        if change.revision != self.face.snapshot().revision:
            return False
        self.face.apply(change)
        return True

    def undo(self) -> None:
        raise AssertionError("nothing here takes a change back")


class Sitting:
    """Opened answers, and the author who reads them."""

    def __init__(self, face: Face) -> None:
        self.face = face
        self.text = Text(face)

    @property
    def side(self) -> SideBySide:
        return self.face.runs.side_by_side

    @property
    def messages(self) -> list[str]:
        return self.face.author.messages

    @property
    def cases(self) -> tuple[Case, ...]:
        path = beside(self.face.session.state.path)
        return read_cases(path.read_text("utf-8"))[0].cases if path.exists() else ()

    def asks(self, *answers: Any) -> None:
        self.face.author.answers = list(answers)

    def key(self, part: str) -> str:
        """The key of the one answer that has this text."""
        (found,) = [each.key for each in self.side.view.answers if part in each.text]
        return found

    async def mark(self, part: str, kind: MarkKind, *answers: Any, passage: str = "") -> None:
        self.asks(*answers)
        await self.side.mark(self.key(part), kind, passage, self.text)


Opens = Callable[..., Any]


@pytest.fixture
def opened(tmp_path: Path, open_face: OpenFace) -> Opens:
    """Opens a file with stored answers to its first prompt, side by side."""

    async def opened(text: str = RENT, answers: dict[str, str] = ANSWERS, at: str = "prompt") -> Sitting:
        path = answered(tmp_path / "rent.yml", text, answers)
        face = await open_face(path)
        face.cursor_at(at)
        sitting = Sitting(face)
        await sitting.side.open(await face.session.checked())
        return sitting

    return opened


# --- Which answers are read


async def test_without_a_rubric_and_a_run_the_stored_answers_and_the_ideal_are_there(opened: Opens) -> None:
    view = (await opened()).side.view
    assert [answer.label for answer in view.answers] == ["the ideal", "gamma", "beta, temp 0.7", "gpt-4o-mini"]
    assert view.answers[1].facts == "12 words · just now"
    assert (view.title, view.question) == ("rent", "How much notice must a landlord give before a rent increase?")
    assert view.marked == "3 not marked"


async def test_the_newest_answer_of_each_model_counts_even_if_another_one_gave_the_same(
    opened: Opens, tmp_path: Path
) -> None:
    path = tmp_path / "rent.yml"
    answered(path, RENT, {"own:a": "First.", "own:b": "Yes."})
    view = (await opened(answers={"own:a": "Yes.", "own:b[sp_idx:1]": "No."})).side.view
    assert [(answer.label, answer.text) for answer in view.answers[1:]] == [("b, system 2", "No."), ("a, b", "Yes.")]


async def test_test_answers_and_earlier_ideals_are_left_out(opened: Opens) -> None:
    sitting = await opened(answers={"control:refusal": "Sorry.", "ideal": "An earlier one.", "own:a": "Yes."})
    assert [answer.label for answer in sitting.side.view.answers] == ["the ideal", "a"]


async def test_every_answer_of_the_author_s_own_is_there(opened: Opens, tmp_path: Path) -> None:
    path = answered(tmp_path / "rent.yml", RENT, {"response": "Mine."})
    prompt = parse(RENT, path).blueprint.prompts[0]
    mine = response(prompt, path, "Edited.")
    mine = replace(mine, thread=(*mine.thread[:-1], replace(mine.thread[-1], edited=True)))
    with closing(Store()) as store:
        store.save_response(PromptPlace.of(path, prompt), "response", mine)
    view = (await opened(answers={})).side.view
    assert [answer.label for answer in view.answers[1:]] == ["your edited answer", "your answer"]
    assert view.answers[1].facts.endswith("edited by you")


async def test_an_answer_that_was_edited_in_this_session_says_whose_it_was(opened: Opens) -> None:
    sitting = await opened(answers={})
    sitting.face.runs.run_or_stop()
    await sitting.face.settled()
    sitting.asks("Three months.")
    await sitting.face.runs.edits.edit(sitting.face.runs.views.answer().turns[-1])
    await sitting.face.settled()
    await sitting.side.open(await sitting.face.session.checked())
    assert [answer.label for answer in sitting.side.view.answers] == ["the ideal", "the ideal, edited by you"]


async def test_saved_answers_are_there_without_a_run(opened: Opens, tmp_path: Path) -> None:
    fixtures = tmp_path / "given.yml"
    fixtures.write_text("responses: {rent: {byModel: {'openai:gpt-4o': Two months.}}}", "utf-8")
    (tmp_path / "fixtures.yml").write_text("responses: []", "utf-8")
    sitting = await opened(answers={})
    await sitting.face.runs.configuration.choose(AnswerChoice((FixtureSource(fixtures),)))
    await sitting.side.open(await sitting.face.session.checked())
    answer = sitting.side.view.answers[-1]
    assert (answer.label, answer.facts) == ("gpt-4o, saved answer", "2 words · in given.yml")
    assert sitting.side.view.note.startswith("fixtures.yml: `responses` is missing")


async def test_answers_to_other_questions_are_left_out(opened: Opens, tmp_path: Path) -> None:
    answered(tmp_path / "rent.yml", RENT.replace("How much", "What"), {"own:old": "Old."})
    view = (await opened(answers={"own:a": "Yes."})).side.view
    assert [answer.label for answer in view.answers] == ["the ideal", "a"]


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("And before a visit", "There are no answers to this prompt yet. F9 chooses models, F5 runs them"),
        ("title", "Put the cursor into a prompt"),
    ],
)
async def test_where_there_is_nothing_to_read_the_next_step_is_told(opened: Opens, at: str, told: str) -> None:
    sitting = await opened(at=at)
    assert sitting.messages[-1].startswith(told)


async def test_an_answer_that_is_read_here_counts_as_shown(opened: Opens) -> None:
    sitting = await opened()
    sitting.side.answers_shown([sitting.key("It depends")])
    await sitting.face.settled()
    path = sitting.face.session.state.path
    place = PromptPlace.of(path, parse(RENT, path).blueprint.prompts[0])
    with closing(Store()) as store:
        assert set(store.first_shown(place)) == {text_digest(ANSWERS["own:beta[temp:0.7]"])}


# --- Marks


async def test_a_mark_is_a_case_with_its_reason(opened: Opens) -> None:
    sitting = await opened()
    await sitting.mark("It depends", MarkKind.BAD, "It ignores the law", USUAL)
    (case,) = sitting.cases
    assert (case.prompt, case.label, case.reason, case.model) == ("rent", Label.BAD, "It ignores the law", "own:beta")
    assert "will hold the answers" in sitting.face.author.asked[-1].text
    mark = sitting.side.view.answers[2].mark
    assert mark is not None
    assert (mark.kind, mark.text, mark.why) == (MarkKind.BAD, "bad", "It ignores the law")
    assert sitting.side.view.marked == "1 bad · 2 not marked"


async def test_the_reason_may_be_left_out_but_not_cancelled(opened: Opens) -> None:
    sitting = await opened()
    await sitting.mark("I am not", MarkKind.GOOD, None)
    assert sitting.cases == ()
    await sitting.mark("I am not", MarkKind.GOOD, "", USUAL)
    assert [(case.label, case.reason) for case in sitting.cases] == [(Label.GOOD, None)]


async def test_marking_again_changes_the_case(opened: Opens) -> None:
    sitting = await opened()
    await sitting.mark("It depends", MarkKind.BAD, "Wrong", USUAL)
    await sitting.mark("It depends", MarkKind.GOOD, "Right")
    assert [(case.label, case.reason) for case in sitting.cases] == [(Label.GOOD, "Right")]
    assert sitting.face.author.asked[-1].value == "Wrong"


async def test_a_case_has_the_author_s_grades_as_elsewhere(opened: Opens, tmp_path: Path) -> None:
    path = answered(tmp_path / "rent.yml", RUBRIC, LAW)
    place = PromptPlace.of(path, parse(RUBRIC, path).blueprint.prompts[0])
    with closing(Store()) as store:
        store.grade(place, LAW["own:b"], Criterion(Block.SHOULD, "Names the lease"), Grade.ABSENT)
    sitting = await opened(RUBRIC, LAW)
    await sitting.mark("Ask a lawyer", MarkKind.BAD, "", USUAL)
    assert [(each.point.text, each.grade) for each in sitting.cases[0].grades] == [("Names the lease", Grade.ABSENT)]


async def test_bad_in_this_way_names_a_point_of_the_rubric(opened: Opens) -> None:
    sitting = await opened(RUBRIC, LAW)
    await sitting.mark("king", MarkKind.FAILS, "It names a king", "2", USUAL)
    (case,) = sitting.cases
    assert (case.label, case.fails, case.reason) == (
        None,
        NamedPoint("Names the king", Block.SHOULD_NOT),
        "It names a king",
    )


@pytest.mark.parametrize(("of", "prefilled"), [("reason", "It threatens"), ("passage", "It depends.")])
async def test_without_such_a_point_the_criterion_is_made_first(opened: Opens, of: str, prefilled: str) -> None:
    sitting = await opened()
    answers = ("It threatens", of, "Threatens the tenant", "should_not", USUAL)
    await sitting.mark("It depends", MarkKind.FAILS, *answers, passage="It depends.")
    assert sitting.face.author.asked[2].value == prefilled
    assert "  should_not:\n    - Threatens the tenant\n" in sitting.face.text
    assert sitting.cases[0].fails == NamedPoint("Threatens the tenant", Block.SHOULD_NOT)


async def test_without_the_criterion_there_is_no_case_of_it(opened: Opens) -> None:
    sitting = await opened()
    sitting.text.meanwhile = lambda: sitting.face.replace("title: Tenancy", "title: Rent")
    await sitting.mark("It depends", MarkKind.FAILS, "It threatens", "reason", "Threatens", "should_not", USUAL)
    assert sitting.cases == ()


async def test_a_mark_is_taken_back_with_its_case(opened: Opens) -> None:
    sitting = await opened()
    await sitting.mark("It depends", MarkKind.BAD, "", USUAL)
    await sitting.mark("I am not", MarkKind.GOOD, "")
    await sitting.side.take_back(sitting.key("It depends"))
    assert [case.label for case in sitting.cases] == [Label.GOOD]
    assert sitting.side.view.marked == "1 good · 2 not marked"


@pytest.mark.parametrize(("answer", "left"), [("keep", 1), (None, 1), ("remove", 0)])
async def test_more_than_a_mark_is_not_removed_without_a_question(
    opened: Opens, tmp_path: Path, answer: str | None, left: int
) -> None:
    path = tmp_path / "rent.yml.cases"
    path.write_text("version: 1\ncases:\n  - prompt: rent\n    answer: Yes.\n    score: [80, 100]\n", "utf-8")
    sitting = await opened(answers={})
    sitting.asks(answer)
    await sitting.side.take_back(sitting.key("Yes."))
    assert sitting.face.author.asked[-1].text.startswith("Case 1 also has its range of scores")
    assert len(sitting.cases) == left


async def test_a_case_that_changed_on_disk_is_left_alone(opened: Opens) -> None:
    sitting = await opened()
    await sitting.mark("It depends", MarkKind.BAD, "", USUAL)
    other = "version: 1\ncases:\n  - prompt: rent\n    answer: Another.\n    label: good\n"
    beside(sitting.face.session.state.path).write_text(other, "utf-8")
    await sitting.mark("It depends", MarkKind.GOOD, "")
    assert beside(sitting.face.session.state.path).read_text("utf-8") == other
    assert "It has changed on disk since it was read" in sitting.messages[-1]


async def test_a_marked_answer_keeps_its_place(opened: Opens) -> None:
    sitting = await opened()
    before = [answer.key for answer in sitting.side.view.answers]
    await sitting.mark("It depends", MarkKind.BAD, "", USUAL)
    assert [answer.key for answer in sitting.side.view.answers] == before


async def test_an_edited_copy_becomes_a_bad_case_in_one_go(opened: Opens) -> None:
    sitting = await opened()
    sitting.asks("It depends on the king.", USUAL)
    await sitting.side.edit_as_bad(sitting.key("It depends"))
    (case,) = sitting.cases
    assert (case.turns, case.label, case.is_edited, case.model) == (
        ("It depends on the king.",),
        Label.BAD,
        True,
        "own:beta",
    )
    assert [answer.label for answer in sitting.side.view.answers][-1] == "beta, edited copy"


async def test_a_copy_that_is_not_changed_is_no_case(opened: Opens) -> None:
    sitting = await opened()
    sitting.asks(None)
    await sitting.side.edit_as_bad(sitting.key("It depends"))
    assert sitting.cases == ()


async def test_of_several_turns_one_is_edited(opened: Opens, tmp_path: Path) -> None:
    turns = "- id: talk\n  messages:\n    - user: When?\n    - assistant: null\n    - user: Sure?\n  ideal: Yes.\n"
    path = answered(tmp_path / "rent.yml", turns, {})
    prompt = parse(turns, path).blueprint.prompts[0]
    with closing(Store()) as store:
        store.save_response(PromptPlace.of(path, prompt), "own:a", response(prompt, path, "On the 3rd.", "Quite sure."))
    sitting = await opened(turns, {}, at="messages")
    sitting.asks("1", "No idea.", USUAL)
    await sitting.side.edit_as_bad(sitting.key("Quite sure"))
    assert sitting.cases[0].turns == ("On the 3rd.", "No idea.")


# --- Passages


async def test_a_passage_becomes_a_criterion_of_a_prompt_without_a_rubric(opened: Opens) -> None:
    sitting = await opened()
    sitting.asks(lambda question: question.value, "should")
    await sitting.side.make_criterion("**Three months**\nis usual.", sitting.text)
    assert "  should:\n    - '**Three months** is usual.'\n- id: visit" in sitting.face.text
    assert sitting.messages[-1] == "The criterion is in `should` of rent. Ctrl+Z undoes it."


@pytest.mark.parametrize("answers", [(None,), ("Names it", None)])
async def test_a_cancelled_question_writes_no_criterion(opened: Opens, answers: tuple[str | None, ...]) -> None:
    sitting = await opened()
    sitting.asks(*answers)
    await sitting.side.make_criterion("It is.", sitting.text)
    assert sitting.face.text == RENT


async def test_a_read_only_file_gets_no_criterion(opened: Opens) -> None:
    sitting = await opened()
    sitting.text.is_read_only = True
    sitting.asks("Names it", "should")
    await sitting.side.make_criterion("It is.", sitting.text)
    assert (sitting.face.text, sitting.face.author.asked) == (RENT, [])


async def test_a_prompt_that_asks_something_else_by_now_is_refused(opened: Opens) -> None:
    sitting = await opened()
    sitting.face.replace("How much notice", "How long a notice")
    sitting.asks("Names it", "should")
    await sitting.side.make_criterion("It is.", sitting.text)
    assert sitting.messages[-1].startswith("The prompt has changed since these answers were opened")
    assert "Names it" not in sitting.face.text


async def test_an_edit_elsewhere_does_not_get_in_the_way(opened: Opens) -> None:
    sitting = await opened()
    sitting.face.replace("title: Tenancy", "title: Rent")
    sitting.asks("Names it", "should")
    await sitting.side.make_criterion("It is.", sitting.text)
    assert "title: Rent" in sitting.face.text
    assert "    - Names it\n" in sitting.face.text


async def test_a_passage_makes_a_case_with_its_quote(opened: Opens) -> None:
    sitting = await opened()
    sitting.asks("BAD", "Wrong", USUAL)
    await sitting.side.make_case(sitting.key("It depends"), "It depends.", sitting.text)
    assert [(case.label, case.quote, case.reason) for case in sitting.cases] == [(Label.BAD, "It depends.", "Wrong")]
    answer = sitting.side.view.answers[2]
    assert answer.quote is not None
    assert answer.quote.of(answer.text) == "It depends."


async def test_of_a_case_the_passage_becomes_the_quote(opened: Opens) -> None:
    sitting = await opened()
    await sitting.mark("It depends", MarkKind.BAD, "Wrong", USUAL)
    sitting.asks("case")
    await sitting.side.quote(sitting.key("It depends"), "It depends.", sitting.text)
    assert [(case.label, case.quote, case.reason) for case in sitting.cases] == [(Label.BAD, "It depends.", "Wrong")]


async def test_another_reason_keeps_the_quote_and_the_opposite_mark_drops_it(opened: Opens) -> None:
    sitting = await opened()
    sitting.asks("BAD", "Wrong", USUAL)
    await sitting.side.make_case(sitting.key("It depends"), "It depends.", sitting.text)
    await sitting.mark("It depends", MarkKind.BAD, "Very wrong")
    assert sitting.cases[0].quote == "It depends."
    await sitting.mark("It depends", MarkKind.GOOD, "")
    assert sitting.cases[0].quote is None


async def test_of_a_criterion_the_passage_becomes_the_citation(opened: Opens) -> None:
    sitting = await opened(RUBRIC, LAW)
    sitting.asks("0")
    await sitting.side.quote(sitting.key("king"), "By law,\non the 3rd.", sitting.text)
    assert "    - Names the lease: 'By law, on the 3rd.'\n" in sitting.face.text
    assert [choice.id for choice in sitting.face.author.asked[-1].choices] == ["case", "0", "2"]
    assert "Replaces its citation, “Law 3”." in [each.detail for each in sitting.face.author.asked[-1].choices]


async def test_what_a_terminal_would_obey_is_shown_in_messages(opened: Opens) -> None:
    sitting = await opened(answers={"own:a": "It \x1b[31mis."})
    await sitting.mark("is.", MarkKind.BAD, "", USUAL)
    await sitting.side.make_case(sitting.key("is."), "It \x1b[31mis.", sitting.text)
    assert sitting.cases[0].quote == "It \x1b[31mis."
    assert sitting.messages[-1].endswith("with the quote “It ␛[31mis.”.")


async def test_a_case_file_that_cannot_be_read_is_named_and_left_as_it_is(opened: Opens, tmp_path: Path) -> None:
    (tmp_path / "rent.yml.cases").write_bytes(b"\xff")
    sitting = await opened()
    assert sitting.side.view.note == "rent.yml.cases is not UTF-8 text."
    await sitting.mark("It depends", MarkKind.BAD, "")
    assert (tmp_path / "rent.yml.cases").read_bytes() == b"\xff"


async def test_marks_count_in_the_outline(opened: Opens) -> None:
    sitting = await opened()
    await sitting.mark("It depends", MarkKind.BAD, "", USUAL)
    await sitting.face.settled()
    assert sitting.face.runs.state.cases.prompts[0].bad == 1

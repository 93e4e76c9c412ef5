"""Cases of the author: made of the answer that is shown, and written to the blueprint's case file."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engine.evaluation.sources import AnswerSource, ControlSource, ModelSource, StoredSource
from engine.functions import point_text
from engine.scoring.assessment import Criterion, Grade
from engine.scoring.explanation import point_label
from engine.scoring.sums import place
from engine.study import case_writer
from engine.study.case import Case, CaseGrade, Label, NamedPoint, ScoreRange, prompt_names
from engine.study.case_reader import read_cases
from engine.study.case_writer import CaseMark, NotWritable
from engine.study.file_places import beside, case_file_path, default_case_path, first_write_text, in_data_folder
from engine.study.wordings import KnownAnswer, known_answer
from engine.text.record import replace
from engine.text.spans import NOWHERE, visible
from studio.session.host import Choice, Choose, EnterText, Severity, Unusable, ask_until
from studio.session.parts import Part
from studio.session.questions import FirstCaseQuestion
from studio.session.resources import author_name, save_author_name
from studio.session.run import messages_of

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from studio.session.session import Session


_RANGE = re.compile(r"\s*(\d{1,3}(?:\.\d+)?)\s*(?:-|–|to|,|\s)\s*(\d{1,3}(?:\.\d+)?)\s*")
_LONGEST_POINT = 70
_NO_CASE = "none"
_WHY = "One line, which names the case in lists, and which you may leave empty."


def _model_of(source: AnswerSource) -> str | None:
    """The model of a case: what wrote its answer; None if that is not known, or was a person.

    A test answer is named too, so that it is recognised once the criteria that it pastes have changed.
    """
    match source:
        case ModelSource() | StoredSource():
            return source.model
        case ControlSource():
            return source.key
        case _:
            return None


class NewCases(Part):
    """Makes cases of answers. Its commands may be called at any time, and tell the author what they need."""

    async def make(self, answer: KnownAnswer | None = None) -> None:
        """Make a case of an answer to the prompt that is shown, as the author labels it; without one, of its run's.

        One that is a case gets another label, or is none any more.
        """
        prompt, analysis = self.state.prompt, self.state.analysis
        found = answer or self._shown(prompt)
        if found is None or prompt is None or analysis is None or not await self.runs.case_file.may_write():
            return
        why = None if answer is None else "" if answer.case is None else answer.case.reason or ""
        case = await self._labelled(found, prompt, prompt_names(analysis.blueprint)[prompt.index], why)
        if case is None:
            return
        if found.case is not None:
            await self._change(found.case, case)
        elif (added := await self.runs.case_file.add(case)) is not None:
            number, path = added
            blueprint = self.state.path.name
            self._notify(f"Case {number} is in {path.name}. `studio test {blueprint}` tests the rubric with it.")
        await self.runs.criterion.read()

    def _shown(self, prompt: Prompt | None) -> KnownAnswer | None:
        """The answer of the run that is shown; the author is told if it can be no case."""
        run = self.runs.selection.run
        if run is None or run.response is None or run.running or prompt is None:
            self._notify("There is no answer yet: F5 runs this prompt.")
            return None
        if messages_of(prompt) != messages_of(run.prompt):
            self._notify("The conversation has changed since this answer: run the prompt again first.")
            return None
        answer = known_answer(run.label, run.response, model=_model_of(run.source))
        return replace(answer, is_edited=True, refusal=None) if run.edited is not None else answer

    async def _change(self, case: Case, to: Case) -> None:
        """Give a case another label and reason, or remove it, after asking if it holds more than the author's mark."""
        files = self.runs.case_file
        mark = CaseMark.of(to)
        if mark != CaseMark():
            is_opposite = None not in (case.is_bad, to.is_bad) and case.is_bad is not to.is_bad
            changed = await files.mark(case, replace(mark, quote=None if is_opposite else case.quote, test=case.test))
            if changed is not None:
                lost = " Its range of scores went with the label before." if case.score and not changed[0].score else ""
                self._notify(f"Case {case.number} in {changed[1].name} has another label.{lost}")
            return
        text = lost_text(case, await files.author())
        choices = [Choice("remove", "Remove the case"), Choice("keep", "Keep it")]
        if text and await self.host.ask(Choose("No case any more", visible(text), choices)) != "remove":
            return
        if (path := await files.remove(case)) is not None:
            self._notify(f"Case {case.number} is removed from {path.name}.")

    async def _labelled(self, answer: KnownAnswer, prompt: Prompt, name: str, why: str | None) -> Case | None:
        """The answer as a case, with the author's label; without one if it shall be none; None if they cancel.

        `why` is the reason before; None where none is asked for.
        """
        label = await self.host.ask(_label_question(prompt, answer.case))
        if label is None:
            return None
        case = Case(0, NOWHERE, name, NOWHERE, answer.turns, model=answer.model, is_edited=answer.is_edited)
        if label == _NO_CASE:
            return case
        fails = score = None
        if label == "fails":
            fails = await self._failed_point(prompt)
            if fails is None:
                return None
        elif label.endswith("-range"):
            score = await ask_until(self.host, _range_question(Label(label.removesuffix("-range"))), _range)
            if score is None:
                return None
        reason = "" if why is None else await self.host.ask(EnterText("Why?", _WHY, why, optional=True))
        if reason is None:
            return None
        grades = await asyncio.to_thread(self.session.cache.grades, self.analysis.place(prompt), answer.subject)
        return replace(
            case,
            label=None if fails is not None else Label(label.removesuffix("-range")),
            score=score,
            fails=fails,
            reason=reason or None,
            test=answer.refusal,
            grades=case_grades(grades),
        )

    async def _failed_point(self, prompt: Prompt) -> NamedPoint | None:
        title, text = "Bad in this way", "Which criterion does this answer fail?"
        chosen = await self.host.ask(Choose(title, text, point_choices(prompt)))
        return None if chosen is None else named_point(prompt, int(chosen))

    def _notify(self, message: str, severity: Severity = Severity.INFORMATION) -> None:
        self.host.notify(message, severity)


def _range_question(label: Label) -> EnterText:
    text = "The lowest and the highest score that is right for this answer, from 0 to 100, such as 80–100."
    return EnterText(f"A {label} answer should score", text, "80–100" if label is Label.GOOD else "0–40")


async def _range(written: str) -> ScoreRange:
    found = _RANGE.fullmatch(written)
    if found is None or not 0 <= float(found[1]) <= float(found[2]) <= 100:
        raise Unusable("Write two numbers from 0 to 100, the lower one first, such as 0–40.")
    return ScoreRange(float(found[1]), float(found[2]))


def case_grades(grades: Mapping[Criterion, Grade]) -> tuple[CaseGrade, ...]:
    """The author's grades of an answer, as a case has them."""
    return tuple(
        CaseGrade(NamedPoint(criterion.text, criterion.block), grade, None, NOWHERE)
        for criterion, grade in grades.items()
    )


def point_choices(prompt: Prompt) -> list[Choice]:
    """The points of a prompt to choose from, by their places in `Prompt.points()`."""
    return [
        Choice(str(index), f"{'not: ' if each.inverted else ''}{point_label(each.point, _LONGEST_POINT)}")
        for index, each in enumerate(place(prompt))
    ]


def named_point(prompt: Prompt, at: int) -> NamedPoint:
    """The point at this place of `Prompt.points()`, as a case names it."""
    placed = place(prompt)[at]
    return NamedPoint(point_text(placed.point), placed.rubric.block)


def lost_text(case: Case, by: str | None) -> str:
    """What is lost if a case is removed beside the author's own label; "" for nothing."""
    others = dict.fromkeys(grade.by for grade in case.grades if grade.by not in (None, by))
    grades = f"grades by {', '.join(map(str, others))}" if others else "grades"
    held = (("its range of scores", case.score), (grades, case.grades), ("verdicts", case.verdicts))
    more = [name for name, has in held if has]
    lines = [f"{case.by} marked this answer, in case {case.number}."] if case.by not in (None, by) else []
    if more:
        lines.append(f"Case {case.number} also has {' and '.join(more)}, which are removed with it.")
    return " ".join(lines)


def _label_question(prompt: Prompt, case: Case | None) -> Choose:
    good = Choice("good", "Good", "The rubric should rank it above every bad answer.")
    bad = Choice("bad", "Bad", "The rubric should rank it below every good answer.")
    ranges = (
        Choice("good-range", "Good, with a range …", "And its score should lie in a range, such as 80–100."),
        Choice("bad-range", "Bad, with a range …", "And its score should lie in a range, such as 0–40."),
    )
    fails = Choice("fails", "Bad in this way …", "It should fail one criterion of the rubric.")
    ways = (fails,) if prompt.points() else ()
    if case is not None:
        none = Choice(_NO_CASE, "No case any more", "It is removed from the case file.")
        return Choose(f"Case {case.number} has this answer", "What is it?", [good, bad, *ways, none])
    text = "A case tests the rubric: the answer, and what you say of it."
    return Choose("Make a case of this answer", text, [good, bad, *ranges, *ways])


_CHANGED = "It has changed on disk since it was read. Try again."


class CaseFileEdits(Part):
    """Adds cases, and changes them. The author is told what goes wrong."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._order = asyncio.Lock()

    @property
    def _blueprint(self) -> Path:
        return self.state.path

    async def may_write(self) -> bool:
        """Whether the blueprint is on disk; the author is told if not."""
        is_there = await asyncio.to_thread(self._blueprint.exists)
        if not is_there:
            self._notify("Save the blueprint first: its cases stand in a file beside it.")
        return is_there

    async def author(self) -> str | None:
        """The name under which the author says things; None for none."""
        return await author_name(self.resources.settings)

    # --- Changes

    async def add(self, case: Case) -> tuple[int, Path] | None:
        """Add a case of the author, and return its number and the file; None if it was not written.

        Before the first one, the author sees what the file holds and who would see it, and may give their name.
        """
        path = await asyncio.to_thread(case_file_path, self._blueprint)
        if path is None:
            path = await self._first_place()
        by = await self.author()
        number = (
            None if path is None else await self._write(path, lambda text: case_writer.with_case(text, case.signed(by)))
        )
        return None if path is None or number is None else (number, path)

    async def mark(self, case: Case, mark: CaseMark) -> tuple[Case, Path] | None:
        """Give a case another mark; the case as it is then, and the file. None if it was not written.

        If another person marked it, the author is asked first.
        """
        by = await self.author()
        if CaseMark.of(case) != mark and not await self._may_replace(case, by):
            return None
        path = await self._change(case, lambda text: case_writer.with_mark(text, case.number, mark, by))
        return None if path is None else (mark.put_on(case, by), path)

    async def remove(self, case: Case) -> Path | None:
        """Remove a case, and return the file; None if it was not written."""
        return await self._change(case, lambda text: case_writer.without_case(text, case.number))

    async def grade(self, case: Case, criterion: Criterion, grade: Grade | None) -> None:
        """Write the author's grade of a case; None removes it. Grades of others stay."""
        point, by = NamedPoint(criterion.text, criterion.block), await self.author()

        def edited(text: str) -> str:
            if grade is None:
                return case_writer.without_grade(text, case.number, point, by)
            return case_writer.with_grade(text, case.number, CaseGrade(point, grade, by, NOWHERE))

        path = await self._change(case, edited, is_of_mark=False)
        is_nameless = any(each.by is None and each.point.text == point.text for each in case.grades)
        if path is not None and grade is None and by is not None and is_nameless:
            text = f"Case {case.number} in {path.name} also has a grade of this criterion without a name, which stays."
            self._notify(f"{text} If it is yours, remove it there.", Severity.WARNING)

    # --- Asking

    async def _may_replace(self, case: Case, by: str | None) -> bool:
        """Whether the author may say something else of a case: they are asked if another person said it."""
        if case.by is None or case.by == by:
            return True
        own = f"under your name, {by}." if by else "and names nobody. If that is you, give your name first (Ctrl+P)."
        text = f"{case.by} marked this answer, in case {case.number}. Your mark takes the place of that one, {own}"
        choices = [Choice("replace", "Put my mark in its place", "Grades by others stay."), Choice("keep", "Keep it")]
        title = f"A mark by {case.by}"
        return await self.host.ask(Choose(visible(title), visible(text), choices)) == "replace"

    async def _first_place(self) -> Path | None:
        """Where the first case is written; None if the author cancels."""
        usual, other = default_case_path(self._blueprint), in_data_folder(self._blueprint)
        if usual == other:
            other = beside(self._blueprint)
        text = await asyncio.to_thread(first_write_text, usual)
        elsewhere = (
            "Beside the blueprint", "Weval refuses such a file in a proposal."
        ) if other == beside(self._blueprint) else ("In my data folder", "It stays on this machine.")  # fmt: skip
        choices = [Choice("usual", "Write it there"), Choice("other", *elsewhere)]
        question = FirstCaseQuestion("The first case of this blueprint", text, choices, await self.author() or "")
        chosen = await self.host.ask(question)
        if chosen is None:
            return None
        await save_author_name(self.resources.settings, chosen.name)
        return usual if chosen.place == "usual" else other

    # --- Writing

    async def _change(self, case: Case, edit: Callable[[str], str], *, is_of_mark: bool = True) -> Path | None:
        """Make `edit` in the file, and return it. None if that cannot be, or `case` is not in it any more.

        `is_of_mark`: nor may what it says of the answer have changed.
        """

        def seen(each: Case) -> object:
            return each.number, each.prompt, each.turns, *((CaseMark.of(each), each.by) if is_of_mark else ())

        def checked(text: str) -> str:
            if seen(case) not in map(seen, read_cases(text)[0].cases):
                raise NotWritable(_CHANGED)
            return edit(text)

        path = await asyncio.to_thread(case_file_path, self._blueprint)
        if path is None:
            self._notify("Not saved: the case file is gone.", Severity.ERROR)
            return None
        return None if await self._write(path, checked) is None else path

    async def _write(self, path: Path, edit: Callable[[str], str]) -> int | None:
        """Edit the file at `path`; the number of its last case, None if it was not written."""
        new = case_writer.new_case_file(self._blueprint.name)
        async with self._order:
            try:
                text = await asyncio.to_thread(case_writer.change_case_file, path, edit, new)
            except NotWritable as error:
                self._notify(f"Not saved: {path.name}: {error}", Severity.ERROR)
                return None
            except OSError as error:
                self._notify(f"Not saved: {path} cannot be written: {error.strerror}.", Severity.ERROR)
                return None
        self.runs.live_cases.verdicts_came()
        return max((case.number for case in (await asyncio.to_thread(read_cases, text))[0].cases), default=0)

    def _notify(self, message: str, severity: Severity = Severity.INFORMATION) -> None:
        self.host.notify(visible(message), severity)

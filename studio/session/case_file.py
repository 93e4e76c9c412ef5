"""The cases of the open blueprint: made of answers, written to their file, and checked while the author works."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine.evaluation.sources import ControlKind, ControlSource, ModelSource, StoredSource, control_answer
from engine.functions import point_text
from engine.scoring.assessment import Criterion, Grade
from engine.scoring.explanation import point_label
from engine.scoring.sums import place
from engine.study import case_writer, file_places
from engine.study.case import Case, CaseGrade, CaseOutcome, Label, NamedPoint, ScoreRange, prompt_names
from engine.study.case_reader import CaseProblemKind, read_cases
from engine.study.case_writer import CaseMark, NotWritable
from engine.study.criterion_counts import untested_points
from engine.study.wordings import KnownAnswer, known_answer
from engine.text.record import replace, text_digest
from engine.text.spans import NOWHERE, visible
from studio.session.host import (
    Choice,
    Choose,
    EnterText,
    FirstCaseQuestion,
    NotDone,
    Severity,
    Unusable,
    answer_to,
    ask_until,
    choose,
    enter,
    telling,
)
from studio.session.resources import author_name, save_author_name
from studio.session.run import messages_of
from studio.session.state import Part
from studio.session.views.case_view import CaseLine, CasesView, PromptCases, RubricLine

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Prompt
    from engine.study.case_scoring import CaseCheck
    from studio.session.analysis import Analysis
    from studio.session.session import Session

_RANGE = re.compile(r"\s*(\d{1,3}(?:\.\d+)?)\s*(?:-|–|to|,|\s)\s*(\d{1,3}(?:\.\d+)?)\s*")
_LONGEST_POINT = 70
_NO_CASE = "none"
_CHANGED = "It has changed on disk since it was read. Try again."
_SECONDS = 0.4
"""How long the text rests before its cases are checked."""


_Outcomes: TypeAlias = "dict[tuple[object, ...], CaseOutcome]"


class CaseFile(Part):
    """Makes cases of answers, and changes them. Its commands may be called at any time, and tell what goes wrong."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._order = asyncio.Lock()

    def check(self, blueprint: Blueprint) -> CaseCheck:
        """Scores cases with what is stored on their answers, by the judges chosen."""
        judges = self.runs.evaluator.counted_panel(blueprint.header)
        return self.session.cache.case_check(self.state.path, blueprint, self.resources.javascript(), judges)

    async def author(self) -> str | None:
        """The name under which the author says things; None for none."""
        return await author_name(self.resources.settings)

    # --- What the author says of an answer

    async def make(self, answer: KnownAnswer | None = None) -> None:
        """Make a case of an answer to the prompt that is shown, as the author labels it; without one, of its run's.

        One that is a case gets another label, or is none any more. Of one of all answers, the reason is asked for.
        """
        prompt, analysis = self.state.prompt, self.state.analysis
        found = answer or self._shown(prompt)
        if prompt is None or analysis is None:
            return
        if not await asyncio.to_thread(self.state.path.exists):
            raise NotDone("Save the blueprint first: its cases stand in a file beside it.", seconds=5)
        name = prompt_names(analysis.blueprint)[prompt.index]
        case = await self._labelled(found, prompt, name, asks_why=answer is not None)
        with telling(self.host):
            if found.case is None:
                await self._add(case)
            elif CaseMark.of(case) == CaseMark():
                await self._remove(found.case)
            else:
                await self._mark(found.case, case)
        await self.runs.criterion.read()

    def _shown(self, prompt: Prompt | None) -> KnownAnswer:
        """The answer of the run that is shown. Raises `NotDone` if it can be no case.

        A test answer is named too, so that it is recognised once the criteria that it pastes have changed.
        """
        run = self.runs.selection.run
        if run is None or run.response is None or run.running or prompt is None:
            raise NotDone("There is no answer yet: F5 runs this prompt.", seconds=5)
        if messages_of(prompt) != messages_of(run.prompt):
            raise NotDone("The conversation has changed since this answer: run the prompt again first.", seconds=5)
        source = run.source
        model = source.model if isinstance(source, ModelSource | StoredSource) else None
        model = source.key if isinstance(source, ControlSource) else model
        answer = known_answer(run.label, run.response, model=model)
        return replace(answer, is_edited=True, refusal=None) if run.edited is not None else answer

    async def _labelled(self, answer: KnownAnswer, prompt: Prompt, name: str, *, asks_why: bool) -> Case:
        """The answer as a case, with the author's label; without one if it shall be none. Raises `NotDone`."""
        label = await answer_to(self.host, _label_question(prompt, answer.case))
        case = Case(0, NOWHERE, name, NOWHERE, answer.turns, model=answer.model, is_edited=answer.is_edited)
        if label == _NO_CASE:
            return case
        kind, _, is_ranged = label.partition("-")
        if kind == "fails":
            title, text = "Bad in this way", "Which criterion does this answer fail?"
            chosen = await answer_to(self.host, Choose(title, text, _point_choices(prompt)))
            placed = place(prompt)[int(chosen)]
            case = replace(case, fails=NamedPoint(point_text(placed.point), placed.rubric.block))
        else:
            score = await ask_until(self.host, _range_question(Label(kind)), _range) if is_ranged else None
            case = replace(case, label=Label(kind), score=score)
        before = answer.case.reason if answer.case is not None else None
        question = enter("reason", "Why?", before or "", optional=True)
        reason = await answer_to(self.host, question) if asks_why else ""
        grades = await asyncio.to_thread(self.session.cache.grades, self.analysis.place(prompt), answer.subject)
        given = (CaseGrade(NamedPoint(of.text, of.block), grade, None, NOWHERE) for of, grade in grades.items())
        return replace(case, reason=reason or None, test=answer.refusal, grades=tuple(given))

    # --- Changes of the file

    async def _add(self, case: Case) -> None:
        """Add a case. Before the first one, the author sees what the file holds, and may give their name."""
        path = await asyncio.to_thread(file_places.case_file_path, self.state.path) or await self._first_place()
        by = await self.author()
        number = await self._write(path, lambda text: case_writer.with_case(text, case.signed(by)))
        blueprint = self.state.path.name
        self._notify(f"Case {number} is in {path.name}. `studio test {blueprint}` tests the rubric with it.")

    async def _mark(self, case: Case, to: Case) -> None:
        """Give a case another label and reason. If another person gave the one before, the author is asked first."""
        by, is_opposite = await self.author(), None not in (case.is_bad, to.is_bad) and case.is_bad is not to.is_bad
        mark = replace(CaseMark.of(to), quote=None if is_opposite else case.quote, test=case.test)
        if CaseMark.of(case) != mark and case.by not in (None, by):
            own = f"under your name, {by}." if by else "and names nobody. If that is you, give your name: Ctrl+P."
            text = f"{case.by} marked this answer, in case {case.number}. Your mark takes the place of that one, {own}"
            question = choose("replace mark", visible(f"A mark by {case.by}"), why=visible(text))
            if await self.host.ask(question) != "replace":
                return
        path = await self._change(case, lambda text: case_writer.with_mark(text, case.number, mark, by))
        lost = " Its range of scores went with the label before." if case.score and is_opposite else ""
        self._notify(f"Case {case.number} in {path.name} has another label.{lost}")

    async def _remove(self, case: Case) -> None:
        """Remove a case, after asking if it holds more than the author's mark."""
        text = _lost_text(case, await self.author())
        question = choose("remove case", "No case any more", why=visible(text))
        if text and await self.host.ask(question) != "remove":
            return
        path = await self._change(case, lambda text: case_writer.without_case(text, case.number))
        self._notify(f"Case {case.number} is removed from {path.name}.")

    async def grade(self, case: Case, criterion: Criterion, grade: Grade | None) -> None:
        """Write the author's grade of a case; None removes it. Grades of others stay. Raises `NotDone`."""
        point, by = NamedPoint(criterion.text, criterion.block), await self.author()

        def edited(text: str) -> str:
            if grade is None:
                return case_writer.without_grade(text, case.number, point, by)
            return case_writer.with_grade(text, case.number, CaseGrade(point, grade, by, NOWHERE))

        path = await self._change(case, edited, is_of_mark=False)
        is_nameless = any(each.by is None and each.point.text == point.text for each in case.grades)
        if grade is None and by is not None and is_nameless:
            text = f"Case {case.number} in {path.name} also has a grade of this criterion without a name, which stays."
            self._notify(f"{text} If it is yours, remove it there.", Severity.WARNING)

    async def _first_place(self) -> Path:
        """Where the first case is written. Raises `NotDone` if the author cancels."""
        usual, other = file_places.default_case_path(self.state.path), file_places.in_data_folder(self.state.path)
        if is_in_data_folder := usual == other:
            other = file_places.beside(self.state.path)
        text = await asyncio.to_thread(file_places.first_write_text, usual)
        asked = choose(
            "first case",
            "The first case of this blueprint",
            without=("data",) if is_in_data_folder else ("beside",),
            why=text,
        )
        question = FirstCaseQuestion(asked.title, asked.text, asked.choices, await self.author() or "")
        chosen = await answer_to(self.host, question)
        await save_author_name(self.resources.settings, chosen.name)
        return usual if chosen.place == "usual" else other

    async def _change(self, case: Case, edit: Callable[[str], str], *, is_of_mark: bool = True) -> Path:
        """Make `edit` in the file, and return it. Raises `NotDone`, also if `case` is not in it any more.

        `is_of_mark`: nor may what it says of the answer have changed.
        """

        def seen(each: Case) -> object:
            return each.number, each.prompt, each.turns, *((CaseMark.of(each), each.by) if is_of_mark else ())

        def checked(text: str) -> str:
            if seen(case) not in map(seen, read_cases(text)[0].cases):
                raise NotWritable(_CHANGED)
            return edit(text)

        path = await asyncio.to_thread(file_places.case_file_path, self.state.path)
        if path is None:
            raise NotDone("Not saved: the case file is gone.", Severity.ERROR, seconds=5)
        await self._write(path, checked)
        return path

    async def _write(self, path: Path, edit: Callable[[str], str]) -> int:
        """Edit the file at `path`; the number of its last case. Raises `NotDone` if it cannot be written."""
        new = case_writer.new_case_file(self.state.path.name)
        async with self._order:
            try:
                text = await asyncio.to_thread(case_writer.change_case_file, path, edit, new)
            except NotWritable as error:
                raise NotDone(visible(f"Not saved: {path.name}: {error}"), Severity.ERROR, seconds=5) from error
            except OSError as error:
                why = visible(f"Not saved: {path} cannot be written: {error.strerror}.")
                raise NotDone(why, Severity.ERROR, seconds=5) from error
        self.runs.live_cases.verdicts_came()
        return max((case.number for case in (await asyncio.to_thread(read_cases, text))[0].cases), default=0)

    def _notify(self, message: str, severity: Severity = Severity.INFORMATION) -> None:
        self.host.notify(visible(message), severity)


def _range_question(label: Label) -> EnterText:
    return enter("range", f"A {label} answer should score", "80–100" if label is Label.GOOD else "0–40")


async def _range(written: str) -> ScoreRange:
    found = _RANGE.fullmatch(written)
    if found is None or not 0 <= float(found[1]) <= float(found[2]) <= 100:
        raise Unusable("Write two numbers from 0 to 100, the lower one first, such as 0–40.")
    return ScoreRange(float(found[1]), float(found[2]))


def _point_choices(prompt: Prompt) -> list[Choice]:
    """The points of a prompt to choose from, by their places in `Prompt.points()`."""
    return [
        Choice(str(index), f"{'not: ' if each.inverted else ''}{point_label(each.point, _LONGEST_POINT)}")
        for index, each in enumerate(place(prompt))
    ]


def _lost_text(case: Case, by: str | None) -> str:
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
    without = () if prompt.points() else ("fails",)
    if case is None:
        return choose("label", "Make a case of this answer", without=without)
    return choose("label again", f"Case {case.number} has this answer", without=without)


# --- How they stand


class LiveCases(Part):
    """Checks the cases after each edit, and after each run, whose verdicts may decide some. Sends nothing."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._known: _Outcomes = {}
        self._evidence: object = None
        """What the good answers depend on that problems are checked with."""

    def check_soon(self, analysis: Analysis) -> None:
        """Check the cases of a text, and count the answers that were read, once the text rests."""
        self.effect("cases", self._check(analysis), exclusive=True)

    def cases_shown(self, prompt: Prompt) -> None:
        """Record that the outcomes of the cases of a prompt are in the result that is shown."""
        found = self.state.cases.prompts.get(prompt.index)
        if found is not None:
            subjects = [line.subject for line in found.lines if line.subject is not None]
            self.runs.shown.mark(self.analysis.place(prompt), subjects, read=False)

    def verdicts_came(self) -> None:
        """Check again: a run has ended, the author has graded, or the file of cases has changed."""
        self._known, self._evidence = {}, None
        if self.state.analysis is not None and self.state.analysis.complete:
            self.check_soon(self.state.analysis)

    async def _check(self, analysis: Analysis) -> None:
        await asyncio.sleep(_SECONDS)
        check = self.runs.cases.check(analysis.blueprint)
        cases, self._known, view = await asyncio.to_thread(
            _checked, analysis, check, self.state.path, self._known, self.state.read
        )
        evidence = cases, check.panel, analysis.header.span.of(analysis.parsed.text)
        has_paths = any(rubric.paths for prompt in analysis.blueprint.prompts for rubric in prompt.rubrics)
        if has_paths and evidence != self._evidence:  # good answers show how paths are meant
            self._evidence = evidence
            panel = self.runs.evaluator.counted_panel
            self.session.check_with(self.session.cache.good_answers(self.state.path, panel))
        if view != self.state.cases:
            self.change(cases=view)


def _answers_read(prompt: Prompt, shown: Collection[str], tests: Iterable[str] = ()) -> int:
    """How many of the answers with the digests `shown` are neither the ideal nor a test answer.

    `tests` are the texts of the cases that are test answers.
    """
    known = [*tests, *(control_answer(kind, prompt) for kind in ControlKind)]
    known += [] if prompt.ideal is None else [prompt.ideal]
    return len(frozenset(shown) - frozenset(map(text_digest, known)))


def _checked(
    analysis: Analysis, check: CaseCheck, path: Path, known: _Outcomes, shown: Mapping[str, frozenset[str]]
) -> tuple[tuple[Case, ...], _Outcomes, CasesView]:
    """The cases of the blueprint at `path`, their outcomes, and how they stand. Blocks while checks run.

    Outcomes that are `known` are used again while their prompt, its header and the judges are the same. `shown` are the
    digests of the answers that were shown, by `PromptPlace.prompt`.
    """
    text, problem = file_places.read_case_text(path)
    file, problems = read_cases(text)
    if text and any(each.slug == CaseProblemKind.UNREADABLE for each in problems):
        problem = f"{file_places.beside(path).name} cannot be read"
    used: _Outcomes = {}

    def outcome(case: Case, prompt: Prompt) -> CaseOutcome:
        spans = prompt.span, analysis.header.span
        key = (case, *(span.of(analysis.parsed.text) for span in spans), check.panel)
        used[key] = known.get(key) or check.outcome(case)
        return used[key]

    prompts: dict[int, PromptCases] = {}
    read: dict[int, int] = {}
    for name, prompt in check.prompts.items():
        of_prompt = [case for case in file.cases if case.prompt == name]
        guards = sum(placed.inverted for placed in place(prompt))
        outcomes = [outcome(case, prompt) for case in of_prompt]
        if seen := shown.get(analysis.place(prompt).prompt):
            tests = (each.scored.response.subject for each in outcomes if each.test and each.scored)
            read[prompt.index] = _answers_read(prompt, seen, tests)
        if of_prompt or guards:
            ideal = check.ideal(name) if of_prompt else None
            ideals = [] if ideal is None else [outcome(ideal, prompt)]
            rubric = tuple(RubricLine.all_of(name, prompt, outcomes, ideals))
            untested = len(untested_points(prompt, of_prompt))
            prompts[prompt.index] = PromptCases(tuple(map(CaseLine.of, outcomes)), guards, untested, rubric)
    orphaned = sum(case.prompt not in check.prompts for case in file.cases)
    return file.cases, used, CasesView(prompts, orphaned, problem, read)

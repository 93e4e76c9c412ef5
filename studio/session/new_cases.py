"""Making a case of the answer that is shown: the author labels it, and it is added to the case file."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.blueprint.conversation import StopReason
from engine.evaluation.sources import AnswerSource, ControlKind, ControlSource, ModelSource, StoredSource
from engine.functions import point_text
from engine.scoring.explanation_text import point_label
from engine.scoring.sums import place
from engine.study.case import Case, CaseGrade, Label, NamedPoint, ScoreRange, prompt_names
from engine.text.spans import NOWHERE
from studio.session.host import Choice, Choose, EnterText, Severity
from studio.session.parts import Part
from studio.session.rescoring import messages_of
from studio.session.run import Run

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.evaluation.events import Response
    from engine.scoring.assessment import Criterion, Grade

_RANGE = re.compile(r"\s*(\d{1,3}(?:\.\d+)?)\s*(?:-|–|to|,|\s)\s*(\d{1,3}(?:\.\d+)?)\s*")
_LONGEST_POINT = 70


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

    async def make(self) -> None:
        """Make a case of the answer that is shown, as the author labels it."""
        run, prompt = self.runs.selection.run, self.state.prompt
        analysis = self.state.analysis
        if run is None or run.response is None or run.running or prompt is None or analysis is None:
            self._notify("There is no answer yet: F5 runs this prompt.")
            return
        if messages_of(prompt) != messages_of(run.prompt):
            self._notify("The conversation has changed since this answer: run the prompt again first.")
            return
        if not await self.runs.case_file.may_write():
            return
        case = await self._labelled(run, prompt, prompt_names(analysis.blueprint)[prompt.index])
        added = None if case is None else await self.runs.case_file.add(case)
        if added is not None:
            number, path = added
            blueprint = self.state.path.name
            self._notify(f"Case {number} is in {path.name}. `studio test {blueprint}` tests the rubric with it.")

    async def _labelled(self, run: Run, prompt: Prompt, name: str) -> Case | None:
        """The answer as a case, with the author's label; None if they cancel."""
        label = await self.host.ask(_label_question(prompt))
        if label is None:
            return None
        fails = score = None
        if label == "fails":
            fails = await self._failed_point(prompt)
            if fails is None:
                return None
        elif label.endswith("-range"):
            score = await self._range(Label(label.removesuffix("-range")))
            if score is None:
                return None
        assert run.response is not None
        grades = await asyncio.to_thread(self.session.cache.grades, run.place, run.response.subject)
        return Case(
            number=0,
            span=NOWHERE,
            prompt=name,
            prompt_span=NOWHERE,
            turns=turns_of(run.response),
            label=None if fails is not None else Label(label.removesuffix("-range")),
            score=score,
            fails=fails,
            model=_model_of(run.source),
            is_edited=run.edited is not None,
            test=None if run.edited is not None else refusal_of(run.response),
            grades=case_grades(grades),
        )

    async def _failed_point(self, prompt: Prompt) -> NamedPoint | None:
        title, text = "Bad in this way", "Which point does this answer fail?"
        chosen = await self.host.ask(Choose(title, text, point_choices(prompt)))
        return None if chosen is None else named_point(prompt, int(chosen))

    async def _range(self, label: Label) -> ScoreRange | None:
        """The scores that are right, asked for until they can be read."""
        value = "80–100" if label is Label.GOOD else "0–40"
        text = "The lowest and the highest score that is right for this answer, from 0 to 100, such as 80–100."
        while True:
            written = await self.host.ask(EnterText(f"A {label} answer should score", text, value))
            if written is None:
                return None
            found = _RANGE.fullmatch(written)
            if found is not None and 0 <= float(found[1]) <= float(found[2]) <= 100:
                return ScoreRange(float(found[1]), float(found[2]))
            value = written
            self._notify("Write two numbers from 0 to 100, the lower one first, such as 0–40.")

    def _notify(self, message: str, severity: Severity = Severity.INFORMATION) -> None:
        self.host.notify(message, severity)


def refusal_of(response: Response) -> ControlKind | None:
    """A refusal, if the model's provider says of each turn that it is one; None for all else, whatever the words."""
    stops = [turn.stop for turn in response.thread if turn.generated]
    is_refusal = bool(stops) and all(stop is not None and stop.reason is StopReason.REFUSAL for stop in stops)
    return ControlKind.REFUSAL if is_refusal else None


def turns_of(response: Response) -> tuple[str, ...]:
    """The texts of the generated turns, as a case has them."""
    return tuple(turn.content for turn in response.thread if turn.generated) or (response.subject,)


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


def _label_question(prompt: Prompt) -> Choose:
    choices = [
        Choice("good", "Good", "The rubric should rank it above every bad answer."),
        Choice("bad", "Bad", "The rubric should rank it below every good answer."),
        Choice("good-range", "Good, with a range …", "And its score should lie in a range, such as 80–100."),
        Choice("bad-range", "Bad, with a range …", "And its score should lie in a range, such as 0–40."),
    ]
    fails = Choice("fails", "Bad in this way …", "It should fail one point of the rubric.")
    return Choose(
        "Make a case of this answer",
        "A case tests the rubric: the answer, and what you say of it.",
        [*choices, *([fails] if prompt.points() else [])],
    )

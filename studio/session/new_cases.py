"""Making a case of the answer that is shown: the author labels it, and it is added to the case file."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cases import Case, CaseGrade, Label, NamedPoint, ScoreRange, case_file_path, prompt_names, read_cases
from engine.cases.case_places import beside, default_case_path, first_write_text, in_data_folder
from engine.cases.case_writer import NotWritable, new_case_file, with_case
from engine.evaluation.sources import AnswerSource, ControlSource, ModelSource, StoredSource
from engine.functions import point_text
from engine.regular_files import read_regular
from engine.scoring.explanation_text import point_label
from engine.scoring.placement import place
from engine.text import NOWHERE
from engine.text_limits import FILE_BYTES
from studio.session.cache import Cache
from studio.session.host import Choice, Choose, EnterText, Severity
from studio.session.rescoring import messages_of
from studio.session.run import Run
from studio.session.run_selection import RunSelection
from studio.session.session_context import SessionContext

if TYPE_CHECKING:
    from engine.blueprint import Prompt

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


class NewCases:
    """Makes cases of answers. Its commands may be called at any time, and tell the author what they need."""

    def __init__(self, context: SessionContext, selection: RunSelection, cache: Cache) -> None:
        self._context = context
        self._selection = selection
        self._cache = cache
        self.added: Callable[[], None] = lambda: None
        """Called when the case file has another case."""

    async def make(self) -> None:
        """Make a case of the answer that is shown, as the author labels it."""
        run, prompt, path = self._selection.run, self._selection.prompt, self._context.document.path
        analysis = self._context.document.analysis
        if run is None or run.response is None or run.running or prompt is None or analysis is None:
            self._notify("There is no answer yet: F5 runs this prompt.")
            return
        if messages_of(prompt) != messages_of(run.prompt):
            self._notify("The conversation has changed since this answer: run the prompt again first.")
            return
        if not await asyncio.to_thread(path.exists):
            self._notify("Save the blueprint first: its cases stand in a file beside it.")
            return
        case = await self._labelled(run, prompt, prompt_names(analysis.blueprint)[prompt.index])
        if case is not None:
            await self._add(path, case)

    async def _labelled(self, run: Run, prompt: Prompt, name: str) -> Case | None:
        """The answer as a case, with the author's label; None if they cancel."""
        label = await self._context.host.ask(_label_question(prompt))
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
        turns = tuple(turn.content for turn in run.response.thread if turn.generated) or (run.response.subject,)
        grades = await asyncio.to_thread(self._cache.grades, run.place, run.response.subject)
        return Case(
            number=0,
            span=NOWHERE,
            prompt=name,
            prompt_span=NOWHERE,
            turns=turns,
            label=None if fails is not None else Label(label.removesuffix("-range")),
            score=score,
            fails=fails,
            model=_model_of(run.source),
            is_edited=run.edited is not None,
            grades=tuple(
                CaseGrade(NamedPoint(criterion.text, criterion.block), grade, None, NOWHERE)
                for criterion, grade in grades.items()
            ),
        )

    async def _failed_point(self, prompt: Prompt) -> NamedPoint | None:
        placed = place(prompt)
        choices = [
            Choice(str(index), f"{'not: ' if each.inverted else ''}{point_label(each.point, _LONGEST_POINT)}")
            for index, each in enumerate(placed)
        ]
        title, text = "Bad in this way", "Which point does this answer fail?"
        chosen = await self._context.host.ask(Choose(title, text, choices))
        if chosen is None:
            return None
        point = placed[int(chosen)]
        return NamedPoint(point_text(point.point), point.rubric.block)

    async def _range(self, label: Label) -> ScoreRange | None:
        """The scores that are right, asked for until they can be read."""
        value = "80–100" if label is Label.GOOD else "0–40"
        text = "The lowest and the highest score that is right for this answer, from 0 to 100, such as 80–100."
        while True:
            written = await self._context.host.ask(EnterText(f"A {label} answer should score", text, value))
            if written is None:
                return None
            found = _RANGE.fullmatch(written)
            if found is not None and 0 <= float(found[1]) <= float(found[2]) <= 100:
                return ScoreRange(float(found[1]), float(found[2]))
            value = written
            self._notify("Write two numbers from 0 to 100, the lower one first, such as 0–40.")

    async def _add(self, blueprint: Path, case: Case) -> None:
        """Write the case; before the first one, the author sees what the file holds and who would see it."""
        path = await asyncio.to_thread(case_file_path, blueprint)
        if path is None:
            path = await self._first_place(blueprint)
            if path is None:
                return
        try:
            number = await asyncio.to_thread(_write_case, path, blueprint.name, case)
        except (NotWritable, UnicodeDecodeError) as error:
            reason = str(error) if isinstance(error, NotWritable) else "The file is not UTF-8 text."
            self._notify(f"Not saved: {path.name}: {reason}", Severity.ERROR)
        except OSError as error:
            self._notify(f"Not saved: {path} cannot be written: {error.strerror}.", Severity.ERROR)
        else:
            self.added()
            self._notify(f"Case {number} is in {path.name}. `studio test {blueprint.name}` tests the rubric with it.")

    async def _first_place(self, blueprint: Path) -> Path | None:
        """Where the first case is written; None if the author cancels."""
        usual, other = default_case_path(blueprint), in_data_folder(blueprint)
        if usual == other:
            other = beside(blueprint)
        text = await asyncio.to_thread(first_write_text, usual)
        elsewhere = (
            "Beside the blueprint", "Weval refuses such a file in a proposal."
        ) if other == beside(blueprint) else ("In my data folder", "It stays on this machine.")  # fmt: skip
        choices = [Choice("usual", "Write it there"), Choice("other", *elsewhere)]
        chosen = await self._context.host.ask(Choose("The first case of this blueprint", text, choices))
        return None if chosen is None else usual if chosen == "usual" else other

    def _notify(self, message: str, severity: Severity = Severity.INFORMATION) -> None:
        self._context.host.notify(message, severity)


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


def _write_case(path: Path, blueprint: str, case: Case) -> int:
    """Add `case` to the file at `path`, which may not exist yet; its number. Raises `NotWritable`, `OSError`."""
    from engine.author_files import write_author_file

    text = read_regular(path, FILE_BYTES).decode("utf-8") if path.exists() else new_case_file(blueprint)
    path.parent.mkdir(parents=True, exist_ok=True)
    after = with_case(text, case)
    write_author_file(path, after.encode("utf-8"))
    return _count(read_cases(after)[0].cases)


def _count(cases: Iterable[Case]) -> int:
    return max((case.number for case in cases), default=0)

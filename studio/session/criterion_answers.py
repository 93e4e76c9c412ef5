"""The answers on which the criterion of a prompt can be judged, read from the case file and the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Prompt
from engine.evaluation.sources import ControlKind, ControlSource, IdealSource, WrittenSource
from engine.store import PromptPlace, Store, StoreUnavailable
from engine.study.case import Case, prompt_names
from engine.study.case_reader import cases_in
from engine.study.file_places import read_case_text
from engine.study.wordings import LoopAnswer, case_answers, ideal_answer, merged, stored_answer
from engine.text.record import Record
from studio.session.run import Run, has_same_questions

if TYPE_CHECKING:
    from engine.store.stored_answers import StoredResponse


_MOST_STORED = 200
"""How many stored answers of a prompt can be chosen from, the newest."""


class LoopAnswers(Record):
    """All answers to a prompt, and the decisions of the author about them, by digest. `cases` are those of the prompt.

    `problem` says why the cases could not be read; "" if they could.
    """

    every: tuple[LoopAnswer, ...]
    decided: Mapping[str, bool]
    cases: tuple[Case, ...]
    problem: str = ""

    def is_chosen(self, answer: LoopAnswer) -> bool:
        """Whether criteria are judged on an answer."""
        return self.decided.get(answer.key, answer.usual)

    @property
    def chosen(self) -> tuple[LoopAnswer, ...]:
        """The answers on which criteria are judged."""
        return tuple(each for each in self.every if self.is_chosen(each))


def read_answers(
    path: Path,
    blueprint: Blueprint,
    prompt: Prompt,
    place: PromptPlace,
    shown: Run | None,
    store: Callable[[], Store],
    report: Callable[[StoreUnavailable], None],
) -> LoopAnswers:
    """The answers to a prompt: the ideal, its cases, the one that is `shown`, and stored ones. Blocks."""
    cases, problem = cases_of_prompt(path, prompt_names(blueprint)[prompt.index])
    stored: Sequence[StoredResponse] = ()
    decided: Mapping[str, bool] = {}
    try:
        stored = store().whole_responses(place, _MOST_STORED)
        decided = store().chosen_answers(place)
    except StoreUnavailable as error:
        report(error)
    ideals = tuple(ideal_answer(prompt, blueprint.header))
    answers = [
        *ideals,
        *case_answers(cases, prompt, blueprint.header),
        *_shown(shown),
        *_stored(stored, prompt, present=frozenset(ideal.subject for ideal in ideals)),
    ]
    return LoopAnswers(merged(answers), decided, cases, problem)


def _shown(run: Run | None) -> Iterator[LoopAnswer]:
    if run is None or run.response is None or run.running or run.response.withheld:
        return
    if has_same_questions(run.response, run.prompt):
        yield stored_answer(run.label, run.response, model=_model_of(run.key), usual=True)


def _stored(stored: Sequence[StoredResponse], prompt: Prompt, present: Container[str]) -> Iterator[LoopAnswer]:
    """The stored answers, but for runs of the `present` ideal."""
    seen: Counter[str] = Counter()
    for source, created, response in stored:
        is_present = source == IdealSource().key and response.subject in present
        if is_present or response.withheld or not has_same_questions(response, prompt):
            continue
        label = _label(source)
        seen[label] += 1
        shown = label if seen[label] == 1 else f"{label}, {_day(created)}"
        yield stored_answer(shown, response, model=_model_of(source))


def _label(source: str) -> str:
    if source == IdealSource().key:
        return "an earlier ideal"
    if source == WrittenSource().key:
        return "your answer"
    control = next((ControlSource(kind) for kind in ControlKind if ControlSource(kind).key == source), None)
    return (source.partition(":")[2] or source).rpartition("/")[2] if control is None else control.label


def _model_of(source: str) -> str | None:
    is_model = ":" in source and not source.startswith("control:")
    return source if is_model else None


def _day(when: datetime) -> str:
    return f"{when.astimezone():%d %b %H:%M}"


def cases_of_prompt(path: Path, name: str) -> tuple[tuple[Case, ...], str]:
    """The cases of the prompt `name` in the case file of the blueprint at `path`, and why they cannot be read. Blocks.

    () and "" where there is no case file.
    """
    text, problem = read_case_text(path)
    return tuple(case for case in cases_in(text).cases if case.prompt == name), problem

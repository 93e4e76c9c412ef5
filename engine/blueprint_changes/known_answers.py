"""The answers to changed prompts that this machine has stored, with the author's grades of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from engine.blueprint import Prompt
from engine.cases import Case, CaseGrade, NamedPoint
from engine.evaluation.events import Response
from engine.evaluation.point_assessment import Grades
from engine.evaluation.sources import IdealSource
from engine.store import PromptPlace, Store
from engine.text import NOWHERE

MOST_RUNS = 20
"""How many runs of a prompt are looked at, the newest first."""


GradeLookup: TypeAlias = Callable[[PromptPlace, str], Grades]
"""The grades of an answer, the subject text, to a prompt."""


def stored_answers(
    store: Store, path: Path, pairs: Iterable[tuple[Prompt, Prompt]], grades: GradeLookup
) -> dict[int, list[tuple[str, Case]]]:
    """The whole answers of the newest runs of prompts of the file at `path`, each old and new, with labels. Blocks.

    By the index of the prompt in the new version. Answers from before its id changed count too; ideals do not: they are
    scored by themselves. Raises `StoreUnavailable`.
    """
    found: dict[int, list[tuple[str, Case]]] = {}
    for old, new in pairs:
        answers = {case.turns: (label, case) for label, case in _answers(store, path, (new, old), grades)}
        if answers:
            found[new.index] = list(answers.values())
    return found


def _answers(store: Store, path: Path, prompts: tuple[Prompt, ...], grades: GradeLookup) -> Iterator[tuple[str, Case]]:
    """Each answer of the runs, the oldest first, so that the newest one counts where several are the same."""
    for place in dict.fromkeys(PromptPlace.of(path, prompt) for prompt in prompts):
        for run in reversed(store.past_runs(place, MOST_RUNS)):
            if not run.answered or isinstance(run.candidate.source, IdealSource):
                continue
            response = store.past_response(run.number)
            if response is not None and response.complete:
                yield run.candidate.label, _as_case(response, place, grades)


def _as_case(response: Response, place: PromptPlace, lookup: GradeLookup) -> Case:
    generated = tuple(turn.content for turn in response.thread if turn.generated)
    grades = tuple(
        CaseGrade(NamedPoint(criterion.text, criterion.block), grade, None, NOWHERE)
        for criterion, grade in lookup(place, response.subject).items()
    )
    turns = generated or (response.subject,)
    return Case(0, NOWHERE, place.prompt, NOWHERE, turns, model=response.model, grades=grades)

"""The answers that score differently by two versions of a blueprint: ideals, those of cases and of the database.

Checks run, and the grades and verdicts count that are known for the very question: as in `studio test`. Nothing is
sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from engine.blueprint import Prompt
from engine.evaluation.events import Response
from engine.evaluation.headline import Headline, headline, overall
from engine.evaluation.point_assessment import Grades
from engine.evaluation.sources import IdealSource
from engine.store import PromptPlace, Store
from engine.study.case import Case, CaseGrade, CaseOutcome, NamedPoint, prompt_names
from engine.study.case_scoring import CaseCheck
from engine.study.criterion_counts import Ranking, ranking_of
from engine.study.wordings import turns_of
from engine.text.record import Record, replace
from engine.text.spans import NOWHERE

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
    grades = tuple(
        CaseGrade(NamedPoint(criterion.text, criterion.block), grade, None, NOWHERE)
        for criterion, grade in lookup(place, response.subject).items()
    )
    turns = turns_of(response.thread, response.subject)
    return Case(0, NOWHERE, place.prompt, NOWHERE, turns, model=response.model, grades=grades)


class ScoreChange(Record):
    """An answer that scores differently, or a case with another outcome.

    `label` names the answer; `old_index` and `new_index` its prompt in both versions, None where a version lacks it.
    """

    label: str
    old_index: int | None
    new_index: int | None
    before: CaseOutcome
    after: CaseOutcome


class CaseChanges(Record):
    """The cases whose outcome changed, of `total`, and the ranking of good and bad answers before and after."""

    changes: tuple[ScoreChange, ...]
    total: int
    before: Ranking
    after: Ranking


class ScoreComparison(Record, dict=True):
    """Scores answers by the rubrics of two versions. `pairs` are the prompts in both, by their indices.

    Its methods block while checks run.
    """

    pairs: Sequence[tuple[int, int]]
    old: CaseCheck
    new: CaseCheck

    @cached_property
    def _names(self) -> tuple[Mapping[int, str], Mapping[int, str]]:
        return prompt_names(self.old.blueprint), prompt_names(self.new.blueprint)

    @cached_property
    def _ideals(self) -> list[dict[str, CaseOutcome]]:
        """The outcomes of the ideals of both versions, by the names of their prompts."""
        versions = self.old, self.new
        return [{each.case.prompt: each for each in check.ideals(check.prompts)} for check in versions]

    def ideals(self) -> tuple[ScoreChange, ...]:
        """The ideals that score differently: the old one by the old rubric, the new one by the new rubric."""
        (old, new), (names, new_names) = self._ideals, self._names
        both = ((old.get(names[one]), new.get(new_names[other])) for one, other in self.pairs)
        return self._moved(("the ideal", one, other) for one, other in both if one is not None and other is not None)

    def totals(self) -> tuple[Headline | None, Headline | None]:
        """The scores of both versions with their ideals, None without one; none for both where they are the same."""
        before, after = (
            overall((check.prompts[name].weight, found) for name, each in ideals.items() if (found := _headline(each)))
            for check, ideals in zip((self.old, self.new), self._ideals, strict=True)
        )
        return (None, None) if _figures(before) == _figures(after) else (before, after)

    def cases(self, cases: Sequence[Case]) -> CaseChanges:
        """The cases that come out differently. A case may name its prompt by its old or its new name."""
        outcomes = [(self.old.outcome(self._as_then(case)), self.new.outcome(case)) for case in cases]
        named = {case.prompt for case in cases}
        old, new = (
            ranking_of([*(each[at] for each in outcomes), *(ideals[name] for name in ideals if name in named)])
            for at, ideals in enumerate(self._ideals)
        )
        changes = self._moved((after.case.name, before, after) for before, after in outcomes)
        return CaseChanges(changes, len(cases), old, new)

    def stored(self, answers: Mapping[int, Sequence[tuple[str, Case]]]) -> tuple[ScoreChange, ...]:
        """The stored answers that score differently: by the index of their prompt in the new version, with labels."""
        names, new_names = self._names
        return self._moved(
            (
                label,
                self.old.outcome(replace(case, prompt=names[one])),
                self.new.outcome(replace(case, prompt=new_names[other])),
            )
            for one, other in self.pairs
            for label, case in answers.get(other, ())
        )

    def _moved(self, answers: Iterable[tuple[str, CaseOutcome, CaseOutcome]]) -> tuple[ScoreChange, ...]:
        return tuple(
            ScoreChange(label, _index(self.old, before), _index(self.new, after), before, after)
            for label, before, after in answers
            if before.state is not after.state or _figures(_headline(before)) != _figures(_headline(after))
        )

    def _as_then(self, case: Case) -> Case:
        """`case` under the name that its prompt had in the old version."""
        names, new_names = self._names
        partners = {new_names[other]: names[one] for one, other in self.pairs}
        return case if case.prompt in self.old.prompts else replace(case, prompt=partners.get(case.prompt, case.prompt))


def _index(check: CaseCheck, outcome: CaseOutcome) -> int | None:
    prompt = check.prompts.get(outcome.case.prompt)
    return None if prompt is None else prompt.index


def _headline(outcome: CaseOutcome) -> Headline | None:
    return None if outcome.bounds is None or outcome.scored is None else headline(outcome.scored.explanation)


def _figures(found: Headline | None) -> tuple[float, ...]:
    """Score and bounds, without what the rounding of binary fractions can add."""
    if found is None:
        return ()
    return tuple(round(each, 9) for each in (found.bounds.low, found.bounds.high, found.score or 0.0, found.is_open))

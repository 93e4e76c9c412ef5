"""The answers that are known to one prompt, and which of them score differently by a new version. Nothing is sent.

They are the ideal, those of cases, the database and files; those of one text are one. For the scores, checks run, and
the grades and verdicts count that are known for the very question: as in `studio test`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from engine.blueprint import Header, Prompt
from engine.blueprint.conversation import StopReason, ThreadTurn
from engine.evaluation.events import Response
from engine.evaluation.headline import Headline, headline, overall
from engine.evaluation.point_assessment import Grades
from engine.evaluation.sources import ControlKind, IdealSource
from engine.store import PromptPlace, Store
from engine.study.case import Case, CaseGrade, CaseOutcome, NamedPoint, control_kind, ideal_case
from engine.study.case_scoring import CaseCheck, response_of
from engine.study.changes import BlueprintChanges
from engine.study.criterion_counts import Ranking, ranking_of
from engine.text.record import Record, replace, text_digest
from engine.text.spans import NOWHERE

_OF_EITHER = ("usual", "model", "is_edited", "is_ideal", "refusal")


class KnownAnswer(Record):
    """One answer. Answers with the same text are one: `labels` names all that they are, `case` is the first case.

    `key` is the digest of `subject`, the text that is judged. `usual`: a criterion is judged on it unless the author
    decides otherwise. `test`: its case is a test answer, which is listed, and no part of what a criterion is good for.
    `refusal` is set if the model's provider says that it refused.
    """

    key: str
    labels: tuple[str, ...]
    subject: str
    thread: tuple[ThreadTurn, ...]
    case: Case | None = None
    usual: bool = False
    model: str | None = None
    test: ControlKind | None = None
    is_edited: bool = False
    is_ideal: bool = False
    refusal: ControlKind | None = None

    @property
    def label(self) -> str:
        """Its name on the screen."""
        return ", ".join(self.labels)

    @property
    def is_bad(self) -> bool | None:
        """Whether its case says that it is bad; None if there is none, or it does not say."""
        return None if self.case is None else self.case.is_bad

    @property
    def turns(self) -> tuple[str, ...]:
        """The texts of its generated turns, as a case has them."""
        return turns_of(self.thread, self.subject) if self.case is None else self.case.turns


def known_answer(label: str, response: Response, **more: Any) -> KnownAnswer:
    """An answer of this name; `more` are its other fields."""
    subject, refusal = response.subject, refusal_of(response.thread)
    return KnownAnswer(text_digest(subject), (label,), subject, response.thread, refusal=refusal, **more)


def ideal_answer(prompt: Prompt, header: Header) -> Iterator[KnownAnswer]:
    """The ideal; none if the prompt has none."""
    if prompt.ideal is not None and prompt.ideal.strip():
        response = response_of(ideal_case("", prompt.ideal), prompt, header)
        yield known_answer("the ideal", response, usual=True, is_ideal=True)


def case_answer(label: str, case: Case, prompt: Prompt, header: Header, **more: Any) -> KnownAnswer:
    """The answer of a case of `prompt`."""
    test = control_kind(case, prompt)
    return known_answer(label, response_of(case, prompt, header), case=case, test=test, model=case.model, **more)


def merged(answers: Iterable[KnownAnswer]) -> tuple[KnownAnswer, ...]:
    """`answers`, those with the same text as one, in the order of the first of each."""
    found: dict[str, KnownAnswer] = {}
    for answer in answers:
        first = found.get(answer.key)
        found[answer.key] = answer if first is None else _joined(first, answer)
    return tuple(found.values())


def _joined(first: KnownAnswer, other: KnownAnswer) -> KnownAnswer:
    """Two answers of the same text."""
    of_case = other if first.case is None else first
    return replace(
        first,
        labels=tuple(dict.fromkeys((*first.labels, *other.labels))),
        case=of_case.case,
        test=of_case.test,
        **{name: getattr(first, name) or getattr(other, name) for name in _OF_EITHER},
    )


def refusal_of(thread: Iterable[ThreadTurn]) -> ControlKind | None:
    """A refusal, if the model's provider says of each turn that it is one; None for all else, whatever the words."""
    stops = [turn.stop for turn in thread if turn.generated]
    is_refusal = bool(stops) and all(stop is not None and stop.reason is StopReason.REFUSAL for stop in stops)
    return ControlKind.REFUSAL if is_refusal else None


def turns_of(thread: Iterable[ThreadTurn], subject: str) -> tuple[str, ...]:
    """The texts of the generated turns, as a case has them."""
    return tuple(turn.content for turn in thread if turn.generated) or (subject,)


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
    grades = tuple(
        CaseGrade(NamedPoint(criterion.text, criterion.block), grade, None, NOWHERE)
        for criterion, grade in lookup(place, response.subject).items()
    )
    turns = turns_of(response.thread, response.subject)
    return Case(0, NOWHERE, place.prompt, NOWHERE, turns, model=response.model, grades=grades)


# --- Scores that move


_NOISE = 1e-9


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


class ScoredVersion(Record, dict=True):
    """One version of a blueprint, whose rubrics `check` scores by."""

    check: CaseCheck

    @cached_property
    def names(self) -> Mapping[int, str]:
        """The names of the prompts in cases, by their indices."""
        return {prompt.index: name for name, prompt in self.check.prompts.items()}

    @cached_property
    def ideals(self) -> Mapping[str, CaseOutcome]:
        """The outcomes of the ideals, by the names of their prompts."""
        return {each.case.prompt: each for each in self.check.ideals(self.check.prompts)}

    @property
    def total(self) -> Headline | None:
        """The score of the blueprint with its ideals; None without one."""
        prompts = self.check.prompts
        scored = [(prompts[name].weight, each.scored) for name, each in self.ideals.items() if each.scored is not None]
        return overall((weight, headline(each.explanation)) for weight, each in scored)

    def outcome(self, case: Case, index: int) -> CaseOutcome:
        """The outcome of an answer to the prompt with this index."""
        return self.check.outcome(replace(case, prompt=self.names[index]))


class ScoreComparison(Record):
    """Scores answers by both versions. Its methods block while checks run."""

    changes: BlueprintChanges
    old: ScoredVersion
    new: ScoredVersion

    def ideals(self) -> tuple[ScoreChange, ...]:
        """The ideals that score differently: the old one by the old rubric, the new one by the new rubric."""
        found = (
            (one, other, self.old.ideals.get(self.old.names[one]), self.new.ideals.get(self.new.names[other]))
            for one, other in self.changes.pairs
        )
        return tuple(
            ScoreChange("the ideal", one, other, before, after)
            for one, other, before, after in found
            if before is not None and after is not None and _differs(before, after)
        )

    def totals(self) -> tuple[Headline | None, Headline | None]:
        """The scores of both versions with their ideals, None without one; none for both where they are the same."""
        before, after = self.old.total, self.new.total
        return (None, None) if _same(before, after) else (before, after)

    def cases(self, cases: Sequence[Case]) -> CaseChanges:
        """The cases that come out differently. A case may name its prompt by its old or its new name."""
        outcomes = [(self.old.check.outcome(self._as_then(case)), self.new.check.outcome(case)) for case in cases]
        old_prompts, prompts = self.old.check.prompts, self.new.check.prompts
        found: list[ScoreChange] = []
        for before, after in outcomes:
            if _differs(before, after):
                places = _index(old_prompts, before.case.prompt), _index(prompts, after.case.prompt)
                found.append(ScoreChange(after.case.name, *places, before, after))
        named = dict.fromkeys(case.prompt for case in cases)
        old, new = (
            ranking_of([*(each[at] for each in outcomes), *version.check.ideals(named)])
            for at, version in enumerate((self.old, self.new))
        )
        return CaseChanges(tuple(found), len(cases), old, new)

    def stored(self, answers: Mapping[int, Sequence[tuple[str, Case]]]) -> tuple[ScoreChange, ...]:
        """The stored answers that score differently: by the index of their prompt in the new version, with labels."""
        partners = {new: old for old, new in self.changes.pairs}
        found: list[ScoreChange] = []
        for index, labelled in answers.items():
            old_index = partners[index]
            for label, case in labelled:
                before, after = self.old.outcome(case, old_index), self.new.outcome(case, index)
                if _differs(before, after):
                    found.append(ScoreChange(label, old_index, index, before, after))
        return tuple(found)

    def _as_then(self, case: Case) -> Case:
        """`case` under the name that its prompt had in the old version."""
        if case.prompt in self.old.check.prompts or case.prompt not in self.new.check.prompts:
            return case
        index = self.new.check.prompts[case.prompt].index
        partner = next((one for one, other in self.changes.pairs if other == index), None)
        return case if partner is None else replace(case, prompt=self.old.names[partner])


def _index(prompts: Mapping[str, Prompt], name: str) -> int | None:
    prompt = prompts.get(name)
    return None if prompt is None else prompt.index


def _differs(before: CaseOutcome, after: CaseOutcome) -> bool:
    return before.state is not after.state or not _same(_headline(before), _headline(after))


def _headline(outcome: CaseOutcome) -> Headline | None:
    return None if outcome.bounds is None or outcome.scored is None else headline(outcome.scored.explanation)


def _same(one: Headline | None, other: Headline | None) -> bool:
    """Whether score and bounds are the same."""
    if one is None or other is None:
        return one is other
    ends = one.bounds.low - other.bounds.low, one.bounds.high - other.bounds.high
    return one.is_open is other.is_open and all(
        abs(end) <= _NOISE for end in (*ends, (one.score or 0) - (other.score or 0))
    )

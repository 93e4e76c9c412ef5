"""What is known of the cases of a blueprint: how each of them stands, and what is left to do for each prompt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from engine.scoring.explanation import carried_text
from engine.text.record import Record, field

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.study.case import CaseOutcome, CaseState

_MOST_PAIRS = 10
"""How many pairs that are ranked wrongly are listed."""


class CaseLine(Record):
    """One case: its number in the file, its label, its state, why (or its score), and the reason of the person named.

    `is_bad` is None if it says neither good nor bad. `test` is the test answer that it is, "" for none. `carried`
    counts the verdicts from before an edit. `subject` is what was judged of its answer; None if it was not scored.
    """

    number: int
    is_bad: bool | None
    state: CaseState
    why: str
    reason: str
    test: str = ""
    carried: int = 0
    subject: str | None = None

    @classmethod
    def of(cls, outcome: CaseOutcome) -> CaseLine:
        """The line of an outcome."""
        case = outcome.case
        reason = ", ".join(filter(None, (case.reason, case.by)))
        facts = (case.number, case.is_bad, outcome.state, outcome.summary, reason, outcome.test or "")
        return cls(*facts, outcome.carried_over, outcome.scored and outcome.scored.response.subject)


class RubricLine(Record):
    """One thing that the labelled answers to a prompt say of its rubric, with its parts."""

    text: str
    parts: tuple[str, ...] = ()

    @classmethod
    def all_of(
        cls, name: str, prompt: Prompt, outcomes: Sequence[CaseOutcome], ideals: Iterable[CaseOutcome]
    ) -> Iterator[RubricLine]:
        """How the rubric of `prompt` ranks its answers, and what its points catch; nothing without a labelled case."""
        from engine.study import criterion_counts as study

        if all(outcome.case.is_bad is None for outcome in outcomes) or not prompt.points():
            return
        every = (*outcomes, *ideals)
        ranking, counts = study.ranking_of(every), study.criterion_counts(name, prompt, every)
        wrong = ranking.wrong
        looks = (
            part for pair in wrong[:_MOST_PAIRS] for part in (study.pair_text(pair), study.favouring_text(pair)) if part
        )
        more = (f"and {len(wrong) - _MOST_PAIRS} other pairs",) if len(wrong) > _MOST_PAIRS else ()
        if ranking.pairs or wrong:
            ranked = str(ranking) if ranking.pairs else "ranks a test answer wrongly"
            yield cls(ranked, (*looks, *more, *(f"open: {line}" for line in study.open_lines(ranking))))
        if catches := study.counts_text(counts):
            yield cls(f"its criteria {catches}", tuple(study.unit_lines(counts)))


class PromptCases(Record):
    """The cases of one prompt, the number of its guards (points of `should_not`), and how many are untested.

    `rubric` is what the cases say of the rubric.
    """

    lines: tuple[CaseLine, ...] = ()
    guards: int = 0
    untested: int = 0
    rubric: tuple[RubricLine, ...] = ()

    @property
    def good(self) -> int:
        """The number of good answers, test answers aside."""
        return sum(line.is_bad is False and not line.test for line in self.lines)

    @property
    def bad(self) -> int:
        """The number of bad answers, test answers aside."""
        return sum(line.is_bad is True and not line.test for line in self.lines)


class CasesView(Record, dict=True):
    """The cases by the index of their prompt; `orphaned` is the number of those without a prompt.

    `problem` says why the file cannot be read, or is "". `read` is how many answers to a prompt were shown, or a
    verdict on them, without the ideal and test answers.
    """

    prompts: Mapping[int, PromptCases] = field(default_factory=dict[int, PromptCases])
    orphaned: int = 0
    problem: str = ""
    read: Mapping[int, int] = field(default_factory=dict[int, int])

    @cached_property
    def text(self) -> str:
        """`7 of 9 pass, 1 undecided`; "" without cases."""
        if self.problem:
            return self.problem
        return counts_text((line for each in self.prompts.values() for line in each.lines), self.orphaned)


def counts_text(lines: Iterable[CaseLine], orphaned: int = 0) -> str:
    """`7 of 9 pass, 1 undecided, 2 labelled, 1 orphaned`; "" without cases. Those with a label alone are no test."""
    every = tuple(lines)
    counts, carried = Counter(line.state.value for line in every), sum(line.carried for line in every)
    counts["orphaned"] += orphaned
    tested = counts["passed"] + counts["failed"] + counts["undecided"]
    parts = [f"{counts['passed']} of {tested} {'passes' if counts['passed'] == 1 else 'pass'}"] if tested else []
    parts += [f"{counts[state]} {state}" for state in ("undecided", "labelled", "orphaned") if counts[state]]
    if carried:
        parts.append(carried_text(carried))
    return ", ".join(parts)

"""One case: an answer to a prompt, what a person says of it, and the score that it should have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from engine.blueprint import Block
from engine.evaluation.sources import ControlKind
from engine.record import Record, replace
from engine.scoring.assessment import Grade
from engine.text import NOWHERE, Span


class Label(StrEnum):
    """What a person says of an answer."""

    GOOD = "good"
    BAD = "bad"


class ScoreRange(Record):
    """The scores that an answer should have: 0–100, both ends included, compared without rounding."""

    low: float
    high: float

    def __str__(self) -> str:
        low, high = (f"{end:g}" for end in (self.low, self.high))
        return low if low == high else f"{low}–{high}"


class NamedPoint(Record):
    """A point of a rubric, by its text; a check by its text in results, `Function: contains("x")`, or in the rubric.

    `block` is None where the name holds for both blocks.
    """

    text: str
    block: Block | None = None


class CaseGrade(Record):
    """A person's grade of one criterion for the answer, before inversion, and who gave it."""

    point: NamedPoint
    grade: Grade
    by: str | None
    span: Span


class VerdictDigests(Record):
    """What a recorded verdict is about: 16 hex digits each of the answer, the criterion, its context, and the judge."""

    answer: str
    criterion: str
    context: str
    judge: str


class CaseVerdict(Record):
    """A recorded verdict: `extent` is 0–1 before inversion. `judge` is its id, `model` as `provider:model`.

    It has no `extent` where the judge gave no verdict, for the reason in `failed`. `reply` is the judge's where Weval
    or a person may read more in it. `given` is when, in ISO 8601, "" where that is not known.
    """

    criterion: str
    judge: str
    model: str
    approach: str
    extent: float | None
    reflection: str
    digests: VerdictDigests
    span: Span
    failed: str = ""
    reply: str = ""
    given: str = ""


class Case(Record):
    """One labelled answer. `number` counts the cases of a file from 1, `span` is its place in the file.

    `prompt` is the name of the prompt (`engine.cases.prompt_names`). `turns` are the texts of the generated turns, at
    least one. `fails` is the point that the answer should fail: it is bad in this way. `quote` is the passage of the
    answer that shows why. `model` wrote the answer, None if that is not known; `is_edited`: a person changed it since.
    `test`: the test answer that it is by a person's word; `engine.cases.control_cases` recognises others.
    """

    number: int
    span: Span
    prompt: str
    prompt_span: Span
    turns: tuple[str, ...]
    label: Label | None = None
    score: ScoreRange | None = None
    fails: NamedPoint | None = None
    reason: str | None = None
    quote: str | None = None
    by: str | None = None
    model: str | None = None
    is_edited: bool = False
    test: ControlKind | None = None
    grades: tuple[CaseGrade, ...] = ()
    verdicts: tuple[CaseVerdict, ...] = ()

    def signed(self, by: str | None) -> Case:
        """The case as said by this person, None for no name; grades under other names stay."""
        grades = tuple(replace(each, by=each.by or by) for each in self.grades)
        return replace(self, by=self.by or by, grades=grades)

    @property
    def name(self) -> str:
        """`case 3`, or `the ideal`, which counts as a good answer and stands in no file."""
        return f"case {self.number}" if self.number else "the ideal"

    @property
    def is_misquoted(self) -> bool:
        """Whether its answer does not have its quote, white space aside."""
        return self.quote is not None and _on_one_line(self.quote) not in _on_one_line(" ".join(self.turns))

    @property
    def is_tested(self) -> bool:
        """Whether it passes or fails by itself. A label alone counts in pairs of a good and a bad answer."""
        return self.score is not None or self.fails is not None

    @property
    def is_bad(self) -> bool | None:
        """Whether its answer is bad, by its label or by the point that it fails; None if it says neither."""
        if self.fails is not None:
            return True
        return None if self.label is None else self.label is Label.BAD


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def ideal_case(prompt: str, ideal: str) -> Case:
    """The ideal of a prompt as a case: a good answer."""
    return Case(0, NOWHERE, prompt, NOWHERE, (ideal,), Label.GOOD)


def has_ideal(cases: Iterable[Case], ideal: str) -> bool:
    """Whether one of the cases of a prompt has its ideal as a good answer, white space at the ends aside."""
    wanted = (ideal.strip(),)
    return any(case.is_bad is False and tuple(turn.strip() for turn in case.turns) == wanted for case in cases)


class CaseFile(Record):
    """The cases that can be read, in the order of the file, and the verdicts on ideals by the name of their prompt."""

    text: str
    cases: tuple[Case, ...]
    ideals: Mapping[str, tuple[CaseVerdict, ...]] = {}

"""A report as data: what was asked, the answers with their evidence, points, costs, cases, and who judged.

All texts are as they were written, and untrusted: the forms make them inert.
"""

from __future__ import annotations

from datetime import datetime

from engine.blueprint import Block, Role
from engine.evaluation.headline import Headline
from engine.record import Record
from engine.report.report_spending import Spent
from engine.text import Span


class ReportedPoint(Record):
    """One point of a rubric. `number` counts from 1 within its prompt; `path` is `path 2`, "" for a required point."""

    number: int
    text: str
    block: Block
    path: str
    weight: float
    is_check: bool
    citation: str | None = None


class ReportedVerdict(Record):
    """What one judge said of a point: the verdict, or why there is none, and its reflection."""

    judge: str
    verdict: str
    reflection: str


class PointResult(Record):
    """One point of one answer.

    `extent` (after inversion), `cost` and the certain `gain` are 0–1, all None if it is not assessed. `detail` says how
    it was assessed, with the `verdicts` if `detail_has_verdicts`. `failed`: no judge could judge it.
    """

    point: ReportedPoint
    extent: float | None
    cost: float | None
    gain: float | None
    detail: str
    evidence: tuple[Span, ...] = ()
    verdicts: tuple[ReportedVerdict, ...] = ()
    carried_over: str = ""
    detail_has_verdicts: bool = False
    failed: bool = False


class ReportedTurn(Record):
    """One turn of what was asked; `text` is None where an answer is generated."""

    role: Role
    text: str | None


class AnswerReport(Record):
    """One answer: its text, and its score with the arithmetic; or why there is none (`failure`).

    `key` names where it came from. `steps` are the lines of the arithmetic.
    """

    key: str
    text: str
    headline: Headline | None
    points: tuple[PointResult, ...] = ()
    steps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    failure: str = ""

    @property
    def figure(self) -> str:
        """The score as text: `37.5`, `20–100`, or `failed`."""
        return "failed" if self.headline is None else self.headline.figure


class PromptReport(Record):
    """One prompt: what was asked, its rubric, and the answers, in the order of the keys of the report."""

    name: str
    description: str
    weight: float
    system: str | None
    asked: tuple[ReportedTurn, ...]
    points: tuple[ReportedPoint, ...]
    answers: tuple[AnswerReport, ...]

    def answer(self, key: str) -> AnswerReport | None:
        """The answer with this key; None if there is none."""
        return next((each for each in self.answers if each.key == key), None)


class KeyTotal(Record):
    """The score of all prompts under one key. `headline` is None if nothing was scored."""

    key: str
    headline: Headline | None
    scored: int
    failed: int


class ReportedCase(Record):
    """One labelled answer: what was expected of it, and how it came out. `test`: the test answer that it is, or ""."""

    name: str
    prompt: str
    label: str
    expected: str
    state: str
    why: str
    reason: str
    by: str
    test: str = ""


class CaseReport(Record):
    """The cases of the blueprint. `ranking` is the line on pairs of a good and a bad answer, "" without pairs."""

    cases: tuple[ReportedCase, ...]
    counts: tuple[tuple[str, int], ...]
    ranking: str


class Assessor(Record, rename="camel"):
    """Who judged or graded, and how often. `about` says what else is known: the model, the approach, the recipient."""

    name: str
    about: str
    verdicts: int
    failures: int = 0
    carried_over: int = 0


class Report(Record):
    """A whole report. `made` is when; `source` is the file that it is about. `spent` is () if that is not known."""

    title: str
    description: str
    source: str
    made: datetime
    prompts: tuple[PromptReport, ...]
    totals: tuple[KeyTotal, ...]
    judges: tuple[Assessor, ...]
    graders: tuple[Assessor, ...]
    cases: CaseReport | None = None
    notes: tuple[str, ...] = ()
    spent: tuple[Spent, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all answers: the columns of the grid."""
        return tuple(total.key for total in self.totals)

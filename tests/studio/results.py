"""Results of a prompt for tests of what the criteria say: parsed and scored for real, and the rows in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.blueprint import Role
from engine.evaluation.verdicts import consensus_assessment
from engine.judging.judgement import Attempt, Consensus, Judgement
from engine.judging.panel import FIVE_STEPS, Approach, PanelJudge
from engine.judging.verdict import NoVerdict, Reading, Reason, Verdict
from engine.models.chat import ChatRequest, Turn
from engine.parsing import parse
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from studio.session.views.overview_view import FileResult
from studio.session.views.result_view import ResultView
from studio.tui.panes.criteria_notes import note_rows
from studio.tui.panes.criteria_rows import CriteriaRow, Order, arranged, criteria_rows
from studio.tui.panes.criterion_foot import criterion_foot
from studio.tui.panes.score import head_lines, head_of
from studio.tui.paragraphs import Line, beside
from tests.studio.text_files import text_file

REQUEST = ChatRequest("m", (Turn(Role.USER, "Grade this."),))
DECLINED = NoVerdict(Reason.DECLINED, "declined to judge", "Choose another judge for this text.")
RIVER = text_file("river.yml")
MARCH = text_file("results-march.yml")


def verdict(extent: float, reflection: str = "") -> Verdict:
    return Verdict(extent, next(step for step in FIVE_STEPS.steps if step.extent == extent), reflection)


def said(name: str, reading: Reading, *, reused: bool = False) -> Judgement:
    judge = PanelJudge(name, f"openai:{name}-1", Approach.STANDARD)
    return Judgement(judge, "c", (Attempt(REQUEST, "raw", reading),), reused=reused)


def view(text: str, extents: Mapping[int, float | None], errors: Mapping[int, str] | None = None) -> ResultView:
    """The result of the first prompt of `text`, graded and checked so far; by the places of its criteria."""
    prompt = parse(text).blueprint.prompts[0]

    def assessed(index: int, assessment: Assessment) -> Assessment:
        if (extent := extents.get(index)) is None:
            return assessment
        by = AssessedBy.HUMAN if assessment.point.function is None else AssessedBy.FUNCTION
        return Assessment(assessment.placed, extent, by, error=(errors or {}).get(index))

    assessments = tuple(assessed(index, Assessment(placed)) for index, placed in enumerate(place(prompt)))
    return ResultView(prompt, "the ideal", explain(prompt, assessments), assessments, started=1, newest=1)


def judged(
    judgements: Mapping[int, tuple[Judgement, ...]], *, text: str = RIVER, waiting: frozenset[int] = frozenset()
) -> ResultView:
    """The result after these judgements; criteria that are waited for are not assessed yet."""
    prompt = parse(text).blueprint.prompts[0]
    assessments: list[Assessment] = []
    for index, placed in enumerate(place(prompt)):
        is_done = index not in waiting and index in judgements
        assessments.append(
            consensus_assessment(placed, Consensus(judgements[index])) if is_done else Assessment(placed)
        )
    return ResultView(
        prompt,
        "the ideal",
        explain(prompt, assessments),
        tuple(assessments),
        judgements=dict(judgements),
        waiting=waiting,
        started=1,
        newest=1,
    )


# --- In words


def text_of(lines: Sequence[Line]) -> list[str]:
    """Lines of a list as text."""
    return ["".join(text for text, _ in line).rstrip() for line in lines]


def rows_of(shown: ResultView, order: Order = Order.DEAREST) -> list[CriteriaRow]:
    """All rows below the head."""
    return [*criteria_rows(shown, arranged(shown, order)), *note_rows(shown)]


def row_of(shown: ResultView, key: str) -> CriteriaRow:
    """A row by its key."""
    return next(row for row in rows_of(shown) if row.key == key)


def drawn(row: CriteriaRow, width: int = 60) -> list[str]:
    """The lines of a row."""
    return text_of(beside(row.lead, row.pieces, row.tail, width))


def rows(shown: ResultView, order: Order = Order.DEAREST) -> list[str]:
    """The rows below the head, each in one line."""
    return [" ".join(" ".join(drawn(row, 200)).split()) for row in rows_of(shown, order)]


def foot(shown: ResultView, place: int, width: int = 100) -> list[str]:
    """What belongs to a criterion, in words."""
    above, below = criterion_foot(shown, place, width)
    return [line.strip() for line in text_of([*above, *below])]


def head(shown: ResultView | FileResult, width: int = 50, *, is_open: bool = False) -> list[str]:
    """The score."""
    return text_of(head_lines(head_of(shown, is_open=is_open, is_unread=False), width))

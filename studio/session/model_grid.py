"""The grid of the runs of one file: its prompts × the sources of answers that were run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.blueprint.conversation import Standing
from engine.evaluation.sources import unique_keys
from engine.scoring.assessment import StoredJudgement
from engine.study.matrix import Matrix
from engine.study.scored_answer import NOT_RUN, AnswerState, ScoredAnswer, Verdicts
from studio.session.compared_run import as_compared, side_of
from studio.session.parts import Part, selector
from studio.session.run import Run
from studio.session.state import Slot
from studio.session.views.grid_view import GridSource

if TYPE_CHECKING:
    from engine.blueprint import Header
    from studio.session.analysis import Analysis
    from studio.session.session import Session


class ModelGrid(Part):
    """Makes the grid of the newest runs, again whenever one of them changes."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._answers: dict[Slot, tuple[Run, ScoredAnswer]] = {}

    @selector(
        lambda of: of.analysis.number,
        lambda of: of.state.runs,
        lambda of: of.state.last,
        lambda of: of.runs.configuration.candidates(of.analysis.header),
    )
    def source(self) -> GridSource:
        """The grid, with the names of its columns on the screen."""
        labels = {each.key: each.label for each in self.runs.configuration.candidates(self.analysis.header)}
        for run in self.runs.selection.newest_runs:
            labels.setdefault(run.candidate.key, run.label)
        return GridSource(self.state.path.name, self._grid(self.analysis, tuple(labels)), tuple(labels.values()))

    def _grid(self, analysis: Analysis, keys: tuple[str, ...]) -> Matrix:
        prompts = analysis.blueprint.prompts
        names = unique_keys(prompts)
        by_name = {names[prompt.index]: prompt for prompt in prompts}

        def cell(name: str, key: str) -> ScoredAnswer:
            return self._answer(analysis.header, analysis.place(by_name[name]).prompt, key)

        return Matrix.of([(name, prompt.weight) for name, prompt in by_name.items()], keys, cell)

    def _answer(self, header: Header, prompt: str, key: str) -> ScoredAnswer:
        """The answer of a run; the same object while the run is the same, with what was computed of it."""
        run = self.state.runs.get((prompt, key))
        if run is None:
            return self._answer_before(prompt, key)
        before = self._answers.get((prompt, key))
        if before is not None and before[0] is run:
            return before[1]
        if run.response is not None:
            self.runs.shown.mark(run.place, [run.response.subject], read=False)
        answer = answer_of(run, header)
        self._answers[prompt, key] = run, answer
        return answer

    def _answer_before(self, prompt: str, key: str) -> ScoredAnswer:
        """That of an earlier session, whose answers are runs here once they were scored."""
        failed = self.runs.last.failed(prompt, key)
        if failed is None:
            return NOT_RUN
        return ScoredAnswer(AnswerState.WITHHELD if failed.withheld else AnswerState.FAILED)


def answer_of(run: Run, header: Header) -> ScoredAnswer:
    """The answer of a run, as far as it has come; `header` is that of the blueprint."""
    subject = "" if run.response is None else run.response.subject
    if run.failed is not None and run.explanation is None:
        state = AnswerState.WITHHELD if run.failed.withheld else AnswerState.FAILED
        return ScoredAnswer(AnswerState.NOT_RUN if run.failed.stopped else state, subject=subject)
    explanation = run.explanation
    if explanation is None:
        return ScoredAnswer(AnswerState.RUNNING if run.running else AnswerState.NOT_RUN, subject=subject)
    has_points = bool(run.assessments) or explanation.is_partial
    return ScoredAnswer(
        AnswerState.SCORED,
        lambda: run.assessments,
        lambda: _verdicts(run),
        subject,
        _is_cut(run),
        known=explanation.bounds if has_points else None,
        is_partial=explanation.is_partial,
        read_side=None if run.response is None else lambda: side_of(as_compared(run, header)),
    )


def _is_cut(run: Run) -> bool:
    response = run.response
    if response is None:
        return False
    return not response.complete or (response.stop is not None and response.stop.reason.standing is Standing.CUT)


def _verdicts(run: Run) -> Verdicts:
    """The verdicts of single judges: of the run, else those of the result file that its answer is from."""
    found: list[tuple[StoredJudgement, ...]] = []
    for index, assessment in enumerate(run.assessments):
        judgements = run.judgements.get(index, ())
        found.append(
            tuple(
                StoredJudgement(each.judge.label, None if each.verdict is None else each.verdict.extent, "")
                for each in judgements
            )
            or assessment.published
        )
    return found

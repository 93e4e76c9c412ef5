"""A grid of the results in a result file."""

from __future__ import annotations

from collections.abc import Sequence

from engine.comparison.grid import Grid, GridRow
from engine.comparison.scored_answer import NOT_RUN, AnswerState, ScoredAnswer
from engine.evaluation.results import ResultFile, StoredResult
from engine.evaluation.sources import compared_models
from engine.models.chat import Standing


def answer_of(result: StoredResult) -> ScoredAnswer:
    """One result. Without points, its score is that of the file; its points are read when they are needed."""
    is_withheld = result.stop is not None and result.stop.reason.standing is Standing.WITHHELD
    if is_withheld or result.error is not None:
        return ScoredAnswer(AnswerState.WITHHELD if is_withheld else AnswerState.FAILED, subject=result.response or "")
    is_cut = result.stop is not None and result.stop.reason.standing is Standing.CUT
    return ScoredAnswer(AnswerState.SCORED, lambda: result.assessments, subject=result.response or "", is_cut=is_cut)


def grid_of(file: ResultFile, prompts: Sequence[str] = (), models: Sequence[str] = ()) -> Grid:
    """All results of a file, or those of these prompts and models; columns and rows in the order of the file."""
    columns = tuple(model for model in file.models if not models or model in models)
    compared = compared_models(columns)
    answers = {(each.bare_prompt.id, each.model): each for each in file.results}
    rows = [
        GridRow(
            prompt.id,
            number,
            prompt.weight,
            tuple(
                NOT_RUN if (found := answers.get((prompt.id, column))) is None else answer_of(found)
                for column in columns
            ),
            compared,
        )
        for number, prompt in enumerate(file.prompts, 1)
        if not prompts or prompt.id in prompts
    ]
    return Grid(columns, tuple(rows))

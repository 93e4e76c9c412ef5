"""Comparisons and grids as JSON. See docs/machine-readable.md."""

from __future__ import annotations

from collections.abc import Sequence

from engine.evaluation.result_json import dumps
from engine.functions import point_text
from engine.scoring.assessment import Assessment, PlacedPoint
from engine.scoring.explanation import Bounds
from engine.study.matrix import ColumnDifference, CriterionRow, PromptRow, criteria_of, in_order
from engine.study.result_comparison import ComparedResult, ResultComparison
from engine.study.two_runs import CriterionChange, TwoRuns, criterion_changes, word_difference
from engine.yaml.nodes import Data
from studio.session.views.grid_view import GridView

_VERSION = 1
_GONE: dict[str, Data] = dict.fromkeys(("answer", "rubric", "interaction", "verdict"))
"""Fields that hold nothing any more, until the next version."""


def comparison_json(comparison: ResultComparison) -> str:
    """Two result files compared."""
    mean = comparison.mean
    return dumps(
        {
            "version": _VERSION,
            "old": str(comparison.old.file.path),
            "new": str(comparison.new.file.path),
            "mean": None
            if mean is None
            else {
                "old": _range(None if mean.old is None else mean.old.bounds),
                "new": _range(None if mean.new is None else mean.new.bounds),
                "difference": _range(mean.difference),
                **_GONE,
            },
            "results": [_result(each) for each in comparison.results],
            "onlyOld": _names(comparison.only_old),
            "onlyNew": _names(comparison.only_new),
            "missingVerdicts": comparison.missing,
            "closing": None,
        }
    )


def _names(keys: Sequence[tuple[str, str]]) -> Data:
    return [{"prompt": prompt, "model": model} for prompt, model in keys]


def _result(each: ComparedResult) -> Data:
    old, new = each.old.response, each.new.response
    return {
        "prompt": each.name,
        "oldPrompt": each.old.bare_prompt.id,
        "model": each.model,
        "oldModel": each.old.model,
        "weight": each.weight,
        "error": each.problem or None,
        "corners": None if each.runs is None else _two_runs(each.runs),
        "criteria": None if each.runs is None else _criteria(each.runs),
        "words": None
        if old is None or new is None
        else [{"edit": edit.edit.value, "text": edit.text} for edit in word_difference(old, new)],
    }


def _two_runs(runs: TwoRuns) -> Data:
    return {
        **{of.value: _range(score.bounds) for of, score in runs.scores.items()},
        "difference": _range(runs.difference),
        **_GONE,
        "sameAnswer": runs.same_answer,
        "sameRubric": runs.same_rubric,
        "judgedTwice": runs.judged_twice,
        "missingVerdicts": sum(map(len, runs.missing.values())),
    }


def _criteria(runs: TwoRuns) -> Data:
    return [_criterion(each) for each in criterion_changes(runs.old.assessments, runs.new.assessments)]


def _criterion(change: CriterionChange) -> Data:
    return {"old": _assessed(change.old), "new": _assessed(change.new), "part": _range(change.part)}


def _assessed(assessment: Assessment | None) -> Data:
    if assessment is None:
        return None
    return {**_placed(assessment.placed), "extent": assessment.extent}


def _placed(placed: PlacedPoint) -> dict[str, Data]:
    return {
        "text": point_text(placed.point),
        "block": placed.rubric.block.value,
        "pathId": placed.path_id,
        "weight": placed.point.multiplier,
    }


def _range(bounds: Bounds | None) -> Data:
    return None if bounds is None else [bounds.low, bounds.high]


# --- The grid


def grid_json(view: GridView) -> str:
    """The grid of one result file, with the criteria of each prompt."""
    return dumps(
        {
            "version": _VERSION,
            "columns": list(view.grid.columns),
            "judge": view.options.judge or None,
            "less": _less(view),
            "totals": [
                {
                    "mean": _range(None if total.headline is None else total.headline.bounds),
                    "scored": total.scored,
                    "failed": total.failed,
                    "withheld": total.withheld,
                    "notRun": total.not_run,
                    "cut": total.cut,
                    "withFailed": _range(total.bounded),
                    "lostToCut": _range(total.cut_cost),
                }
                for total in view.grid.totals
            ],
            "allPass": view.source.standings.passed,
            "allFail": view.source.standings.failed,
            "known": view.source.standings.known,
            "differences": [_difference(each) for each in view.differences] if view.options.is_difference else None,
            "prompts": [_prompt(view, row) for row in in_order(view.grid.rows, view.options.order, view.grid.cost)],
        }
    )


def _less(view: GridView) -> Data:
    if view.options.less_mean:
        return "mean"
    return None if view.options.less is None else view.grid.columns[view.options.less]


def _difference(of: ColumnDifference) -> Data:
    return {
        "total": None if of.total is None else _range(of.total),
        "leftOut": list(of.left_out),
        "prompts": [
            {
                "prompt": each.row.name,
                "difference": _range(each.total),
                "part": _range(each.part),
                "criteria": [
                    {**_placed(placed), "part": _range(each.by_criterion[name])} for name, placed in each.placed.items()
                ],
            }
            for each in of.prompts
        ],
    }


def _prompt(view: GridView, row: PromptRow) -> Data:
    return {
        "prompt": row.name,
        "weight": row.weight,
        "states": [answer.state.value for answer in row.answers],
        "scores": [_range(each) for each in row.bounds],
        "spread": _range(row.spread),
        "cost": _range(view.grid.cost(row)),
        "criteria": [_criterion_row(each) for each in criteria_of(row)],
    }


def _criterion_row(row: CriterionRow) -> Data:
    return {
        **_placed(row.placed),
        "extents": [None if each is None else each.extent for each in row.assessments],
        "spread": _range(row.spread),
        "cost": _range(row.costs),
        "standing": None if row.standing is None else row.standing.value,
    }

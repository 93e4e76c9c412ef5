"""`studio compare`: two result files and how they differ, or the models of one in a grid; as text and as JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.asking.spending import Cap, Spending
from engine.asking.unjudged import judge_answers, wanted_verdicts
from engine.evaluation.result_json import bounds_json, dumps
from engine.evaluation.results import ResultFile, read_result_file
from engine.functions import point_text
from engine.functions.function_text import count
from engine.report.blocks import Block, Heading, Line, Notes, Section
from engine.scoring.assessment import Assessment, Bounds, PlacedPoint
from engine.study import matrix, two_runs
from engine.study.grid_view import GridMode, GridOptions, GridSource, GridView
from engine.text.record import as_json, replace
from engine.yaml.nodes import Data
from studio.cli.frame import Unusable, report_once, tell
from studio.cli.inputs import mark_results_shown, of_result, stored
from studio.cli.options import Limits, OptionsApproval, Permissions
from studio.cli.text import as_text, shortened, table

if TYPE_CHECKING:
    from engine.asking.unjudged import UnjudgedAnswer
    from engine.study.two_runs import ResultVersion
    from studio.session.cache import Cache

_VERSION = 1
_GONE: dict[str, Data] = dict.fromkeys(("answer", "rubric", "interaction", "verdict"))
"""Fields that hold nothing any more, until the next version."""
_ASK = " --judge configured asks judges for them."
_MOST_NAMED = 10
_WIDEST_LABEL, _WIDEST_COLUMN = 60, 22


# --- Two result files


def two_files(
    paths: tuple[Path, Path],
    prompts: Sequence[str],
    models: tuple[Sequence[str], str | None],
    limits: Limits | None,
    *,
    no_stored: bool,
    is_json: bool,
) -> str:
    """The old and the new result file compared; "" for a dry run. Raises `Unusable` if they have nothing in common.

    `models` are those of the new file, all if none is named, and the one of the old file that these are less. With
    `limits`, judges are asked within these for the verdicts that are missing.
    """
    old, new = (of_result(read_result_file, path, for_people=not is_json) for path in paths)
    pairs = _pairs(old, new, *models)
    with stored(report_once("Stored verdicts"), without=no_stored) as (resources, cache):
        lookup = partial(cache.judgements, None)
        missing = two_runs.MissingVerdicts(resources.javascript, lookup, fills_own=limits is not None)
        find = partial(two_runs.compare_results, old, new, missing, models=pairs, prompts=prompts)
        found = find()
        if not found.results:
            raise Unusable(f"{old.path} and {new.path} have no such result in common.")
        if limits is not None:
            asyncio.run(_judge_missing(found.unjudged, limits, cache))
            if limits.dry_run:
                return ""
            found = find()
    mark_results_shown(side for each in found.results for side in (each.old, each.new))
    return _comparison_json(found) if is_json else as_text(_comparison(found, is_named=bool(prompts)))


def _pairs(old: ResultFile, new: ResultFile, models: Sequence[str], old_model: str | None) -> dict[str, str] | None:
    """The models of `old` by those of `new` with which they are compared; None for those with the same key."""
    for file, wanted in ((new, models), (old, () if old_model is None else (old_model,))):
        if missing := [model for model in wanted if model not in file.models]:
            raise Unusable(f"{file.path} has no results of {missing[0]}. It has: {', '.join(file.models)}.")
    chosen = [model for model in new.models if not models or model in models]
    if old_model is not None and len(chosen) != 1:
        raise Unusable("--old-model goes with one model of NEW: name it with --model.")
    if len(chosen) == 1 and (old_model is not None or len(old.models) == 1):
        return {chosen[0]: old_model or old.models[0]}
    return {model: model for model in chosen if model in old.models}


async def _judge_missing(
    missing: Iterable[tuple[ResultVersion, Sequence[UnjudgedAnswer]]], limits: Limits, cache: Cache
) -> None:
    """Have the judges of each version judge its answers, within `limits` for all together.

    A dry run prints the plans alone. Raises `Unusable` if there is no judge.
    """
    for version, answers in missing:
        if not version.panel.judges:
            raise Unusable(f"There is no judge to ask: {'; '.join(version.panel.left_out)}.")
        spent = await _judge(version, answers, limits, cache)
        if spent is not None:
            left = Cap(limits.most_usd, limits.most_requests).after(spent.dollars, spent.requests)
            limits = replace(limits, most_usd=left.dollars, most_requests=left.requests)


async def _judge(
    version: ResultVersion, answers: Sequence[UnjudgedAnswer], limits: Limits, cache: Cache
) -> Spending | None:
    wanted = wanted_verdicts(version.header, answers, version.panel, cache.judgement)
    planned = await OptionsApproval(limits, Permissions()).approve(wanted)
    if planned is None:
        return None
    total = sum(len(each.places) for each in answers)
    await cache.taken(judge_answers(answers, planned), lambda done: tell(f"{done} of {total} questions answered"))
    return planned.spending


def _comparison(found: two_runs.ResultComparison, *, is_named: bool) -> Iterator[Block]:
    """The means and all results; each result of a named prompt in full."""
    yield Line(f"{found.old.file.path} → {found.new.file.path}")
    mean, results = found.mean, found.results
    if mean is None:
        yield Line("Nothing has a score in both files.")
    elif len(results) > 1:
        scores = " → ".join(each.in_sentence for each in (mean.old, mean.new) if each is not None)
        yield Line(f"mean {scores} over {len(results)} results, {two_runs.part_text(mean.difference)}")
    if is_named:
        yield from (Section(tuple(_result(each))) for each in results)
    else:
        moved = sorted((each for each in results if not _is_same(each)), key=_size)
        if moved:
            titles = ("old", "new", "difference", "cause", "prompt · model")
            yield Section((table(titles, map(_row, moved), {0, 1, 2}),))
        if same := len(results) - len(moved):
            yield Section((Line(f"{count(same, 'result')} {'scores' if same == 1 else 'score'} the same in both."),))
    if missing := two_runs.missing_text(found.missing, _ASK if found.unjudged else ""):
        yield Section((Line(missing),))
    sides = ((found.only_old, found.old), (found.only_new, found.new))
    if only := [_only(keys, version.file.path) for keys, version in sides if keys]:
        yield Section((Notes(tuple(only)),))


def _is_same(each: two_runs.ComparedResult) -> bool:
    """Whether there is nothing to say of it."""
    return each.runs is not None and each.runs.difference == matrix.NOTHING and not two_runs.verdicts_text(each.runs)


def _size(each: two_runs.ComparedResult) -> float:
    """A sort key: the greatest difference first, what is not compared last."""
    return 1.0 if each.runs is None else -max(abs(each.runs.difference.low), abs(each.runs.difference.high))


def _row(each: two_runs.ComparedResult) -> tuple[str, ...]:
    if each.runs is None:
        return "–", "–", "–", each.problem, _name(each)
    old, new = (each.runs.scores[of].figure for of in (two_runs.Combination.OLD, two_runs.Combination.NEW))
    return old, new, two_runs.part_text(each.runs.difference), two_runs.other_text(each.runs), _name(each)


def _name(each: two_runs.ComparedResult) -> str:
    was = f" (was {each.old.bare_prompt.id})" if each.old.bare_prompt.id != each.name else ""
    model = each.model if each.model == each.old.model else f"{each.model}, less {each.old.model}"
    known = "" if each.runs is None else two_runs.verdicts_text(each.runs)
    return " ".join(f"{each.name}{was} · {model}{f' · {known}' if known else ''}".split())


def _result(each: two_runs.ComparedResult) -> Iterator[Block]:
    """One result in full: the scores, the criteria and the answers."""
    yield Heading(1, _name(each))
    if each.runs is None:
        yield Line(each.problem)
        return
    yield table(("", "", ""), two_runs.two_runs_rows(each.runs), {1})
    if criteria := list(_criteria(each.runs)):
        yield Section((table(("old", "new", "part", "criterion"), criteria, {0, 1, 2}),))
    old, new = each.old.response, each.new.response
    if old is not None and new is not None:
        edits = two_runs.word_difference(old, new)
        words = [f"  {line}" for line in two_runs.marked_words(edits).splitlines()] if old != new else []
        yield Section((Line(f"the answers: {two_runs.words_summary(edits)}"), Notes(tuple(words))))


def _criteria(runs: two_runs.TwoRuns) -> Iterator[tuple[str, ...]]:
    """The criteria with their parts in the difference of the two scores, and the sum of these."""
    for line in two_runs.criterion_lines(runs):
        yield line.old, line.new, line.part, f"{line.label}  ({line.change})" if line.change else line.label


def _only(keys: Sequence[tuple[str, str]], path: Path) -> str:
    names = [" ".join(f"{prompt} · {model}".split()) for prompt, model in keys[:_MOST_NAMED]]
    more = f" and {len(keys) - _MOST_NAMED} more" if len(keys) > _MOST_NAMED else ""
    return f"Only in {path}: {', '.join(names)}{more}"


# --- The grid of one result file


def grid(
    path: Path,
    prompts: Sequence[str],
    models: Sequence[str],
    less: str | None,
    judge: str | None,
    order: str,
    *,
    is_json: bool,
) -> str:
    """The models of a result file beside each other. Raises `Unusable`.

    `less` is the key, or `mean` of the others, that is subtracted; `judge` the one whose verdicts alone count.
    """
    is_mean, less = less == "mean", None if less == "mean" else less
    result = of_result(read_result_file, path, for_people=not is_json)
    found = matrix.grid_of(result, prompts, (*models, less) if models and less is not None else models)
    if not found.rows or not found.columns:
        raise Unusable(f"There is no such result in {path}.")
    source = GridSource(str(path), found, found.columns)
    if judge is not None and judge not in source.judges:
        named = f" There are: {', '.join(source.judges)}." if source.judges else ""
        raise Unusable(f"{judge} judged nothing in {path}.{named}")
    if less is not None and less not in found.columns:
        raise Unusable(f"There are no results of {less} in {path}. There are: {', '.join(found.columns)}.")
    options = GridOptions(
        GridMode.CRITERIA if len(prompts) == 1 else GridMode.PROMPTS,
        matrix.RowOrder(order),
        prompts[0] if len(prompts) == 1 else "",
        None if less is None else found.columns.index(less),
        is_mean,
        judge or "",
    )
    shown = {row.name for row in found.rows}, {*found.columns}
    mark_results_shown(each for each in result.results if each.bare_prompt.id in shown[0] and each.model in shown[1])
    view = GridView(source, options)
    return _grid_json(view) if is_json else as_text(_grid(view))


def _grid(view: GridView) -> Iterator[Block]:
    """The table, the totals of each column, and the criteria that all pass or all fail."""
    several = len(view.labels) > 1
    yield Line(view.source.title)
    yield Line(f"{view.title} · {view.state}")
    titles = [
        "",
        *(shortened(label, _WIDEST_COLUMN) for label in view.labels),
        *(["spread"] if several else []),
        "cost",
    ]
    rows = [[view.total_label, *(cell.text for cell in view.totals), *[""] * several, "", ""]]
    for line in map(view.line, range(len(view.rows))):
        figures = [line.spread, line.cost] if several else [line.cost]
        cells = (cell.text for cell in line.cells)
        rows.append([shortened(line.label, _WIDEST_LABEL), *cells, *figures, line.note])
    yield Section((table((*titles, ""), rows, range(1, len(titles))),))
    totals = map(view.column_text, range(len(view.labels)))
    yield Section((Notes((*totals, *filter(None, [view.standing_text]))),))


# --- JSON: docs/machine-readable.md, "studio compare"


def _comparison_json(found: two_runs.ResultComparison) -> str:
    mean = found.mean
    means: Data = None
    if mean is not None:
        old, new = (_range(None if each is None else each.bounds) for each in (mean.old, mean.new))
        means = {"old": old, "new": new, "difference": _range(mean.difference), **_GONE}
    return dumps(
        {
            "version": _VERSION,
            "old": str(found.old.file.path),
            "new": str(found.new.file.path),
            "mean": means,
            "results": [_result_json(each) for each in found.results],
            "onlyOld": [{"prompt": prompt, "model": model} for prompt, model in found.only_old],
            "onlyNew": [{"prompt": prompt, "model": model} for prompt, model in found.only_new],
            "missingVerdicts": found.missing,
            "closing": None,
        }
    )


def _result_json(each: two_runs.ComparedResult) -> Data:
    old, new = each.old.response, each.new.response
    edits = None if old is None or new is None else two_runs.word_difference(old, new)
    return {
        "prompt": each.name,
        "oldPrompt": each.old.bare_prompt.id,
        "model": each.model,
        "oldModel": each.old.model,
        "weight": each.weight,
        "error": each.problem or None,
        **(dict.fromkeys(("corners", "criteria")) if each.runs is None else _runs_json(each.runs)),
        "words": None if edits is None else [as_json(edit) for edit in edits],
    }


def _runs_json(runs: two_runs.TwoRuns) -> dict[str, Data]:
    return {
        "corners": {
            **{of.value: _range(score.bounds) for of, score in runs.scores.items()},
            "difference": _range(runs.difference),
            **_GONE,
            "sameAnswer": runs.same_answer,
            "sameRubric": runs.same_rubric,
            "judgedTwice": runs.judged_twice,
            "missingVerdicts": sum(map(len, runs.missing.values())),
        },
        "criteria": [
            {"old": _assessed(each.old), "new": _assessed(each.new), "part": _range(each.part)}
            for each in two_runs.criterion_changes(runs.old.assessments, runs.new.assessments)
        ],
    }


def _assessed(assessment: Assessment | None) -> Data:
    return None if assessment is None else {**_placed(assessment.placed), "extent": assessment.extent}


def _placed(placed: PlacedPoint) -> dict[str, Data]:
    return {
        "text": point_text(placed.point),
        "block": placed.rubric.block.value,
        "pathId": placed.path_id,
        "weight": placed.point.multiplier,
    }


def _range(bounds: Bounds | None) -> Data:
    return None if bounds is None else bounds_json(bounds)


def _grid_json(view: GridView) -> str:
    less = None if view.options.less is None else view.grid.columns[view.options.less]
    standings = view.source.standings
    return dumps(
        {
            "version": _VERSION,
            "columns": list(view.grid.columns),
            "judge": view.options.judge or None,
            "less": "mean" if view.options.less_mean else less,
            "totals": [_total_json(total) for total in view.grid.totals],
            "allPass": standings.passed,
            "allFail": standings.failed,
            "known": standings.known,
            "differences": [_difference_json(each) for each in view.differences]
            if view.options.is_difference
            else None,
            "prompts": [
                _prompt_json(view, row) for row in matrix.in_order(view.grid.rows, view.options.order, view.grid.cost)
            ],
        }
    )


def _total_json(total: matrix.ColumnTotal) -> Data:
    return {
        "mean": _range(None if total.headline is None else total.headline.bounds),
        "scored": total.scored,
        "failed": total.failed,
        "withheld": total.withheld,
        "notRun": total.not_run,
        "cut": total.cut,
        "withFailed": _range(total.bounded),
        "lostToCut": _range(total.cut_cost),
    }


def _difference_json(of: matrix.ColumnDifference) -> Data:
    return {
        "total": _range(of.total),
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


def _prompt_json(view: GridView, row: matrix.PromptRow) -> Data:
    return {
        "prompt": row.name,
        "weight": row.weight,
        "states": [answer.state.value for answer in row.answers],
        "scores": [_range(each) for each in row.bounds],
        "spread": _range(row.spread),
        "cost": _range(view.grid.cost(row)),
        "criteria": [_criterion_json(each) for each in matrix.criteria_of(row)],
    }


def _criterion_json(row: matrix.CriterionRow) -> Data:
    return {
        **_placed(row.placed),
        "extents": [None if each is None else each.extent for each in row.assessments],
        "spread": _range(row.spread),
        "cost": _range(row.costs),
        "standing": None if row.standing is None else row.standing.value,
    }

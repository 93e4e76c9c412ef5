"""`studio compare`: two result files and how they differ, or the models of one in a grid; as text and as JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn

from engine.asking.planner import UnjudgedAnswer, judge_answers, wanted_verdicts
from engine.evaluation.result_json import bounds_json, dumps
from engine.evaluation.results import ResultFile, read_result_file
from engine.functions import point_text
from engine.report.blocks import Block, Heading, Line, Notes, Section
from engine.scoring.assessment import Assessment, PlacedPoint
from engine.study import matrix, result_files, two_runs
from engine.study.matrix_view import MatrixOptions, MatrixView
from engine.study.two_runs import ComparedRun
from engine.text.record import replace
from engine.text.spans import count
from engine.yaml.nodes import Data
from studio.cli.frame import Unusable, finish, report_once, tell
from studio.cli.inputs import mark_results_shown, of_result, stored
from studio.cli.options import Compared, Limits, OptionsApproval, Permissions, refuse_without_judges
from studio.cli.output import as_data, as_text, picked, shortened, table
from studio.session.evaluator import Cache

_VERSION = 1
_GONE: dict[str, Data] = dict.fromkeys(("answer", "rubric", "interaction", "verdict"))
"""Fields that hold nothing any more, until the next version."""
_ASK = " --judge configured asks judges for them."
_MOST_NAMED = 10
_WIDEST_LABEL, _WIDEST_COLUMN = 60, 22


# --- Two result files


def two_files(old_path: Path, new_path: Path, asked: Compared) -> NoReturn:
    """Compare two result files; a dry run prints the plan alone. Raises `Unusable` if they have nothing in common.

    Judges may be asked for the verdicts that are missing.
    """
    old, new = (of_result(read_result_file, path, for_people=not asked.is_json) for path in (old_path, new_path))
    pairs, is_judged = _pairs(old, new, asked.models, asked.old_model), asked.judge == "configured"
    with stored(report_once("Stored verdicts cannot be read"), without=asked.no_stored) as (resources, cache):
        lookup = partial(cache.judgements, None)
        missing = two_runs.MissingVerdicts(resources.javascript, lookup, fills_own=is_judged)
        find = partial(result_files.compare_results, old, new, missing, models=pairs, prompts=asked.prompt_ids)
        found = find()
        if not found.results:
            raise Unusable(f"{old.path} and {new.path} have no such result in common.")
        if is_judged:
            asyncio.run(_judge_missing(found.unjudged, asked, cache))
            if asked.dry_run:
                finish("")
            found = find()
    mark_results_shown(side for each in found.results for side in (each.old, each.new))
    finish(_comparison_json(found) if asked.is_json else as_text(_comparison(found, is_named=bool(asked.prompt_ids))))


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
    missing: Iterable[tuple[ComparedRun, Sequence[UnjudgedAnswer]]], limits: Limits, cache: Cache
) -> None:
    """Have the judges of each file judge its answers, within `limits` for all together.

    A dry run prints the plans alone. Raises `Unusable` if there is no judge.
    """
    for run, answers in missing:
        refuse_without_judges(run.panel)
        wanted = wanted_verdicts(run.header, answers, run.panel, cache.judgement)
        planned = await OptionsApproval(limits, Permissions()).approve(wanted)
        if planned is not None:
            told = partial(_tell_done, sum(len(each.places) for each in answers))
            await cache.taken(judge_answers(answers, planned), told)
            left = limits.cap.after(planned.spending.dollars, planned.spending.requests)
            limits = replace(limits, most_usd=left.dollars, most_requests=left.requests)


def _tell_done(total: int, done: int) -> None:
    tell(f"{done} of {total} questions answered")


def _comparison(found: result_files.ResultComparison, *, is_named: bool) -> Iterator[Block]:
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


def _is_same(each: result_files.ComparedResult) -> bool:
    """Whether there is nothing to say of it."""
    return each.runs is not None and each.runs.difference == matrix.NOTHING and not two_runs.verdicts_text(each.runs)


def _size(each: result_files.ComparedResult) -> float:
    """A sort key: the greatest difference first, what is not compared last."""
    return 1.0 if each.runs is None else -max(abs(each.runs.difference.low), abs(each.runs.difference.high))


def _row(each: result_files.ComparedResult) -> tuple[str, ...]:
    if each.runs is None:
        return "–", "–", "–", each.problem, _name(each)
    old, new = (each.runs.scores[of].figure for of in (two_runs.Combination.OLD, two_runs.Combination.NEW))
    return old, new, two_runs.part_text(each.runs.difference), two_runs.other_text(each.runs), _name(each)


def _name(each: result_files.ComparedResult) -> str:
    name, before, model = each.new.bare_prompt.id, each.old.bare_prompt.id, each.new.model
    was = f" (was {before})" if before != name else ""
    model = model if model == each.old.model else f"{model}, less {each.old.model}"
    known = "" if each.runs is None else two_runs.verdicts_text(each.runs)
    return " ".join(f"{name}{was} · {model}{f' · {known}' if known else ''}".split())


def _result(each: result_files.ComparedResult) -> Iterator[Block]:
    """One result in full: the scores, the criteria and the answers."""
    yield Heading(1, _name(each))
    if each.runs is None:
        yield Line(each.problem)
        return
    yield table(("", "", ""), two_runs.two_runs_rows(each.runs), {1})
    if criteria := list(two_runs.criterion_rows(each.runs)):
        yield Section((table(("old", "new", "part", "criterion"), criteria, {0, 1, 2}),))
    old, new = each.old.response, each.new.response
    if old is not None and new is not None:
        edits = two_runs.word_difference(old, new)
        words = [f"  {line}" for line in two_runs.marked_words(edits).splitlines()] if old != new else []
        yield Section((Line(f"the answers: {two_runs.words_summary(edits)}"), Notes(tuple(words))))


def _only(keys: Sequence[tuple[str, str]], path: Path) -> str:
    names = [" ".join(f"{prompt} · {model}".split()) for prompt, model in keys[:_MOST_NAMED]]
    more = f" and {len(keys) - _MOST_NAMED} more" if len(keys) > _MOST_NAMED else ""
    return f"Only in {path}: {', '.join(names)}{more}"


# --- The grid of one result file


def grid(path: Path, asked: Compared) -> NoReturn:
    """Print the models of a result file beside each other. Raises `Unusable`."""
    is_mean, prompts, models = asked.less == "mean", asked.prompt_ids, asked.models
    less = None if is_mean else asked.less
    result = of_result(read_result_file, path, for_people=not asked.is_json)
    found = matrix.matrix_of(result, prompts, (*models, less) if models and less is not None else models)
    if not found.rows or not found.columns:
        raise Unusable(f"There is no such result in {path}.")
    if asked.judge is not None and asked.judge not in found.judges:
        named = f" There are: {', '.join(found.judges)}." if found.judges else ""
        raise Unusable(f"{asked.judge} judged nothing in {path}.{named}")
    if less is not None and less not in found.columns:
        raise Unusable(f"There are no results of {less} in {path}. There are: {', '.join(found.columns)}.")
    column = matrix.MEAN if is_mean else None if less is None else found.columns.index(less)
    prompt, order = prompts[0] if len(prompts) == 1 else "", matrix.RowOrder(asked.order)
    shown = {row.name for row in found.rows}, {*found.columns}
    mark_results_shown(each for each in result.results if each.bare_prompt.id in shown[0] and each.model in shown[1])
    view = MatrixView(found, MatrixOptions(prompt, order, column, asked.judge or ""))
    finish(_grid_json(view) if asked.is_json else as_text(_grid(view)))


def _grid(view: MatrixView) -> Iterator[Block]:
    """The table, the totals of each column, and the criteria that all pass or all fail."""
    several = len(view.labels) > 1
    yield Line(view.matrix.title)
    yield Line(f"{view.title} · {view.state}")
    titles = [
        "",
        *(shortened(label, _WIDEST_COLUMN) for label in view.labels),
        *(["spread"] if several else []),
        "cost",
    ]
    rows = [[view.total_label, *(cell.text for cell in view.totals), *[""] * several, "", ""]]
    for line in view.lines:
        figures = [line.spread, line.cost] if several else [line.cost]
        cells = (cell.text for cell in line.cells)
        rows.append([shortened(line.label, _WIDEST_LABEL), *cells, *figures, line.note])
    yield Section((table((*titles, ""), rows, range(1, len(titles))),))
    totals = map(view.column_text, range(len(view.labels)))
    yield Section((Notes((*totals, *filter(None, [view.standing_text]))),))


# --- JSON: docs/machine-readable.md, "studio compare"


def _comparison_json(found: result_files.ResultComparison) -> str:
    means = None if found.mean is None else picked(found.mean, "old=old.bounds", "new=new.bounds", "difference") | _GONE
    return dumps(
        {
            "version": _VERSION,
            **picked(found, "old=old.file.path", "new=new.file.path"),
            "mean": means,
            "results": [_result_json(each) for each in found.results],
            "onlyOld": [{"prompt": prompt, "model": model} for prompt, model in found.only_old],
            "onlyNew": [{"prompt": prompt, "model": model} for prompt, model in found.only_new],
            "missingVerdicts": found.missing,
            "closing": None,
        }
    )


def _result_json(each: result_files.ComparedResult) -> Data:
    old, new = each.old.response, each.new.response
    edits = None if old is None or new is None else two_runs.word_difference(old, new)
    return {
        **picked(each, "prompt=new.bare_prompt.id", "oldPrompt=old.bare_prompt.id"),
        **picked(each, "model=new.model", "oldModel=old.model", "weight=new.bare_prompt.weight"),
        "error": each.problem or None,
        **(dict.fromkeys(("corners", "criteria")) if each.runs is None else _runs_json(each.runs)),
        "words": as_data(edits),
    }


def _runs_json(runs: two_runs.TwoRuns) -> dict[str, Data]:
    return {
        "corners": {
            **{of.value: bounds_json(score.bounds) for of, score in runs.scores.items()},
            "difference": bounds_json(runs.difference),
            **_GONE,
            **picked(runs, "same_answer", "same_rubric", "judged_twice"),
            "missingVerdicts": sum(map(len, runs.missing.values())),
        },
        "criteria": [
            {"old": _assessed(each.old), "new": _assessed(each.new), **picked(each, "part")}
            for each in runs.changes.values()
        ],
    }


def _assessed(assessment: Assessment | None) -> Data:
    return None if assessment is None else {**_placed(assessment.placed), "extent": assessment.extent}


def _placed(placed: PlacedPoint) -> dict[str, Data]:
    return {"text": point_text(placed.point), **picked(placed, "rubric.block", "path_id", "weight=point.multiplier")}


def _grid_json(view: MatrixView) -> str:
    less, found, standings = view.options.less, view.matrix, view.all_judges.standings
    rows = matrix.in_order(found.rows, view.options.order, found.cost)
    differences = None if less is None else [_difference_json(each) for each in view.differences]
    return dumps(
        {
            "version": _VERSION,
            "columns": list(found.columns),
            "judge": view.options.judge or None,
            "less": "mean" if less == matrix.MEAN else None if less is None else found.columns[less],
            "totals": [_total_json(total) for total in found.totals],
            "allPass": standings[matrix.Standing.ALL_PASS],
            "allFail": standings[matrix.Standing.ALL_FAIL],
            "known": standings.total(),
            "differences": differences,
            "prompts": [_prompt_json(found, row) for row in rows],
        }
    )


def _total_json(total: matrix.ColumnTotal) -> Data:
    counts = ("scored", "failed", "withheld", "not_run", "cut")
    return picked(total, "mean=headline.bounds", *counts, "withFailed=bounded", "lostToCut=cut_cost")


def _difference_json(of: matrix.ColumnDifference) -> Data:
    prompts: list[Data] = [
        {
            **picked(each, "prompt=row.name", "difference", "part"),
            "criteria": [
                {**_placed(row.placed), "part": bounds_json(each.by_criterion[row.name])}
                for row in matrix.criteria_of(each.row)
                if row.name in each.by_criterion
            ],
        }
        for each in of.prompts
    ]
    return {**picked(of, "total", "left_out"), "prompts": prompts}


def _prompt_json(found: matrix.Matrix, row: matrix.PromptRow) -> Data:
    return {
        **picked(row, "prompt=name", "weight"),
        "states": [answer.state.value for answer in row.answers],
        **picked(row, "scores=bounds", "spread"),
        "cost": as_data(found.cost(row)),
        "criteria": [_criterion_json(each) for each in matrix.criteria_of(row)],
    }


def _criterion_json(row: matrix.CriterionRow) -> Data:
    extents: list[Data] = [None if each is None else each.extent for each in row.assessments]
    return {**_placed(row.placed), "extents": extents, **picked(row, "spread", "cost=costs", "standing")}

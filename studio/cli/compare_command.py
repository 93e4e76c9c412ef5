"""`studio compare`: the models of a result file in a grid, or two result files and how they differ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from engine.text.spans import visible
from studio.cli.frame import FILE, PROMPTS, Output, Unusable, finish, flag, option, takes
from studio.cli.limit_options import Limits

_MEAN = "mean"
_OFF, _CONFIGURED = "off", "configured"


@dataclass(frozen=True, slots=True)
class _Compared:
    """Which results are compared, and how a grid is shown."""

    models: tuple[str, ...] = option(
        "--model", default=(), multiple=True, metavar="KEY", help="Only results of this key. Can be repeated."
    )
    old_model: str | None = option(
        "--old-model", metavar="KEY", help="With NEW: the results of FILE that those of --model are less."
    )
    less: str | None = option(
        "--less", metavar="KEY", help="Show each model less this one, or less the `mean` of the others."
    )
    judge: str | None = option(
        "--judge",
        metavar="NAME",
        help="The scores that the verdicts of this judge alone would give. With NEW, `configured` asks the judges of "
        "the blueprints (else the default ones) for the verdicts that are missing.",
    )
    order: str = option(
        "--sort",
        type=click.Choice(["spread", "cost", "file"]),
        default="spread",
        help="The order of the rows of a grid. By default, by spread.",
    )
    no_stored: bool = flag("--no-stored", help="With NEW: leave out the verdicts stored on this machine.")

    @property
    def asks(self) -> bool:
        """Whether judges are asked for the verdicts that two files lack."""
        return self.judge == _CONFIGURED


@click.command("compare", short_help="Compare the models of a result file, or two result files.")
@click.argument("file", type=FILE, metavar="FILE")
@click.argument("new", type=FILE, metavar="[NEW]", required=False)
@PROMPTS
@takes(_Compared, Output, Limits)
def command(
    asked: _Compared, output: Output, limits: Limits, file: Path, new: Path | None, prompt_ids: tuple[str, ...]
) -> None:
    """Compare the models in a result file FILE, or the result files FILE and NEW.

    Result files are those that `--json` of a run writes and those that Weval publishes. FILE alone is shown as a
    grid: prompts × models, or, with one --prompt, its criteria × models.

    With NEW, each result is compared with the one of the same prompt and model in FILE: the scores, and whether the
    answer, the rubric or a verdict on the same question is another one. With --prompt also the old answer on the new
    rubric, the new answer on the old one, the criteria and the words of the answers. Checks run; nothing is sent.
    Missing verdicts leave ranges: --judge configured asks judges for them, after printing the plan.

    Exit code: 0 when compared; 2 for a usage or input error.
    """
    if new is None:
        if limits != Limits():
            raise click.UsageError("Nothing is sent for one result file, so there is nothing to limit.")
        if asked.old_model is not None:
            raise click.UsageError("--old-model goes with two result files.")
        finish(_grid(file, prompt_ids, asked, output))
    if asked.less is not None or asked.judge not in (None, _OFF, _CONFIGURED):
        raise click.UsageError("--less and --judge go with one result file; with NEW, --judge can be configured.")
    if not asked.asks and limits != Limits():
        raise click.UsageError("Nothing is sent without --judge configured, so there is nothing to limit.")
    if asked.no_stored and asked.asks:
        raise click.UsageError("--judge configured stores verdicts, which --no-stored leaves out: choose one.")
    finish(_comparison(file, new, prompt_ids, asked, output, limits))


def _comparison(
    file: Path, new: Path, prompts: tuple[str, ...], asked: _Compared, output: Output, limits: Limits
) -> str:
    """The comparison as text; "" for a dry run."""
    from studio.cli.compare_json import comparison_json
    from studio.cli.compare_text import as_text
    from studio.cli.compared_results import compared, read_result
    from studio.cli.shown_results import mark_results_shown

    files = read_result(file, output.form), read_result(new, output.form)
    find = partial(compared, *files, prompts, asked.models, asked.old_model, judged=asked.asks)
    found = find(no_stored=asked.no_stored)
    if asked.asks:
        from studio.cli.compare_judging import judge_missing

        judge_missing(found.unjudged, limits)
        if limits.dry_run:
            return ""
        found = find()
    mark_results_shown(side for each in found.results for side in (each.old, each.new))
    return comparison_json(found) if output.is_json else visible(as_text(found, is_named=bool(prompts)))


def _grid(file: Path, prompts: tuple[str, ...], asked: _Compared, output: Output) -> str:
    from engine.study.matrix import RowOrder, grid_of
    from studio.cli.compare_json import grid_json
    from studio.cli.compared_results import read_result
    from studio.cli.grid_text import as_text
    from studio.cli.shown_results import mark_results_shown
    from studio.session.views.grid_view import GridMode, GridOptions, GridSource, GridView

    less = None if asked.less == _MEAN else asked.less
    result = read_result(file, output.form)
    grid = grid_of(result, prompts, (*asked.models, less) if asked.models and less is not None else asked.models)
    if not grid.rows or not grid.columns:
        raise Unusable(f"There is no such result in {file}.")
    source = GridSource(str(file), grid, grid.columns)
    if asked.judge is not None and asked.judge not in source.judges:
        named = f" There are: {', '.join(source.judges)}." if source.judges else ""
        raise Unusable(f"{asked.judge} judged nothing in {file}.{named}")
    if less is not None and less not in grid.columns:
        raise Unusable(f"There are no results of {less} in {file}. There are: {', '.join(grid.columns)}.")
    options = GridOptions(
        GridMode.CRITERIA if len(prompts) == 1 else GridMode.PROMPTS,
        RowOrder(asked.order),
        prompts[0] if len(prompts) == 1 else "",
        None if less is None else grid.columns.index(less),
        asked.less == _MEAN,
        asked.judge or "",
    )
    shown = {row.name for row in grid.rows}, {*grid.columns}
    mark_results_shown(each for each in result.results if each.bare_prompt.id in shown[0] and each.model in shown[1])
    view = GridView(source, options)
    return grid_json(view) if output.is_json else visible(as_text(view))

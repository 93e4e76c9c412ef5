"""`studio compare`: the models of a result file in a grid, or two result files and how they differ."""

from __future__ import annotations

from pathlib import Path

import click

from engine.text.spans import visible
from studio.cli.limit_options import Limits, limit_options
from studio.cli.unusable import Unusable

_MEAN = "mean"
_OFF, _CONFIGURED = "off", "configured"


@click.command("compare", short_help="Compare the models of a result file, or two result files.")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.argument("new", type=click.Path(path_type=Path), metavar="[NEW]", required=False)
@click.option("--prompt", "prompts", multiple=True, metavar="ID", help="Only this prompt. Can be repeated.")
@click.option("--model", "models", multiple=True, metavar="KEY", help="Only results of this key. Can be repeated.")
@click.option("--old-model", metavar="KEY", help="With NEW: the results of FILE that those of --model are less.")
@click.option("--less", metavar="KEY", help="Show each model less this one, or less the `mean` of the others.")
@click.option(
    "--judge",
    metavar="NAME",
    help="The scores that the verdicts of this judge alone would give. With NEW, `configured` asks the judges of the "
    "blueprints (else the default ones) for the verdicts that are missing.",
)
@click.option(
    "--sort",
    "order",
    type=click.Choice(["spread", "cost", "file"]),
    default="spread",
    help="The order of the rows of a grid. By default, by spread.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="The form of the output.")
@click.option("--no-stored", is_flag=True, help="With NEW: leave out the verdicts stored on this machine.")
@limit_options
def command(
    file: Path,
    new: Path | None,
    prompts: tuple[str, ...],
    models: tuple[str, ...],
    old_model: str | None,
    less: str | None,
    judge: str | None,
    order: str,
    form: str,
    no_stored: bool,
    most_usd: float | None,
    most_requests: int | None,
    dry_run: bool,
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
    if new is not None:
        if less is not None or judge not in (None, _OFF, _CONFIGURED):
            raise click.UsageError("--less and --judge go with one result file; with NEW, --judge can be configured.")
        limits = Limits(most_usd, most_requests, dry_run) if judge == _CONFIGURED else None
        if limits is None and _is_limited(most_usd, most_requests, dry_run=dry_run):
            raise click.UsageError("Nothing is sent without --judge configured, so there is nothing to limit.")
        if no_stored and limits is not None:
            raise click.UsageError("--judge configured stores verdicts, which --no-stored leaves out: choose one.")
        text = _comparison(file, new, prompts, models, old_model, form, limits, no_stored=no_stored)
        click.echo(text, nl=False)
        return
    if _is_limited(most_usd, most_requests, dry_run=dry_run):
        raise click.UsageError("Nothing is sent for one result file, so there is nothing to limit.")
    if old_model is not None:
        raise click.UsageError("--old-model goes with two result files.")
    click.echo(_grid(file, prompts, models, less, judge, order, form), nl=False)


def _is_limited(most_usd: float | None, most_requests: int | None, *, dry_run: bool) -> bool:
    return dry_run or most_usd is not None or most_requests is not None


def _comparison(
    file: Path,
    new: Path,
    prompts: tuple[str, ...],
    models: tuple[str, ...],
    old_model: str | None,
    form: str,
    limits: Limits | None,
    *,
    no_stored: bool,
) -> str:
    """The comparison as text; "" for a dry run. `limits` are those of the judges, None to ask nobody."""
    from studio.cli.compare_json import comparison_json
    from studio.cli.compare_text import as_text
    from studio.cli.compared_results import compared, read_result
    from studio.cli.shown_results import mark_results_shown

    files = read_result(file, form), read_result(new, form)
    found = compared(*files, prompts, models, old_model, judged=limits is not None, no_stored=no_stored)
    if limits is not None:
        from studio.cli.compare_judging import judge_missing

        judge_missing(found.unjudged, limits)
        if limits.dry_run:
            return ""
        found = compared(*files, prompts, models, old_model, judged=True)
    mark_results_shown(side for each in found.results for side in (each.old, each.new))
    return comparison_json(found) if form == "json" else visible(as_text(found, is_named=bool(prompts)))


def _grid(
    file: Path,
    prompts: tuple[str, ...],
    models: tuple[str, ...],
    less: str | None,
    judge: str | None,
    order: str,
    form: str,
) -> str:
    from engine.study.matrix import RowOrder, grid_of
    from studio.cli.compare_json import grid_json
    from studio.cli.compared_results import read_result
    from studio.cli.grid_text import as_text
    from studio.cli.shown_results import mark_results_shown
    from studio.session.views.grid_view import GridMode, GridOptions, GridSource, GridView

    wanted = (*models, less) if models and less is not None and less != _MEAN else models
    result = read_result(file, form)
    grid = grid_of(result, prompts, wanted)
    if not grid.rows or not grid.columns:
        raise Unusable(f"There is no such result in {file}.")
    source = GridSource(str(file), grid, grid.columns)
    if judge is not None and judge not in source.judges:
        named = f" There are: {', '.join(source.judges)}." if source.judges else ""
        raise Unusable(f"{judge} judged nothing in {file}.{named}")
    if less is not None and less != _MEAN and less not in grid.columns:
        raise Unusable(f"There are no results of {less} in {file}. There are: {', '.join(grid.columns)}.")
    options = GridOptions(
        GridMode.CRITERIA if len(prompts) == 1 else GridMode.PROMPTS,
        RowOrder(order),
        prompts[0] if len(prompts) == 1 else "",
        grid.columns.index(less) if less is not None and less != _MEAN else None,
        less == _MEAN,
        judge or "",
    )
    shown = {row.name for row in grid.rows}, {*grid.columns}
    mark_results_shown(each for each in result.results if each.bare_prompt.id in shown[0] and each.model in shown[1])
    view = GridView(source, options)
    return grid_json(view) if form == "json" else visible(as_text(view))

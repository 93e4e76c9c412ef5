"""`studio review`: one page a blueprint for who reviews contributions."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.text.diagnostics import Severity
from engine.text.spans import visible

if TYPE_CHECKING:
    from studio.cli.review_page import Review


@click.command("review", short_help="Show what a reviewer of a blueprint wants to know.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@click.option("--links", is_flag=True, help="Ask the cited web addresses whether they are there: one request each.")
@click.option(
    "--collections",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="The folder of the model collections. By default, any `models` folder above FILE.",
)
@click.option(
    "--fail-on",
    type=click.Choice([level.value for level in Severity]),
    default=Severity.ERROR.value,
    help="The mildest problem with exit code 1.",
)
@click.option(
    "--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text", help="The form of the output."
)
@click.pass_context
def command(
    ctx: click.Context, files: tuple[Path, ...], links: bool, collections: Path | None, fail_on: str, form: str
) -> None:
    """Review blueprints: pitfalls, near-duplicate prompts, scripts and hosts, what a run would cost, and what Weval's
    evaluation of the pull request would leave out.

    --format markdown adds suggestions to paste into a review. Nothing is sent, unless by --links: then each cited web
    address gets one request without content, after the hosts are listed.

    Exit code: as `studio check`: 0 for nothing at or above the level; 1 for a problem, or a link that is gone; 2 for a
    usage or input error.
    """
    from studio.cli.review_json import as_json
    from studio.cli.review_markdown import as_markdown
    from studio.cli.review_text import as_text

    reviews = [_reviewed(file, collections) for file in files]
    if links:
        reviews = _with_links(reviews)
    match form:
        case "json":
            click.echo(as_json(reviews), nl=False)
        case "markdown":
            click.echo("\n".join(map(as_markdown, reviews)), nl=False)
        case _:
            click.echo(visible("\n".join(map(as_text, reviews))), nl=False)
    ctx.exit(_exit_code(reviews, Severity(fail_on)))


def _reviewed(file: Path, collections: Path | None) -> Review:
    """The page of one file. Raises `Unusable`."""
    from engine.judging.panel import panel
    from engine.rules import Checker
    from engine.rules.selection import SettingsCache, with_form
    from studio.cli.named_blueprint import read_blueprint
    from studio.cli.review_page import review
    from studio.cli.unread_store import report_once
    from studio.session.cache import Cache
    from studio.session.resources import Resources

    parsed = read_blueprint(file).parsed
    selection = SettingsCache().of(file).selection
    with closing(Resources()) as resources:
        good_answers = Cache(resources.store, report_once("Stored verdicts")).good_answers(file, panel)
        checker = Checker(selection.rules(), collections, good_answers)
        javascript = resources.javascript()
        found = selection.reported(checker.check(parsed, javascript))
        return review(file, parsed, with_form(parsed, found, selection), collections, javascript)


def _with_links(reviews: list[Review]) -> list[Review]:
    from studio.cli.link_check import check_links, plan_text

    links = {link.url: link for review in reviews for link in review.links}
    if not links:
        return [review.with_links({}) for review in reviews]
    click.echo(visible(plan_text(list(links.values()))), err=True)
    states = check_links(list(links.values()))
    return [review.with_links(states) for review in reviews]


def _exit_code(reviews: list[Review], fail_on: Severity) -> int:
    from studio.cli.link_check import LinkVerdict

    problems = any(each.severity.rank <= fail_on.rank for review in reviews for each in review.diagnostics)
    states = [state for review in reviews for state in (review.link_states or {}).values()]
    return int(problems or any(state.verdict is LinkVerdict.GONE for state in states))

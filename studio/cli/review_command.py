"""`studio review`: one page a blueprint for who reviews contributions."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.text.diagnostics import Severity
from engine.text.spans import visible
from studio.cli.frame import FILE, LEVEL, finish, flag, option, takes, tell

if TYPE_CHECKING:
    from studio.cli.review_page import Review


@dataclass(frozen=True, slots=True)
class _Review:
    """What is looked at, and how it is shown."""

    links: bool = flag("--links", help="Ask the cited web addresses whether they are there: one request each.")
    collections: Path | None = option(
        "--collections",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="FOLDER",
        help="The folder of the model collections. By default, any `models` folder above FILE.",
    )
    fail_on: Severity = option(
        "--fail-on", type=LEVEL, default=Severity.ERROR.value, help="The mildest problem with exit code 1."
    )
    form: str = option(
        "--format", type=click.Choice(["text", "markdown", "json"]), default="text", help="The form of the output."
    )


@click.command("review", short_help="Show what a reviewer of a blueprint wants to know.")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE…")
@takes(_Review)
def command(asked: _Review, files: tuple[Path, ...]) -> None:
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

    reviews = [_reviewed(file, asked.collections) for file in files]
    if asked.links:
        reviews = _with_links(reviews)
    failed = _has_failed(reviews, Severity(asked.fail_on))
    match asked.form:
        case "json":
            finish(as_json(reviews), code=int(failed))
        case "markdown":
            finish("\n".join(map(as_markdown, reviews)), code=int(failed))
        case _:
            finish(visible("\n".join(map(as_text, reviews))), code=int(failed))


def _reviewed(file: Path, collections: Path | None) -> Review:
    """The page of one file. Raises `Unusable`."""
    from engine.judging.panel import panel
    from engine.rules import Checker
    from engine.rules.selection import SettingsCache, with_form
    from studio.cli.frame import report_once
    from studio.cli.named_blueprint import read_blueprint
    from studio.cli.review_page import review
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
    tell(plan_text(list(links.values())))
    states = check_links(list(links.values()))
    return [review.with_links(states) for review in reviews]


def _has_failed(reviews: list[Review], fail_on: Severity) -> bool:
    from studio.cli.link_check import LinkVerdict

    problems = any(each.severity.rank <= fail_on.rank for review in reviews for each in review.diagnostics)
    states = [state for review in reviews for state in (review.link_states or {}).values()]
    return problems or any(state.verdict is LinkVerdict.GONE for state in states)

"""The options of several commands: sources of answers, judges, limits and services; and what they come to."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from engine.evaluation.sources import (
    MOST_MAX_TOKENS,
    AnswerSource,
    ControlKind,
    ControlSource,
    FixtureSource,
    IdealSource,
    ModelSource,
    WrittenSource,
)
from engine.scoring.explanation import listed, others_text
from engine.text.diagnostics import Severity as Level
from engine.text.spans import count, visible
from studio.cli.frame import BLUEPRINT_HELP, COLLECTIONS_HELP, Options, Output, Prompts, Unusable, flag, option, tell

if TYPE_CHECKING:
    from engine.asking.planner import HostQuestion, PlannedRuns, Wanted
    from engine.asking.run_plan import RunPlan
    from engine.asking.spending import Cap
    from engine.blueprint import Header
    from engine.judging.panel import JudgesAs, Panel
    from engine.models.service_client import Host
    from engine.scoring.explanation import Explanation
    from studio.session.resources import SettingsFile

_MAX_BYTES = 16 << 20
_TIMES = click.IntRange(1, 10)
_LINE_END = re.compile("\r\n?")


class SourceOptions(Options):
    """Where answers come from."""

    models: tuple[str, ...] = option(
        "--model",
        "Ask this model, such as openai:gpt-4o-mini, or the models of a collection, such as CORE.",
        "M",
        default=(),
    )
    ideal: bool = flag("--ideal", "Use the ideal of each prompt.")
    response: Path | None = option("--response", "Use the text of FILE, for one --prompt.", "FILE")
    control: ControlKind | None = option(
        "--control", "Use a test answer: an empty one, a refusal, an echo of the prompt, or all criteria pasted."
    )
    fixtures: Path | None = option(
        "--fixtures", "Use saved answers, as written by --record; with --model, those of that model.", "FILE"
    )
    base_url: str | None = option(
        "--base-url", "The address of the server of --model, if it is not at its provider.", "URL"
    )
    max_tokens: int | None = option(
        "--max-tokens",
        "The limit of tokens in an answer of --model. The default is `max_tokens` of the settings, else 1,500, as "
        "on Weval.",
        "N",
        type=click.IntRange(1, MOST_MAX_TOKENS),
    )
    collections: Path | None = option("--collections", COLLECTIONS_HELP, "FOLDER")

    def sources(self, blueprint: Path, *, dry_run: bool = False) -> tuple[AnswerSource, ...]:
        """The sources for this blueprint: one, or one for each model and member of a collection.

        The server of --base-url is asked for its models where a name may begin with a provider, but for a `dry_run`.
        Raises `Unusable` if one cannot be used.
        """
        if self.collections is not None and not self.collections.is_dir():
            raise Unusable(f"There is no folder {self.collections} for collections of models.")
        if self.ideal:
            return (IdealSource(),)
        if self.response is not None:
            return (WrittenSource(_text_of(self.response)),)
        if self.control is not None:
            return (ControlSource(self.control),)
        if self.fixtures is not None:
            from engine.evaluation.fixtures import UnusableFixtures, read_fixtures

            try:
                read_fixtures(self.fixtures)
            except UnusableFixtures as error:
                raise Unusable(f"The saved answers in {self.fixtures} cannot be used. {error}") from error
            return tuple(FixtureSource(self.fixtures, model) for model in self.models or (None,))
        from engine.files.user_settings import Settings

        models = self.models
        if self.base_url is None:
            models = _expanded(models, blueprint, self.collections)
        elif not dry_run:
            models = asyncio.run(_names_at(self.base_url, models))
        usual = Settings.load()
        limit = self.max_tokens or usual.max_tokens
        return tuple(ModelSource(model, self.base_url, limit, usual.answer_seconds) for model in models)


async def _names_at(base_url: str, models: Sequence[str]) -> tuple[str, ...]:
    """What the server at `base_url` calls these models."""
    from engine.models.http import close_clients
    from engine.models.provider_registry import name_at

    try:
        return tuple([await name_at(base_url, model) for model in models])
    finally:
        await close_clients()


def _expanded(models: Sequence[str], blueprint: Path, folder: Path | None) -> tuple[str, ...]:
    from engine.parsing.model_collections import Collections, expand

    expansion = expand(models, Collections(blueprint, folder).members)
    if expansion.unusable:
        raise Unusable(" ".join(expansion.unusable.values()))
    if not expansion.models:
        raise Unusable(f"There is no model in {', '.join(models)}.")
    return tuple(model for model in expansion.models if isinstance(model, str))


def _text_of(path: Path) -> str:
    """The text of a file without the final newline. Raises `Unusable`."""
    from studio.cli.inputs import read_named

    try:
        text = read_named(path, _MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unusable(f"{path} is not UTF-8 text.") from error
    return _LINE_END.sub("\n", text).removesuffix("\n")


# --- Judges


class Counted(Options):
    """Whose verdicts count, and whether what is stored is left out."""

    judges_as: Literal["documented", "weval"] | None = option(
        "--judges-as",
        "Default judges, scale and backup as documented, or as Weval has them today. Only their verdicts count.",
    )
    no_stored: bool = flag(
        "--no-stored",
        "Leave out the verdicts and grades stored on this machine: the score is the same on every machine.",
    )

    @property
    def panel(self) -> JudgesAs:
        """The choice of judges."""
        from engine.judging.panel import JudgesAs

        return JudgesAs.WEVAL_TODAY if self.judges_as == "weval" else JudgesAs.DOCUMENTED


class Judges(Counted):
    """Who judges, beside whose verdicts count."""

    judge: Literal["off", "configured"] = option(
        "--judge",
        "Who judges criteria in words: nobody, or the judges of the blueprint (else the default ones).",
        default="off",
    )
    judge_again: bool = flag("--judge-again", "Send every request to judges again, even if its verdict is known.")

    @property
    def are_asked(self) -> bool:
        """Whether judges are asked about what is open."""
        return self.judge == "configured"


def panel_of(header: Header, counted: Counted) -> Panel:
    """The judges of a blueprint. Raises `Unusable` if there are none."""
    from engine.judging.panel import panel

    found = panel(header, counted.panel)
    refuse_without_judges(found)
    return found


def refuse_without_judges(panel: Panel) -> None:
    """Raises `Unusable` if nobody is in it."""
    if not panel.judges:
        raise Unusable(f"There is no judge to ask: {'; '.join(panel.left_out)}.")


def report_others(explanations: Iterable[Explanation]) -> None:
    """Name the judges whose stored verdicts do not count, in one line on stderr."""
    named = {"weval-today": "--judges-as weval", "documented": "--judges-as documented"}
    if text := others_text((other for each in explanations for other in each.others), named):
        tell(text)


# --- Runs: their limits, and their plan


def _not_negative(_: click.Context, __: click.Parameter, given: float | None) -> float | None:
    if given is not None and not 0 <= given < float("inf"):
        raise click.BadParameter("a limit is 0 or more.")
    return given


class Limits(Options):
    """What a run may cost, and whether it is only planned."""

    most_usd: float | None = option(
        "--most-usd", "Stop before the run could cost more than this.", "DOLLARS", callback=_not_negative
    )
    most_requests: int | None = option(
        "--most-requests", "Stop after N requests to models, judges and services.", "N", callback=_not_negative
    )
    dry_run: bool = flag("--dry-run", "Show who would receive what, and at what cost. Sends nothing.")

    @property
    def cap(self) -> Cap:
        """What stops the run."""
        from engine.asking.spending import Cap

        return Cap(self.most_usd, self.most_requests)


class Permissions(Options):
    """The services that are allowed: `hosts` with or without a port; `private` allows this machine and its network."""

    hosts: tuple[str, ...] = option(
        "--allow-host", "Allow $call and $factcheck to send requests to this host. Can be repeated.", "HOST", default=()
    )
    private: bool = flag("--allow-private", "Allow such hosts on this machine and in its network too.")


class RunOptions(Limits, Permissions, Judges, SourceOptions, Prompts):
    """What `run` does, beside scoring too."""

    out: Path | None = option(
        "--json",
        "Write Weval's result JSON to OUT; in a folder, under the name that Weval gives it. Not below "
        "blueprints/: Weval runs every file there.",
        "OUT",
    )
    record: Path | None = option("--record", "Save the answers in FILE, for --fixtures.", "FILE")
    no_cache: bool = flag("--no-cache", "Send every request to models again, even if its answer is cached.")
    repeat: int = option(
        "--repeat",
        "Have each prompt answered N times (up to 10), past every cache, and show how far the scores vary.",
        "N",
        type=_TIMES,
        default=1,
    )
    judge_repeat: int = option(
        "--judge-repeat",
        "Have each answer judged M times (up to 10), past every cache; the mean of the verdicts counts.",
        "M",
        type=_TIMES,
        default=1,
    )
    details: bool = flag("--details", "Show the criteria and the arithmetic of each prompt, as for a single one.")

    @property
    def is_again(self) -> bool:
        """Whether answers or verdicts are asked for several times."""
        return self.repeat > 1 or self.judge_repeat > 1


# --- Of single commands


class Compared(Limits, Output, Prompts):
    """Which results are compared, and how a grid is shown."""

    models: tuple[str, ...] = option("--model", "Only results of this key. Can be repeated.", "KEY", default=())
    old_model: str | None = option(
        "--old-model", "With NEW: the results of FILE that those of --model are less.", "KEY"
    )
    less: str | None = option("--less", "Show each model less this one, or less the `mean` of the others.", "KEY")
    judge: str | None = option(
        "--judge",
        "The scores that the verdicts of this judge alone would give. With NEW, `configured` asks the judges of "
        "the blueprints (else the default ones) for the verdicts that are missing.",
        "NAME",
    )
    order: Literal["spread", "cost", "file"] = option(
        "--sort", "The order of the rows of a grid. By default, by spread.", default="spread"
    )
    no_stored: bool = flag("--no-stored", "With NEW: leave out the verdicts stored on this machine.")


class Explain(Permissions, Counted, Output, SourceOptions, Prompts):
    """What of a score is explained."""

    blueprint: Path | None = option("--blueprint", BLUEPRINT_HELP, "FILE")
    target: float | None = option(
        "--target",
        "Show what an answer would have to do for this score, 0–100.",
        "SCORE",
        type=click.FloatRange(0, 100),
    )


class Diff(Counted, Output):
    """Which verdicts count, and the form."""


class Reported(Counted, Prompts):
    """What is reported, and where."""

    keys: tuple[str, ...] = option("--model", "Only this source of answers. Can be repeated.", "KEY", default=())
    blueprint: Path | None = option("--blueprint", BLUEPRINT_HELP, "FILE")
    form: Literal["html", "markdown", "json"] | None = option(
        "--format", "The form. By default by the name of --out, else Markdown."
    )
    out: Path | None = option("--out", "Write to this file, not to stdout.", "FILE")


class Tested(Limits, Output, Judges):
    """What is recorded, shown and counted as failed."""

    record: bool = flag("--record", "Write the verdicts that counted into the case file, for others.")
    strict: bool = flag("--strict", "Undecided and orphaned cases, open and tied pairs fail too.")
    points: bool = flag(
        "--points", "Also list what each criterion is good for: the answers it fails. JSON always has it."
    )


class Grading(Output):
    """Which pairs are graded, and by which sheet."""

    sheet: Path | None = option("--sheet", "Write a grading sheet (CSV) for a colleague, blinded.", "OUT")
    returned: Path | None = option("--read", "Read the grades in a sheet that came back.", "SHEET")
    by: str | None = option("--by", "Who graded the sheet.", "NAME")
    size: int | None = option(
        "--size", "Draw a new sample of so many pairs (40 unless given).", type=click.IntRange(min=1)
    )
    seed: int | None = option("--seed", "Draw a new sample with this seed.", type=click.IntRange(0, 2**32 - 1))
    reveal: bool = flag("--reveal", "Show verdicts on pairs too that you have yet to grade yourself.")


class Drafted(Limits):
    """For which prompt points are drafted, and by whom."""

    prompt_id: str = option("--prompt", "The prompt, which has an ideal and no criteria.", "ID", required=True)
    judges_as: Literal["documented", "weval"] = option(
        "--judges-as", "Whose model is asked if the blueprint names no judges.", default="documented", show_default=True
    )


class Reviewed(Options):
    """What is looked at, and how it is shown."""

    links: bool = flag("--links", "Ask the cited web addresses whether they are there: one request each.")
    collections: Path | None = option(
        "--collections",
        "The folder of the model collections. By default, any `models` folder above FILE.",
        "FOLDER",
        type=click.Path(path_type=Path, file_okay=False),
    )
    fail_on: Level = option("--fail-on", "The mildest problem with exit code 1.", default=Level.ERROR)
    form: Literal["text", "markdown", "json"] = option("--format", "The form of the output.", default="text")


# --- What is approved


class OptionsApproval:
    """Approves a launch within the options of a command, after printing its recipients and costs.

    A service may be asked if an option allows it, or the author did before, or does now at a terminal.
    """

    def __init__(self, limits: Limits, permissions: Permissions, notes: Sequence[str] = ()) -> None:
        """`notes` are printed below the plan."""
        self._limits = limits
        self._permissions = permissions
        self._notes = notes
        self._refused: list[HostQuestion] = []
        self.told: set[str] = set()
        """What was advised on what cannot be asked, where who reads the scores has read it."""

    async def approve(self, wanted: Wanted) -> PlannedRuns | None:
        """What may be sent; None for a dry run.

        Raises `click.UsageError` for a cap in dollars if a price is unknown.
        """
        from engine.asking.planner import NO_ACCESS, access_to
        from studio.session.resources import SettingsFile

        dry_run = self._limits.dry_run
        hosts = await wanted.hosts(keyless=dry_run)
        access = await access_to(hosts, partial(self._may_ask, SettingsFile())) or NO_ACCESS
        planned = await wanted.plan(access.hosts, keyless=dry_run)
        cap = self._limits.cap
        _refuse_unenforceable(cap, planned.plan)
        for line in self._plan_lines(planned.plan, cap):
            click.echo(visible(line), err=not dry_run)
        if sys.stdout.isatty() and sys.stderr.isatty():
            self.told.update(share.advice for share in planned.plan.unreachable)
        for line in (*self._notes, *self._service_lines(hosts)):
            tell(line)
        planned.limit(cap, access)
        return None if dry_run else planned

    def _plan_lines(self, plan: RunPlan, cap: Cap) -> Iterator[str]:
        """The recipients, what they receive, and the cost."""
        from engine.asking.run_plan import plan_lines

        yield from plan_lines(plan)
        if cap.summary and plan.requests.most:
            yield f"The run stops before it exceeds {cap.summary}."
        if self._limits.dry_run and not plan.shares:
            yield "Nothing would be sent."

    async def _may_ask(self, settings: SettingsFile, question: HostQuestion) -> bool:
        if question.is_agreed((await settings.load()).consented) or self._is_allowed(question):
            return True
        if not self._limits.dry_run and _is_at_a_terminal():
            tell(question.text)
            if click.confirm("Ask it, now and from now on?", err=True):
                await settings.change(lambda settings: settings.consented.append(question.consent))
                return True
        self._refused.append(question)
        return False

    def _is_allowed(self, question: HostQuestion) -> bool:
        """Whether an option allows it."""
        from engine.asking.planner import Step

        if question.step is Step.NEARBY:
            return self._permissions.private
        return any(_is_named(question.host, each) for each in self._permissions.hosts)

    def _service_lines(self, hosts: Sequence[Host]) -> Iterator[str]:
        """Which services are not asked, how many points stay open in each answer, and which option allows them.

        `hosts` are all that checks would ask.
        """
        from engine.asking.run_plan import with_variables

        for question in self._refused:
            host = question.host
            stays = count(host.calls, "criterion stays", "criteria stay")
            message = f"Not asked: {listed(host.services)} {host.place}; {stays} open. {_allowed_by(question)}."
            yield f"{message}{with_variables(host.variables)}"
        for name in self._permissions.hosts:
            if not any(_is_named(host, name) for host in hosts):
                yield f"No check asks {name}, which --allow-host names."


def _refuse_unenforceable(cap: Cap, plan: RunPlan) -> None:
    if missed := cap.misses(plan):
        own = "Give its price under `prices` in settings.json, or add" if missed == plan.unpriced_models else "Add"
        raise click.UsageError(
            visible(f"--most-usd cannot be enforced: the price of {listed(missed)} is unknown. {own} --most-requests.")
        )


def _allowed_by(question: HostQuestion) -> str:
    from engine.asking.planner import Step

    if question.step is Step.NEARBY:
        return "--allow-private allows it, as that is on this machine or in its network"
    return f"--allow-host {question.host.name}{' --allow-private' if question.host.is_here else ''} allows it"


def _is_named(host: Host, written: str) -> bool:
    """Whether an option names this host, with its port or without."""
    from httpx import URL

    written = written.strip().lower()
    return written in (host.name.lower(), URL(host.url).host.lower())


def _is_at_a_terminal() -> bool:
    return sys.stdin.isatty()

"""Judges for the command line: who they are, what is told before they are asked, and what is kept of what they say."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import click

from engine.blueprint import Blueprint
from engine.evaluation.events import Event
from engine.evaluation.judged import Judges
from engine.judging import (
    BackupWhen,
    JudgeAnswered,
    Judgement,
    Panel,
    PlannedJudge,
    Receiver,
    panel,
    planned,
    receivers,
)
from engine.judging.scale import JudgesAs
from engine.providers import resolve
from engine.providers.registry import definition_of
from engine.providers.variables import variables_in
from engine.scoring.wording import listed
from engine.store import Store, StoreUnavailable
from engine.text import visible

BY_NAME = {"documented": JudgesAs.DOCUMENTED, "weval": JudgesAs.WEVAL_TODAY}
"""The values of `--judges-as`."""

_WHEN = {
    BackupWhen.ALL_FAILED: "only where none of them judges a point",
    BackupWhen.ANY_FAILED: "only where one of them does not judge a point",
}


class Judging:
    """The judges of one run, and what they said before, as far as it can be kept.

    Trouble with the database stops no run: it is told once, and every judge is asked.
    """

    def __init__(self, blueprint: Blueprint, judges_as: JudgesAs, *, again: bool = False) -> None:
        """`again` asks about everything anew, and keeps what is said then.

        Raises `click.UsageError` where the blueprint names judges and none of them can be asked.
        """
        self._blueprint = blueprint
        self._again = again
        self.panel: Panel = panel(blueprint.header, judges_as)
        if not self.panel.judges:
            raise click.UsageError(visible(f"There is no judge to ask: {'; '.join(self.panel.left_out)}."))
        self._store: Store | None = None
        try:
            self._store = Store()
        except StoreUnavailable as error:
            self._tell_once(error)

    @property
    def judges(self) -> Judges:
        """What an evaluation needs to ask them."""
        header = self._blueprint.header
        return Judges(self.panel, header, partial(resolve, custom=header.models), self._before)

    def hear(self, event: Event) -> None:
        """Keep what a judge said as soon as it did, unless it was kept before."""
        if self._store is None or not isinstance(event, JudgeAnswered) or event.judgement.reused:
            return
        try:
            self._store.keep_judgement(event.judgement)
        except StoreUnavailable as error:
            self._tell_once(error)

    def tell(self, points: int) -> None:
        """Who will receive what about `points` points in words, before anything is sent."""
        for line in self._told(points):
            click.echo(visible(line), err=True)

    def _told(self, points: int) -> Iterator[str]:
        header = self._blueprint.header
        plan = planned(self.panel, points, described=bool(header.description))
        yield (
            f"Judges are asked about {counted(points, 'point')} in words: {counted(plan.requests, 'request')}, "
            f"at most {plan.at_most} where some have to be asked again, not counting what a busy server turns away."
        )
        found = {each.model: each for each in receivers(plan, partial(resolve, custom=header.models))}
        for each in plan.judges:
            yield f"  {self._judge(each, found[each.judge.model])}"
        if plan.backup is not None:
            yield f"  {_WHEN[self.panel.backup_when]}: {self._judge(plan.backup, found[plan.backup.judge.model])}"
        for reason in self.panel.left_out:
            yield f"Left out: {reason}."
        if not self._again:
            yield "What a judge has said of the same answer before is not asked again."

    def _judge(self, planned_judge: PlannedJudge, receiver: Receiver) -> str:
        judge = planned_judge.judge
        who = f"{judge.id} ({judge.model}, {judge.approach})"
        if receiver.trouble:
            return f"{who} cannot be asked: {receiver.trouble}. {receiver.advice}"
        requests = f"{counted(planned_judge.requests, 'request')}, at most {planned_judge.at_most}"
        beside = also_sent(self._blueprint, judge.model)
        return f"{who}: {listed(planned_judge.texts)} go to {receiver.recipient} ({requests}).{beside}"

    def _before(self, key: str) -> Judgement | None:
        if self._store is None or self._again:
            return None
        try:
            return self._store.judgement(key)
        except StoreUnavailable as error:
            self._tell_once(error)
            return None

    def _tell_once(self, error: StoreUnavailable) -> None:
        self._store = None
        click.echo(visible(f"What judges say is not kept: {error}"), err=True)


def also_sent(blueprint: Blueprint, model: str) -> str:
    """A sentence on the variables whose values go with every request to a model that the blueprint defines, or ""."""
    variables = variables_in(definition_of(model, blueprint.header.models))
    return f" With it goes what is in {', '.join(variables)}." if variables else ""


def counted(number: int, what: str) -> str:
    """`1 request`, `2 requests`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

"""Judges for the command line: who they are, and what is kept of what they say."""

from __future__ import annotations

import click

from engine.blueprint import Blueprint
from engine.evaluation.answer_stream import Resolve
from engine.evaluation.events import Event
from engine.evaluation.judge_assessment import Judges
from engine.judging import JudgeAnswered, Judgement, Panel, panel
from engine.judging.scale import JudgesAs
from engine.store import Store, StoreUnavailable
from engine.text import visible
from studio.cli.unusable import Unusable

BY_NAME = {"documented": JudgesAs.DOCUMENTED, "weval": JudgesAs.WEVAL_TODAY}
"""The values of `--judges-as`."""


class Judging:
    """The judges of one run, and what they said before, as far as it can be kept.

    Trouble with the database stops no run: it is told once, and every judge is asked.
    """

    def __init__(self, blueprint: Blueprint, judges_as: JudgesAs, *, again: bool = False) -> None:
        """`again` asks about everything anew, and keeps what is said then.

        Raises `click.UsageError` where the blueprint names judges and none of them can be asked.
        """
        self._header = blueprint.header
        self._again = again
        self.panel: Panel = panel(blueprint.header, judges_as)
        if not self.panel.judges:
            raise Unusable(f"There is no judge to ask: {'; '.join(self.panel.left_out)}.")
        self._store: Store | None = None
        try:
            self._store = Store()
        except StoreUnavailable as error:
            self._tell_once(error)

    def judges(self, providers: Resolve) -> Judges:
        """What an evaluation needs to ask them, by `providers`."""
        return Judges(self.panel, self._header, providers, self.before)

    def hear(self, event: Event) -> None:
        """Keep what a judge said as soon as it did, unless it was kept before."""
        if self._store is None or not isinstance(event, JudgeAnswered) or event.judgement.reused:
            return
        try:
            self._store.save_judgement(event.judgement)
        except StoreUnavailable as error:
            self._tell_once(error)

    def before(self, key: str) -> Judgement | None:
        """What a judge said before, None where that is not kept, or is asked anew."""
        if self._store is None or self._again:
            return None
        try:
            return self._store.judgement(key)
        except StoreUnavailable as error:
            self._tell_once(error)
            return None

    def _tell_once(self, error: StoreUnavailable) -> None:
        self._store = None
        click.echo(visible(f"Verdicts cannot be cached: {error}"), err=True)

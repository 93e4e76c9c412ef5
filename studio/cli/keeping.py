"""What `studio run` keeps: every answer and every run, in the database that the studio has too."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.blueprint import Blueprint, Prompt
from engine.store import PromptPlace, Store, StoreUnavailable
from engine.text import visible
from studio.session.cache import Cache

if TYPE_CHECKING:
    from engine.evaluation.answer_stream import Resolve
    from engine.evaluation.candidates import Candidate
    from engine.evaluation.events import Event
    from engine.evaluation.service_assessment import Services
    from engine.javascript import JavaScript
    from engine.planning import Before
    from engine.scoring.explanation import IdealScore
    from studio.cli.judging import Judging


class Keeping:
    """The database of one run of the command. Trouble with it is told once, and every model is asked."""

    def __init__(self, file: Path, *, fresh: bool) -> None:
        """`file` is the blueprint. `fresh` asks every model anew."""
        self._file = file
        self._fresh = fresh
        self._kept = Cache(self._open, self._tell)
        self._opening = threading.Lock()
        self._store: Store | None = None

    @property
    def answers(self) -> Cache:
        """What services answered before, and where to keep it."""
        return self._kept

    def providers(self, blueprint: Blueprint, prompt: Prompt, providers: Resolve | None = None) -> Resolve:
        """The blueprint's models, or those of `providers`, asked for what is not kept; all of it where `noCache` is."""
        return self._kept.providers(blueprint, providers, fresh=self.fresh(prompt))

    def before(self, judging: Judging | None = None) -> Before:
        """What is kept, for a plan: answers, and what judges said, where any are asked."""
        from engine.planning import Before

        return Before(self._kept.answer) if judging is None else Before(self._kept.answer, judging.before)

    def fresh(self, prompt: Prompt) -> bool:
        """Whether models are asked anew about this prompt."""
        return self._fresh or prompt.no_cache

    async def ideal(
        self, blueprint: Blueprint, prompt: Prompt, javascript: JavaScript, services: Services | None
    ) -> IdealScore | None:
        """What the ideal of a prompt scores, with what is kept of it: the author's grades and what judges said."""
        if prompt.ideal is None:
            return None
        from engine.evaluation.ideal import ideal_score

        place = PromptPlace.of(self._file, prompt)
        return await ideal_score(
            prompt,
            blueprint,
            javascript=javascript,
            grades=partial(self._kept.grades, place),
            said=await asyncio.to_thread(self._kept.ideal_verdicts, place, prompt.ideal),
            services=services,
        )

    def recorded(
        self, events: AsyncGenerator[Event], prompt: Prompt, candidate: Candidate, stop: asyncio.Event | None = None
    ) -> AsyncGenerator[Event]:
        """The events of a run, which is kept as it goes."""
        return self._kept.recorded(events, PromptPlace.of(self._file, prompt), prompt, candidate, stop)

    def _open(self) -> Store:
        with self._opening:
            if self._store is None:
                self._store = Store()
            return self._store

    def _tell(self, error: StoreUnavailable) -> None:
        click.echo(visible(f"Answers cannot be cached, so the next run sends all requests again: {error}"), err=True)

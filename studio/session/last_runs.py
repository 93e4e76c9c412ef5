"""The last runs of earlier sessions: what each prompt scored then, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.evaluation.sources import Candidate
from engine.store import PromptPlace, StoreUnavailable, rubric_digest
from studio.session.changes import Change
from studio.session.session_context import SessionContext
from studio.session.views.overview_view import LastScore

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.store import PastRun
    from studio.session.analysis import Analysis


class LastRuns:
    """The newest scored run of each prompt and candidate of one file, as they were when the file was opened."""

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._found: Mapping[tuple[str, str], PastRun] = {}
        self._failed: Mapping[tuple[str, str], PastRun] = {}
        self._digests: dict[str, str] = {}
        self._is_read = asyncio.Event()
        self.version = 0
        """Increases when the runs are read."""

    async def read(self) -> None:
        """Read the runs."""
        path = str(self._context.document.path.absolute())
        try:
            self._found, self._failed = await asyncio.to_thread(self._read, path)
        except StoreUnavailable as error:
            self._context.database_messages.report(error)
        self._is_read.set()
        if self._found or self._failed:
            self.version += 1
            self._context.changes.publish(Change.RUNS)

    def _read(self, path: str) -> tuple[Mapping[tuple[str, str], PastRun], Mapping[tuple[str, str], PastRun]]:
        store = self._context.resources.store()
        return store.last_scored_runs(path), store.last_failed_runs(path)

    def failed(self, prompt: str, key: str) -> PastRun | None:
        """The last run of a prompt (`PromptPlace.prompt`) with a candidate that never gave an answer to score."""
        return self._failed.get((prompt, key))

    async def known(self, place: PromptPlace, key: str) -> PastRun | None:
        """The last run of a prompt with a candidate, once the runs are read."""
        await self._is_read.wait()
        return self.of(place, key)

    async def candidates(self) -> tuple[Candidate, ...]:
        """The candidates of all last runs, once these are read."""
        await self._is_read.wait()
        return tuple({past.candidate.key: past.candidate for past in self._found.values()}.values())

    def of(self, place: PromptPlace, key: str) -> PastRun | None:
        """The last run of a prompt with a candidate, by its key."""
        return self._found.get((place.prompt, key))

    @property
    def is_known(self) -> bool:
        """Whether there is any."""
        return bool(self._found)

    def score(self, analysis: Analysis, prompt: Prompt, key: str) -> LastScore | None:
        """What the last run scored; None without one."""
        past = self.of(analysis.place(prompt), key)
        if past is None or past.headline is None:
            return None
        written = prompt.span.of(analysis.parsed.text)
        digest = self._digests.get(written)
        if digest is None:
            digest = self._digests[written] = rubric_digest(prompt)
        return LastScore(past.headline, past.began, is_comparable=past.rubric in ("", digest))

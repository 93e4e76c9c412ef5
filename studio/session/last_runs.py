"""The last runs of earlier sessions: what each prompt scored then, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.evaluation.sources import Candidate
from engine.store import PromptPlace, Store, rubric_digest
from studio.session.parts import Part
from studio.session.state import LastRuns
from studio.session.views.overview_view import LastScore

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.store import PastRun
    from studio.session.analysis import Analysis
    from studio.session.session import Session


class EarlierRuns(Part):
    """The newest scored run of each prompt and candidate of one file, as they were when the file was opened."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._digests: dict[str, str] = {}

    async def read(self) -> None:
        """Read the runs."""
        path = str(self.state.path.absolute())

        def read(store: Store) -> LastRuns:
            return LastRuns(store.last_scored_runs(path), store.last_failed_runs(path))

        self.change(last=await self.session.stored(read, LastRuns()))

    def failed(self, prompt: str, key: str) -> PastRun | None:
        """The last run of a prompt (`PromptPlace.prompt`) with a candidate that never gave an answer to score."""
        return None if self.state.last is None else self.state.last.failed.get((prompt, key))

    async def known_of(self, place: PromptPlace, key: str) -> PastRun | None:
        """The last run of a prompt with a candidate, once the runs are read."""
        await self.session.until(lambda state: state.last is not None)
        return self.of(place, key)

    async def candidates(self) -> tuple[Candidate, ...]:
        """The candidates of all last runs, once these are read."""
        await self.session.until(lambda state: state.last is not None)
        last = self.state.last or LastRuns()
        return tuple({past.candidate.key: past.candidate for past in last.scored.values()}.values())

    def of(self, place: PromptPlace, key: str) -> PastRun | None:
        """The last run of a prompt with a candidate, by its key."""
        return None if self.state.last is None else self.state.last.scored.get((place.prompt, key))

    @property
    def is_known(self) -> bool:
        """Whether there is any."""
        return self.state.last is not None and bool(self.state.last.scored)

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

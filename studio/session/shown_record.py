"""Recording which answers are shown, and since when points have their wording. Errors of the database are reported."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from engine.store import PromptPlace, Store
from engine.store.stored_answers import wordings_of
from engine.study.criterion_counts import Freshness, freshness
from engine.text.record import text_digest
from studio.session.parts import Part

if TYPE_CHECKING:
    from engine.blueprint import Block, Header, Prompt
    from studio.session.session import Session


class ShownRecord(Part):
    """The record of one session. Each answer is written once."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._marked: set[tuple[PromptPlace, str, bool]] = set()
        self._waiting: dict[tuple[PromptPlace, bool], list[str]] = {}

    async def begin(self) -> None:
        """Read what was shown before."""
        path = str(self.state.path.absolute())
        self.change(read=await self.session.stored(lambda store: store.read_of(path), self.state.read))

    def mark(self, place: PromptPlace, subjects: Iterable[str], *, read: bool = True) -> None:
        """Record in the background that these answers are shown now; all that are waiting at once.

        `read`: their text is on the screen, and not only a verdict on them.
        """
        new = [each for each in dict.fromkeys(subjects) if (place, each, read) not in self._marked]
        if not new:
            return
        self._marked.update((place, each, read) for each in new)
        if not self._waiting:
            self.effect("shown answers", self._write_waiting())
        self._waiting.setdefault((place, read), []).extend(new)

    async def _write_waiting(self) -> None:
        waiting, self._waiting = self._waiting, {}
        await self.session.stored(partial(_mark, waiting), None)
        new, before = await asyncio.to_thread(_digests, waiting), self.state.read
        read = {**before, **{prompt: before.get(prompt, frozenset()) | found for prompt, found in new.items()}}
        if read != before:
            self.change(read=read)

    async def note_wordings(self, place: PromptPlace, prompt: Prompt, again: tuple[Block, str] | None) -> None:
        """Record the wordings of all points of a prompt; `again` is one that was taken back."""
        await self.session.stored(partial(_note, place, prompt, again), None)

    async def freshness(self, place: PromptPlace, prompt: Prompt, header: Header) -> Freshness | None:
        """Which labelled answers are fresh; None where that cannot be read."""

        def read(store: Store) -> Freshness:
            return freshness(prompt, header, store.first_shown(place), store.wordings_since(place))

        return await self.session.stored(read, None)


def _digests(answers: Mapping[tuple[PromptPlace, bool], Sequence[str]]) -> dict[str, frozenset[str]]:
    return {place.prompt: frozenset(map(text_digest, subjects)) for (place, read), subjects in answers.items() if read}


def _mark(answers: Mapping[tuple[PromptPlace, bool], Sequence[str]], store: Store) -> None:
    for (place, read), subjects in answers.items():
        store.mark_shown(place, subjects, read=read)


def _note(place: PromptPlace, prompt: Prompt, again: tuple[Block, str] | None, store: Store) -> None:
    store.note_wordings(place, wordings_of(prompt))
    if again is not None:
        store.renew_wording(place, *again)

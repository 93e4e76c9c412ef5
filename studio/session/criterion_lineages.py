"""The lineages of criteria, in memory and in the database; without a database they last as long as the file is open."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable

from engine.blueprint import Block
from engine.store import (
    Lineage,
    PromptPlace,
    Store,
    StoreUnavailable,
    Wording,
    WordingVerdict,
    WrittenWording,
)
from engine.text.record import replace

_UNSAVED = itertools.count(-1, -1)
"""The numbers of what is not in the database."""


class LineageBook:
    """Reads and changes lineages. Errors of the database are reported, and lose nothing while the file is open."""

    def __init__(self, store: Callable[[], Store], report: Callable[[StoreUnavailable], None]) -> None:
        """`store` opens the database, or returns the open one. `report` is called with each error, in threads."""
        self._store = store
        self._report = report

    async def of_prompt(self, place: PromptPlace) -> tuple[Lineage, ...]:
        """The saved lineages of a prompt, the oldest first."""
        return await asyncio.to_thread(self._read, place)

    async def begin(self, place: PromptPlace, block: Block) -> Lineage:
        """A new lineage, without wordings."""
        return Lineage(await asyncio.to_thread(self._begin, place, block), block, ())

    async def use(self, lineage: Lineage, written: WrittenWording, place: PromptPlace) -> Wording | None:
        """Save that a wording is used now in the prompt at `place`, which may have another id than before; the wording
        for `with_used`, None where it cannot be saved."""
        return await asyncio.to_thread(self._use, lineage, written, place)

    async def save_verdict(self, lineage: Lineage, name: str, answer: str, verdict: WordingVerdict) -> None:
        """Save a verdict under the wording of `lineage` with this name, in place of those that it replaces."""
        wording = lineage.named(name)
        if wording is not None and wording.number > 0:
            await asyncio.to_thread(self._save, wording.number, answer, verdict)

    def _read(self, place: PromptPlace) -> tuple[Lineage, ...]:
        try:
            return self._store().lineages(place)
        except StoreUnavailable as error:
            self._report(error)
            return ()

    def _begin(self, place: PromptPlace, block: Block) -> int:
        try:
            return self._store().begin_lineage(place, block)
        except StoreUnavailable as error:
            self._report(error)
            return next(_UNSAVED)

    def _use(self, lineage: Lineage, written: WrittenWording, place: PromptPlace) -> Wording | None:
        if lineage.number < 0:
            return None
        try:
            self._store().move_lineage(lineage.number, place)
            return self._store().use_wording(lineage.number, written)
        except StoreUnavailable as error:
            self._report(error)
            return None

    def _save(self, wording: int, answer: str, verdict: WordingVerdict) -> None:
        try:
            self._store().save_wording_verdict(wording, answer, verdict)
        except StoreUnavailable as error:
            self._report(error)


def with_used(lineage: Lineage, written: WrittenWording, saved: Wording | None) -> Lineage:
    """`lineage` with a wording that is used now, as it was `saved`."""
    there = lineage.named(written.name)
    used = 1 + max((each.used for each in lineage.wordings), default=0)
    number = saved.number if saved is not None else next(_UNSAVED) if there is None else there.number
    wording = Wording(number, written, used, {} if there is None else there.verdicts)
    if there is None:
        return replace(lineage, wordings=(*lineage.wordings, wording))
    return replace(lineage, wordings=tuple(wording if each is there else each for each in lineage.wordings))


def with_verdict(lineage: Lineage, name: str, answer: str, verdict: WordingVerdict) -> Lineage:
    """`lineage` with a verdict on the answer with this digest, in place of those that it replaces."""
    return replace(
        lineage,
        wordings=tuple(_judged(each, answer, verdict) if each.name == name else each for each in lineage.wordings),
    )


def _judged(wording: Wording, answer: str, verdict: WordingVerdict) -> Wording:
    others = [each for each in wording.verdicts.get(answer, ()) if not verdict.replaces(each)]
    return replace(wording, verdicts={**wording.verdicts, answer: (*others, verdict)})

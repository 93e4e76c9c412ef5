"""The closest sentences of the answer that is shown, found behind it: never in the way of anything."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from engine.closest_sentence import Closest, Encoder, EncoderFailed, closest_sentences, the_encoder, what_is_missing
from engine.text import Span
from studio.session.changes import Change, ChangeStream
from studio.session.host import Host, Severity
from studio.session.run import Run
from studio.session.session_tasks import Tasks

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.closest_sentence.encoder import Vector

_Request: TypeAlias = tuple[tuple[str | None, ...], str]
"""What the closest sentences depend on: the texts of the points, and the answer."""

_CACHED = 64
_BATCH = 16
_DELAY_SECONDS = 0.15
"""While a criterion is typed, only its last reading is worth a search."""


class ClosestSearch:
    """Finds the closest sentences of the answers that are shown, one answer at a time in the encoder's own process."""

    def __init__(self, tasks: Tasks, host: Host, changes: ChangeStream, encoder: Encoder | None = None) -> None:
        self._tasks = tasks
        self._host = host
        self._changes = changes
        self._encoder = encoder
        self._is_ready = encoder is not None
        self._found: OrderedDict[_Request, Closest | None] = OrderedDict()
        self._wanted: _Request | None = None

    async def begin(self) -> None:
        """Find out whether the encoder can run here."""
        if self._encoder is None:
            self._is_ready = await asyncio.to_thread(what_is_missing) is None

    def close(self) -> None:
        """Nothing is wanted any more: the program does not wait for a search that goes on."""
        self._wanted = None
        self._is_ready = False

    def want(self, run: Run) -> None:
        """Find the closest sentences in the answer of `run`, which is shown."""
        request = self._request(run)
        if request is not None and request not in self._found and request != self._wanted:
            self._wanted = request
            self._tasks.start("closest", self._find(request, run.prompt), exclusive=True)

    def of(self, run: Run) -> Closest | None:
        """The closest sentences in the answer of `run`; None until they are found."""
        request = self._request(run)
        return None if request is None else self._found.get(request)

    def is_searching(self, run: Run) -> bool:
        """Whether the answer of `run` is being searched."""
        request = self._request(run)
        return request is not None and request == self._wanted and request not in self._found

    def span(self, run: Run, index: int) -> tuple[Span, ...]:
        """The place in the answer of the sentence closest to the point at `index` of `Prompt.points()`."""
        sentence = (self.of(run) or {}).get(index)
        return () if sentence is None else (sentence.span,)

    def _request(self, run: Run) -> _Request | None:
        if not self._is_ready or run.response is None or run.failed is not None:
            return None
        return tuple(point.text for point in run.prompt.points()), run.response.subject

    async def _find(self, request: _Request, prompt: Prompt) -> None:
        await asyncio.sleep(_DELAY_SECONDS)
        encoder = _WhileWanted(self._encoder or the_encoder(), lambda: self._wanted == request)
        try:
            found = await asyncio.to_thread(partial(closest_sentences, prompt, request[1], encoder))
        except _NotWanted:
            return
        except EncoderFailed as error:
            found = None
            self._host.notify(f"The closest sentence cannot be found. {error}. {error.advice}", Severity.WARNING)
        self._found[request] = found
        while len(self._found) > _CACHED:
            self._found.popitem(last=False)
        self._changes.publish(Change.RUNS)


class _NotWanted(Exception):
    """Another answer is shown by now."""


class _WhileWanted:
    """An encoder that gives up as soon as its work is no longer wanted."""

    def __init__(self, encoder: Encoder, wanted: Callable[[], bool]) -> None:
        self._encoder = encoder
        self._wanted = wanted

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        """Raises `_NotWanted` within a part of a second."""
        found: list[Vector] = []
        for first in range(0, len(texts), _BATCH):
            if not self._wanted():
                raise _NotWanted
            found += self._encoder.encode(texts[first : first + _BATCH])
        return found

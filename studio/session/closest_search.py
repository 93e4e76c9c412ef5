"""Finding the closest sentences of the answer that is shown, in the background."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from engine.closest_sentence import Closest, Encoder, EncoderFailed, closest_sentences, the_encoder, what_is_missing
from engine.text import Span
from studio.session.changes import Change
from studio.session.host import Severity
from studio.session.run import Run
from studio.session.session_context import SessionContext

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.closest_sentence.encoder import Vector

_Request: TypeAlias = tuple[tuple[str | None, ...], str]
"""The texts of the points, and the answer: all that the closest sentences depend on."""

_CACHED = 64
_BATCH = 16
_DELAY_SECONDS = 0.15
"""Time to wait for a newer text before a search: a criterion may be in the middle of being typed."""


class ClosestSearch:
    """Finds closest sentences, for one answer at a time. The encoder runs in a process of its own."""

    def __init__(self, context: SessionContext, encoder: Encoder | None = None) -> None:
        self._context = context
        self._encoder = encoder
        self._is_ready = encoder is not None
        self._found: OrderedDict[_Request, Closest | None] = OrderedDict()
        self._current: _Request | None = None

    async def begin(self) -> None:
        """Find out whether the encoder is available."""
        if self._encoder is None:
            self._is_ready = await asyncio.to_thread(what_is_missing) is None

    def close(self) -> None:
        """Give up the present search, so that the program need not wait for it."""
        self._current = None
        self._is_ready = False

    def request(self, run: Run) -> None:
        """Find the closest sentences in the answer of `run`, which is shown."""
        request = self._request_for(run)
        if request is not None and request not in self._found and request != self._current:
            self._current = request
            self._context.tasks.start("closest", self._find(request, run.prompt), exclusive=True)

    def of(self, run: Run) -> Closest | None:
        """The closest sentences in the answer of `run`; None until they are found."""
        request = self._request_for(run)
        return None if request is None else self._found.get(request)

    def is_searching(self, run: Run) -> bool:
        """Whether the answer of `run` is being searched."""
        request = self._request_for(run)
        return request is not None and request == self._current and request not in self._found

    def span(self, run: Run, index: int) -> tuple[Span, ...]:
        """The place in the answer of the sentence closest to the point at `index` of `Prompt.points()`."""
        sentence = (self.of(run) or {}).get(index)
        return () if sentence is None else (sentence.span,)

    def _request_for(self, run: Run) -> _Request | None:
        if not self._is_ready or run.response is None or run.failed is not None:
            return None
        return tuple(point.text for point in run.prompt.points()), run.response.subject

    async def _find(self, request: _Request, prompt: Prompt) -> None:
        await asyncio.sleep(_DELAY_SECONDS)
        encoder = _CancellableEncoder(self._encoder or the_encoder(), lambda: self._current == request)
        try:
            found = await asyncio.to_thread(partial(closest_sentences, prompt, request[1], encoder))
        except _Superseded:
            return
        except EncoderFailed as error:
            found = None
            self._context.host.notify(
                f"The closest sentence cannot be found. {error}. {error.advice}", Severity.WARNING
            )
        self._found[request] = found
        while len(self._found) > _CACHED:
            self._found.popitem(last=False)
        self._context.changes.publish(Change.RUNS)


class _Superseded(Exception):
    """Another answer is shown now."""


class _CancellableEncoder:
    """An encoder that stops once its search is superseded."""

    def __init__(self, encoder: Encoder, is_current: Callable[[], bool]) -> None:
        self._encoder = encoder
        self._is_current = is_current

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of `texts`, in batches. Raises `_Superseded` between two of them."""
        found: list[Vector] = []
        for first in range(0, len(texts), _BATCH):
            if not self._is_current():
                raise _Superseded
            found += self._encoder.encode(texts[first : first + _BATCH])
        return found

"""The closest sentences of the answer that is shown, found behind it: never in the way of anything."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from engine.closest_sentence import Closest, Encoder, EncoderFailed, closest_sentences, the_encoder, what_is_missing
from engine.text import Span

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.closest_sentence.encoder import Vector
    from studio.session.run import Run
    from studio.tui.screens.blueprint import BlueprintScreen

_Request: TypeAlias = tuple[tuple[str | None, ...], str]
"""What the closest sentences depend on: the texts of the points, and the answer."""

_CACHED = 64
_BATCH = 16
_DELAY_SECONDS = 0.15
"""While a criterion is typed, only its last reading is worth a search."""


class ClosestSentences:
    """Finds the closest sentences of the answers that are shown, one answer at a time in the encoder's own process."""

    def __init__(self, screen: BlueprintScreen, changed: Callable[[], None], encoder: Encoder | None = None) -> None:
        """`changed` is called on the event loop when those of one more answer are found."""
        self._screen = screen
        self._changed = changed
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

    def of(self, run: Run) -> Closest | None:
        """The closest sentences in the answer of `run`, which is shown; None until they are found."""
        request = self._request(run)
        if request is None:
            return None
        if request in self._found:
            return self._found[request]
        if request != self._wanted:
            self._wanted = request
            self._screen.run_worker(self._find(request, run.prompt), group="closest", exclusive=True)
        return None

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
            words = f"The closest sentence cannot be found. {error}. {error.advice}"
            self._screen.notify(words, severity="warning", markup=False)
        self._found[request] = found
        while len(self._found) > _CACHED:
            self._found.popitem(last=False)
        if self._screen.is_attached:
            self._changed()


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

"""Estimates behind the run that is shown: never in the way of anything, and the newest answer wins."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from engine.estimating import Encoder, EncoderFailed, Estimate, estimate, the_encoder, what_is_missing
from engine.scoring.placing import place
from engine.text import Span

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.estimating.encoder import Vector
    from studio.runs import Run
    from studio.screens.blueprint import BlueprintScreen

_Asked: TypeAlias = tuple[tuple[tuple[str | None, bool], ...], str | None, str]
"""What an estimate depends on: the points with their block, the ideal, and the answer."""

_KEPT = 64
_AT_ONCE = 16
_A_MOMENT = 0.15
"""Seconds until one is begun: while a criterion is typed, only the last reading of it is worth one."""


class Estimating:
    """The estimates of the answers that were shown, made one at a time in the encoder's own process."""

    def __init__(self, screen: BlueprintScreen, changed: Callable[[], None], encoder: Encoder | None = None) -> None:
        """`changed` is called on the event loop when there is one more."""
        self._screen = screen
        self._changed = changed
        self._encoder = encoder
        self._ready = encoder is not None
        self._found: OrderedDict[_Asked, Estimate | None] = OrderedDict()
        self._wanted: _Asked | None = None

    async def begin(self) -> None:
        """Find out whether anything can be estimated here."""
        if self._encoder is None:
            self._ready = await asyncio.to_thread(what_is_missing) is None

    def close(self) -> None:
        """No estimate is wanted any more: the program does not wait for one that is being made."""
        self._wanted = None
        self._ready = False

    def of(self, run: Run) -> Estimate | None:
        """What is known of the answer of `run`, which is shown; where that is nothing yet, it is begun."""
        asked = self._asked(run)
        if asked is None:
            return None
        if asked in self._found:
            return self._found[asked]
        if asked != self._wanted:
            self._wanted = asked
            self._screen.run_worker(self._estimate(asked, run.prompt), group="estimating", exclusive=True)
        return None

    def goes_on(self, run: Run) -> bool:
        """Whether one of `run` is being made."""
        asked = self._asked(run)
        return asked is not None and asked == self._wanted and asked not in self._found

    def closest(self, run: Run, index: int) -> tuple[Span, ...]:
        """The sentence of the answer that comes closest to the point at `index` of `Prompt.points()`."""
        found = self.of(run)
        point = None if found is None else found.points.get(index)
        return () if point is None or point.closest is None else (point.closest.span,)

    def _asked(self, run: Run) -> _Asked | None:
        if not self._ready or run.response is None or run.failed is not None:
            return None
        points = tuple((each.point.text, each.inverted) for each in place(run.prompt))
        return points, run.prompt.ideal, run.response.subject

    async def _estimate(self, asked: _Asked, prompt: Prompt) -> None:
        await asyncio.sleep(_A_MOMENT)
        encoder = _WhileWanted(self._encoder or the_encoder(), lambda: self._wanted == asked)
        try:
            found = await asyncio.to_thread(partial(estimate, prompt, asked[2], encoder))
        except _NotWanted:
            return
        except EncoderFailed as error:
            found = None
            self._screen.notify(f"No estimate. {error}. {error.advice}", severity="warning", markup=False)
        self._found[asked] = found
        while len(self._found) > _KEPT:
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
        for first in range(0, len(texts), _AT_ONCE):
            if not self._wanted():
                raise _NotWanted
            found += self._encoder.encode(texts[first : first + _AT_ONCE])
        return found

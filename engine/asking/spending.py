"""The spending of a run and its cap: a request that would exceed the cap is not sent.

`Spending.guarded` wraps the function that resolves providers, so requests to models and judges count alike. Cached
answers are looked up outside it: they cost nothing. `cost_of` is what judgements cost.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from engine.asking.exchanges import NOTHING, Amount, priced, tokens_in_message
from engine.asking.run_plan import RunPlan, dollars_text, number_of_requests
from engine.judging.judgement import Judgement
from engine.judging.panel import PanelJudge
from engine.models.chat import (
    ChatEvent,
    ChatRequest,
    Failure,
    Finished,
    Provider,
    ProviderError,
    Resent,
    Resolve,
    TextDelta,
)
from engine.models.prices import Price, cost, longest_answer
from engine.text.record import Record
from engine.yaml.nodes import Data

PriceOf: TypeAlias = Callable[[str, str, str | None], Price | None]
"""A model id, its recipient and its base URL → its price; None if unknown."""


class Cap(Record):
    """Upper bounds on the dollars and requests of a run; None means no bound."""

    dollars: float | None = None
    requests: int | None = None

    @property
    def summary(self) -> str:
        """`$0.50 and 200 requests`; "" without a cap."""
        money = [] if self.dollars is None else [f"${self.amount}"]
        number = [] if self.requests is None else [number_of_requests(self.requests)]
        return " and ".join(money + number)

    @property
    def amount(self) -> str:
        """The dollars in cents, or more exactly if needed: `0.50`, `0.005`; "" without a cap."""
        if self.dollars is None:
            return ""
        cents = f"{self.dollars:.2f}"
        return cents if float(cents) == self.dollars else str(self.dollars)

    def after(self, dollars: float, requests: int) -> Cap:
        """What is left of it once so much is spent."""
        return Cap(
            None if self.dollars is None else max(self.dollars - dollars, 0.0),
            None if self.requests is None else max(self.requests - requests, 0),
        )

    def misses(self, plan: RunPlan) -> tuple[str, ...]:
        """The recipients of `plan` that this cap does not bound: their price is unknown, and it is in dollars alone."""
        return plan.unpriced if self.dollars is not None and self.requests is None else ()


NO_CAP = Cap()


class Spending:
    """The requests and dollars of one run so far. Belongs to one event loop.

    `prompts` is the number of prompts, for the message of a run that stops; `prompt_done` counts them. `dollars` is
    computed from the servers' token counts; a request without one counts with its upper bound. `uncounted` are models
    with an unknown price: their requests count, their dollars do not.
    """

    def __init__(self, cap: Cap = NO_CAP, *, price_of: PriceOf, prompts: int = 0, custom: Iterable[Data] = ()) -> None:
        """`price_of` returns the price of a model at its recipient; `custom` are the blueprint's own models."""
        self.cap = cap
        self._price_of = price_of
        self._custom = tuple(custom)
        self._prompts = prompts
        self._done = 0
        self._reserved = 0.0
        self._running = 0
        self._settled = asyncio.Condition()
        self.requests = 0
        self.dollars = 0.0
        self.uncounted: dict[str, None] = {}
        self.reached = False

    def prompt_done(self) -> None:
        """Count one more prompt that has its score."""
        self._done += 1

    def guarded(self, providers: Resolve) -> Resolve:
        """The same providers, each of whose requests is counted here before it is sent."""

        def resolve(model: str, base_url: str | None) -> tuple[Provider, str]:
            provider, name = providers(model, base_url)
            price = self._price_of(model, provider.recipient, base_url)
            if price is None:
                self.uncounted[model] = None
            custom = self._custom if base_url is None else ()
            return _Counted(provider, self, price, partial(longest_answer, model, custom)), name

        return resolve

    async def begin(self, most: float) -> None:
        """Reserve the upper bound of a request's cost, in dollars. Raises `ProviderError` if that exceeds the cap.

        Near the cap it waits for running requests, which mostly cost less than what they reserved.
        """
        async with self._settled:
            while not self.reached and self._is_too_much(most) and self._running and not self._is_full:
                await self._settled.wait()
            self._check(most)
            self.requests += 1
            self._running += 1
            self._reserved += most

    async def count_request(self) -> None:
        """Count a request without a price of its own: to a service, or one that replaces a refused request.

        Raises `ProviderError` if that exceeds the cap.
        """
        async with self._settled:
            self._check(0.0)
            self.requests += 1

    async def take_back_request(self) -> None:
        """No longer count a request that `count_request` counted: nothing was sent."""
        async with self._settled:
            self.requests -= 1
            self._settled.notify_all()

    async def end(self, reserved: float, spent: float, *, was_sent: bool = True) -> None:
        """End a request that had `reserved` dollars and cost `spent`. One that was not sent no longer counts."""
        async with self._settled:
            self.requests -= not was_sent
            self._running -= 1
            self._reserved -= reserved
            self.dollars += spent
            self._settled.notify_all()

    @property
    def summary(self) -> str:
        """`12 requests, $0.031`: the requests and their cost so far."""
        beside = f", not counting {', '.join(self.uncounted)}" if self.uncounted else ""
        return f"{number_of_requests(self.requests)}, {dollars_text(self.dollars, up=True)}{beside}"

    @property
    def _is_full(self) -> bool:
        return self.cap.requests is not None and self.requests >= self.cap.requests

    def _is_too_much(self, most: float) -> bool:
        """Whether this request might exceed the cap. A free request never does."""
        return self.cap.dollars is not None and most > 0 and self.dollars + self._reserved + most > self.cap.dollars

    def _check(self, most: float) -> None:
        """Raise `ProviderError` if one more request of at most so many dollars might exceed the cap."""
        if self.reached or self._is_full or self._is_too_much(most):
            self.reached = True
            self._settled.notify_all()
            raise self._stop(most)

    def _stop(self, most: float) -> ProviderError:
        following = f" The next one may cost up to {dollars_text(most, up=True)}." if most and not self._is_full else ""
        done = f"; {self._done} of {self._prompts} prompts are done" if self._prompts > 1 else ""
        return ProviderError(
            Failure.CAPPED,
            f"The cap of {self.cap.summary} is reached{done}",
            f"So far: {self.summary}.{following}",
            "Raise the cap, and run again.",
        )


@dataclass(frozen=True, slots=True)
class _Counted:
    """A provider whose requests are counted."""

    _provider: Provider
    _spending: Spending
    _price: Price | None
    _longest: Callable[[int], int]

    @property
    def recipient(self) -> str:
        """The recipient of the wrapped provider."""
        return self._provider.recipient

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """Stream the answer of the provider. Raises `ProviderError`, also if the cap is reached."""
        most = 0.0 if self._price is None else _most(request, self._price, self._longest)
        await self._spending.begin(most)
        spent = most
        has_text, was_sent = False, True
        try:
            async with aclosing(self._provider.stream(request)) as events:
                async for event in events:
                    if isinstance(event, Resent):
                        await self._spending.count_request()
                        continue
                    has_text = has_text or isinstance(event, TextDelta)
                    if isinstance(event, Finished) and self._price is not None:
                        known = cost(event.usage, self._price)
                        spent = most if known is None else known
                    yield event
        except ProviderError as error:
            was_sent = error.was_sent
            if not has_text and error.failure not in _MAY_COST:
                spent = 0.0
            elif error.finished is not None and self._price is not None:
                known = cost(error.finished.usage, self._price)
                spent = most if known is None else known
            raise
        finally:
            await asyncio.shield(self._spending.end(most, spent, was_sent=was_sent))


_MAY_COST = (Failure.TIMED_OUT, Failure.NONSENSE, Failure.EMPTY, Failure.WITHHELD)
"""Failures that may cost something, though no text had arrived."""


def _most(request: ChatRequest, price: Price, longest: Callable[[int], int]) -> float:
    """The upper bound of a request's cost, in dollars. A custom model may get more tokens than requested."""
    sent = sum((tokens_in_message(turn.content) for turn in request.turns), NOTHING)
    return priced(sent, Amount(most=longest(request.max_tokens)), price).most


def cost_of(judgements: Iterable[Judgement], price_of: Callable[[PanelJudge], Price | None]) -> float | None:
    """What judgements cost in US dollars, None if that is unknown for any request. Cached judgements are free.

    `price_of` returns the price of a judge's model, the author's own prices included.
    """
    costs: list[float | None] = []
    for judgement in judgements:
        if judgement.recipient and not judgement.reused:
            price = price_of(judgement.judge)
            costs += (None if price is None else cost(attempt.usage, price) for attempt in judgement.attempts)
    known = [each for each in costs if each is not None]
    return sum(known) if len(known) == len(costs) else None

"""Requests to one server over HTTP in any wire format: turns, retries, streams, keys and failures."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import cached_property

import httpx

from engine.models import failures, parameter_support
from engine.models.chat import (
    LOOPBACK_AT_ONCE,
    USUAL_AT_ONCE,
    ChatEvent,
    ChatRequest,
    Failure,
    Finished,
    Knob,
    ProviderError,
    Resent,
)
from engine.models.chat_response import RefusedError, events_of, read_refusal
from engine.models.error_bodies import refused_fields
from engine.models.http import (
    LOOPBACK_READ_SECONDS,
    READ_SECONDS,
    Access,
    Keyed,
    is_loopback,
    parsed_url,
    recipient_of,
    shared_client,
    timeouts,
)
from engine.models.limits import LONGEST_WAIT, Place, RateLimiter, allowed_now, rate_limiter_of
from engine.models.parameter_support import OTHER_NAME, TAKES_ALL, ParameterSupport, model_key, presumed_of, support_of
from engine.models.secret import without_password
from engine.models.variables import keys_in_url
from engine.models.wire import Wire, Written, fields_of
from engine.text.record import Record, replace

_PAUSE_AFTER_FAILURE = 0.5
_TOO_MANY = (429, 503, 529)
_REFUSES_FIELDS = (400, 422)
MOST_ADAPTATIONS = 3
"""How often one request is sent again without a refused field: token counts, the name of the token limit, and
temperature."""
_WHOLE_ANSWER = 5
"""The time limit of an answer that is not streamed, as a multiple of the longest silence."""


class _Host(Record):
    """Host and port, whose requests share a limit and connections, and whether that is this machine."""

    name: str
    is_here: bool


class ChatServer:
    """A server at one address that speaks one wire format. Safe to ask for many answers at once."""

    def __init__(
        self,
        wire: Wire,
        address: str,
        access: Access,
        *,
        start_hint: str = "",
        recipient: str | None = None,
        read_seconds: float | None = None,
        at_once: int | None = None,
        place: str | None = None,
    ) -> None:
        """`address` is any address of the server: its host receives the text, and requests to it share a limit.

        `start_hint` is advice if nothing listens there. `read_seconds` bounds each silence; the default is one minute,
        or five on this machine. `at_once` is the limit of parallel requests until the server pushes back. `place`
        identifies the server if `address` is not whole because a part of it is a key.
        """
        self._wire = wire
        self._address = address
        self._access = replace(access, keys=(*access.keys, *keys_in_url(address, from_variable=False)))
        self._start_hint = start_hint
        self._recipient = recipient or recipient_of(address)
        self._read_seconds = read_seconds
        self._at_once = at_once
        self._place = f"{type(wire).__name__} {self._recipient} {place or without_password(address)}"

    @property
    def recipient(self) -> str:
        """The host that receives the text, or `this machine`."""
        return self._recipient

    @property
    def at_once(self) -> int:
        """The current limit of parallel requests; it is lower after the server has pushed back."""
        try:
            host = self._host
        except httpx.InvalidURL:
            return 1
        return allowed_now(host.name, self._most(host))

    def support(self, model: str) -> ParameterSupport | None:
        """What is known of a model here; None if it never answered. May read a small file."""
        return support_of(model_key(self._place, model))

    def remember(self, model: str, support: ParameterSupport) -> None:
        """Save what a model here takes, for this session and others. Blocks."""
        parameter_support.remember(model_key(self._place, model), support)

    def takes_temperature(self, model: str) -> bool:
        """Whether a model takes a temperature, as far as known."""
        known = self.support(model) or TAKES_ALL
        dropped = {self._wire.adaptable.get(path) for path in known.dropped}
        return Knob.TEMPERATURE not in dropped and self._wire.takes_temperature(model)

    def most_resent(self, model: str) -> int:
        """The upper bound of repeated requests for one answer, because the model may refuse fields; 0 once it has
        answered."""
        if self.support(model) is not None:
            return 0
        written = self._wire.write(ChatRequest(model, ()))
        return min(MOST_ADAPTATIONS, sum(_holds(written, path) for path in self._wire.adaptable))

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """The answer as it arrives, ended by one `Finished`. Raises `ProviderError`; closing the iterator cancels.

        It first waits for its turn among the requests to this server. Where the server has too many (429, 503, 529) it
        waits again, as long as the server asks up to a minute; another failure of the server is tried once more. Where
        the server refuses a field of the request, it is asked without it (`Wire.adaptable`), which is remembered.
        Before each request that follows, but those that only waited, comes a `Resent`. Nothing is tried again once a
        part of the answer has come.
        """
        named = failures.Request(request.model, self._recipient, self._access, self._start_hint)
        try:
            host = self._host
            limiter = rate_limiter_of(host.name, self._most(host))
        except httpx.InvalidURL:
            # What this says may hold a part of a password.
            raise named.failure(Failure.UNREACHABLE, "that is no address", "", "Check the address.") from None
        silence = self._read_seconds or (LOOPBACK_READ_SECONDS if host.is_here else READ_SECONDS)
        key = model_key(self._place, request.model)
        if not parameter_support.is_loaded():
            await asyncio.to_thread(support_of, key)
        attempts = _Attempts(self._wire, request, named, self._access, silence, key)
        try:
            while True:
                async with (
                    limiter.turn(request.model, again=attempts.refusals > 0, too_long=attempts.too_long) as place,
                    shared_client(host.name, direct=host.is_here) as client,
                    aclosing(within(request.seconds, attempts.attempt(client, place), named)) as events,
                ):
                    async for event in events:
                        yield event
                if attempts.done:
                    return
                attempts.go_on_or_fail(limiter)
                if attempts.is_resent:
                    yield Resent()
                await asyncio.sleep(attempts.pause)
        finally:
            attempts.give_up()

    @cached_property
    def _host(self) -> _Host:
        """Raises `httpx.InvalidURL`."""
        return _Host(parsed_url(self._address).netloc.decode("ascii", "replace"), is_loopback(self._address))

    def _most(self, host: _Host) -> int:
        return self._at_once or (LOOPBACK_AT_ONCE if host.is_here else USUAL_AT_ONCE)


async def within(
    seconds: float, events: AsyncGenerator[ChatEvent, None], named: failures.Request
) -> AsyncGenerator[ChatEvent, None]:
    """The same events, all within `seconds` from now. Raises `ProviderError` if they take longer."""
    end = asyncio.get_running_loop().time() + seconds
    async with aclosing(events):
        while True:
            try:
                async with asyncio.timeout_at(end):
                    event = await anext(events, None)
            except TimeoutError:
                title = f"no whole answer within {failures.time_in_words(seconds)}"
                advice = "Try again, or choose another model."
                raise named.failure(Failure.TIMED_OUT, title, "", advice) from None
            if event is None:
                return
            yield event


class _Attempts:
    """The attempts of one request, until it is answered or has failed."""

    def __init__(
        self,
        wire: Wire,
        request: ChatRequest,
        named: failures.Request,
        access: Access,
        read_seconds: float,
        key: str,
    ) -> None:
        self._wire = wire
        self._request = request
        self._named = named
        self._access = access
        self._read_seconds = read_seconds
        self._key = key
        self._support = TAKES_ALL
        self._refused_fields = frozenset[str]()
        self._adaptations = 0
        self._attempts = 0
        self._wait = 0.0
        self.is_resent = False
        self.refusals = 0
        self.pause = 0.0
        self.done = False
        self.failed: ProviderError | None = None

    def give_up(self) -> None:
        """Take back what parallel requests presume, if no answer came without the refused fields."""
        if self._refused_fields and not self.done:
            parameter_support.presume(self._key, None)

    async def attempt(self, client: httpx.AsyncClient, place: Place) -> AsyncGenerator[ChatEvent, None]:
        """The events of one request. Sets `done`, or the state for another attempt."""
        self._attempts += 1
        self.pause = 0.0
        self.is_resent = False
        answered = False
        written = self._written()
        silence = self._read_seconds * (1 if self._is_streamed(written) else _WHOLE_ANSWER)
        try:
            async with client.stream(
                "POST",
                parsed_url(written.url),
                content=json.dumps(written.body).encode(),
                headers={
                    "Content-Type": "application/json",
                    "Accept": "text/event-stream, application/json",
                    **written.headers,
                },
                auth=Keyed(self._access),
                timeout=timeouts(silence),
            ) as response:
                if not response.is_success:
                    raise await read_refusal(response, self._named)
                async with aclosing(events_of(response, self._wire, self._named, silence)) as events:
                    async for event in events:
                        if not answered:
                            await self._remember()
                        answered = True
                        yield self._with_ignored(event, written)
            place.succeeded()
            self.done = True
        except RefusedError as refusal:
            if answered:
                raise refusal.as_failure(self._named) from None
            self._refused(refusal, place, written)
        except httpx.RemoteProtocolError as error:
            # A connection kept open from before may have been closed by the server in the meantime.
            if answered or self._attempts > 1:
                raise failures.from_transport(self._named, error, answered) from None
        except httpx.HTTPError as error:
            raise failures.from_transport(self._named, error, answered) from None

    def too_long(self, seconds: float) -> ProviderError:
        """The failure where a turn would come only after a pause of so many seconds."""
        return self.failed or failures.from_status(self._named, 429, "", seconds)

    def go_on_or_fail(self, limiter: RateLimiter) -> None:
        """Raise the failure if the server only pushes back; waiting requests to the same model fail with it."""
        if self.failed is not None and limiter.gives_up(self.refusals):
            if limiter.limit.exhausted:
                limiter.send_away(self._request.model, self._wait)
            raise self.failed

    def _refused(self, refusal: RefusedError, place: Place, written: Written) -> None:
        """Prepare another attempt if that may help. Otherwise raises `ProviderError` without its cause, which may hold
        what the server sent back, keys included."""
        failed = refusal.as_failure(self._named)
        if failed.failure in (Failure.RATE_LIMITED, Failure.SERVER) and refusal.status in _TOO_MANY:
            place.pushed_back(refusal.retry_after)
            self._wait = refusal.retry_after or 0.0
            if self._wait > LONGEST_WAIT:
                raise failed from None
            self.refusals += 1
            self.failed = failed
        elif self._adapts(refusal, written):
            self.is_resent = True
        elif refusal.status >= 500 and self._attempts == 1 and failed.failure is not Failure.WITHHELD:
            self.pause = _PAUSE_AFTER_FAILURE
            self.is_resent = True
        else:
            raise failed from None

    def _adapts(self, refusal: RefusedError, written: Written) -> bool:
        """Whether the request can be sent again without the refused fields; each field is tried once."""
        if refusal.status not in _REFUSES_FIELDS or self._adaptations == MOST_ADAPTATIONS:
            return False
        sent = {path.rpartition(".")[2]: path for path in self._wire.adaptable if _holds(written, path)}
        names = refused_fields(refusal.body, sent.keys())
        refused = {sent[name] for name in names} - self._refused_fields
        if not refused or any(OTHER_NAME.get(name) in self._refused_fields for name in refused):
            return False
        self._refused_fields |= refused
        self._adaptations += 1
        for name in refused | ({"stream_options"} if "stream" in refused else set[str]()):
            self._support = self._support.without(name)
        parameter_support.presume(self._key, self._support)
        return True

    async def _remember(self) -> None:
        """Save what the server took, unless it only rests on refusals of parallel requests."""
        is_own = bool(self._refused_fields) or self._support == TAKES_ALL
        if is_own and self._support != support_of(self._key):
            await asyncio.to_thread(parameter_support.remember, self._key, self._support)
            parameter_support.presume(self._key, None)

    def _written(self) -> Written:
        # Parallel requests may have been refused fields while this one waited for its turn.
        self._support = self._support.joined(presumed_of(self._key), self._refused_fields)
        written = self._wire.write(self._request)
        return replace(written, body=self._support.applied(written.body, self._wire.adaptable))

    def _with_ignored(self, event: ChatEvent, written: Written) -> ChatEvent:
        """`event`; the last one gets the settings of the request that the model was not sent."""
        if not isinstance(event, Finished):
            return event
        dropped = {self._wire.adaptable.get(path) for path in self._support.dropped}
        ignored = {knob for knob in dropped if knob in self._request.settings()} | written.unused
        return replace(event, ignored=tuple(knob for knob in Knob if knob in ignored))

    def _is_streamed(self, written: Written) -> bool:
        return "stream" not in self._wire.adaptable or written.body.get("stream") is True


def _holds(written: Written, path: str) -> bool:
    outer, dot, inner = path.partition(".")
    return outer in written.body and (not dot or inner in fields_of(written.body[outer]))

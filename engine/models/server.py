"""Requests to one server over HTTP in any wire format: turns, retries, streams, keys and failures."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

import httpx
from httpx_sse import EventSource

from engine.blueprint.conversation import Standing, Stop, StopReason
from engine.models import failures, limits
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
    TextDelta,
    Usage,
)
from engine.models.definitions import keys_in_url
from engine.models.http import (
    LOOPBACK_READ_SECONDS,
    READ_SECONDS,
    Access,
    Bounds,
    Keyed,
    is_loopback,
    keep_within,
    parsed_url,
    recipient_of,
    shared_client,
    timeouts,
)
from engine.models.secret import without_password
from engine.models.wires import Chunk, TextJoiner, Wire, Written, fields_of, with_joined_surrogates
from engine.text.record import Record, read_json, replace

_MOST_JSON = 2_000_000
"""Bytes of one JSON text. Parsed, it can take 25 times as many."""
_MOST_STREAMED = 100_000_000
"""Bytes of one stream: twice 128,000 tokens of 400 bytes each, as the wordiest gateways send them."""
_LONGEST_ANSWER = 4_000_000
_CLOSING_SECONDS = 0.1
"""How long a server may take to end a stream that it has called done."""
_AFTERTHOUGHT_SECONDS = 3.0
"""How long the count of tokens is waited for once the answer has ended."""
_SILENCES = 5
"""How many silences long a server may keep the line open without saying anything."""
_EVENT_FIELD = re.compile(rb"[\w-]*(:|$)")
_WRONG_ADDRESS = "Check the address: a chat server's mostly ends in /v1."


async def events_of(
    response: httpx.Response, wire: Wire, named: failures.Request, read_seconds: float
) -> AsyncGenerator[ChatEvent, None]:
    """The events of a successful response, streamed or whole, ended by `Finished`.

    Raises `RefusedError` for an error that the server put in the answer's place, `ProviderError` for nonsense, for an
    answer that is empty and, after what had come of it, for one that was withheld, and `httpx.HTTPError`.
    """
    joiner = TextJoiner(named.keys)
    end: Chunk | None = None
    length = 0
    blank = True
    async with aclosing(_chunks(response, wire, named)) as arriving:
        while (chunk := await _next(arriving, end, read_seconds)) is not None:
            end = chunk if end is None else end.followed_by(chunk)
            text = joiner.feed(chunk.text)
            if text:
                length += len(text)
                blank = blank and text.isspace()
                yield TextDelta(text)
            if length > _LONGEST_ANSWER:
                raise named.failure(Failure.NONSENSE, "the answer does not end", "", "Choose another model.")
    if rest := joiner.flush():
        blank = False
        yield TextDelta(rest)
    if end is None:
        raise named.failure(Failure.NONSENSE, "what came back is no chat answer", "", _WRONG_ADDRESS)
    if not (end.done or end.stop):
        raise httpx.ReadError("the stream ended before the answer did")
    stop = _stop(end)
    model = named.scrub(with_joined_surrogates(end.model)) if end.model else None
    word = named.scrub(with_joined_surrogates(stop.word))
    finished = Finished(stop.reason, end.usage or Usage(), model, word=word)
    if stop.reason is StopReason.WITHHELD:
        raise failures.withheld(named, finished, blank=blank)
    if blank:
        raise failures.empty(named, finished)
    yield finished


def _stop(end: Chunk) -> Stop:
    """Why an answer ended. The model's own refusal is one unless it was cut off, or taken away by a filter."""
    stop = end.stop or Stop(StopReason.NOT_GIVEN)
    by_itself = stop.reason.standing in (Standing.WHOLE, Standing.UNSURE) or stop.word.lower() == "refusal"
    return Stop(StopReason.REFUSAL, stop.word) if end.refusal and by_itself else stop


async def _next(arriving: AsyncGenerator[Chunk, None], end: Chunk | None, read_seconds: float) -> Chunk | None:
    """The next piece; None after the last. An answer that has ended needs no more: then nothing after it is missed."""
    ended = end is not None and (end.done or end.stop is not None)
    seconds = _SILENCES * read_seconds
    if end is not None and ended:
        seconds = _CLOSING_SECONDS if end.done else _AFTERTHOUGHT_SECONDS
    try:
        async with asyncio.timeout(seconds):
            return await anext(arriving, None)
    except TimeoutError:
        if ended:
            return None
        raise httpx.ReadTimeout("the connection stayed open, but nothing was sent") from None
    except httpx.HTTPError:
        if ended:
            return None
        raise


async def _chunks(response: httpx.Response, wire: Wire, named: failures.Request) -> AsyncGenerator[Chunk, None]:
    """Each piece of the answer as read. What comes after the last is read too, since only a line that was read to its
    end can be used again."""
    done = False
    async with aclosing(_texts(response, named)) as texts:
        async for text, event in texts:
            if done:
                continue
            chunk = Chunk(done=True) if text == "[DONE]" else _chunk(response, text, event, wire, named)
            is_last = event is None
            done = chunk.done or is_last
            yield chunk if chunk.done == done else replace(chunk, done=done)


async def _texts(response: httpx.Response, named: failures.Request) -> AsyncGenerator[tuple[str, str | None], None]:
    """Each text that should be JSON, with the name of its event; None where it is all there is.

    The form of the body counts, and not its label. Without keys, so that no frame above holds one.
    """
    stream = keep_within(response, Bounds(received=_MOST_STREAMED, decoded=_MOST_STREAMED))
    beginning = await stream.beginning()
    if not _EVENT_FIELD.match(beginning):
        keep_within(response, Bounds(received=_MOST_JSON, decoded=_MOST_JSON))
        body = await response.aread()
        yield named.scrub(body.decode("utf-8", "replace")), None
        return
    response.headers["content-type"] = "text/event-stream"
    keep_within(response, Bounds(received=_MOST_STREAMED, decoded=_MOST_STREAMED, event=_MOST_JSON))
    async with aclosing(EventSource(response).aiter_sse()) as events:
        async for event in events:
            if event.data.strip():
                yield named.scrub(event.data).strip(), event.event
                beginning = b""
    if beginning.strip():  # no event at all
        yield named.scrub(beginning.decode("utf-8", "replace")), None


def _chunk(response: httpx.Response, text: str, event: str | None, wire: Wire, named: failures.Request) -> Chunk:
    try:
        data = read_json(text)
    except ValueError:
        data = None
    is_named = event is not None and event.lower().endswith("error")
    error = failures.error_in(text if data is None else data, is_named=is_named)
    chunk = wire.read(data) if error is None else Chunk(error=error)
    if chunk is None:
        message = failures.server_message(text[: failures.ERROR_BYTES].encode("utf-8", "replace"))
        raise named.failure(Failure.NONSENSE, "what came back is no chat answer", message, _WRONG_ADDRESS)
    if chunk.error is not None:
        raise failures.refusal_in(chunk.error, response.headers, named)
    return chunk


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


def _host_of(address: str) -> _Host | None:
    """None for what is no address; why, may hold a part of a password."""
    try:
        return _Host(parsed_url(address).netloc.decode("ascii", "replace"), is_loopback(address))
    except httpx.InvalidURL:
        return None


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
        self.recipient = recipient or recipient_of(address)
        """The host that receives the text, or `this machine`."""
        self._read_seconds = read_seconds
        self._host = host = _host_of(address)
        self._most = at_once or (LOOPBACK_AT_ONCE if host is not None and host.is_here else USUAL_AT_ONCE)
        self.place = f"{type(wire).__name__} {self.recipient} {place or without_password(address)}"
        """What tells this server from others, for what is known of it."""

    @property
    def at_once(self) -> int:
        """The current limit of parallel requests; it is lower after the server has pushed back."""
        return 1 if self._host is None else limits.allowed_now(self._host.name, self._most)

    def support(self, model: str) -> limits.ParameterSupport | None:
        """What is known of a model here; None if it never answered. May read a small file."""
        return limits.support_of(limits.model_key(self.place, model))

    def takes_temperature(self, model: str) -> bool:
        """Whether a model takes a temperature, as far as known."""
        known = self.support(model) or limits.TAKES_ALL
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
        named = failures.Request(request.model, self.recipient, self._access, self._start_hint)
        host = self._host
        if host is None:
            raise named.failure(Failure.UNREACHABLE, "that is no address", "", "Check the address.")
        limiter = limits.rate_limiter_of(host.name, self._most)
        silence = self._read_seconds or (LOOPBACK_READ_SECONDS if host.is_here else READ_SECONDS)
        key = limits.model_key(self.place, request.model)
        if not limits.is_loaded():
            await asyncio.to_thread(limits.support_of, key)
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


@dataclass(slots=True, eq=False)
class _Attempts:
    """The attempts of one request, until it is answered or has failed."""

    _wire: Wire
    _request: ChatRequest
    _named: failures.Request
    _access: Access
    _read_seconds: float
    _key: str
    _support: limits.ParameterSupport = limits.TAKES_ALL
    _refused_fields: frozenset[str] = frozenset()
    _adaptations: int = 0
    _attempts: int = 0
    _wait: float = 0.0
    is_resent: bool = False
    refusals: int = 0
    pause: float = 0.0
    done: bool = False
    failed: ProviderError | None = None

    def give_up(self) -> None:
        """Take back what parallel requests presume, if no answer came without the refused fields."""
        if self._refused_fields and not self.done:
            limits.presume(self._key, None)

    async def attempt(self, client: httpx.AsyncClient, place: limits.Place) -> AsyncGenerator[ChatEvent, None]:
        """The events of one request. Sets `done`, or the state for another attempt."""
        self._attempts += 1
        self.pause = 0.0
        self.is_resent = False
        answered = False
        written = self._written()
        is_streamed = "stream" not in self._wire.adaptable or written.body.get("stream") is True
        silence = self._read_seconds * (1 if is_streamed else _WHOLE_ANSWER)
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
                    raise await failures.read_refusal(response, self._named)
                async with aclosing(events_of(response, self._wire, self._named, silence)) as events:
                    async for event in events:
                        if not answered:
                            await self._remember()
                        answered = True
                        yield self._with_ignored(event, written)
            place.succeeded()
            self.done = True
        except failures.RefusedError as refusal:
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

    def go_on_or_fail(self, limiter: limits.RateLimiter) -> None:
        """Raise the failure if the server only pushes back; waiting requests to the same model fail with it."""
        if self.failed is not None and limiter.gives_up(self.refusals):
            if limiter.limit.exhausted:
                limiter.send_away(self._request.model, self._wait)
            raise self.failed

    def _refused(self, refusal: failures.RefusedError, place: limits.Place, written: Written) -> None:
        """Prepare another attempt if that may help. Otherwise raises `ProviderError` without its cause, which may hold
        what the server sent back, keys included."""
        failed = refusal.as_failure(self._named)
        if failed.failure in (Failure.RATE_LIMITED, Failure.SERVER) and refusal.status in _TOO_MANY:
            place.pushed_back(refusal.retry_after)
            self._wait = refusal.retry_after or 0.0
            if self._wait > limits.LONGEST_WAIT:
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

    def _adapts(self, refusal: failures.RefusedError, written: Written) -> bool:
        """Whether the request can be sent again without the refused fields; each field is tried once."""
        if refusal.status not in _REFUSES_FIELDS or self._adaptations == MOST_ADAPTATIONS:
            return False
        sent = {path.rpartition(".")[2]: path for path in self._wire.adaptable if _holds(written, path)}
        names = failures.refused_fields(refusal.body, sent.keys())
        refused = {sent[name] for name in names} - self._refused_fields
        if not refused or any(limits.OTHER_NAME.get(name) in self._refused_fields for name in refused):
            return False
        self._refused_fields |= refused
        self._adaptations += 1
        for name in refused | ({"stream_options"} if "stream" in refused else set[str]()):
            self._support = self._support.without(name)
        limits.presume(self._key, self._support)
        return True

    async def _remember(self) -> None:
        """Save what the server took, unless it only rests on refusals of parallel requests."""
        is_own = bool(self._refused_fields) or self._support == limits.TAKES_ALL
        if is_own and self._support != limits.support_of(self._key):
            await asyncio.to_thread(limits.remember, self._key, self._support)
            limits.presume(self._key, None)

    def _written(self) -> Written:
        # Parallel requests may have been refused fields while this one waited for its turn.
        self._support = self._support.joined(limits.presumed_of(self._key), self._refused_fields)
        written = self._wire.write(self._request)
        return replace(written, body=self._support.applied(written.body, self._wire.adaptable))

    def _with_ignored(self, event: ChatEvent, written: Written) -> ChatEvent:
        """`event`; the last one gets the settings of the request that the model was not sent."""
        if not isinstance(event, Finished):
            return event
        dropped = {self._wire.adaptable.get(path) for path in self._support.dropped}
        ignored = {knob for knob in dropped if knob in self._request.settings()} | written.unused
        return replace(event, ignored=tuple(knob for knob in Knob if knob in ignored))


def _holds(written: Written, path: str) -> bool:
    outer, dot, inner = path.partition(".")
    return outer in written.body and (not dot or inner in fields_of(written.body[outer]))

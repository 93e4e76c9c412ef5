"""What a server sends back: the events of an answer, streamed or whole, or a refusal."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from email.utils import parsedate_to_datetime
from time import time

import httpx
from httpx_sse import EventSource

from engine.blueprint.conversation import Standing, Stop, StopReason
from engine.models import failures
from engine.models.chat import ChatEvent, Failure, Finished, ProviderError, TextDelta, Usage
from engine.models.error_bodies import error_in, error_status, parsed, server_message
from engine.models.http import Bounds, beginning_of, keep_within, read_at_most
from engine.models.wire import Chunk, TextJoiner, Wire, with_joined_surrogates
from engine.text.json_text import read_json
from engine.text.record import replace

_ERROR_BYTES = 131_072
"""Some servers send the whole request back."""
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
_RETRY_DELAY = re.compile(r'"retryDelay":\s*"(\d+(?:\.\d+)?)s"')
_WRONG_ADDRESS = "Check the address: a chat server's mostly ends in /v1."


class RefusedError(Exception):
    """An answer that is no success, read as far as needed, or an error that came in its place within a stream."""

    def __init__(
        self,
        status: int,
        message: str,
        retry_after: float | None = None,
        location: str | None = None,
        *,
        body: str = "",
    ) -> None:
        """`message` is what it says to people, `body` all of it as far as it was read."""
        super().__init__(status)
        self.status = status
        self.message = message
        self.body = body
        self.retry_after = retry_after
        self.location = location

    def as_failure(self, named: failures.Request) -> ProviderError:
        """What it means, in words."""
        if self.location is not None:
            advice = f"Give that address instead, if you trust it: {_shown(self.location, named)}"
            return named.failure(Failure.UNREACHABLE, "it redirects to another host, which gets no keys", "", advice)
        return failures.from_status(named, self.status, self.message, self.retry_after)


def _shown(location: str, named: failures.Request) -> str:
    """Where a redirect leads, without what may repeat a key: a query, a password, and a path where the author's own
    address may have one in it."""
    try:
        address = httpx.URL(location)
    except httpx.InvalidURL:
        return "what it names is no address"
    if not address.host:
        return "another path of the same host"
    path = address.path if named.access.url is None else "/"
    return str(httpx.URL(scheme=address.scheme or "https", host=address.host, port=address.port, path=path))


async def read_refusal(response: httpx.Response, named: failures.Request) -> RefusedError:
    """What a response that is no success says."""
    location = response.headers.get("location", "") if response.is_redirect else None
    body = b"" if location is not None else await read_at_most(response, _ERROR_BYTES)
    waits = retry_after_of(response, body)
    text = body.decode("utf-8", "replace")
    status = error_status(parsed(text), response.status_code)
    return RefusedError(status, named.scrub(server_message(body)), waits, location, body=text)


def retry_after_of(response: httpx.Response, body: bytes) -> float | None:
    """Seconds that the server asks us to wait, given as such, as a date or in the error; None where it names none."""
    written = response.headers.get("retry-after", "")
    delay = _RETRY_DELAY.search(body.decode("utf-8", "replace"))
    try:
        if written.endswith("GMT"):
            seconds = parsedate_to_datetime(written).timestamp() - time()
        else:
            seconds = float(written or (delay[1] if delay else ""))
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


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
    keep_within(response, Bounds(received=_MOST_STREAMED, decoded=_MOST_STREAMED))
    beginning = await beginning_of(response)
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
    error = error_in(text if data is None else data, is_named=event is not None and event.lower().endswith("error"))
    chunk = wire.read(data) if error is None else Chunk(error=error)
    if chunk is None:
        message = server_message(text[:_ERROR_BYTES].encode("utf-8", "replace"))
        raise named.failure(Failure.NONSENSE, "what came back is no chat answer", message, _WRONG_ADDRESS)
    if chunk.error is not None:
        body = json.dumps(chunk.error)[:_ERROR_BYTES]
        waits = retry_after_of(response, body.encode())
        message = named.scrub(server_message(body.encode()))
        raise RefusedError(error_status(chunk.error), message, waits, body=body)
    return chunk

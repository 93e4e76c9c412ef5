"""The OpenAI-shaped chat wire format: `POST …/chat/completions`, streamed.

Spoken by OpenAI itself and, with small differences that are tolerated here, by most others: OpenRouter, Mistral,
Together, xAI, Ollama, llama.cpp, LM Studio, vLLM.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from time import time
from typing import Any

import httpx
from httpx_sse import EventSource

from engine.providers import failures
from engine.providers.chat import (
    ChatEvent,
    ChatRequest,
    Failure,
    Finished,
    ProviderError,
    StopReason,
    TextDelta,
    Usage,
)
from engine.providers.chunks import Chunk, TextJoiner, read_chunk
from engine.providers.http import READ_SECONDS, Bearer, is_loopback, read_at_most, shared_client, timeouts
from engine.providers.secret import Secret

_REASONING_FAMILIES = re.compile(r"(openai/)?(o[134]|gpt-5)(?![a-z0-9])")
_ERROR_BYTES = 16_384
_JSON_BYTES = 8_000_000
_LONGEST_ANSWER = 4_000_000
_MOST_TRIES = 3
_LONGEST_WAIT = 20.0

_refuse_counting: set[str] = set()
"""Addresses that refused `stream_options`: they are not asked for it again while the program runs."""


@dataclass(frozen=True, slots=True)
class _Refusal:
    """An answer that is no success, read as far as needed."""

    status: int
    message: str
    retry_after: float | None
    location: str | None


class _AgainError(Exception):
    """The same request is to be sent once more, after a pause in seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class OpenAIShaped:
    """One server that speaks this format. `base_url` ends before `/chat/completions`, mostly in `/v1`."""

    def __init__(
        self,
        base_url: str,
        *,
        key: Secret | None = None,
        key_variable: str | None = None,
        start_hint: str = "",
        recipient: str | None = None,
        read_seconds: float = READ_SECONDS,
    ) -> None:
        """`key_variable` and `start_hint` are only for the advice in errors; `read_seconds` bounds each silence."""
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._key = key
        self._key_variable = key_variable
        self._start_hint = start_hint
        self._recipient = recipient or recipient_of(base_url)
        self._read_seconds = read_seconds

    @property
    def recipient(self) -> str:
        """The host that receives the text, or `this machine`."""
        return self._recipient

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """The answer as it arrives, ended by one `Finished`. Raises `ProviderError`; closing the iterator cancels.

        A 429 is obeyed (twice, and up to 20 seconds each), a server's own failure tried once more; nothing is tried
        again once a part of the answer has come.
        """
        named = failures.Request(
            request.model, self._recipient, self._key, self._key_variable, start_hint=self._start_hint
        )
        try:
            client = await shared_client(direct=is_loopback(self._url))
        except httpx.InvalidURL as error:
            raise named.failure(Failure.UNREACHABLE, "that is no address", str(error), "Check the address.") from None
        for attempt in itertools.count(1):
            try:
                async with aclosing(self._attempt(client, request, named, attempt)) as events:
                    async for event in events:
                        yield event
                return
            except _AgainError as again:
                pause = again.seconds
            await asyncio.sleep(pause)

    async def _attempt(
        self, client: httpx.AsyncClient, request: ChatRequest, named: failures.Request, attempt: int
    ) -> AsyncGenerator[ChatEvent, None]:
        """The events of one request. Raises `_AgainError` where another attempt is worth while."""
        answered = False
        try:
            async with client.stream(
                "POST",
                self._url,
                content=json.dumps(self._body(request)).encode(),
                headers={"Content-Type": "application/json", "Accept": "text/event-stream, application/json"},
                auth=Bearer(self._key) if self._key else None,
                timeout=timeouts(self._read_seconds),
            ) as response:
                if response.is_success:
                    async with aclosing(_events(response, named)) as events:
                        async for event in events:
                            answered = True
                            yield event
                    return
                refusal = await _refusal(response, named)
        except httpx.RemoteProtocolError as error:
            # A connection kept open from before may have been closed by the server in the meantime.
            if not answered and attempt == 1:
                raise _AgainError(0.0) from None
            raise failures.from_transport(named, error, answered) from None
        except httpx.HTTPError as error:
            raise failures.from_transport(named, error, answered) from None
        raise self._consequence(refusal, named, attempt)

    def _consequence(self, refusal: _Refusal, named: failures.Request, attempt: int) -> ProviderError | _AgainError:
        """What follows from a refusal: another attempt where that may help, else the failure."""
        if refusal.location is not None:
            advice = f"Give that address instead, if you trust it: {refusal.location}"
            return named.failure(Failure.UNREACHABLE, "it sends us elsewhere, and keys do not follow", "", advice)
        failed = failures.from_status(named, refusal.status, refusal.message, refusal.retry_after)
        if refusal.status in (400, 422) and self._url not in _refuse_counting and "stream_options" in refusal.message:
            _refuse_counting.add(self._url)
            return _AgainError(0.0)
        if failed.failure is Failure.RATE_LIMITED and attempt < _MOST_TRIES:
            pause = float(attempt) if refusal.retry_after is None else refusal.retry_after
            if pause <= _LONGEST_WAIT:
                return _AgainError(pause)
        if refusal.status >= 500 and attempt == 1:
            return _AgainError(0.5)
        return failed

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": request.model,
            "messages": [{"role": turn.role.value, "content": turn.content} for turn in request.turns],
            "stream": True,
        }
        if _REASONING_FAMILIES.match(request.model):
            body["max_completion_tokens"] = request.max_tokens
        else:
            body["max_tokens"] = request.max_tokens
            if request.temperature is not None:
                body["temperature"] = request.temperature
        if self._url not in _refuse_counting:
            body["stream_options"] = {"include_usage": True}
        return body


def recipient_of(base_url: str) -> str:
    """How an address is named to the author: its host, or `this machine (host:port)` on loopback; never a password."""
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        return "an address that cannot be read"
    host = f"{url.host}:{url.port}" if url.port else url.host
    return f"this machine ({host})" if is_loopback(base_url) else host


async def _events(response: httpx.Response, named: failures.Request) -> AsyncGenerator[ChatEvent, None]:
    """The events of a successful response, streamed or whole."""
    joiner = TextJoiner(named.key)
    end = Chunk()
    chunks = 0
    length = 0
    blank = True
    async with aclosing(_chunks(response, named)) as arriving:
        async for chunk in arriving:
            chunks += 1
            end = end.followed_by(chunk)
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
    if not chunks:
        raise named.failure(Failure.NONSENSE, "what came back is no chat answer", "", _WRONG_ADDRESS)
    if not (end.done or end.stop_reason):
        raise failures.from_transport(named, httpx.ReadError("the stream ended before the answer did"), answered=True)
    if blank:
        raise _empty(named, end)
    model = named.scrub(end.model) if end.model else None
    yield Finished(end.stop_reason or StopReason.OTHER, end.usage or Usage(), model)


async def _chunks(response: httpx.Response, named: failures.Request) -> AsyncGenerator[Chunk, None]:
    """Each piece of the answer as read. Raises `ProviderError` for an error or for nonsense among them."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind.endswith("json") or kind == "text/html":
        body = await read_at_most(response, _JSON_BYTES)
        yield replace(_chunk(body.decode("utf-8", "replace"), named), done=True)
        return
    response.headers["content-type"] = "text/event-stream"
    async with aclosing(EventSource(response).aiter_sse()) as events:
        async for event in events:
            if event.data.strip() == "[DONE]":
                yield Chunk(done=True)
                return
            if event.data:
                yield _chunk(event.data, named)


def _chunk(text: str, named: failures.Request) -> Chunk:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    chunk = read_chunk(data)
    if chunk is None:
        said = failures.said(text[:_ERROR_BYTES].encode("utf-8", "replace"))
        raise named.failure(Failure.NONSENSE, "what came back is no chat answer", said, _WRONG_ADDRESS)
    if chunk.error is not None:
        said = failures.said(json.dumps(chunk.error)[:_ERROR_BYTES].encode())
        raise failures.from_status(named, chunk.error_status, said)
    return chunk


_WRONG_ADDRESS = "Check the address: a chat server's mostly ends in /v1."


def _empty(named: failures.Request, end: Chunk) -> ProviderError:
    match end.stop_reason:
        case StopReason.LENGTH:
            advice = "All its tokens went into thinking. Choose a model that thinks less."
        case StopReason.REFUSED:
            return named.failure(Failure.EMPTY, "the provider's filter withheld the answer", "", "Reword the prompt.")
        case _:
            advice = "Try again, or choose another model."
    return named.failure(Failure.EMPTY, "the answer is empty", "", advice)


async def _refusal(response: httpx.Response, named: failures.Request) -> _Refusal:
    """What a response that is no success says."""
    location = response.headers.get("location", "") if response.is_redirect else None
    body = b"" if location is not None else await read_at_most(response, _ERROR_BYTES)
    return _Refusal(response.status_code, named.scrub(failures.said(body)), _retry_after(response), location)


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds that the server asks us to wait, given as such or as a date; None where it names none."""
    written = response.headers.get("retry-after", "")
    try:
        seconds = float(written) if not written.endswith("GMT") else parsedate_to_datetime(written).timestamp() - time()
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None

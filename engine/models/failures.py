"""Failed requests as messages for authors: which request, the server's message, what to do.

A server's error may come in a body or an event of any shape: here are its words, its kind, and the fields it refuses.
The kind is an HTTP status, so that an error within a stream, whose own status was 200, is the failure that it is as a
refusal. The same words tell the kinds of all servers apart: OpenAI's and Anthropic's `type` and `code`, Google's
`status`, the names of exceptions of vLLM and others, and, where a server gives nothing else, its message.

Refused fields of a request (status 400 or 422) come in these shapes: OpenAI's `error.param` with
`unsupported_parameter` or `unsupported_value`; FastAPI's and Mistral's `detail[].loc` with a message that names no
field; the same list as a string within a string (vLLM, LiteLLM); OpenRouter's `error.metadata.raw`, which holds the
error of the server behind it; Google's `fieldViolations`; and plain sentences (Anthropic, xAI).
"""

from __future__ import annotations

import json
import re
import socket
import ssl
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import httpx

from engine.blueprint.conversation import StopReason
from engine.models.chat import MORE_TOKENS, WHAT_HAD_ARRIVED, Failure, Finished, ProviderError, Usage
from engine.models.http import NO_ACCESS, Access, BodyError, read_reply, retry_after_of
from engine.models.secret import Secret, environment_keys, scrub
from engine.models.wires import fields_of, items_of, status_of
from engine.text.record import read_json
from engine.text.spans import visible

_DETAIL_LENGTH = 400
_READ_FOR_PARTS = 4 * _DETAIL_LENGTH
"""Characters of a message that are searched for parts of keys."""
_TOO_LONG = re.compile(
    r"context.{0,12}(length|size|window)|maximum context|too many tokens|too long|exceeds the maximum number of tokens",
    re.I,
)
_NO_MODEL = re.compile(
    r"model.{0,80}(not found|does not exist|not exist|unknown|invalid)|(invalid|unknown) model", re.I
)
_NO_MONEY = re.compile(
    r"insufficient_quota|billing|credit balance|exceeded your current quota|available credits|spending limit", re.I
)
_FILTERED = re.compile(
    r"content_filter|content management policy|ResponsibleAIPolicy|requires moderation|input was flagged|"
    r"content filtering policy|data_inspection_failed",
    re.I,
)
_RESPONSES_ONLY = re.compile(r"v1/responses\b|responses api", re.I)
_NO_CHAT_MODEL = re.compile(r"not a chat model|not supported in the v1/chat/completions", re.I)
_BAD_KEY = re.compile(r"(incorrect|invalid) api.?key|api.?key (is )?(not valid|invalid)|API_KEY_INVALID", re.I)


@dataclass(frozen=True, slots=True)
class Request:
    """The facts that a failure's message names: the model, the recipient, its keys, and how to start a server."""

    model: str
    recipient: str
    access: Access = NO_ACCESS
    start_hint: str = ""
    environment: tuple[Secret, ...] = field(default_factory=environment_keys, repr=False)
    """The keys of the environment. Read once, as each word of an answer is searched for them."""

    def failure(
        self, failure: Failure, what: str, detail: str = "", advice: str = "", finished: Finished | None = None
    ) -> ProviderError:
        """A failure whose title names the request and `what` happened. Each text is one bounded line without keys."""
        place = "on" if self.recipient.startswith("this machine") else "at"
        title = f"{self.model} {place} {self.recipient}: {what}"
        return ProviderError(failure, self._clean(title), self._clean(detail), self._clean(advice), finished)

    def scrub(self, text: str) -> str:
        """`text` without the keys."""
        return scrub(text, self.keys)

    @property
    def keys(self) -> tuple[Secret, ...]:
        """What is masked in all that comes back: the keys of this request, then all of the environment."""
        return (*self.access.keys, *self.environment)

    def _clean(self, text: str) -> str:
        text = scrub(self.scrub(" ".join(text.split())), self.access.masked)[:_READ_FOR_PARTS]
        for key in self.keys:
            text = key.scrub_parts(text)
        text = visible(text)
        return text if len(text) <= _DETAIL_LENGTH else text[: _DETAIL_LENGTH - 1] + "…"


def from_status(request: Request, status: int, message: str, retry_after: float | None = None) -> ProviderError:
    """The failure for an HTTP status of 400 or more, or for the same code in an error within a stream."""
    match status:
        case _ if _FILTERED.search(message):
            return withheld(request, Finished(StopReason.WITHHELD, Usage()), blank=True, detail=message)
        case 401 | 403 if not request.access.given:
            return request.failure(Failure.MISSING_KEY, "it needs a key", message, request.access.without)
        case _ if _has_no_money(status, message, retry_after):
            advice = "Add credit to the account that the key belongs to, or choose another model."
            return request.failure(Failure.PAYMENT, "the account has no credit left", message, advice)
        case _ if status in (401, 403) or (status == 400 and _BAD_KEY.search(message)):
            return request.failure(Failure.UNAUTHORISED, "the key was refused", message, request.access.refused)
        case 400 | 404 if _RESPONSES_ONLY.search(message) and "not supported with the responses" not in message.lower():
            what = "it answers only OpenAI's Responses API, which is not supported here"
            advice = "Choose a model that answers chat completions, or another provider that offers this one so."
            return request.failure(Failure.NO_SUCH_MODEL, what, message, advice)
        case 400 | 404 if _NO_CHAT_MODEL.search(message):
            what = "it does not answer chat completions"
            advice = (
                "Choose a chat model. A model that only completes a text can be defined with `format: completions`."
            )
            return request.failure(Failure.NO_SUCH_MODEL, what, message, advice)
        case 429:
            advice = f"Try again {wait(retry_after or 60.0)}, or choose another model."
            return request.failure(Failure.RATE_LIMITED, "too many requests", message, advice)
        case 408 | 504:
            return request.failure(Failure.TIMED_OUT, f"no answer in time ({status})", message, "Try again.")
        case 503 | 529:
            advice = "It has too many requests at the moment. Try again later, or choose another model."
            return request.failure(Failure.SERVER, f"the server is overloaded ({status})", message, advice)
        case _ if status >= 500:
            advice = "The server itself failed. Try again later, or choose another model."
            return request.failure(Failure.SERVER, f"the server failed ({status})", message, advice)
        case _ if status == 413 or (status != 404 and _TOO_LONG.search(message)):
            advice = "Shorten the prompt, or choose a model that reads more at once."
            return request.failure(Failure.TOO_LONG, "the prompt is too long for this model", message, advice)
        case _ if status == 404 or _NO_MODEL.search(message):
            advice = "Check the model's name, and the address if you gave one."
            return request.failure(Failure.NO_SUCH_MODEL, "there is no such model", message, advice)
        case _:
            advice = "The server's message names what it did not accept."
            return request.failure(Failure.SERVER, f"the request was refused ({status})", message, advice)


def _has_no_money(status: int, message: str, retry_after: float | None) -> bool:
    """Whether the account has no credit. A quota that the server refills, and says when, is no such case."""
    is_refilled = status == 429 and retry_after is not None and "insufficient_quota" not in message
    return status == 402 or (status in (400, 403, 429) and bool(_NO_MONEY.search(message)) and not is_refilled)


def empty(request: Request, finished: Finished) -> ProviderError:
    """The failure for an empty answer."""
    match finished.stop_reason:
        case StopReason.LENGTH:
            what = "its token limit was reached before any text"
            advice = f"All its tokens went into thinking. Choose a model that thinks less. {MORE_TOKENS}"
        case StopReason.TOOL_CALL:
            what = "it called a tool and sent no text"
            advice = "Tools are not run here. Ask for the call in words, or choose another model."
        case _:
            what, advice = "the answer is empty", "Try again, or choose another model."
    word = "" if finished.stop_reason in (StopReason.STOP, StopReason.LENGTH) else finished.word
    return request.failure(Failure.EMPTY, what, word, advice, finished)


def withheld(request: Request, finished: Finished, *, blank: bool, detail: str = "") -> ProviderError:
    """The failure for an answer that a provider's filter withheld: the whole of it (`blank`), or after some text."""
    what = "the answer was withheld by the provider's safety filter"
    stays = "" if blank else f"{WHAT_HAD_ARRIVED} "
    advice = f"{stays}Reword the prompt, or choose another model."
    return request.failure(Failure.WITHHELD, what, detail or finished.word, advice, finished)


_UNCONNECTED = (
    (
        ssl.SSLCertVerificationError,
        "its certificate could not be trusted",
        "A wrong clock, a proxy that reads along, or a wrong address can cause this. Nothing was sent.",
    ),
    (
        ssl.SSLError,
        "no protected connection could be made",
        "Check the address: a server on this machine mostly wants http://, not https://. Nothing was sent.",
    ),
    (socket.gaierror, "its host name is unknown", "Check the address and your network."),
)
"""What keeps a connection from being made: the error below that of `httpx`, what happened, and what to do."""


def from_transport(request: Request, error: httpx.HTTPError, answered: bool = False) -> ProviderError:
    """The failure for a transport error. `answered` is whether part of the answer had arrived."""
    failed = _from_transport(request, error, answered)
    failed.was_sent = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
    return failed


def _from_transport(request: Request, error: httpx.HTTPError, answered: bool) -> ProviderError:
    causes = list(_causes(error))
    detail = str(error)
    if isinstance(error, BodyError):
        return request.failure(Failure.NONSENSE, detail, "", "Check the address, or choose another model.")
    if isinstance(error, httpx.TimeoutException):
        what = "the answer stopped coming" if answered else "no answer in time"
        if isinstance(error, httpx.ConnectTimeout):
            what = "no connection in time"
        return request.failure(Failure.TIMED_OUT, what, detail, "Try again, or choose another model.")
    if answered:
        advice = "The part that arrived is saved, but it is not the whole answer. Try again."
        return request.failure(Failure.UNREACHABLE, "the connection broke midway", detail, advice)
    for kind, what, advice in _UNCONNECTED:
        if any(isinstance(cause, kind) for cause in causes):
            return request.failure(Failure.UNREACHABLE, what, detail, advice)
    if isinstance(error, httpx.ConnectError):
        advice = request.start_hint or "Check the address and your network."
        return request.failure(Failure.UNREACHABLE, "nobody answers there", "", advice)
    advice = "Check your network, and try again."
    return request.failure(Failure.UNREACHABLE, "the connection broke", detail, advice)


def wait(seconds: float) -> str:
    """A wait in words: `in 30 seconds`, `in 5 minutes`, `in 3 days`; `later` for more than a year."""
    return f"in {time_in_words(seconds)}" if seconds < _YEAR else "later"


def time_in_words(seconds: float) -> str:
    """A time in the unit of which it has at least two, in days if it is over one."""
    unit, size = next((unit, size) for unit, size, least in _UNITS if seconds >= least)
    return f"{seconds / size:.3g} {unit}" if size == 1 else f"{max(2, seconds / size):.0f} {unit}"


_YEAR = 366 * 86_400
_UNITS = (("days", 86_400, 86_401), ("hours", 3600, 7200), ("minutes", 60, 120), ("seconds", 1, 0))
"""Each unit, its seconds, and from how many on it is used."""


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and all its causes."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


_DEEPEST = 12
_LONGEST_TEXT = 20_000
_REFUSING = re.compile(
    r"unsupported|not\s+(?:\w+\s+)?support|n't\s+support|no longer|deprecated|not\s+permitted|not\s+allowed"
    r"|not\s+enabled|not\s+available|not\s+accept|n't\s+accept|un(?:known|recogni[sz]ed|expected)"
    r"|not\s+recogni[sz]ed|forbidden|\bextra\b|cannot\s+(?:both\s+)?be\s+(?:both\s+)?(?:used|set|specified)|cannot\s+find\s+field"
    r"|invalid\s+(?:parameter|argument|field)|only\s+(?:the\s+default|be\s+set|\S+\s+is\s+(?:allowed|supported))"
    r"|must\s+be\s+(?:verified|unset|omitted)",
    re.I,
)
_OUT_OF_RANGE = re.compile(
    r"between|too\s+(?:large|high|big|small|low|long|short)|at\s+(?:most|least)|(?:less|greater|more|fewer)\s+than"
    r"|range|maximum|minimum|exceed",
    re.I,
)
"""Complaints about the value of a field that the server takes."""
_WORD = re.compile(r"[A-Za-z_][\w.]*")
_CLAUSE_END = re.compile(r"[.;!?]\s+|\n(?!\s)")
_LOCATION = re.compile(r"""['"]loc['"]\s*:\s*[\[(]([^\])]{0,400})[\])]""")
_QUOTED = re.compile(r"""['"]([^'"]{1,60})['"]""")
_AFTER_LOCATION = 300
_NAMED_AS_SUCH = (
    r"""[`'"]{0}[`'"]|(?:parameters?|arguments?|fields?|keys?|inputs?|names?|options?):?\s+{0}\b|:\s*{0}\b"""
)


def refused_fields(body: str, sent: Collection[str]) -> frozenset[str]:
    """The names among `sent` that the server does not take. A value out of range does not count.

    `body` is untrusted and may be cut off. Names match in either spelling: `presencePenalty`, `presence_penalty`.
    """
    names = {_plain(name): name for name in sent}
    found = {name for fields, words in _complaints(body) for name in _named(fields, words, names)}
    return frozenset(found)


def parsed(text: str) -> Any:
    """The JSON object or list in a string, alone or after a few words; None without one."""
    for start in (0, min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=0)):
        try:
            data = read_json(text[start:])
        except ValueError:
            continue
        if isinstance(data, dict | list):
            return cast("Any", data)
    return None


def _complaints(body: Any, depth: int = 0) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each complaint in a body: the fields that it names in their own keys, and its text."""
    body = (parsed(body) or body) if isinstance(body, str) else body
    if isinstance(body, str):
        yield from _in_text(body[:_LONGEST_TEXT])
    elif depth <= _DEEPEST:
        fields = fields_of(body)
        if places := _places(fields):
            yield places, " ".join(value for value in fields.values() if isinstance(value, str))
        for each in fields.values() if fields else items_of(body):
            yield from _complaints(each, depth + 1)


def _places(fields: dict[str, Any]) -> tuple[str, ...]:
    """The names under `param`, `loc` or `field`, with paths split into their parts."""
    location = fields.get("loc")
    found = (
        [part for part in cast("list[Any]", location) if isinstance(part, str)] if isinstance(location, list) else []
    )
    for key in ("param", "parameter", "field"):
        if isinstance(place := fields.get(key), str):
            found += _WORD.findall(place.replace(".", " "))
    return tuple(found)


def _in_text(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    for place in _LOCATION.finditer(text):
        yield tuple(_QUOTED.findall(place[1])), text[place.end() : place.end() + _AFTER_LOCATION]
    for clause in _CLAUSE_END.split(text):
        yield (), clause


def _named(fields: tuple[str, ...], words: str, names: dict[str, str]) -> Iterator[str]:
    """The values of `names` (by plain spelling) that one complaint is about."""
    if not _REFUSING.search(words) or _OUT_OF_RANGE.search(words):
        return
    if placed := [names[plain] for plain in map(_plain, fields) if plain in names]:
        yield from placed
        return
    for word in set(_WORD.findall(words)):
        bare = word.rstrip(".").rpartition(".")[2]
        if (name := names.get(_plain(bare))) is not None and (_is_no_word(name) or _is_named_as_such(bare, words)):
            yield name


def _is_no_word(name: str) -> bool:
    """Whether a name cannot be an ordinary word of a sentence, as `stop` and `stream` can."""
    return "_" in name or name.lower() != name or name == "temperature"


def _is_named_as_such(word: str, words: str) -> bool:
    return re.search(_NAMED_AS_SUCH.format(re.escape(word)), words) is not None


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


_MOST_MESSAGES = 10
_QUOTA, _TOO_MANY, _FAILED, _REFUSED = 402, 429, 500, 400
_KINDS = tuple(
    (status, re.compile(words))
    for status, words in {
        _QUOTA: r"insufficient ?(quota|credit|funds|balance)|billing|payment ?required",
        401: r"authentication|unauthenticated|unauthori[sz]ed|(invalid|incorrect) ?api ?key",
        403: r"permission|forbidden",
        404: r"^(\w+ )?not ?found( ?error)?$|model\b.{0,80}(not ?found|not ?exist)|(unknown|no such) ?model",
        413: r"too ?large|too ?long|context ?(length|window)",
        _TOO_MANY: r"rate ?limit|too ?many ?requests|resource ?exhausted|quota|throttl",
        504: r"time ?out|timed ?out|deadline ?exceeded",
        503: r"overload|unavailable|capacity|\bbusy\b",
        _REFUSED: r"invalid ?(request|argument|parameter)|bad ?request|validation|unprocessable",
        _FAILED: r"internal|server ?error|api ?error",
    }.items()
)


def error_in(data: Any, *, is_named: bool = False) -> Any:
    """The error that came in an answer's place, None without one. `is_named`: the event of a stream is called one."""
    if isinstance(data, list):
        return next((error for each in cast("list[Any]", data) if (error := error_in(each)) is not None), None)
    fields = fields_of(data)
    if fields.get("errors"):
        return error_in(fields["errors"])
    says_so = bool(fields.get("error")) or "error" in (fields.get("type"), fields.get("object"))
    is_bare = isinstance(fields.get("message"), str) and any(map(_kind, _words(fields)))
    return data if is_named or says_so or is_bare or "detail" in fields else None


def error_status(error: Any, status: int | None = None) -> int:
    """The HTTP status for the kind of an error. `status` is that of its response if it refuses: 429 and 500 are told
    apart further, others say enough."""
    words = [kind for word in _words(error) if (kind := _kind(word)) is not None]
    if status is not None:
        precise = [kind for kind in words if kind not in (_REFUSED, _FAILED)]
        is_precise = status == _FAILED or (status == _TOO_MANY and _QUOTA in precise)
        return precise[0] if is_precise and precise else status
    if not set(words) - {_FAILED}:
        words += filter(None, [_kind(_message(error))])
    if isinstance(fields_of(error).get("detail"), list):
        words.append(422)
    return next((kind for kind in words if kind not in (_REFUSED, _FAILED)), next(iter(words), _FAILED))


def _words(error: Any, depth: int = 0) -> Iterator[str | int]:
    """What an error says of its kind, the inner one first."""
    fields = fields_of(error)
    if depth < _DEEPEST and isinstance(fields.get("error"), dict):
        yield from _words(fields["error"], depth + 1)
    for key in ("code", "type", "status", "status_code"):
        if isinstance(word := fields.get(key), str | int):
            yield int(word) if isinstance(word, str) and word.isdecimal() and len(word) == 3 else word


def _kind(word: str | int) -> int | None:
    """The status of a word or message for a kind of error, None if it is for none."""
    if not isinstance(word, str):
        return status_of(word)
    plain = re.sub(r"[\W_]+", " ", word[:2000]).strip().lower()
    return next((status for status, words in _KINDS if words.search(plain)), None)


def server_message(body: bytes) -> str:
    """The message in an error's body of any shape, as plain text."""
    text = body.decode("utf-8", "replace")
    try:
        return _message(read_json(text)) or text
    except ValueError:
        if (inner := parsed(text)) is not None and (found := _message(inner)):
            return found
        return re.sub(r"<(script|style)\b.*?</\1>|<[^>]{0,2000}>", " ", text, flags=re.S | re.I)


def _message(data: Any, depth: int = 0) -> str:
    """The text under the keys that servers use for messages, with the field that it is about; "" without one.

    A string of JSON, as when a gateway forwards the message of the server behind it, is read in the same way.
    """
    if depth > _DEEPEST:
        return ""
    match data:
        case str():
            inner = parsed(data) if data.lstrip().startswith(("{", "[")) else None
            return (_message(inner, depth + 1) if inner is not None else "") or data
        case dict():
            return _message_in(cast("dict[str, Any]", data), depth)
        case list():
            found = (_message(item, depth + 1) for item in cast("list[Any]", data)[:_MOST_MESSAGES])
            return "; ".join(dict.fromkeys(filter(None, found)))
        case _:
            return ""


def _message_in(fields: dict[str, Any], depth: int) -> str:
    keys = ("error", "message", "detail", "msg")
    found = next((text for key in keys if (text := _message(fields.get(key), depth + 1))), "")
    metadata = fields.get("metadata")
    if isinstance(metadata, dict) and (behind := _message(cast("dict[str, Any]", metadata).get("raw"), depth + 1)):
        found = f"{found}: {behind}" if found else behind
    code = fields.get("code")
    whole = f"{found} ({code})" if found and isinstance(code, str) else found
    return f"{place}: {whole}" if whole and (place := _place(fields.get("loc"))) else whole


def _place(location: Any) -> str:
    """The wrong field of a request, from FastAPI's `loc`: `stream_options` for `["body", "stream_options"]`."""
    parts = cast("list[Any]", location) if isinstance(location, list) else []
    return ".".join(str(part) for part in parts if isinstance(part, str | int) and part != "body")


ERROR_BYTES = 131_072
"""Some servers send the whole request back."""


class RefusedError(Exception):
    """An answer that is no success, read as far as needed, or an error that came in its place within a stream.

    `message` is what it says to people, `body` all of it as far as it was read, which may have keys in it.
    """

    def __init__(
        self, status: int, message: str, body: str, retry_after: float | None, location: str | None = None
    ) -> None:
        super().__init__(status)  # and nothing else, as tracebacks show it
        self.status = status
        self.message = message
        self.body = body
        self.retry_after = retry_after
        self.location = location

    def as_failure(self, named: Request) -> ProviderError:
        """What it means, in words."""
        if self.location is not None:
            advice = f"Give that address instead, if you trust it: {_shown(self.location, named)}"
            return named.failure(Failure.UNREACHABLE, "it redirects to another host, which gets no keys", "", advice)
        return from_status(named, self.status, self.message, self.retry_after)


def _shown(location: str, named: Request) -> str:
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


async def read_refusal(response: httpx.Response, named: Request) -> RefusedError:
    """What a response that is no success says."""
    reply = await read_reply(response, ERROR_BYTES)
    text = reply.body.decode("utf-8", "replace")
    status = error_status(parsed(text), reply.status)
    return RefusedError(status, named.scrub(server_message(reply.body)), text, reply.retry_after, reply.location)


def refusal_in(error: Any, headers: httpx.Headers, named: Request) -> RefusedError:
    """What an error says that came within a stream, whose own status was a success."""
    body = json.dumps(error)[:ERROR_BYTES]
    message, waits = server_message(body.encode()), retry_after_of(headers, body.encode())
    return RefusedError(error_status(error), named.scrub(message), body, waits)

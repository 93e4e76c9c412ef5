"""Errors of servers in a body or an event of any shape: whether there is one, its words, and its kind.

The kind is an HTTP status, so that an error within a stream, whose own status was 200, is the failure that it is as a
refusal. The same words tell the kinds of all servers apart: OpenAI's and Anthropic's `type` and `code`, Google's
`status`, the names of exceptions of vLLM and others, and, where a server gives nothing else, its message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from engine.json_text import read_json
from engine.providers.chunks import fields_of, status_of
from engine.providers.refused_fields import parsed

_MOST_MESSAGES = 10
_DEEPEST = 12
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

"""A server on loopback that sends back all that it is sent, keys included, in many forms and places."""

from __future__ import annotations

import base64
import html
import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote, unquote

from tests.raw_server import serving

_LONGEST_POINT = 400


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: its path, its headers as they came, and whether a judge is asked, or a service."""

    path: str
    headers: str
    body: str
    chance: random.Random

    @property
    def told(self) -> str:
        """All that may be secret, in many forms."""
        plain = f"{self.path}\n{unquote(self.path)}\n{self.headers}\n{_basic(self.headers)}"
        return "\n".join(
            (
                plain,
                quote(plain, safe=""),
                html.escape(plain),
                json.dumps(json.dumps(plain)),
                repr(plain.encode()),
                base64.b64encode(plain.encode()).decode(),
                base64.urlsafe_b64encode(f"x{plain}".encode()).decode(),
                plain.encode().hex(),
                plain[::-1],
            )
        )

    @property
    def in_part(self) -> str:
        """Keys as providers quote them: the beginning and the end, or half of it."""
        words = [word for line in f"{self.headers}\n{unquote(self.path)}".splitlines() for word in line.split()]
        long = [word for word in words if len(word) > 30]
        return " ".join(f"{word[:24]}****{word[-12:]} {word[: len(word) // 2]}" for word in long)


def _basic(headers: str) -> str:
    """The name and password of Basic authentication."""
    encoded = [line.rpartition(" ")[2] for line in headers.splitlines() if " Basic " in line]
    return "\n".join(base64.b64decode(each).decode("utf-8", "replace") for each in encoded)


def _response(status: str, body: str | bytes, kind: str = "application/json", *more: str) -> bytes:
    content = body.encode() if isinstance(body, str) else body
    head = (
        f"HTTP/1.1 {status}",
        f"Content-Type: {kind}",
        f"Content-Length: {len(content)}",
        "Connection: close",
        *more,
    )
    return "\r\n".join((*head, "", "")).encode("latin-1", "replace") + content


def _line(text: str) -> str:
    return " ".join(text.split())


def _error(status: str, asked: Asked) -> bytes:
    message = f"Incorrect API key provided: {asked.in_part}. Sent: {asked.told}"
    return _response(status, json.dumps({"error": {"message": message, "code": asked.in_part}}))


def _streamed(asked: Asked, text: str, *, reason: str = "stop", facts: str = "") -> bytes:
    """Server-sent events in the format of the path, with the text in pieces of chance."""
    events: list[str] = []
    start = 0
    while start < len(text):
        end = start + asked.chance.randrange(1, 60)
        events.append(_event(asked, text[start:end]))
        start = end
    return _response("200 OK", "".join((*events, _ending(asked, reason, facts))), "text/event-stream")


def _event(asked: Asked, piece: str) -> str:
    if asked.path.startswith("/v1/messages"):
        return _data({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
    if "streamGenerateContent" in asked.path:
        return _data({"candidates": [{"content": {"role": "model", "parts": [{"text": piece}]}}]})
    return _data({"choices": [{"delta": {"content": piece}}]})


def _ending(asked: Asked, reason: str, facts: str) -> str:
    if asked.path.startswith("/v1/messages"):
        return _data({"type": "message_delta", "delta": {"stop_reason": facts or "end_turn"}, "usage": {}}) + _data(
            {"type": "message_stop"}
        )
    if "streamGenerateContent" in asked.path:
        return _data({"candidates": [{"finishReason": facts or "STOP"}], "modelVersion": facts or "g"})
    told = {"id": facts, "model": facts, "system_fingerprint": facts} if facts else {}
    return _data({**told, "choices": [{"delta": {}, "finish_reason": facts or reason}]}) + "data: [DONE]\n\n"


def _data(fields: object) -> str:
    return f"data: {json.dumps(fields)}\n\n"


def _answer(asked: Asked, text: str) -> bytes:
    if asked.path.startswith("/score"):
        return _response("200 OK", json.dumps({"score": 0.5, "explain": text}))
    if "<points>" in asked.body:  # criteria are to be drafted, each short enough to be one
        text = "".join(f"<point>{line}</point>\n" for line in text.splitlines() if 0 < len(line) < _LONGEST_POINT)
    if "examiner" in asked.body:
        text = f"<reflection>{text}</reflection>\n<classification>CLASS_FULLY_PRESENT</classification>"
    return _streamed(asked, text)


MODES: dict[str, Callable[[Asked], bytes]] = {
    "an answer": lambda asked: _answer(asked, f"You sent:\n{asked.told}"),
    "an answer in one piece": lambda asked: _response(
        "200 OK",
        json.dumps({"score": asked.told, "choices": [{"message": {"content": asked.told}, "finish_reason": "stop"}]}),
    ),
    "facts of an answer": lambda asked: _streamed(asked, "Fine.", facts=_line(asked.told)[:3000]),
    "an answer cut off": lambda asked: _streamed(asked, f"You sent {asked.headers[:-20]}", reason="length"),
    "401": lambda asked: _error("401 Unauthorized", asked),
    "400": lambda asked: _error("400 Bad Request", asked),
    "403 as text": lambda asked: _response("403 Forbidden", f"{asked.in_part}\n{asked.told}", "text/plain"),
    "404 as a page": lambda asked: _response("404 Not Found", f"<p>{html.escape(asked.told)}</p>", "text/html"),
    "422": lambda asked: _response(
        "422 Unprocessable", json.dumps({"detail": [{"loc": [asked.told], "msg": asked.told}]})
    ),
    "429": lambda asked: _response("429 Too Many", asked.told, "text/plain", "Retry-After: 3600"),
    "500": lambda asked: _error("500 Failed", asked),
    "an error in a stream": lambda asked: _response(
        "200 OK", _data({"error": {"message": asked.told, "code": 401}}), "text/event-stream"
    ),
    "no answer": lambda asked: _response("200 OK", f"{asked.in_part} {asked.told}", "text/html"),
    "a broken answer": lambda asked: _streamed(asked, asked.told)[:-400],
    "a redirect": lambda asked: _response(
        "302 Found",
        "",
        "text/plain",
        f"Location: https://me:{_word(asked)}@other.invalid/{_word(asked)}?k={_word(asked)}",
    ),
    "a redirect to nonsense": lambda asked: _response(
        "307 There", "", "text/plain", f"Location: http://[{_word(asked)}"
    ),
    "a status line": lambda asked: f"HTTP/1.1 {_line(asked.told)[:500]}\r\n\r\n".encode("latin-1", "replace"),
    "a header": lambda asked: f"HTTP/1.1 200 OK\r\n{_line(asked.told)[:500]}\r\n\r\n".encode("latin-1", "replace"),
    "a length": lambda asked: f"HTTP/1.1 200 OK\r\nContent-Length: {_word(asked)}\r\n\r\n".encode(),
    "an encoding": lambda asked: _response("200 OK", asked.told, "text/plain", "Content-Encoding: gzip"),
}
"""How the server answers."""


def _word(asked: Asked) -> str:
    """A key that was sent, fit for an address."""
    words = [word for line in asked.headers.splitlines() for word in line.split() if len(word) > 30]
    return quote(asked.chance.choice(words), safe="+=&") if words else "none"


@contextmanager
def running(reply: Callable[[Asked], bytes], chance: random.Random) -> Iterator[str]:
    """The host and port of a server that sends these bytes, of HTTP too, and closes the connection."""
    with serving(lambda path, headers, body: [reply(Asked(path, headers, body, chance))]) as host:
        yield host

"""What a judge says beside its class: its reflection, told apart from the verdict and from what it thinks aloud."""

from __future__ import annotations

import html
import json
import re

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?(?:</\1>|\Z)|\A[^<]*</think>", re.I | re.S)
_CHANNEL = "<|message|>"
"""What some models write before their answer, after what they thought."""
_OPEN = re.compile(r"<\s*reflection\b[^<>]{0,80}>", re.I)
_CLOSE = re.compile(r"<\s*/\s*reflection[^<>]{0,20}>?", re.I)
_NEXT_TAG = re.compile(r"<\s*(?:classification|coverage_extent)", re.I)
_QUOTED_REFLECTION = re.compile(r"[\"']reflection[\"']\s*:\s*(\"(?:[^\"\\]|\\.)*\")", re.I | re.S)
_DRESS = " \t\n*_`\"'#{}<>/"


def without_thoughts(reply: str) -> str:
    """The reply without what was thought aloud, and with its tags as tags."""
    text = _THOUGHT.sub(" ", reply).rpartition(_CHANNEL)[2]
    return html.unescape(text) if "<" not in text and "&lt;" in text else text


def apart(text: str) -> tuple[str, str]:
    """What stands outside of reflections, and the last reflection; one left open ends where the class begins."""
    outside: list[str] = []
    reflection = ""
    place = 0
    while (opened := _OPEN.search(text, place)) is not None:
        closed = _CLOSE.search(text, opened.end())
        following = _NEXT_TAG.search(text, opened.end()) if closed is None else None
        outside.append(text[place : opened.start()])
        end = closed or following
        reflection = text[opened.end() : end.start() if end else len(text)].strip()
        place = closed.end() if closed else following.start() if following else opened.end()
        if closed is None:
            break
    rest = "".join([*outside, text[place:]])
    quoted = _QUOTED_REFLECTION.search(rest)
    if quoted is None:
        return rest, reflection
    return _QUOTED_REFLECTION.sub(" ", rest), reflection or _unquoted(quoted[1])


def _unquoted(written: str) -> str:
    try:
        return str(json.loads(written, strict=False)).strip()
    except ValueError:
        return written.strip('"')


def around(text: str, value: str) -> str:
    """What a judge said before its class, or after it, where it gave no reflection by name."""
    place = text.rfind(value) if value else -1
    if place < 0:
        return ""
    head, end = text[: max(place - 120, 0)], text[max(place - 120, 0) : place]
    end = re.sub(r"<\s*\w[^<>]*>?\s*$|[{\[]?[\"'*_`#\s]*\b[\w ]{0,24}\b[\"'*_`]*\s*[:=][\"'*_`\s]*$", "", end)
    before = (head + end).strip(_DRESS)
    said = before or re.sub(r"^\s*<\s*/[^<>]*>", "", text[place + len(value) :]).strip(_DRESS)
    said = re.sub(r"\A(reflection|reasoning|reason|explanation)\W+", "", said, flags=re.I)
    return said if len(said.split()) > 5 or re.search(r"[.!?。]\W*\Z", said) else ""

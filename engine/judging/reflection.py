"""Finding the reflection of a judge: the part of its reply that explains the class."""

from __future__ import annotations

import json
import re

_OPEN = re.compile(r"<\s*reflection\b[^<>]{0,80}>", re.I)
_CLOSE = re.compile(r"<\s*/\s*reflection[^<>]{0,20}>?", re.I)
_NEXT_TAG = re.compile(r"<\s*(?:classification|coverage_extent)", re.I)
_QUOTED_REFLECTION = re.compile(r"[\"']reflection[\"']\s*:\s*(\"(?:[^\"\\]|\\.)*\")", re.I | re.S)
_LABEL = re.compile(r"^[\s>*_#`-]{0,20}reflection[*_`\s]{0,20}:", re.I | re.M)
_CLASS_LABEL = re.compile(
    r"^[\s>*_#`-]{0,20}(?:classification|class|verdict|coverage[_ ]extent)[*_`\s]{0,20}:", re.I | re.M
)
_DRESS = " \t\n*_`\"'#{}<>/"


def split_reflection(text: str) -> tuple[str, str]:
    """The text outside reflections, and the last reflection; without an end tag, it ends where the class begins."""
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
    if not outside and (labelled := _labelled(rest)) is not None:
        return labelled
    quoted = _QUOTED_REFLECTION.search(rest)
    if quoted is None:
        return rest, reflection
    return _QUOTED_REFLECTION.sub(" ", rest), reflection or _unquoted(quoted[1])


def _labelled(text: str) -> tuple[str, str] | None:
    """The same for `Reflection: …` and `Classification: …`, in either order; None where one is missing."""
    label, class_label = _LABEL.search(text), _CLASS_LABEL.search(text)
    if label is None or class_label is None:
        return None
    behind = _CLASS_LABEL.search(text, label.end())
    end = len(text) if behind is None else behind.start()
    return text[: label.start()] + text[end:], text[label.end() : end].strip(_DRESS)


def _unquoted(written: str) -> str:
    try:
        return str(json.loads(written, strict=False)).strip()
    except ValueError:
        return written.strip('"')


def surrounding_text(text: str, value: str) -> str:
    """The text before a judge's class, or after it, as the reflection of a reply that names none."""
    place = text.rfind(value) if value else -1
    if place < 0:
        return ""
    head, end = text[: max(place - 120, 0)], text[max(place - 120, 0) : place]
    end = re.sub(r"<\s*\w[^<>]*>?\s*$|[{\[]?[\"'*_`#\s]*\b[\w ]{0,24}\b[\"'*_`]*\s*[:=][\"'*_`\s]*$", "", end)
    before = (head + end).strip(_DRESS)
    reason = before or re.sub(r"^\s*<\s*/[^<>]*>", "", text[place + len(value) :]).strip(_DRESS)
    reason = re.sub(r"\A(reflection|reasoning|reason|explanation)\W+", "", reason, flags=re.I)
    return reason if len(reason.split()) > 5 or re.search(r"[.!?。]\W*\Z", reason) else ""

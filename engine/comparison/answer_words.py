"""The difference of two answers by words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from enum import StrEnum

from engine.record import Record

_MANY_WORDS = 4000
"""In answers of more words together, frequent words are no places where the two are taken to agree: that would take
time that grows with the square of their number."""
_WORDS = re.compile(r"\w+(?:['’.\-]\w+)*|\s+|[^\w\s]")


class Edit(StrEnum):
    """What happened to a piece of text."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


class WordEdit(Record):
    """A piece of the old answer, of the new one, or of both."""

    edit: Edit
    text: str


def word_difference(old: str, new: str) -> tuple[WordEdit, ...]:
    """The pieces of both answers in order. Those of the old, and of the new answer, give its text back exactly."""
    one, other = _WORDS.findall(old), _WORDS.findall(new)
    matcher = SequenceMatcher(None, one, other, autojunk=len(one) + len(other) > _MANY_WORDS)
    return tuple(_merged(_edits(matcher, one, other)))


def changed_words(edits: tuple[WordEdit, ...]) -> tuple[int, int]:
    """How many words were removed, and how many were added."""
    removed = sum(_count(each.text) for each in edits if each.edit is Edit.REMOVED)
    return removed, sum(_count(each.text) for each in edits if each.edit is Edit.ADDED)


def _count(text: str) -> int:
    return len(text.split())


def _edits(matcher: SequenceMatcher[str], old: list[str], new: list[str]) -> Iterator[WordEdit]:
    for _, start, end, new_start, new_end in matcher.get_opcodes():
        removed, added = "".join(old[start:end]), "".join(new[new_start:new_end])
        if removed == added:
            yield WordEdit(Edit.SAME, removed)
        else:
            yield WordEdit(Edit.REMOVED, removed)
            yield WordEdit(Edit.ADDED, added)


def _merged(edits: Iterator[WordEdit]) -> Iterator[WordEdit]:
    """The edits without empty ones. A blank alone between two changes is part of both, so that changes read as one."""
    waiting: dict[Edit, str] = {Edit.REMOVED: "", Edit.ADDED: ""}
    pieces = [each for each in edits if each.text]
    for at, piece in enumerate(pieces):
        is_between = 0 < at < len(pieces) - 1 and any(waiting.values())
        if piece.edit is Edit.SAME and piece.text.isspace() and "\n" not in piece.text and is_between:
            waiting = {edit: text + piece.text for edit, text in waiting.items()}
        elif piece.edit is Edit.SAME:
            yield from (WordEdit(edit, text) for edit, text in waiting.items() if text)
            waiting = dict.fromkeys(waiting, "")
            yield piece
        else:
            waiting[piece.edit] += piece.text
    yield from (WordEdit(edit, text) for edit, text in waiting.items() if text)

"""Chunks of streamed answers, independent of the wire format, and the joining of their text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from engine.providers.chat import Stop, Usage, worst
from engine.providers.secret import Secret, cut_off, scrub, scrub_piece
from engine.record import Record, replace

_LARGEST_COUNT = 10**12
"""More tokens than any answer has. The database and sums of costs can take no number of any size."""


class Chunk(Record):
    """One chunk: its text, and its facts about the whole answer.

    `refusal` is whether its text is the model's own refusal, from a field of its own. `error` is what the server sent
    instead of a stop reason.
    """

    text: str = ""
    stop: Stop | None = None
    usage: Usage | None = None
    model: str | None = None
    done: bool = False
    refusal: bool = False
    error: Any = None

    def followed_by(self, later: Chunk) -> Chunk:
        """Both combined: facts of the later one win, except for the worse stop. `TextJoiner` joins the text."""
        return replace(
            self,
            stop=worst((later.stop, self.stop)),
            usage=self.usage.followed_by(later.usage) if self.usage and later.usage else later.usage or self.usage,
            model=later.model or self.model,
            done=later.done or self.done,
            refusal=later.refusal or self.refusal,
        )


class TextJoiner:
    """Joins characters that were split between chunks, and masks keys that a server sends back.

    JSON may have one half of a character beyond U+FFFF (a surrogate) at the end of a chunk and the other half at the
    start of the next. A half without its other half becomes U+FFFD, since it could be neither saved nor shown.
    """

    def __init__(self, keys: Sequence[Secret] = ()) -> None:
        self._keys = keys
        self._held = ""

    def feed(self, text: str) -> str:
        """The text that is complete so far."""
        text = self._held + text
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = scrub(text[:-1], self._keys), text[-1]
        else:
            text, self._held = scrub_piece(text, self._keys)
        return with_joined_surrogates(text)

    def flush(self) -> str:
        """The text that is still held at the end of the answer."""
        return with_joined_surrogates(cut_off(self._held, self._keys))


def with_joined_surrogates(text: str) -> str:
    """`text` with both halves of a character joined, and U+FFFD for a half without its other."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def fields_of(data: Any) -> dict[str, Any]:
    """`data` if it is an object, else an empty one."""
    return cast("dict[str, Any]", data) if isinstance(data, dict) else {}


def items_of(data: Any) -> list[Any]:
    """`data` if it is a list, else an empty one."""
    return cast("list[Any]", data) if isinstance(data, list) else []


def text_of(data: Any) -> str:
    """`data` if it is a string, else an empty one."""
    return data if isinstance(data, str) else ""


def count_of(data: Any) -> int | None:
    """`data` if it can be a count, else None."""
    return data if isinstance(data, int) and not isinstance(data, bool) and 0 <= data <= _LARGEST_COUNT else None


def status_of(data: Any) -> int | None:
    """`data` if it is the HTTP status of a failure, else None."""
    code = count_of(data)
    return code if code is not None and 400 <= code <= 599 else None

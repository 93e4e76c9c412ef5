"""One piece of a streamed answer, whatever its wire format, and how its text is put together again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from engine.providers.chat import Stop, Usage, worst
from engine.providers.secret import Secret, scrub, scrub_piece
from engine.record import Record, replace


class Chunk(Record):
    """One piece: its text, and what it says about the whole.

    `refusal`: its text is the model's own refusal, which has a field of its own. `error` is whatever the server put
    there instead of an answer, and `error_status` the HTTP status that it stands for.
    """

    text: str = ""
    stop: Stop | None = None
    usage: Usage | None = None
    model: str | None = None
    done: bool = False
    refusal: bool = False
    error: Any = None
    error_status: int = 500

    def followed_by(self, later: Chunk) -> Chunk:
        """What both say about the whole, the later one winning, and the worse stop. `TextJoiner` joins the text."""
        return replace(
            self,
            stop=worst((later.stop, self.stop)),
            usage=self.usage.followed_by(later.usage) if self.usage and later.usage else later.usage or self.usage,
            model=later.model or self.model,
            done=later.done or self.done,
            refusal=later.refusal or self.refusal,
        )


class TextJoiner:
    """Puts together what was cut in two between pieces, and takes out keys that a server sends back.

    JSON may carry half of a character beyond U+FFFF (a surrogate) at the end of one piece and the other half at the
    start of the next. A half that never finds the other becomes U+FFFD, for it could neither be saved nor shown.
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
        return _mended(text)

    def flush(self) -> str:
        """What is still held when the answer is over."""
        return _mended(self._held)


def _mended(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def fields_of(data: Any) -> dict[str, Any]:
    """`data` where it is an object; else an empty one."""
    return cast("dict[str, Any]", data) if isinstance(data, dict) else {}


def items_of(data: Any) -> list[Any]:
    """`data` where it is a list; else an empty one."""
    return cast("list[Any]", data) if isinstance(data, list) else []


def text_of(data: Any) -> str:
    """`data` where it is a text; else an empty one."""
    return data if isinstance(data, str) else ""


def count_of(data: Any) -> int | None:
    """`data` where it can be a count; else None."""
    return data if isinstance(data, int) and not isinstance(data, bool) and data >= 0 else None


def status_of(data: Any) -> int | None:
    """`data` where it is the HTTP status of a failure; else None."""
    code = count_of(data)
    return code if code is not None and 400 <= code <= 599 else None

"""How large a text may be: beyond a limit it is refused as a whole, with one diagnostic that names the limit.

The limits keep a check within five seconds and 300 MB, and are far above any known blueprint: the largest file of the
public collection has 306 kB, 10,509 lines and 2,000 values, the longest line 3,115 characters. `docs/checking.md`,
"Large files", has the same table.
"""

from __future__ import annotations

from engine.text.patterns import lazy
from engine.text.record import Record

FILE_BYTES = 4 << 20
"""Bytes of a text in UTF-8."""
LINES = 100_000
"""Lines of a text."""
VALUES = 50_000
"""Scalars, lists and mappings of a text, keys included, as they are written."""
DEPTH = 100
"""Levels of nesting: well within Python's recursion limit."""
ALIAS_VALUES = 10_000
"""Values that aliases add to the written ones, once they are expanded. A few bytes of text can make them."""
EXPANDED_CHARACTERS = 10_000_000
"""Characters of the strings of a text, once its aliases are expanded."""

ADVICE = "Split it into several files."

TRIED_CHARACTERS = 20_000_000
"""Characters of answers that the checks of one prompt go through while it is edited; more are not tried."""

_LINE_BREAK = lazy(r"\r\n|\r|\n")


class Excess(Record):
    """Where and how a text exceeds a limit; in an author's words."""

    message: str
    offset: int


class TooManyValues(Exception):
    """The text has more than `VALUES` values; `offset` is where the first one beyond them begins."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


def excess(text: str) -> Excess | None:
    """The limit of bytes or lines that `text` exceeds, found without parsing; None if it exceeds neither."""
    if len(text) > FILE_BYTES // 4:  # no code point has more than four bytes
        size = _bytes(text)
        if size > FILE_BYTES:
            return too_many_bytes(size)
    if len(text) > LINES:
        return _too_many_lines(text)
    return None


def too_long_with(text: str, removed: str, inserted: str) -> str | None:
    """Why `inserted` cannot come into `text` instead of `removed`, in a sentence: too many bytes. None if it can.

    A text that is too long already may still become shorter.
    """
    if (len(text) + len(inserted)) * 4 <= FILE_BYTES:  # no code point has more than four bytes
        return None
    growth = _bytes(inserted) - _bytes(removed)
    size = _bytes(text) + growth
    if growth <= 0 or size <= FILE_BYTES:
        return None
    return f"Not inserted: the text would have {_shown_size(size)}, and may have up to {FILE_BYTES >> 20} MB."


def _shown_size(size: int) -> str:
    return f"{size / (1 << 20):.1f} MB" if size > FILE_BYTES + (1 << 17) else f"more than {FILE_BYTES >> 20} MB"


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def shown_part(text: str) -> str:
    """The first part of `text` within the limits of bytes and lines, for a reader of a text that is refused."""
    part = text if len(text) <= FILE_BYTES // 4 else text[:FILE_BYTES]
    beyond = _too_many_lines(part) if len(part) > LINES else None
    return part if beyond is None else part[: beyond.offset]


def sentence(beyond: Excess) -> str:
    """The message as a sentence of its own."""
    return f"{beyond.message[:1].upper()}{beyond.message[1:]}."


def too_many_bytes(size: int) -> Excess:
    """The excess of a file of `size` bytes."""
    return Excess(f"the file has {_shown_size(size)}: a blueprint may have up to {FILE_BYTES >> 20} MB", 0)


def too_many_values(offset: int) -> Excess:
    """The excess of a text whose first value too many is at `offset`."""
    return Excess(
        f"the file has too many keys and values: a blueprint may have up to {VALUES:,}, and here begins the next",
        offset,
    )


def _too_many_lines(text: str) -> Excess | None:
    breaks = text.count("\n") + (text.count("\r") if "\r" in text else 0)
    if breaks < LINES:
        return None
    for number, found in enumerate(_LINE_BREAK.finditer(text), 1):
        if number == LINES and found.end() < len(text):
            return Excess(
                f"the file has too many lines: a blueprint may have up to {LINES:,}, and here begins the next",
                found.end(),
            )
    return None

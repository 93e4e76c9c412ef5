"""Reads the bytes of a terminal as text, whatever they are.

Textual decodes its input as strict UTF-8, in a thread that ends with the first byte that is not: no key would work from
then on. Here each such byte, as a terminal set to Latin-1 sends for `é`, becomes U+FFFD. Escape sequences that the
thread would end with as well, or that no terminal sends, are ignored.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable
from time import monotonic

from textual.events import Key, Resize
from textual.keys import Keys
from textual.message import Message

from studio.tui.pasting import PasteSafeParser

HELD_SECONDS = 0.1
"""How long the first bytes of a character wait for its others."""

PASTE_SECONDS = 5.0
"""How long a paste may pause before it is taken for ended: its end mark was lost."""

_MOST_CELLS = 4000
"""Columns or rows. No screen has more; a layout of millions would never end."""

_BYTE = re.compile("[\udc80-\udcff]")
"""A byte that is not UTF-8, as `surrogateescape` decodes it. UTF-8 itself has no surrogates."""


class NotUtf8(Message):
    """The terminal sent the first byte that is not UTF-8."""


class TerminalParser(PasteSafeParser):
    """Textual's terminal parser, fed with bytes written as Latin-1: one character for each byte."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._fed = 0.0
        self._reported = False

    def feed(self, data: str) -> Iterable[Message]:
        """The messages for the next bytes; an empty piece ends the input."""
        self._fed = monotonic()
        yield from self._feed_text(self._decoder.decode(data.encode("latin-1"), final=not data))
        if not data:
            yield from super().feed("")

    def tick(self) -> Iterable[Message]:
        """The messages that wait no longer: called when the terminal has been quiet."""
        if self._decoder.getstate()[0] and monotonic() - self._fed >= HELD_SECONDS:
            yield from self._feed_text(self._decoder.decode(b"", final=True))
            self._decoder.reset()
        if self.is_pasting and monotonic() - self._fed >= PASTE_SECONDS:
            yield from self.end_paste()
        yield from super().tick()

    def parse_mouse_code(self, code: str) -> Message | None:
        """The message of a mouse sequence; None for one that makes no sense."""
        try:
            return super().parse_mouse_code(code)
        except ZeroDivisionError:  # it comes after a report of a window without a size
            return None

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[Key]:
        """The keys of a sequence; an ignored one for numbers that are no code point, or no number."""
        try:
            keys = [*super()._sequence_to_key_events(sequence, alt)]
        except (ValueError, OverflowError):
            return [Key(Keys.Ignore, sequence)]
        return [key if _is_text(key.character) else Key(Keys.Ignore, sequence) for key in keys]

    def _feed_text(self, text: str) -> Iterable[Message]:
        readable, count = _BYTE.subn("\ufffd", text)
        if readable:
            yield from self._without_wrong_sizes(super().feed(readable))
        if count and not self._reported:
            self._reported = True
            yield NotUtf8()

    def _without_wrong_sizes(self, messages: Iterable[Message]) -> Iterable[Message]:
        for message in messages:
            if isinstance(message, Resize) and not all(0 < cells <= _MOST_CELLS for cells in message.size):
                self.terminal_size = self.terminal_pixel_size = None
            else:
                yield message


def _is_text(character: str | None) -> bool:
    """Whether a typed character can be in a text: half of a surrogate pair cannot."""
    return character is None or not any("\ud800" <= each <= "\udfff" for each in character)


def read_terminal_safely() -> None:
    """Make Textual read the terminal's input with `TerminalParser`: each byte reaches it as one character."""
    try:
        from textual.drivers import linux_driver
    except ImportError:  # on Windows, whose driver is given characters
        return
    linux_driver.getincrementaldecoder = _as_bytes  # pyright: ignore[reportPrivateImportUsage]
    linux_driver.XTermParser = TerminalParser  # pyright: ignore[reportPrivateImportUsage]


def _as_bytes(_encoding: str) -> Callable[[], codecs.IncrementalDecoder]:
    return lambda: codecs.getincrementaldecoder("latin-1")()

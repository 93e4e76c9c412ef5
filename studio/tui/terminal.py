"""Reads the bytes of a terminal as text, whatever they are, and pastes as one; writes as long as it is there.

Textual decodes its input as strict UTF-8, in a thread that ends with the first byte that is not: no key would work from
then on. Here each such byte, as a terminal set to Latin-1 sends for `é`, becomes U+FFFD. Escape sequences that the
thread would end with as well, or that no terminal sends, are ignored.

Textual's parser ends a bracketed paste at the first ESC and reads the rest as key presses: a pasted Ctrl+Q would quit.
It also reads a paste character by character, and the keys after it wait. Here the parser gets the marks around the
pasted text only; the text, with a picture for each ESC, stands in for the empty one of its message. Textual's
fields insert a typed character only if Python calls it printable. Spaces of other widths and joiners, which keyboards
of many languages type, are not: they arrive as a paste.

Textual writes in a thread that ends with the first write that fails. What is written from then on fills its queue, and
the application waits for room in it for ever. And SIGCONT, which comes with SIGHUP too, makes Textual take the terminal
a second time: it reads keys twice, and leaves the terminal in the state in which the studio itself had it.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable, Iterable
from time import monotonic

from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key, Paste, Resize
from textual.keys import Keys
from textual.message import Message

from studio.tui.textual_internals import WriterThread, XTermParser

_ESC, _PICTURE = "\x1b", "\u241b"
_START, _END = "\x1b[200~", "\x1b[201~"


class PasteSafeParser(XTermParser):
    """Textual's terminal parser, to which each paste looks empty."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self.is_pasting = False
        """Whether the end mark of a paste is awaited."""
        self._before = ""
        self._held = ""
        self._pieces: list[str] = []
        self._pasted = ""

    def feed(self, data: str) -> Iterable[Message]:
        """The messages for the next piece of input; an empty piece ends the input."""
        if not data:
            yield from super().feed(data)
        while data:
            piece, data = self._paste(data) if self.is_pasting else self._typed(data)
            if piece:
                yield from self._with_pastes(super().feed(piece))

    def end_paste(self) -> Iterable[Message]:
        """The message for a paste whose end mark never came, which would swallow every key from then on."""
        yield from self.feed(_END)

    def _with_pastes(self, messages: Iterable[Message]) -> Iterable[Message]:
        for message in messages:
            if isinstance(message, Paste):
                yield Paste(self._pasted)
            elif isinstance(message, Key) and message.character and _is_unprintable_text(message.character):
                yield Paste(message.character)
            else:
                yield message

    def _typed(self, data: str) -> tuple[str, str]:
        """The typed text up to and with the start mark of a paste, and the rest. The mark may come in two pieces."""
        seen = self._before + data
        at = seen.find(_START)
        if at < 0:
            self._before = seen[-(len(_START) - 1) :]
            return data, ""
        self.is_pasting, end = True, at + len(_START) - len(self._before)
        self._before = ""
        return data[:end], data[end:]

    def _paste(self, data: str) -> tuple[str, str]:
        """What stands for the paste up to its end mark, and the rest of `data`. Half an end mark is held back."""
        data, self._held = self._held + data, ""
        text, end, rest = data.partition(_END)
        if end:
            self.is_pasting = False
            self._pieces.append(text)
            self._pasted = "".join(self._pieces).replace(_ESC, _PICTURE).replace("\0", "")
            self._pieces.clear()
            return end, rest
        for length in range(min(len(_END) - 1, len(text)), 0, -1):
            if _END.startswith(text[-length:]):
                text, self._held = text[:-length], text[-length:]
                break
        self._pieces.append(text)
        return "", ""


def _is_unprintable_text(character: str) -> bool:
    """Whether a typed character belongs to a text although Python does not call it printable."""
    return not character.isprintable() and unicodedata.category(character) not in ("Cc", "Cs")


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


class TerminalWriter(WriterThread):
    """A writer that takes what is written to the end, also once the terminal is gone."""

    def run(self) -> None:
        """Write until the end."""
        try:
            super().run()
        except OSError:
            while self._queue.get() is not None:
                pass


class TerminalDriver(LinuxDriver):
    """A driver that takes the terminal once: before it takes it again, it gives it back."""

    def start_application_mode(self) -> None:
        """Take the terminal."""
        if self._writer_thread is not None and self._writer_thread.is_alive():
            self.suspend_application_mode()
        super().start_application_mode()


def write_terminal_safely() -> None:
    """Make Textual write with `TerminalWriter`, and take the terminal with `TerminalDriver`."""
    linux_driver.WriterThread = TerminalWriter  # pyright: ignore[reportPrivateImportUsage]
    linux_driver.LinuxDriver = TerminalDriver

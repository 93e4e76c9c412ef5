"""Keeps escape characters in pasted text from being read as keys, and keeps letters that Textual takes for none.

Textual's parser ends a bracketed paste at the first ESC and reads the rest as key presses: a pasted Ctrl+Q would quit.
It also reads a paste character by character, and the keys after it wait. Here the parser gets one character in place
of the pasted text; the text, with a picture for each ESC, replaces that character in the parser's message.

Textual's fields insert a typed character only if Python calls it printable. Spaces of other widths and joiners, which
keyboards of many languages type, are not: they arrive as a paste.
"""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Iterable

from textual.events import Key, Paste
from textual.message import Message

from studio.tui.textual_internals import XTermParser

_ESC, _PICTURE = "\x1b", "\u241b"
_START, _END = "\x1b[200~", "\x1b[201~"
_PLACEHOLDER = "p"


class PasteSafeParser(XTermParser):
    """Textual's terminal parser, which sees a placeholder for the text of each paste."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self.is_pasting = False
        """Whether the end mark of a paste is awaited."""
        self._before = ""
        self._held = ""
        self._pieces: list[str] = []
        self._pasted: deque[str] = deque()

    def feed(self, data: str) -> Iterable[Message]:
        """The messages for the next piece of input; an empty piece ends the input."""
        safe = self._without_pastes(data)
        if not safe and data:
            return
        yield from self._with_pastes(super().feed(safe))

    def end_paste(self) -> Iterable[Message]:
        """The message for a paste whose end mark never came, which would swallow every key from then on."""
        yield from self._with_pastes(super().feed(self._paste(_END)[0]))

    def _with_pastes(self, messages: Iterable[Message]) -> Iterable[Message]:
        for message in messages:
            if isinstance(message, Paste) and self._pasted:
                yield Paste(self._pasted.popleft())
            elif isinstance(message, Key) and message.character and _is_unprintable_text(message.character):
                yield Paste(message.character)
            else:
                yield message

    def _without_pastes(self, data: str) -> str:
        safe: list[str] = []
        while data:
            piece, data = self._paste(data) if self.is_pasting else self._typed(data)
            safe.append(piece)
        return "".join(safe)

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
            pasted = "".join(self._pieces).replace(_ESC, _PICTURE)
            self._pieces.clear()
            self._pasted.append(pasted.replace("\0", ""))
            return _PLACEHOLDER + end, rest
        for length in range(min(len(_END) - 1, len(text)), 0, -1):
            if _END.startswith(text[-length:]):
                text, self._held = text[:-length], text[-length:]
                break
        self._pieces.append(text)
        return "", ""


def _is_unprintable_text(character: str) -> bool:
    """Whether a typed character belongs to a text although Python does not call it printable."""
    return not character.isprintable() and unicodedata.category(character) not in ("Cc", "Cs")

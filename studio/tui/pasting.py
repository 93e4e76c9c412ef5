"""Keeps escape characters in pasted text from being read as keys.

Textual's parser ends a bracketed paste at the first ESC and reads the rest as key presses: a pasted Ctrl+Q would quit.
Here each ESC within a paste is replaced by its picture before the parser sees it.
"""

from __future__ import annotations

from collections.abc import Iterable

from textual.message import Message

from studio.tui.textual_internals import XTermParser

_ESC, _PICTURE = "\x1b", "\u241b"
_START, _END = "\x1b[200~", "\x1b[201~"


class PasteSafeParser(XTermParser):
    """Textual's terminal parser, with the escape characters of every paste replaced first."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pasting = False
        self._before = ""
        self._held = ""

    def feed(self, data: str) -> Iterable[Message]:
        """The messages for the next piece of input; an empty piece ends the input."""
        safe = self._without_escapes(data)
        return super().feed(safe) if safe or not data else ()

    def _without_escapes(self, data: str) -> str:
        safe: list[str] = []
        while data:
            piece, data = self._paste(data) if self._pasting else self._typed(data)
            safe.append(piece)
        return "".join(safe)

    def _typed(self, data: str) -> tuple[str, str]:
        """The typed text up to and with the start mark of a paste, and the rest. The mark may come in two pieces."""
        seen = self._before + data
        at = seen.find(_START)
        if at < 0:
            self._before = seen[-(len(_START) - 1) :]
            return data, ""
        self._pasting, end = True, at + len(_START) - len(self._before)
        self._before = ""
        return data[:end], data[end:]

    def _paste(self, data: str) -> tuple[str, str]:
        """The pasted text without escapes, up to and with its end mark, and the rest. Half an end mark is held back."""
        data, self._held = self._held + data, ""
        text, end, rest = data.partition(_END)
        if end:
            self._pasting = False
            return text.replace(_ESC, _PICTURE) + end, rest
        for length in range(min(len(_END) - 1, len(text)), 0, -1):
            if _END.startswith(text[-length:]):
                text, self._held = text[:-length], text[-length:]
                break
        return text.replace(_ESC, _PICTURE), ""

"""What is pasted is text: an escape character in it must not be taken for keys.

Textual's parser ends a bracketed paste at the first ESC, and reads what follows as key presses: a pasted Ctrl+Q would
quit. Here an ESC within a paste becomes its picture before the parser sees it.
"""

from __future__ import annotations

from collections.abc import Iterable

from textual.message import Message

from studio.tui.textual_internals import XTermParser

_ESC, _PICTURE = "\x1b", "\u241b"
_START, _END = "\x1b[200~", "\x1b[201~"


class PasteSafeParser(XTermParser):
    """Textual's terminal parser, with every paste made harmless first."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pasting = False
        self._before = ""
        self._held = ""

    def feed(self, data: str) -> Iterable[Message]:
        """The messages of the next piece of input; an empty piece ends it."""
        safe = self._made_safe(data)
        return super().feed(safe) if safe or not data else ()

    def _made_safe(self, data: str) -> str:
        safe: list[str] = []
        while data:
            piece, data = self._paste(data) if self._pasting else self._typed(data)
            safe.append(piece)
        return "".join(safe)

    def _typed(self, data: str) -> tuple[str, str]:
        """What is typed up to and with the start of a paste, and the rest. The start may come in two pieces."""
        seen = self._before + data
        at = seen.find(_START)
        if at < 0:
            self._before = seen[-(len(_START) - 1) :]
            return data, ""
        self._pasting, begun = True, at + len(_START) - len(self._before)
        self._before = ""
        return data[:begun], data[begun:]

    def _paste(self, data: str) -> tuple[str, str]:
        """What is pasted, made harmless, up to and with its end, and the rest. A half end is held back."""
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


def make_pastes_safe() -> None:
    """Let the terminal's input be read by `PasteSafeParser`."""
    try:
        from textual.drivers import linux_driver
    except ImportError:  # another system's driver, which hands over pastes in its own way
        return
    linux_driver.XTermParser = PasteSafeParser  # pyright: ignore[reportPrivateImportUsage]

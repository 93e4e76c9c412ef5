"""A model of the text in an editor: every state that it went through, key by key, and when each was seen.

Any text that is found after a kill must be one of the states, and none before the last one that was seen long enough
ago. States are compared by their hashes, so that long texts cost no memory.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class _State:
    text_hash: int
    seen: float | None = None


class Draft:
    """The text, the cursor in it, and the states so far. `text` stood there from the beginning."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.cursor = 0
        self._states = [_State(hash(text), seen=float("-inf"))]

    @property
    def line_end(self) -> str:
        """The line end of this text."""
        return "\r\n" if "\r\n" in self.text else "\n"

    @property
    def number(self) -> int:
        """The number of the present state."""
        return len(self._states) - 1

    def go_to(self, line: int) -> None:
        """Put the cursor at the end of a line, from 0."""
        lines = self.text.split(self.line_end)
        self.cursor = sum(len(each) + len(self.line_end) for each in lines[:line]) + len(lines[line])

    def type(self, text: str) -> None:
        """Type characters at the cursor: each makes a state."""
        for character in text:
            self.paste(character)

    def paste(self, text: str) -> None:
        """Insert `text` at the cursor at once. Its newlines become the line ends of this text."""
        self.replace(self.cursor, self.cursor, text.replace("\n", self.line_end))

    def delete(self, number: int) -> None:
        """Delete characters before the cursor, each by a key."""
        for _ in range(number):
            self.replace(self.cursor - 1, self.cursor, "")

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace a range at once; the cursor is behind it."""
        self.text = self.text[:start] + text + self.text[end:]
        self.cursor = start + len(text)
        self._states.append(_State(hash(self.text)))

    def seen(self, at: float) -> None:
        """The present state was on the screen at that time."""
        state = self._states[-1]
        state.seen = at if state.seen is None else min(at, state.seen)

    def newest_seen(self, until: float) -> int:
        """The number of the newest state that was seen at or before a time."""
        return max(
            number for number, state in enumerate(self._states) if state.seen is not None and state.seen <= until
        )

    def latest(self, text: str) -> int | None:
        """The number of the last state with this text; None if there never was one."""
        wanted = hash(text)
        return max((number for number, state in enumerate(self._states) if state.text_hash == wanted), default=None)

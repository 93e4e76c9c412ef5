"""A model of the editor's text: one string and a selection, written from the documentation and not from the editor.

Each key has a law: given the text that the editor shows after it, the texts that it may have passed through (the last
is the one shown), or None if the key may not do that. What is typed, removed and pasted, and what undo brings back, is
known to the letter. Enter, Tab and comments change blanks, dashes and line ends of their lines, and lose no letter
there; how many is not repeated here. How far a word or a wrapped row reaches is bounded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

_ROW = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_MARKS = re.compile(r"[\s#-]")
"""What Enter, Tab and comments may add to a line and take from it."""
_LETTER = re.compile(r"\s*\(?[a-z][.)]")
"""A letter that is a bullet."""


class Kind(Enum):
    """How a change may share one step of undo: with changes of the same kind next to it, or with none."""

    INSERTION = auto()
    REMOVAL = auto()
    ALONE = auto()
    NOTHING = auto()


class State(NamedTuple):
    """A text, and how it came from the one before."""

    text: str
    kind: Kind


class Outcome(NamedTuple):
    """What a key did: the new states, or the number of the state that undo or redo went back to."""

    states: Sequence[State] = ()
    at: int | None = None


Law = Callable[[str], Outcome | None]


class Row(NamedTuple):
    """One line: the offsets at which its text begins and ends, and its line end ("" for the last one)."""

    start: int
    end: int
    newline: str


def rows_of(text: str) -> list[Row]:
    """The lines of `text`, which end at LF, CRLF or CR."""
    rows: list[Row] = []
    for match in _ROW.finditer(text):
        rows.append(Row(match.start(), match.end(1), match.group(2)))
        if not match.group(2):
            break
    return rows


@dataclass
class TextModel:
    """The text, the selection (offsets of its anchor and its cursor), and every text that undo may bring back."""

    text: str
    read_only: bool = False
    anchor: int = 0
    cursor: int = 0
    clipboard: str = ""
    states: list[State] = field(default_factory=list)
    at: int = 0
    ends_at: int | None = None
    """Where the cursor is after the key whose law was asked for last; None where that depends on the screen."""

    def __post_init__(self) -> None:
        self.states = [State(self.text, Kind.ALONE)]
        self._rows = rows_of(self.text)

    # --- Places

    @property
    def first(self) -> str:
        """The text as it was opened."""
        return self.states[0].text

    @property
    def last(self) -> str:
        """The text that redo leads to in the end."""
        return self.states[-1].text

    @property
    def span(self) -> tuple[int, int]:
        """The selection from left to right."""
        return min(self.anchor, self.cursor), max(self.anchor, self.cursor)

    def offset_of(self, location: tuple[int, int]) -> int | None:
        """The offset of a row and a column, None outside the text."""
        row, column = location
        if not 0 <= row < len(self._rows) or not 0 <= column <= self._rows[row].end - self._rows[row].start:
            return None
        return self._rows[row].start + column

    def row_at(self, offset: int) -> int:
        """The number of the row that holds `offset`."""
        return max(number for number, row in enumerate(self._rows) if row.start <= offset)

    def end_of(self, row: int) -> int:
        """Where the text of a row ends."""
        return self._rows[row].end

    def newline_at(self, row: int) -> str:
        """The line end for new lines at `row`: its own, for the last line that of the line before."""
        return self._rows[row].newline or (self._rows[row - 1].newline if row else "") or "\n"

    # --- What happened

    def accept(self, outcome: Outcome) -> None:
        """Make `outcome` the present state."""
        if outcome.at is not None:
            self.at = outcome.at
        elif outcome.states:
            self.states[self.at + 1 :] = outcome.states
            self.at = len(self.states) - 1
        text = self.states[self.at].text
        if text != self.text:
            self.text, self._rows = text, rows_of(text)

    def replace(self, text: str) -> None:
        """Another text was loaded in the place of this one: a step of undo."""
        if text != self.text:
            self.accept(Outcome((State(text, Kind.ALONE),)))

    # --- Laws

    def law(self, key: str, character: str | None = None) -> Law:
        """What `key` may do in the editor. `character` is what it types, None for a key that types nothing."""
        self.ends_at = None
        taken = self.span if self.anchor != self.cursor else self._whole_rows()
        if key == "ctrl+c":
            self.clipboard = self.text[slice(*taken)]
        if self.read_only:
            return self.unchanged
        if character is not None:
            return self._typed(character)
        match key:
            case "enter":
                return self._entered
            case "backspace" if self.anchor == self.cursor and self._is_at_beginning(" -") and self._column():
                return self._reshaped
            case "backspace" | "ctrl+h":
                return self._removed(*(self.span if self.anchor != self.cursor else (self._before(), self.cursor)))
            case "delete" | "ctrl+d":
                return self._removed(*(self.span if self.anchor != self.cursor else (self.cursor, self._behind())))
            case "ctrl+w" | "ctrl+u" | "alt+delete" if self.anchor != self.cursor:
                return self._removed(*self.span)
            case "ctrl+w" | "ctrl+u" | "alt+delete":
                return self._removed_around_cursor
            case "ctrl+shift+k":
                return self._removed(*self._whole_rows())
            case "ctrl+x":
                self.clipboard = self.text[slice(*taken)]
                return self._removed(*taken)
            case "ctrl+v":
                return self.pasted(self.clipboard) if self.clipboard else self.unchanged
            case "tab" if len(self._selected_rows()) == 1:
                one, two = self._replaced(" "), self._replaced("  ")
                self.ends_at = None
                return lambda text: one(text) or two(text)
            case "tab" | "shift+tab" | "ctrl+underscore" | "ctrl+slash":
                return self._reshaped
            case "ctrl+z":
                return self._undone
            case "ctrl+y":
                return self._redone
            case _:
                return self.unchanged

    def unchanged(self, text: str) -> Outcome | None:
        """The key changes nothing."""
        return Outcome() if text == self.text else None

    def pasted(self, text: str) -> Law:
        """A pasted text takes the line ends of its place, and spaces for tabs at the start of its lines.

        Several lines may go to another place with other signs, but lose no letter, and none of the text does.
        """
        if self.read_only or not text:
            return self.unchanged
        newline = self.newline_at(self.row_at(self.span[0]))
        lines = re.split(r"\r\n|\r|\n", text)
        literal = self._replaced(newline.join(map(_without_leading_tabs, lines)))
        if len(lines) == 1 and text == text.rstrip():
            return literal
        self.ends_at = None
        if len(lines) == 1:  # a line that is put in its place loses the blanks at its end
            stripped = self._replaced(_without_leading_tabs(text).rstrip())
            self.ends_at = None
            return lambda shown: literal(shown) or stripped(shown)
        start, end = self.span
        written = Counter(filter(str.isalpha, self.text[:start] + text + self.text[end:]))
        bullets = sum(_LETTER.match(line) is not None for line in lines) if text.isprintable() else len(text)

        def law(shown: str) -> Outcome | None:
            missing = written - Counter(filter(str.isalpha, shown))
            return literal(shown) or (Outcome((State(shown, Kind.ALONE),)) if missing.total() <= bullets else None)

        return law

    def typed_on_line(self, number: int, letters: str) -> Law:
        """Letters at the start of a line, whose number counts from 1 and is clamped to the text."""
        self.ends_at = None
        if self.read_only:
            return self.unchanged
        start = self._rows[min(max(number, 1), len(self._rows)) - 1].start
        head, tail = self.text[:start], self.text[start:]
        states = [State(f"{head}{letters[: count + 1]}{tail}", Kind.INSERTION) for count in range(len(letters))]
        self.ends_at = start + len(letters)
        return lambda text: Outcome(states) if text == states[-1].text else None

    def _to(self, new: str, kind: Kind) -> Law:
        if new == self.text:
            kind = Kind.NOTHING
        return lambda text: Outcome((State(new, kind),)) if text == new else None

    def _replaced(self, inserted: str) -> Law:
        start, end = self.span
        if start == end and not inserted:
            return self.unchanged
        is_typed = start == end and len(inserted) == 1 and inserted not in "\r\n"
        new = self.text[:start] + inserted + self.text[end:]
        self.ends_at = start + len(inserted)
        return self._to(new, Kind.INSERTION if is_typed else Kind.REMOVAL if len(inserted) <= 1 else Kind.ALONE)

    def _removed(self, start: int, end: int) -> Law:
        return self.unchanged if start == end else self._to(self.text[:start] + self.text[end:], Kind.REMOVAL)

    def _before(self) -> int:
        """One character, or one line end, before the cursor."""
        row = self.row_at(self.cursor)
        if self.cursor > self._rows[row].start:
            return self.cursor - 1
        return self._rows[row - 1].end if row else 0

    def _behind(self) -> int:
        row = self._rows[self.row_at(self.cursor)]
        return self.cursor + 1 if self.cursor < row.end else row.end + len(row.newline)

    def _removed_around_cursor(self, text: str) -> Outcome | None:
        """Some of the cursor's line, or a line end beside it, is removed on one side of the cursor."""
        row = self.row_at(self.cursor)
        low = self._rows[max(0, row - 1)].start
        high = self._rows[min(row + 1, len(self._rows) - 1)].end
        length = len(self.text) - len(text)
        if length < 0:
            return None
        common = next((at for at, one in enumerate(self.text) if text[at : at + 1] != one), len(self.text))
        start = min(common, self.cursor, high - length)
        if start < low or self.text[:start] + self.text[start + length :] != text or self.cursor > start + length:
            return None
        return Outcome((State(text, Kind.REMOVAL),) if length else ())

    def _whole_rows(self) -> tuple[int, int]:
        rows = self._selected_rows()
        last = self._rows[rows[-1]]
        return self._rows[rows[0]].start, last.end + len(last.newline)

    def _selected_rows(self) -> range:
        """The rows of the selection; not its last one if the selection ends at its start."""
        start, end = self.span
        first, last = self.row_at(start), self.row_at(end)
        return range(first, last if last > first and self._rows[last].start == end else last + 1)

    # --- Enter, Tab, comments, and dashes that come by themselves

    def _column(self) -> int:
        return self.cursor - self._rows[self.row_at(self.cursor)].start

    def _is_at_beginning(self, signs: str) -> bool:
        """Whether nothing but these signs stands before the cursor in its line."""
        return not self.text[self.cursor - self._column() : self.cursor].strip(signs)

    def _keeps_letters(self, text: str, rows: range, without: tuple[int, int] = (0, 0), typed: str = "") -> bool:
        """Whether all but these rows is as it was, and they have their letters, but for what stood in a span.

        `typed` is what is typed before them.
        """
        start, end = self._rows[rows[0]].start, self._rows[rows[-1]].end
        head, tail = self.text[:start], self.text[end:]
        if not (text.startswith(head) and text.endswith(tail) and len(text) >= len(head) + len(tail)):
            return False
        inside = text[start : len(text) - len(tail)]
        first, last = without if without[0] != without[1] else (end, end)
        return _MARKS.sub("", inside) == _MARKS.sub("", typed + self.text[start:first] + self.text[last:end])

    def _reshaped(self, text: str) -> Outcome | None:
        """The rows of the selection keep their letters."""
        if not self._keeps_letters(text, self._selected_rows()):
            return None
        return Outcome((State(text, Kind.ALONE if text != self.text else Kind.NOTHING),))

    def _entered(self, text: str) -> Outcome | None:
        """The selection gives way to a line end, or a line of nothing but dashes gives one up."""
        start, end = self.span
        rows = range(self.row_at(start), self.row_at(end) + 1)
        if (text == self.text and start == end) or not self._keeps_letters(text, rows, self.span):
            return None
        is_typed = text == f"{self.text[:start]}\r{self.text[end:]}" and start == end  # one character, as any other
        return Outcome((State(text, Kind.INSERTION if is_typed else Kind.ALONE),))

    def _typed(self, character: str) -> Law:
        literal = self._replaced(character)
        if self.anchor != self.cursor or not self._is_at_beginning(" \t-"):
            return literal
        self.ends_at = None
        typed = self.text[: self.cursor] + character + self.text[self.cursor :]

        def law(text: str) -> Outcome | None:
            """The blanks and dashes before the cursor may become others; undo gives back what was typed."""
            if literal(text) is not None or not self._keeps_letters(text, self._selected_rows(), typed=character):
                return literal(text)
            return Outcome((State(typed, Kind.INSERTION), State(text, Kind.ALONE)))

        return law

    def _undone(self, text: str) -> Outcome | None:
        return self._moved(text, range(self.at - 1, -1, -1), lambda at: self.states[at + 1 : self.at + 1])

    def _redone(self, text: str) -> Outcome | None:
        return self._moved(text, range(self.at + 1, len(self.states)), lambda at: self.states[self.at + 1 : at + 1])

    def _moved(self, text: str, reach: range, passed: Callable[[int], Sequence[State]]) -> Outcome | None:
        """The nearest state with `text` whose way there is one step: a single change, or several of one kind."""
        for at in reach:
            kinds = {state.kind for state in passed(at)} - {Kind.NOTHING}
            changes = sum(state.kind is not Kind.NOTHING for state in passed(at))
            if changes > 1 and (len(kinds) > 1 or Kind.ALONE in kinds):
                return None
            if self.states[at].text == text:
                return Outcome(at=at)
        return Outcome() if not reach and text == self.text else None


def _without_leading_tabs(line: str) -> str:
    blanks = line[: len(line) - len(line.lstrip(" \t"))]
    return blanks.replace("\t", "  ") + line[len(blanks) :]

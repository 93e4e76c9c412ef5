"""A model of the editor's text: one string and a selection, written from the documentation and not from the editor.

Each key has a law: given the text that the editor shows after it, the texts that it may have passed through (the last
is the one shown), or None if the key may not do that. Plain keys have one outcome. What Enter may write before the next
line, and how far a word or a wrapped row reaches, is bounded rather than repeated.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from rich.cells import cell_len

_ROW = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_BEGINNING = re.compile(r"[ \t]*(?:- *)*")
_POINT = re.compile(r"( *)- \w[\w ,]*")
_LIST_KEY = re.compile(r"( *)should(?:_not)?:")
_BLOCK_TEXT = re.compile(r".*[|>][-+0-9]*\s*")
_LETTER = re.compile(r"\s*\(?[a-z][.)]")
"""A letter that is a bullet."""
_CLOSING = re.compile(r"""["'\]}][ \t"'\]}]*(?:#.*)?""")
_AMBIGUOUS = re.compile(r"[\"'{}\[\]|>&*!#:\t]")


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
    begun: str | None = None
    """What Enter wrote before the cursor, and the dash and space typed there since."""

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

    def newline_at(self, row: int) -> str:
        """The line end for new lines at `row`: its own, for the last line that of the line before."""
        return self._rows[row].newline or (self._rows[row - 1].newline if row else "") or "\n"

    def line(self, row: int) -> str:
        """The text of a row."""
        return self.text[self._rows[row].start : self._rows[row].end]

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
        begun, self.begun, self.ends_at = self.begun, None, None
        if key == "ctrl+c" and self.anchor != self.cursor:
            self.clipboard = self.text[slice(*self.span)]
        if self.read_only:
            return self.unchanged
        if character is not None:
            return self._typed(character, begun)
        match key:
            case "enter":
                return self._entered
            case "backspace" if self.anchor == self.cursor:
                return self._went_back
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
                span = self.span if self.anchor != self.cursor else self._whole_rows()
                self.clipboard = self.text[slice(*span)]
                return self._removed(*span)
            case "ctrl+v":
                return self.pasted(self.clipboard) if self.clipboard else self.unchanged
            case "tab":
                return self._indented()
            case "shift+tab":
                return self._with_rows(lambda line: line.removeprefix(" ").removeprefix(" "))
            case "ctrl+underscore" | "ctrl+slash":
                return self._commented()
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
        if len(lines) == 1:
            return literal
        self.ends_at = None
        start, end = self.span
        written = Counter(filter(str.isalpha, self.text[:start] + text + self.text[end:]))
        bullets = sum(_LETTER.match(line) is not None for line in lines) if text.isprintable() else len(text)

        def law(shown: str) -> Outcome | None:
            missing = written - Counter(filter(str.isalpha, shown))
            return literal(shown) or (Outcome((State(shown, Kind.ALONE),)) if missing.total() <= bullets else None)

        return law

    def typed_on_line(self, number: int, letters: str) -> Law:
        """Letters at the start of a line, whose number counts from 1 and is clamped to the text."""
        self.begun = self.ends_at = None
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

    def _went_back(self, text: str) -> Outcome | None:
        """One character is removed, or the blanks and dashes before the cursor became fewer."""
        row = self._rows[self.row_at(self.cursor)]
        head, tail = self.text[: row.start], self.text[self.cursor :]
        begins = text[len(head) : len(text) - len(tail)]
        is_shorter = len(begins) < self.cursor - row.start and _BEGINNING.fullmatch(begins) is not None
        if is_shorter and text == head + begins + tail and not self.text[row.start : self.cursor].strip(" -"):
            self.begun = begins
            return Outcome((State(text, Kind.ALONE),))
        return self._removed(self._before(), self.cursor)(text)

    def _removed_around_cursor(self, text: str) -> Outcome | None:
        """Some of the cursor's line, or a line end beside it, is removed on one side of the cursor."""
        row = self.row_at(self.cursor)
        low = self._rows[max(0, row - 1)].start
        high = self._rows[min(row + 1, len(self._rows) - 1)].end
        length = len(self.text) - len(text)
        if length < 0:
            return None
        start = min(_common(self.text, text), self.cursor, high - length)
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

    def _with_rows(self, change: Callable[[str], str]) -> Law:
        new = self.text
        for number in reversed(self._selected_rows()):
            row = self._rows[number]
            new = new[: row.start] + change(self.line(number)) + new[row.end :]
        return self.unchanged if new == self.text else self._to(new, Kind.ALONE)

    def _indented(self) -> Law:
        start, end = self.span
        row = self.row_at(start)
        if row != self.row_at(end):
            return self._with_rows(lambda line: f"  {line}" if line.strip() else "")
        before = self.text[self._rows[row].start : start]
        if before.isascii() and before.isprintable():
            return self._replaced(" " * (2 - cell_len(before) % 2))
        one, two = self._replaced(" "), self._replaced("  ")
        self.ends_at = None
        return lambda text: one(text) or two(text)

    def _commented(self) -> Law:
        filled = [line for line in map(self.line, self._selected_rows()) if line.strip()]
        if filled and all(line.lstrip().startswith("#") for line in filled):
            return self._with_rows(lambda line: re.sub(r"^(\s*)# ?", r"\1", line))
        column = min((len(line) - len(line.lstrip(" ")) for line in filled), default=0)
        return self._with_rows(lambda line: f"{line[:column]}# {line[column:]}" if line.strip() else line)

    # --- Enter, and the dash after it

    def _entered(self, text: str) -> Outcome | None:
        """A new line begins with blanks and dashes; a line of nothing but dashes may give one up instead."""
        start, end = self.span
        row = self.row_at(start)
        line_end = self._rows[row].end
        if start == end and _CLOSING.fullmatch(self.text, start, line_end) and text.startswith(self.text[:line_end]):
            start = end = line_end
        head, tail = self.text[:start] + self.newline_at(row), self.text[end:]
        if text.startswith(head) and text.endswith(tail) and len(text) >= len(head) + len(tail):
            beginning = text[len(head) : len(text) - len(tail)]
            wanted = self._next_point(row)
            if _BEGINNING.fullmatch(beginning) and wanted in (None, beginning):
                self.begun = beginning
                is_typed = start == end and self.newline_at(row) + beginning == "\r"  # one character, as any other
                return Outcome((State(text, Kind.INSERTION if is_typed else Kind.ALONE),))
        line = self._rows[row]
        head, tail = self.text[: line.start], self.text[line.end :]
        is_dashes = _BEGINNING.fullmatch(self.line(row)) and "-" in self.line(row)
        if is_dashes and start == end and text.startswith(head) and text.endswith(tail):
            beginning = text[len(head) : len(text) - len(tail)]
            if _BEGINNING.fullmatch(beginning) and len(text) >= len(head) + len(tail) and text != self.text:
                self.begun = beginning
                return Outcome((State(text, Kind.ALONE),))
        return None

    def _next_point(self, row: int) -> str | None:
        """What Enter writes at the end of a point in plain words under `should`; None where other rules may hold."""
        line = self.line(row)
        point = _POINT.fullmatch(line)
        if point is None or self.anchor != self.cursor or self.cursor != self._rows[row].end:
            return None
        indent = point.group(1)
        if row + 1 < len(self._rows) and not _ends_item(self.line(row + 1), len(indent)):
            return None
        for above in range(row - 1, -1, -1):
            other = self.line(above)
            key = _LIST_KEY.fullmatch(other)
            if key and len(key.group(1)) <= len(indent):
                return f"{indent}- " if self._is_outside_block_text(above) else None
            is_sibling = _POINT.fullmatch(other)
            if is_sibling is None or is_sibling.group(1) != indent:
                return None
        return None

    def _is_outside_block_text(self, row: int) -> bool:
        """Whether nothing above `row` could begin a text that holds it: no block text, quote, bracket or comment."""
        above = map(self.line, range(row))
        return not any(_AMBIGUOUS.search(line.replace(":", "", 1)) or _BLOCK_TEXT.fullmatch(line) for line in above)

    def _typed(self, character: str, begun: str | None) -> Law:
        literal = self._replaced(character)
        row = self._rows[self.row_at(self.cursor)]
        before = self.text[row.start : self.cursor]
        if self.anchor != self.cursor or character not in " -" or before.strip(" \t-"):
            return literal
        typed = self.text[: self.cursor] + character + self.text[self.cursor :]
        if begun is not None and begun.endswith("- ") and before == begun and character == "-":
            self.begun = begun + "\0"
            return literal
        if begun is not None and begun.endswith("\0") and character == " ":
            self.ends_at = None
            return self._completed(typed, row, lambda beginning: beginning == begun[:-1])
        self.ends_at = None
        complete = self._completed(typed, row, lambda beginning: beginning == "---" or is_item(beginning))
        return lambda text: literal(text) or complete(text)

    def _completed(self, typed: str, row: Row, may_begin: Callable[[str], bool]) -> Law:
        """The blanks and dashes before the cursor became others; undo gives back what was `typed` literally."""
        head, tail = self.text[: row.start], self.text[self.cursor :]

        def law(text: str) -> Outcome | None:
            if not (text.startswith(head) and text.endswith(tail)) or len(text) < len(head) + len(tail):
                return None
            if not may_begin(text[len(head) : len(text) - len(tail)]):
                return None
            return Outcome((State(typed, Kind.INSERTION), State(text, Kind.ALONE)))

        return law

    # --- Undo and redo

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


def is_item(beginning: str) -> bool:
    """Whether a line begins with blanks and the dashes of list items."""
    return re.fullmatch(r" *(?:- )*", beginning) is not None


def _without_leading_tabs(line: str) -> str:
    blanks = line[: len(line) - len(line.lstrip(" \t"))]
    return blanks.replace("\t", "  ") + line[len(blanks) :]


def _ends_item(line: str, dash: int) -> bool:
    """Whether a line with the text below an item does not belong to it."""
    return bool(line.strip()) and len(line) - len(line.lstrip()) <= dash


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one.startswith(other[:middle]):
            low = middle
        else:
            high = middle - 1
    return low

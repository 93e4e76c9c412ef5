"""The structure of single lines: list items, keys, block text, quotes, flow lists.

Pure functions on lines, for keys that must act at once. They look at the shape of lines only; the exact reader is
`engine.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from typing import NamedTuple

from engine.text.patterns import lazy
from engine.text.record import Record
from studio.tui.editor.syntax import Opened, below

STEP = "  "
"""One step of indentation."""
BLANKS = " \t"
"""The characters that separate words in YAML. All others are content, a no-break space too."""

_FAR_ROWS = 3000
"""How many lines above a line are searched for its parents."""

_NEAR_ROWS = 200
"""How many lines are searched for the end of a value in quotes or brackets."""

_NEXT_ROWS = 4
"""How many lines below one are searched for what belongs to it."""

_READ = 20_000
"""How many columns of a line are looked at: many more than known blueprints have, and few enough for a key."""

ANYWHERE = 1000
"""An indentation for blank lines: they belong to the line above, however far that is indented."""

_BRACKETS_OR_QUOTES = ("'", '"', "[", "{")
_LINE = lazy(r"([ \t]*)((?:-(?:[ \t]+|$))*)(.*)", re.DOTALL)
_DASH = lazy(r"-[ \t]*")
_KEY = lazy(r"""("[^"]*"|'[^']*'|[^\s"'#\[{][^#]*?)[ \t]*:(?=[ \t]|$)""")
_QUOTED_VALUE = lazy(r"""(?:[^\s"'#][^#]*?:[ \t]+)?(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')""")
_COMMENT = lazy(r"(?:^|[ \t]+)#.*", re.DOTALL)
_BLOCK_TEXT = lazy(r"(?:[&!]\S*[ \t]+)*[|>][-+0-9]*")
_PROPERTIES = lazy(r"[&!]\S*(?:[ \t]+[&!]\S*)*")


class Within(Enum):
    """What a place in the text is part of."""

    STRUCTURE = auto()
    BLOCK_TEXT = auto()
    QUOTES = auto()
    FLOW = auto()


class Level(NamedTuple):
    """A list whose dashes stand at `column`, or the mapping there with its key `name`."""

    column: int
    name: str | None

    @property
    def is_list(self) -> bool:
        """Whether it is a list."""
        return self.name is None


class Line(Record):
    """One line: `indent` columns of indentation, the columns of its dashes, its text from `column` on.

    `text` has no comment and no trailing blanks; `key` is the key that it begins with, None without one, and
    `value` is the rest.
    A tab in the indentation counts as one step. `ends` is the column after the last character that is not blank.
    """

    indent: int
    dashes: tuple[int, ...]
    column: int
    text: str
    key: str | None
    value: str
    ends: int

    @property
    def levels(self) -> tuple[Level, ...]:
        """What begins on it: the list of each dash, the mapping of its key."""
        lists = tuple(Level(dash, None) for dash in self.dashes)
        return lists if self.key is None else (*lists, Level(self.column, self.key.strip("\"'")))

    @property
    def value_column(self) -> int:
        """Where a line begins with which its text, or the value of its key, goes on."""
        return self.column + (0 if self.key is None else len(STEP))

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing on it, or only a comment."""
        return not self.text and not self.dashes

    @property
    def is_lone_dash(self) -> bool:
        """Whether an item begins on it and nothing of the item follows."""
        return bool(self.dashes) and not self.text

    @property
    def is_check(self) -> bool:
        """Whether its key is a point function."""
        return self.key is not None and self.key.strip("\"'").startswith("$")

    @property
    def begins_block_text(self) -> bool:
        """Whether the lines below are a block text."""
        return _BLOCK_TEXT.fullmatch(self.value) is not None

    @property
    def opens(self) -> bool:
        """Whether what it begins is written below: a key without a value, a lone dash, a block text."""
        has_value = self.value and not _PROPERTIES.fullmatch(self.value)
        return (not has_value and (self.key is not None or bool(self.dashes))) or self.begins_block_text

    @property
    def is_whole_point(self) -> bool:
        """Whether it is an item that needs nothing more: a text, a check with its argument, `text: citation`.

        A key of one plain word is no such item: `text:` goes on with `weight:`.
        """
        if not self.dashes or self.opens:
            return False
        return self.key is None or self.is_check or any(character.isspace() for character in self.key)


def read_line(line: str) -> Line:
    """What `line` is, taken by itself; of a very long one, what its first part is."""
    match = _LINE.fullmatch(line[:_READ])
    assert match is not None, "the expression takes every text"
    blanks, marks, text = match.groups()
    indent = len(blanks.replace("\t", STEP))
    dashes = tuple(indent + dash.start() for dash in _DASH.finditer(marks))
    quoted = _QUOTED_VALUE.match(text)
    comment = _COMMENT.search(text, quoted.end() if quoted else 0)
    content = (text[: comment.start()] if comment else text).rstrip()
    found = _KEY.match(content)
    key = found.group(1) if found else None
    value = content[found.end() :].strip() if found else content
    return Line(indent, dashes, indent + len(marks), content, key, value, len(line.rstrip()))


def rows_above(lines: Sequence[str], row: int, indent: int, list_at: int = -1) -> Iterator[tuple[int, Line]]:
    """The lines before `row` at less than `indent` columns, the nearest first. Blank ones and comments do not count.

    Only those of the same document. With `list_at`, a line without a dash at that column too: the key of a list that is
    indented no further.
    """
    for above in range(row - 1, max(-1, row - 1 - _FAR_ROWS), -1):
        if lines[above].startswith("---"):
            return
        text = lines[above].lstrip()
        at = len(lines[above]) - len(text)
        if text and text[0] != "#" and (at < indent or (at == list_at and text[0] != "-")):
            yield above, read_line(lines[above])


def line_below(lines: Sequence[str], row: int) -> Line:
    """The first of the next few lines that is not blank; a blank one without it."""
    return read_line(next((line for line in lines[row + 1 : row + 1 + _NEXT_ROWS] if line.strip()), ""))


def lines_around(lines: Sequence[str], row: int, indent: int, *, of_item: bool = False) -> Iterator[tuple[int, Line]]:
    """What holds a line `row` that begins at `indent` columns: rows, each less indented than the one before it.

    The key of a list may be indented as its items, of which the line is one with `of_item`.
    """
    while True:
        found = next(rows_above(lines, row, indent, indent if of_item else -1), None)
        if found is None:
            return
        yield found
        row, indent, of_item = found[0], found[1].indent, bool(found[1].dashes)


def levels_around(lines: Sequence[str], row: int, here: Line) -> list[Level]:
    """What line `row`, which is `here`, is in or begins: outer before inner."""
    levels: list[Level] = []
    chain = [line for _, line in lines_around(lines, row, here.indent, of_item=bool(here.dashes))]
    for level in (level for line in (*reversed(chain), here) for level in line.levels):
        while levels and (levels[-1].column, levels[-1].is_list or not level.is_list) >= (level.column, True):
            levels.pop()
        levels.append(level)
    return levels


def block_around(lines: Sequence[str], row: int) -> tuple[int, int, bool]:
    """Of the block text around `row`: where its lines begin, where what holds it does, and if its text begins above."""
    indent = read_line(lines[row]).indent if lines[row].strip() else ANYWHERE
    above, owner = next(each for each in lines_around(lines, row, indent) if each[1].begins_block_text)
    parent = owner.levels[-1].column
    first = next((at for at in range(above + 1, min(len(lines), above + _FAR_ROWS)) if lines[at].strip()), row)
    margin = len(lines[first]) - len(lines[first].lstrip(" "))
    return (margin if margin > parent else parent + 2), parent, first < row


def within(lines: Sequence[str], row: int, column: int) -> Within:
    """What the place at `column` of line `row` is part of. A blank line does not end a block text."""
    here = read_line(lines[row])
    indent = ANYWHERE if here.is_blank and not lines[row].strip() else here.indent
    for above, line in lines_around(lines, row, indent):
        if line.begins_block_text:
            if indent > (line.dashes[-1] if line.key is None and line.dashes else line.column):
                return Within.BLOCK_TEXT
        elif line.value[:1] in _BRACKETS_OR_QUOTES:
            between = lines[above + 1 : min(row, above + _NEAR_ROWS)]
            found = _within_value([line.value, *between, lines[row][:column]])
            if found is not Within.STRUCTURE:
                return found
    before = read_line(lines[row][:column])
    return _within_value([before.value]) if before.value[:1] in _BRACKETS_OR_QUOTES else Within.STRUCTURE


def _within_value(lines: Iterable[str]) -> Within:
    """What the end of `lines` is part of, whose first is a value that begins with a quote or a bracket."""
    opened = Opened()
    for line in lines:
        opened = below(line, opened)
        if not (opened.quote or opened.depth):
            return Within.STRUCTURE
    return Within.FLOW if opened.depth else Within.QUOTES

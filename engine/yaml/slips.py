"""The lines of a text around an error, and the slip of the hand that makes it unreadable.

The shape of a broken line is recognised by the names of a blueprint's keys.

Lines `OR` between the items of a list are slips, where alternative paths were meant: lists within the list.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Final

from engine.text import Diagnostic, Fix, Record, Severity, Span, TextEdit, lazy, replace
from engine.text.text_limits import ADVICE, Excess
from engine.yaml.keys import KEYS, Part, Shape, names_read

HEADER_KEYS: Final = names_read(Part.HEADER) - {"citation", "configId", "configTitle", "defs", "embeddingModel"}
PROMPT_KEYS: Final = names_read(Part.PROMPT) - {"multiplier"}
POINT_KEYS: Final = names_read(Part.POINT)
MESSAGE_KEYS: Final = names_read(Part.MESSAGE) - {"ai"}
"""The keys by which lines are recognised: without old names, and without those that mostly stand elsewhere."""
LIST_KEYS: Final = frozenset(
    name for part in (Part.HEADER, Part.PROMPT) for key in KEYS[part] if key.shape is Shape.LIST for name in key.read_as
) - {"citation", "reference"}  # which mostly hold a single one
ALL_KEYS: Final = HEADER_KEYS | PROMPT_KEYS | POINT_KEYS | MESSAGE_KEYS

KEY: Final = rf"(?:{'|'.join(sorted(ALL_KEYS, key=lambda name: (-len(name), name)))})"
"""A pattern for the name of any key."""
KEY_LINE: Final = lazy(rf"(?P<margin> *)(?P<dashes>(?:-[ ]+)*)(?P<quote>[\"']?)(?P<name>{KEY})(?P=quote):(?=\s|\Z)")
"""The beginning of a line with a key of a blueprint."""
ANY_KEY: Final = lazy(r"(?P<margin> *)(?P<dashes>(?:-[ ]+)*)(?P<name>[\"']?[\w$]+[\"']?):(?=\s|\Z)")
"""The beginning of a line with any key of one word."""


def key_column(key: re.Match[str]) -> int:
    """The column at which the key of a match of `KEY_LINE` or `ANY_KEY` begins, behind its dashes."""
    return len(key["margin"]) + len(key["dashes"])


def begins_prompt(written: str) -> bool:
    """Whether a line is an item that begins with a key of prompts."""
    key = KEY_LINE.match(written)
    return key is not None and bool(key["dashes"]) and key["name"] in PROMPT_KEYS


_MARGIN = re.compile(r"(?:[ \t]|-(?=[ \t]))*")


def line_start(text: str, offset: int) -> int:
    """The offset of the first character of the line that holds `offset`."""
    return text.rfind("\n", 0, offset) + 1


def line_end(text: str, offset: int) -> int:
    """The offset of the line break after `offset`, or the end of the text."""
    end = text.find("\n", offset)
    return len(text) if end < 0 else end


def line_at(text: str, offset: int) -> Span:
    """The line that holds `offset`, without its line break."""
    return Span(line_start(text, offset), line_end(text, offset))


def lines_of(text: str) -> Iterator[Span]:
    """The lines of `text`, without their breaks."""
    start = 0
    while start < len(text):
        end = line_end(text, start)
        yield Span(start, end)
        start = end + 1


def first_line(text: str, start: int, end: int) -> Span:
    """The first line of `text[start:end]` without trailing white space; at least one character."""
    end = min(end, line_end(text, start))
    return Span(start, max(start + len(text[start:end].rstrip()), min(start + 1, len(text))))


def margin(text: str, offset: int) -> str:
    """The white space and list dashes at the start of the line that holds `offset`."""
    found = _MARGIN.match(text, line_start(text, offset))
    assert found is not None
    return found[0]


WHY: Final = "Weval refuses the whole file: none of its prompts is run or scored."


class SlipRule(Enum):
    """The rule that a slip is reported under: its code and slug."""

    YAML_SYNTAX = ("Y001", "yaml-syntax")
    BACKSLASH = ("Y010", "backslash-in-double-quotes")
    TAB = ("Y011", "tab-indent")
    KEY_UNDER_TEXT = ("Y013", "key-under-text")
    ENDED_ALIAS = ("Y021", "ended-alias")
    OR_BETWEEN_POINTS = ("R020", "or-between-points")


class Slip(Record):
    """One slip: where, the message, and the edits that correct it where only one correction is possible.

    `is_safe`: nothing else can be meant. `until`: reading up to there shows that the edits work, if anything else is
    wrong above the next slip.
    """

    span: Span
    message: str
    title: str = ""
    edits: tuple[TextEdit, ...] = ()
    rule: SlipRule = SlipRule.YAML_SYNTAX
    is_safe: bool = True
    until: int | None = None

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """The fix that makes the edits; none without edits."""
        return (Fix(self.title, self.is_safe and self.keeps_points, self.edits),) if self.edits else ()

    @property
    def keeps_points(self) -> bool:
        """Whether the edits have to keep every point as its author wrote it."""
        return self.rule is not SlipRule.OR_BETWEEN_POINTS

    @property
    def diagnostic(self) -> Diagnostic:
        """The report of the slip, as one that makes the text unreadable."""
        code, slug = self.rule.value
        return Diagnostic(code, slug, Severity.ERROR, self.span, self.message, WHY, fixes=self.fixes)


def diagnose_excess(text: str, beyond: Excess) -> Diagnostic:
    """The diagnostic for a text that is too large to be read."""
    start = min(beyond.offset, len(text))
    span = Span(start, min(start + 1, len(text)))
    return replace(Slip(span, beyond.message).diagnostic, why=f"Nothing in this file is checked or run here. {ADVICE}")


class Line(Record):
    """One line of a text: its span without the line break, and the column of its first character, -1 if it is blank."""

    span: Span
    column: int
    written: str

    @property
    def start(self) -> int:
        """Where the line begins."""
        return self.span.start

    @property
    def content(self) -> Span:
        """The line without the white space around it."""
        return Span(self.start + max(self.column, 0), self.start + len(self.written.rstrip()))

    @property
    def is_blank(self) -> bool:
        """Whether the line is empty, or a comment."""
        return self.column < 0 or self.written.startswith("#", self.column)

    @property
    def is_structure(self) -> bool:
        """Whether the line is an item, a key of one word, or a separator."""
        return _STRUCTURE.match(self.written) is not None

    @property
    def is_item(self) -> bool:
        """Whether the line begins with the dash of an item."""
        return _DASH.match(self.written, max(self.column, 0)) is not None

    @property
    def key(self) -> re.Match[str] | None:
        """The key of a blueprint with which the line begins, as `KEY_LINE` matches it."""
        return KEY_LINE.match(self.written)

    @property
    def key_name(self) -> str:
        """The name of that key, "" without one."""
        return "" if self.key is None else self.key["name"]

    @property
    def own_key(self) -> str:
        """The same for a line that is no item."""
        return "" if self.key is None or self.key["dashes"] else self.key["name"]

    def indented(self, by: int) -> TextEdit:
        """The edit that indents the line by `by` more spaces; by fewer, down to the margin, if it is negative."""
        if by > 0:
            return TextEdit(Span(self.start, self.start), " " * by)
        return TextEdit(Span(self.start, self.start + min(-by, self.column)), "")

    @property
    def is_conflict(self) -> bool:
        """Whether the line is a mark of a merge conflict."""
        return _CONFLICT.match(self.written, max(self.column, 0)) is not None


_STRUCTURE: Final = lazy(r" *(?:-(?:[ \t]|$)|---(?:\s|$)|[\"']?[\w$]+[\"']?:(?:\s|$))")
_CONFLICT: Final = lazy(r"(?:<{7}|={7}|>{7}|\|{7})(?:[ \t]|\Z)")
_DASH: Final = lazy(r"-(?:[ \t]|$)")
MOST_MOVED: Final = 300
"""How many lines one fix may indent."""
_AROUND: Final = 20_000
"""How many characters before and behind an error are examined."""


def placed_lines(written: str, start: int) -> Iterator[Line]:
    """The lines of `written`, which begins at `start`."""
    for whole in written.split("\n"):
        line = whole.removesuffix("\r")
        column = len(line) - len(line.lstrip(" ")) if line.strip() else -1
        yield Line(Span(start, start + len(line)), column, line)
        start += len(whole) + 1


class Lines:
    """The lines of a text around an error."""

    __slots__ = ("at", "lines", "text")

    def __init__(self, text: str, offset: int) -> None:
        """`offset` is in the line with the index `at`. Lines far from it are left out."""
        self.text = text
        start, end = line_start(text, max(offset - _AROUND, 0)), line_end(text, offset + _AROUND)
        self.lines = list(placed_lines(text[start:end], start))
        self.at = self.index(offset)

    def __getitem__(self, index: int) -> Line:
        return self.lines[index]

    def index(self, offset: int) -> int:
        """The index of the line that holds `offset`, clamped to the lines at hand."""
        return max(bisect_right(self.lines, offset, key=lambda line: line.start) - 1, 0)

    def above(self, index: int) -> int | None:
        """The index of the last line above `index` that is not blank and no comment, or None."""
        return next((other for other in range(index - 1, -1, -1) if not self.lines[other].is_blank), None)

    def upward(self, index: int) -> Iterator[tuple[int, Line]]:
        """The lines of the document above `index` that are not blank and no comments, the nearest first."""
        for other in range(index - 1, -1, -1):
            line = self.lines[other]
            if line.written.startswith("---"):
                return
            if not line.is_blank:
                yield other, line

    def written(self, start: int, end: int) -> list[Line]:
        """The lines from `start` to `end` that are not empty."""
        return [line for line in self.lines[start:end] if line.column >= 0]

    def until(self, index: int, ends: Callable[[Line], bool]) -> int:
        """The index after the last line, empty ones apart, of those from `index` on before one that `ends` them."""
        end = index + 1
        for other in range(index + 1, len(self.lines)):
            line = self.lines[other]
            if line.column < 0:
                continue
            if ends(line):
                break
            end = other + 1
        return end

    def block(self, index: int, column: int) -> int:
        """The index after the block that begins at `index`: the lines below that are indented deeper than `column`."""
        return self.until(index, lambda line: line.column <= column)


OR_LINE = lazy(
    r"""^(?:[^\w\n$]|_)*
    (?P<word>or|oder|ou|(?<!-[ ])o|eller|oppure|lub|veya|atau|или|або|أو|או|或|或者|または|もしくは|또는)
    (?:[^\w\n]|_)*$""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
"""A line with this word alone, whatever signs are around it."""
TITLE = "alternative paths: the criteria above it, or those below it"


def or_slip(lines: Lines, index: int) -> Iterator[Slip]:
    """The slip of a line `OR` at `index`, with the edits that make paths of what it and its like part in their list."""
    line = lines[index]
    found = OR_LINE.match(line.written)
    column = next((above.column for _, above in lines.upward(index) if above.is_item), None)
    if found is None or (column is None and not line.is_item):
        return
    edits = () if column is None or line.written.startswith("- -", line.column) else _paths(lines, index, column)
    yield Slip(line.content, message_on(found), TITLE if edits else "", edits, SlipRule.OR_BETWEEN_POINTS)


def message_on(line: re.Match[str]) -> str:
    """The message on a line that `OR_LINE` matches."""
    return f"`{line['word'].upper()}` is no part of a list: write alternative paths, each a list in the list"


def _paths(lines: Lines, index: int, column: int) -> tuple[TextEdit, ...]:
    """The edits that make a path of each run of items at `column` around the line `index`; none if there is only one.

    Nor if one of them is a path already.
    """
    first = last = index
    while first and _is_within(lines[first - 1], column):
        first -= 1
    while last + 1 < len(lines.lines) and _is_within(lines[last + 1], column):
        last += 1
    edits: list[TextEdit] = []
    paths, begins = 0, True
    for line in lines.lines[first : last + 1]:
        if OR_LINE.match(line.written):
            end = lines.text.find("\n", line.span.end) + 1 or len(lines.text)
            edits.append(TextEdit(Span(line.start, end), ""))
            begins = True
        elif begins and line.is_item and line.column == column:
            if line.written.startswith("- ", column + 2):
                return ()
            edits.append(TextEdit(Span(line.start + column, line.start + column), "- "))
            paths, begins = paths + 1, False
        elif not line.is_blank:
            edits.append(line.indented(2))
    return tuple(edits) if paths > 1 else ()


def _is_within(line: Line, column: int) -> bool:
    is_item = line.column == column and line.is_item
    return line.is_blank or line.column > column or is_item or OR_LINE.match(line.written) is not None

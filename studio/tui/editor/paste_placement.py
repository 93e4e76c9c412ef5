"""Where the lines of a paste go in a blueprint. Pure functions on lines.

Rows with keys go to the level around the cursor that takes these keys, rows with bullets or numbers into the list
around it, and prose into the text at the cursor. A paste that fits none of these has no placement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import dedent

from engine.parsing.keys import Key, Part, Shape, find_key
from engine.yaml_nodes import MappingNode, Node, SequenceNode, property_name
from engine.yaml_nodes.key_names import ALL_KEYS, KEY_LINE, POINT_KEYS
from studio.tui.editor.pasted_items import begins_item, is_read_whole, items, node_of
from studio.tui.editor.yaml_line import ANYWHERE, Line, Within, lines_around, read_line, rows_above, within

_FAR_ROWS = 3000
"""How many lines below the cursor are searched for the end of what it is in."""
_NOT_PLAIN = tuple("'\"|>[{&!*#%@`")
_ROOT = (Part.HEADER, Part.PROMPT)
_PROMPTS = find_key(Part.HEADER, "prompts")
_ARGUMENT = find_key(Part.POINT, "arg")


@dataclass(frozen=True, slots=True)
class Placement:
    """The lines that come instead of the rows from `first` up to `after`, and where the cursor is then."""

    first: int
    after: int
    lines: Sequence[str]
    cursor: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Level:
    """A list whose dashes, or a mapping whose keys, stand at `column`.

    `key` is the key of the list, or the one of the mapping that the cursor is at or below. `parts` are the kinds of
    mappings that the mapping, or an item of the list, may be.
    """

    column: int
    is_list: bool
    key: Key | None
    parts: tuple[Part, ...]

    @property
    def takes_text(self) -> bool:
        """Whether an item of the list, or the value of the key, may be a text."""
        if self.key is None or not self.is_list:
            return self.key is not None and self.key.shape in (Shape.TEXT, Shape.ANY)
        return self.key.names is not None or self.key.part in (None, Part.POINT)

    def takes(self, names: set[str], is_list: bool) -> bool:
        """Whether its mappings may have all these keys, as rows that begin with a dash or without."""
        return is_list == self.is_list and any(all(find_key(part, name) for name in names) for part in self.parts)


def place_paste(lines: Sequence[str], row: int, column: int, pasted: str) -> Placement | None:
    """Where `pasted`, of several lines, goes at `column` of line `row`; None to insert it as it is."""
    rows = dedent(pasted.strip("\n")).split("\n")
    root, begins = node_of(rows), KEY_LINE.match(rows[0])
    names, is_list = _names_of(root), isinstance(root, SequenceNode)
    has_keys = not names.isdisjoint(ALL_KEYS - POINT_KEYS if is_list else ALL_KEYS)
    here, state = read_line(lines[row]), within(lines, row, column)
    if state is Within.BLOCK_TEXT and (not has_keys or here.text or column > _block_around(lines, row)[1]):
        return _into_block(lines, row, column, pasted)
    is_unread = root is None and begins is not None and not (begins["dashes"] and begins["name"] in POINT_KEYS)
    if state is Within.FLOW or is_unread or "---" in rows:
        return None
    near = (row, here) if lines[row].strip() else next(rows_above(lines, row, ANYWHERE), None)
    levels = [] if near is None else _levels(lines, *near)
    if near is not None and (near[0] < row or column > here.indent):
        levels += _opened(lines, row, near[1], levels)
    if has_keys:
        level = next((each for each in reversed(levels) if each.takes(names, is_list)), None)
        is_taken = level is None or (not is_list and not names.isdisjoint(_names_at(lines, row, level.column)))
        if level is not None and not is_taken:
            return _insert(lines, row, column, level, rows)
        if is_list or level is not None or names <= ALL_KEYS:
            return None
    first = next((at for at, line in enumerate(rows) if begins_item(line)), None)
    owner = _owner(lines, row, column, here)
    slot = None if owner is None else _levels(lines, *owner)[-1]
    if owner is not None and slot is not None and slot.takes_text and len(rows) > 1:
        is_empty_key = not slot.is_list and (Part.POINT not in slot.parts or owner[1].opens)
        if first is None or is_empty_key:
            return _as_block(lines, row, column, owner, rows)
    level = next((each for each in reversed(levels) if each.is_list and each.takes_text), None)
    if level is None or first is None:
        return None
    if first and here.text and here.dashes and column >= here.column:
        joined = lines[row][:column] + rows[0] + lines[row][column:]
        end = _end(lines, row, here.dashes[-1], True) or row
        if is_read_whole([each[here.dashes[-1] :] for each in (joined, *lines[row + 1 : end])]):
            return _insert(lines, row, column, level, items(rows[1:]), rows[0])
    return _insert(lines, row, column, level, items(rows))


def _names_of(root: Node | None) -> set[str]:
    """The keys of a mapping, or of the mappings of a list."""
    mappings = root.items if isinstance(root, SequenceNode) else (root,)
    return {property_name(pair.key) for each in mappings if isinstance(each, MappingNode) for pair in each.pairs}


# --- The levels around the cursor


def _levels(lines: Sequence[str], row: int, here: Line) -> list[_Level]:
    """The lists and mappings that line `row` is in or begins, outer before inner."""
    levels: list[_Level] = []
    chain = [line for _, line in lines_around(lines, row, here.indent, of_item=bool(here.dashes))]
    for line in (*reversed(chain), here):
        for dash in line.dashes:
            _begin(levels, dash, None)
        if line.key is not None:
            _begin(levels, line.column, line.key.strip("\"'"))
    return levels


def _begin(levels: list[_Level], column: int, name: str | None) -> None:
    """Add the list at `column`, or the mapping with the key `name`, and end what is further in."""
    while levels and (levels[-1].column, name is not None or levels[-1].is_list) >= (column, True):
        levels.pop()
    key = levels[-1].key if levels else _PROMPTS
    parts = _parts_of(key) if levels or name is None else _ROOT
    if name is not None:
        found = (key for part in parts if (key := find_key(part, name)) is not None)
        key = _ARGUMENT if name.startswith("$") else next(found, None)
    levels.append(_Level(column, name is None, key, parts))


def _parts_of(key: Key | None) -> tuple[Part, ...]:
    return () if key is None or key.part is None or key.named else (key.part,)


def _opened(lines: Sequence[str], row: int, near: Line, levels: list[_Level]) -> list[_Level]:
    """The level that the line `near`, at or above `row`, opens; none where it has a value."""
    if not near.opens or near.begins_block_text or not levels:
        return []
    if near.key is None:
        return [_Level(near.dashes[-1] + 2, False, None, levels[-1].parts)]
    key = levels[-1].key
    under = next((read_line(line) for line in lines[row + 1 : row + 5] if line.strip()), near)
    is_below = under.indent > near.column or (under.indent == near.column and bool(under.dashes) and under is not near)
    is_list = key is not None and (key.shape is Shape.LIST or key is _ARGUMENT)
    return [_Level(under.indent if is_below else near.column + 2, is_list, key, _parts_of(key))]


def _names_at(lines: Sequence[str], row: int, column: int) -> set[str]:
    """The keys of the mapping at `column` around `row`."""
    found: set[str] = set()
    for step in (-1, 1):
        at = row if step < 0 else row + 1
        while 0 <= at < len(lines) and abs(at - row) < _FAR_ROWS and not lines[at].startswith("---"):
            line = read_line(lines[at])
            is_end = bool(line.text) and line.indent < column
            if line.key is not None and line.column == column and not (is_end and step > 0):
                found.add(line.key)
            if is_end:
                break
            at += step
    return found


def _end(lines: Sequence[str], row: int, column: int, is_list: bool) -> int | None:
    """The row behind all that belongs to line `row` of a list or mapping at `column`; None if that is far away."""
    end = row + 1
    for at in range(row + 1, min(len(lines), row + _FAR_ROWS)):
        text = lines[at].lstrip(" ")
        indent = len(lines[at]) - len(text)
        if text and (indent < column or (indent == column and (is_list or text[0] != "-"))):
            return end
        if text:
            end = at + 1
    return end if row + _FAR_ROWS > len(lines) else None


# --- The placements


def _insert(
    lines: Sequence[str], row: int, column: int, level: _Level, rows: Sequence[str], begun: str = ""
) -> Placement | None:
    """`rows` at `level`, in place of a blank line or a lone dash or else behind what the cursor is in.

    `begun` goes to the cursor before.
    """
    line, here = lines[row], read_line(lines[row])
    end = _end(lines, row, level.column, level.is_list)
    begins = " " * level.column
    is_lone = here.is_lone_dash and not line[column:].strip() and _end(lines, row, here.dashes[-1] + 1, True) == row + 1
    begun_line = [] if is_lone else [line[:column] + begun + line[column:]]
    first, kept = (row, [*begun_line, *lines[row + 1 : end]]) if begun or is_lone else (end, [])
    if end is None or first is None:
        return None
    if line.strip() and column <= here.indent == level.column:
        first, kept = (end := row), []
    elif here.opens and here.key is not None and (level.column, level.is_list) > (here.column, False):
        first = end = row + 1
    elif end == row + 1 and (is_lone or not line.strip()):
        first, kept, begins = row, [], line[: level.column].ljust(level.column)
    indented = [begins + rows[0], *(" " * level.column + each if each else "" for each in rows[1:])]
    last = first + len(kept) + len(rows) - 1
    return Placement(first, end, [*kept, *indented], (last, len(indented[-1])))


def _block_around(lines: Sequence[str], row: int) -> tuple[int, int, bool]:
    """Of the block text around `row`: where its lines begin, where what holds it does, and if its text begins above."""
    indent = read_line(lines[row]).indent if lines[row].strip() else ANYWHERE
    above, owner = next(each for each in lines_around(lines, row, indent) if each[1].begins_block_text)
    parent = _parent(owner)
    first = next((at for at in range(above + 1, min(len(lines), above + _FAR_ROWS)) if lines[at].strip()), row)
    margin = len(lines[first]) - len(lines[first].lstrip(" "))
    return (margin if margin > parent else parent + 2), parent, first < row


def _parent(owner: Line) -> int:
    return owner.dashes[-1] if owner.key is None else owner.column


def _into_block(lines: Sequence[str], row: int, column: int, pasted: str) -> Placement:
    before, behind = lines[row][:column], lines[row][column:]
    is_apart = not before.strip()
    margin, _, is_begun = _block_around(lines, row)
    pad = before if len(before) >= margin and is_apart and is_begun else " " * margin
    rows = (dedent(pasted) if is_apart else pasted).split("\n")
    first = (pad + (rows[0] if is_begun else rows[0].lstrip(" "))) if is_apart else before + rows[0]
    new = [first, *(pad + each if each.strip() else "" for each in rows[1:])]
    if not rows[-1]:
        new[-1] = before if is_apart and behind.strip() else pad
    return Placement(row, row + 1, [*new[:-1], new[-1] + behind], (row + len(rows) - 1, len(new[-1])))


def _owner(lines: Sequence[str], row: int, column: int, here: Line) -> tuple[int, Line] | None:
    """The line whose key or dash begins the value that the cursor is in."""
    if here.dashes or here.key is not None:
        return (row, here) if column >= here.column else None
    is_blank = not lines[row].strip()
    owner = next(lines_around(lines, row, column if is_blank else here.indent), None)
    if owner is None or not (owner[1].dashes or owner[1].key):
        return None
    return None if is_blank and (not owner[1].opens or column <= _parent(owner[1])) else owner


def _as_block(
    lines: Sequence[str], row: int, column: int, owner: tuple[int, Line], rows: Sequence[str]
) -> Placement | None:
    """The value of `owner` as a block text, with `rows` at the cursor; None if it has another form."""
    top, begins = owner
    parent = _parent(begins)
    end = _end(lines, top, parent, begins.key is None)
    start = begins.column + len(begins.text) - len(begins.value)
    comment = lines[top][begins.column + len(begins.text) :].rstrip()
    if end is None:
        return None
    end = max(end, row + 1)
    written = [begins.value, *(line.strip() for line in lines[top + 1 : end])]
    at = row - top
    place = column - start if not at else column - (len(lines[row]) - len(lines[row].lstrip()))
    if not 0 <= place <= len(written[at]) + (not begins.value) or "" in written[1:at]:
        return None
    head = " ".join(each for each in (*written[:at], written[at][: max(place, 0)]) if each)
    tail = " ".join(each for each in (written[at][max(place, 0) :], *written[at + 1 :]) if each)
    mark, below = begins.value[:1], read_line(next(filter(None, written), ""))
    if mark in ("'", '"') and len(written) == 1 and begins.value[1:].endswith(mark) and 0 < place < len(begins.value):
        if "\\" in begins.value and mark == '"':
            return None
        head, tail = (
            (head[1:], tail[:-1]) if mark == '"' else (head[1:].replace("''", "'"), tail[:-1].replace("''", "'"))
        )
    elif below.text.startswith(_NOT_PLAIN) or (not mark and (below.dashes or below.key)):
        return None
    text = [head + rows[0], *rows[1:]]
    pad = " " * (parent + 2)
    sign = "|" + ("2" if text[0][:1] == " " else "") + ("-" if begins.key is None or begins.is_check else "")
    header = lines[top][:start].rstrip() + f" {sign}" + comment
    block = [pad + each if each.strip() else "" for each in text]
    cursor = top + len(block), len(block[-1])
    return Placement(top, end, [header, *block[:-1], block[-1] + tail], cursor)

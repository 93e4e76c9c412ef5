"""Where the lines of a paste go in a blueprint. Pure functions on lines.

Rows with keys go to the level around the cursor that takes these keys, rows with bullets or numbers into the list
around it, and prose into the text at the cursor. A paste that fits none of these has no placement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from textwrap import dedent

from engine.rules.rubric_edits import as_item
from engine.text.record import Record
from engine.yaml.keys import Key, Part, Shape, find_key
from engine.yaml.line_slips import BOX, BULLET, FALSE_SPACES, FENCE
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, Style, property_name
from engine.yaml.reader import Reader
from engine.yaml.slips import ALL_KEYS, KEY_LINE, POINT_KEYS
from studio.tui.editor import yaml_line
from studio.tui.editor.yaml_line import STEP, Level, Line, Within, block_around, levels_around, line_below, read_line

_DASH = re.compile(r" *-(?:[ \t]+|$)")
_GLUED_DASH = re.compile(r" *-[\u00a0 ]*(?=[^\W\d_]|[\"'`*$])")
_CHECK = re.compile(r" *(?=\$\w+:)")
_KEYED = re.compile(rf"(?:{'|'.join(POINT_KEYS)}|\$\w+):(?:\s|$)")
_IN_WORDS = re.compile(rf"(?!{_KEYED.pattern})[^\W\d_][\w,.;()]* ")
"""How a text begins that is no other value in YAML."""
_HEADING = re.compile(r"#+ .*|.*:")


def begins_item(line: str) -> bool:
    """Whether a row begins on `line`: with a dash, a bullet, a number, or as a check."""
    return _bullet(line) is not None


def commented(line: str) -> str:
    """`line` as a comment if it only says what the rows below it are."""
    is_heading = not begins_item(line) and _HEADING.fullmatch(line) and not KEY_LINE.match(line)
    return f"# {line.lstrip('# ')}" if is_heading else line


def _bullet(line: str) -> re.Match[str] | None:
    return BOX.match(line) or _DASH.match(line) or _GLUED_DASH.match(line) or BULLET.match(line) or _CHECK.match(line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def items(rows: Sequence[str], *, are_points: bool) -> list[str]:
    """The lines of a list with an item for each row. Lines without a bullet go on with the row above them.

    If none has a bullet, each that is not further in is a row. `are_points`: other values than texts are quoted.
    """
    if not any(map(begins_item, rows)):
        rows = [f"- {line}" if line.strip() and not line.startswith((" ", "# ")) else line for line in rows]
    found: list[list[str]] = []
    is_apart = True
    for line in rows:
        is_outer = not found or _indent(line) <= _indent(found[-1][0])
        if line.strip() and is_outer and (is_apart or begins_item(line)):
            found.append([line])
        elif found:
            found[-1].append(line)
        is_apart = not line.strip()
    return [line for item in found for line in _written(item, are_points)]


def _written(item: list[str], are_points: bool) -> Iterator[str]:
    while not item[-1].strip():
        item.pop()
    bullet = _bullet(item[0])
    text = item[0][bullet.end() if bullet else 0 :].replace("\u00a0", " ").strip()
    text = text[box.end() :] if (box := BOX.match(text)) else text
    is_dash = bullet is not None and bullet.re is _DASH
    below = next((at for at, line in enumerate(item[1:], 1) if begins_item(line)), len(item))
    if len(item) == 1 and bullet is None and commented(text).startswith("# "):
        yield commented(text)
        return
    if len(item) == 1 and _IN_WORDS.match(text):
        yield "- " + as_item(text)
        return
    indent = _indent(item[0])
    own = [line[indent:] if not line[:indent].strip() else STEP + line for line in item]
    own[0] = own[0] if is_dash else f"- {text}"
    is_quoted = below > 1 and re.fullmatch("(['\"]).*\\1", text) is not None
    is_yaml = is_quoted or any(_KEYED.match(line) for line in (text, *map(str.lstrip, item[1:below])))
    if is_yaml or (is_dash and is_read_whole(own, are_points)):
        yield from own
    elif below < len(item):
        yield from _written(item[:below], are_points)
        yield from items(item[below:], are_points=are_points)
    else:
        lines = [text, *(line.strip() for line in item[1:] if line.strip())]
        wrapped = [f"- {text}", *(STEP + line for line in lines[1:])]
        is_wrapped = len(lines) > 1 and is_read_whole(wrapped, are_points)
        yield from wrapped if is_wrapped else [f"- {as_item(' '.join(lines))}"]


def node_of(lines: Sequence[str]) -> Node | None:
    """What YAML reads `lines` as; None if they are no one document without errors."""
    text = "\n".join([*lines, ""])
    reader = Reader(text, 0, len(text), {})
    is_read = reader.read_to_refusal() is None and not reader.duplicates and len(reader.documents) == 1
    return reader.documents[0].root if is_read else None


def names_in(node: Node | None) -> set[str]:
    """The keys of a mapping, or of the mappings of a list."""
    mappings = node.items if isinstance(node, SequenceNode) else (node,)
    return {property_name(pair.key) for each in mappings if isinstance(each, MappingNode) for pair in each.pairs}


def is_read_whole(lines: Sequence[str], are_points: bool) -> bool:
    """Whether YAML reads `lines` as one item that has all their text: a point in words, a check, or a path."""
    match node_of(lines):
        case SequenceNode(items=[ScalarNode(style=Style.PLAIN) as item]):
            is_text = isinstance(item.value, str) or not are_points or item.span.start == item.span.end
            return is_text and item.span.end == len("\n".join(lines).rstrip()) and not any(map(begins_item, lines[1:]))
        case SequenceNode(items=[item]):
            return all(name in POINT_KEYS or name.startswith("$") for name in names_in(item))
        case _:
            return False


_MOST_ROWS = 1000
"""A paste of more lines is a file and not a part of one: it is inserted as it is."""
_FAR_ROWS = 3000
"""How many lines below the cursor are searched for the end of what it is in."""
_OF_PROMPT = frozenset(["prompt", "messages", "ideal", "should", "should_not"])
_PROSE = frozenset(["prompt", "ideal", "system", "user", "assistant", "content", "text", "point"])
"""Keys whose text goes on behind Enter."""
_FALSE_MARGIN = re.compile(rf"^[ {FALSE_SPACES}]+", re.MULTILINE)
_NOT_PLAIN = tuple("'\"|>[{&!*#%@`")


class Placement(Record):
    """The lines that come instead of the rows from `first` up to `after`, and where the cursor is then.

    The cursor was on one of these rows.
    """

    first: int
    after: int
    lines: Sequence[str]
    cursor: tuple[int, int]


class _Place(Record):
    """A list whose dashes, or a mapping whose keys, stand at `column`, and what may be in it.

    `key` is the key of the list, or the present one of the mapping; `parts` are the kinds of mappings that the mapping,
    or an item of the list, may be.
    """

    column: int
    is_list: bool
    key: Key | None
    parts: Sequence[Part]

    @property
    def takes_text(self) -> bool:
        """Whether an item of the list, or the value of the key, may be a text."""
        if self.is_list and self.key is not None:
            return self.key.names is not None or self.key.part in (None, Part.POINT)
        return self.key is not None and self.key.shape in (Shape.TEXT, Shape.ANY)

    def takes(self, names: Set[str]) -> bool:
        """Whether its mappings may have all these keys."""
        return any(all(find_key(part, name) for name in names) for part in self.parts)


class _Pasted(Record):
    """A paste as a text, and as rows for a list or mapping: the first row of a list, the keys in them.

    `is_unread`: they have keys, or separators, that YAML does not read as one mapping or list.
    """

    text: str
    rows: Sequence[str]
    first: int | None
    is_list: bool
    names: Set[str]
    is_unread: bool


def _read(pasted: str) -> _Pasted:
    plain = _FALSE_MARGIN.sub(lambda found: " " * sum(each not in "\u200b\ufeff" for each in found[0]), pasted)
    rows = _rows(dedent(plain.strip("\n").rstrip()).split("\n"))
    root = node_of(rows)
    first = next((at for at, line in enumerate(rows) if begins_item(line)), None)
    is_list, names = isinstance(root, SequenceNode), names_in(root)
    if names.isdisjoint(ALL_KEYS - POINT_KEYS if is_list else ALL_KEYS) or (first == 0 and not is_list):
        names = set[str]()
    is_unread = "---" in rows or (root is None and _has_keys(rows))
    return _Pasted(dedent(pasted), rows, first, is_list, names, is_unread)


def place_paste(lines: Sequence[str], row: int, column: int, pasted: str) -> Placement | None:
    """Where `pasted` goes at `column` of line `row`; None to insert it as it is: without a place, or within a line."""
    line, here, state = lines[row], read_line(lines[row]), yaml_line.within(lines, row, column)
    pasted_row = _FALSE_MARGIN.sub("", pasted, count=1)
    is_behind = column == len(line.rstrip()) and (begins_item(pasted_row) or KEY_LINE.match(pasted_row))
    is_one_line = "\n" not in pasted and (not pasted.strip(" -") or (line[:column].strip(" -") and not is_behind))
    if is_one_line or state is Within.FLOW or pasted.count("\n") > _MOST_ROWS:
        return None
    read = _read(pasted)
    if state is Within.BLOCK_TEXT and not _ends_block(lines, row, column, read.names):
        return _into_block(lines, row, column, pasted, bool(read.names) or read.is_unread)
    is_prose, is_long = read.first is None and not read.is_unread, "\n" in pasted.rstrip()
    if not read.names and is_long and (owner := _owner(lines, row, column, here)):
        slot, begins = _known(levels_around(lines, *owner))[-1], owner[1]
        is_key = not slot.is_list and (begins.opens or (Part.POINT not in slot.parts and owner[0] == row))
        is_row = read.is_unread and here.value and KEY_LINE.match(read.rows[0])
        if slot.takes_text and not is_row and (is_key or (is_prose and not begins.is_lone_dash)):
            return _as_block(lines, row, column, owner, read.text)
    is_before = here.dashes and column <= here.indent
    places = [each for each in _places(lines, row, column)[::-1] if not is_before or each.column <= here.indent]
    if not places and not line.strip():
        rows = [*read.rows, *([""] if pasted.endswith("\n") and row == len(lines) - 1 else [])]
        return Placement(row, row + 1, rows, (row + len(rows) - 1, len(rows[-1])))
    if read.names and not read.is_unread:
        place = next((each for each in places if each.is_list == read.is_list and each.takes(read.names)), None)
        return _below(lines, row, column, pasted) if place is None else _insert(lines, row, column, place, read.rows)
    if read.is_unread:
        return _below(lines, row, column, pasted)
    place = next((each for each in places if each.is_list and each.takes_text), None)
    if place is None or (is_prose and line.strip() and not (here.opens and is_long)):
        return None
    return _insert(lines, row, column, place, items(read.rows, are_points=Part.POINT in place.parts))


def _rows(text: Sequence[str]) -> list[str]:
    """The lines of a paste without a fence around them, with a heading above them as a comment.

    Of keys that are copied from the middle of a line on, the first line gets the margin that it had.
    """
    is_fenced = len(text) > 2 and FENCE.match(text[0]) and FENCE.match(text[-1])
    first, *rest = dedent("\n".join(text[1:-1])).split("\n") if is_fenced else text
    rows = [commented(first) if rest else first, *rest]
    if KEY_LINE.match(first) and node_of(rows) is None:
        margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
        moved = (dedent("\n".join([" " * before + first, *rest])).split("\n") for before in (margin, margin - 2))
        return next((lines for lines in moved if node_of(lines) is not None), rows)
    return rows


def _has_keys(rows: Sequence[str]) -> bool:
    """Whether keys stand in rows that YAML does not read, other than those of points."""
    found = [KEY_LINE.match(line) for line in rows]
    is_of_point = found[0] is None or (found[0]["dashes"] and found[0]["name"] in POINT_KEYS)
    return not is_of_point or any(key and key["name"] not in POINT_KEYS for key in found)


def _known(levels: Sequence[Level]) -> list[_Place]:
    """What may be at each of these levels, outer before inner."""
    found: list[_Place] = []
    key = find_key(Part.HEADER, "prompts")
    for column, name in levels:
        parts = () if key is None or key.part is None or key.named else (key.part,)
        if name is not None:
            parts = parts if found else (Part.HEADER, Part.PROMPT)
            candidates = (find_key(part, name) for part in parts)
            key = find_key(Part.POINT, "arg") if name.startswith("$") else next(filter(None, candidates), None)
        found.append(_Place(column, name is None, key, parts))
    return found


def _places(lines: Sequence[str], row: int, column: int) -> list[_Place]:
    """What the cursor is in, outer before inner, and what the line before it begins and leaves open."""
    here = (row, read_line(lines[row]))
    near = here if lines[row].strip() else next(yaml_line.rows_above(lines, row, yaml_line.ANYWHERE), here)
    line, levels = near[1], levels_around(lines, *near)
    if not line.opens or line.begins_block_text or (near is here and column <= line.indent):
        return _known(levels)
    under = line_below(lines, row)
    is_below = under.indent > line.column or (under.indent == line.column and under.dashes)
    below = under.indent if line.key is not None and is_below else levels[-1].column + 2
    *_, last = _known(levels)
    is_list = last.key is not None and last.key.shape in (Shape.LIST, Shape.ANY) and line.key is not None
    return _known([*levels, Level(below, None if is_list else "")])


def _row_behind(lines: Sequence[str], row: int, column: int, is_list: bool) -> int | None:
    """The row behind all that belongs to line `row` of a list or mapping at `column`; None if that is far away."""
    end = row + 1
    for at in range(row + 1, min(len(lines), row + _FAR_ROWS)):
        text = lines[at].lstrip(" ")
        indent = len(lines[at]) - len(text)
        is_outside = indent < column or (indent == column and (is_list or text[:1] != "-"))
        if text and (is_outside or lines[at].startswith("---")):
            return end
        end = at + 1 if text else end
    return end if row + _FAR_ROWS > len(lines) else None


def _insert(lines: Sequence[str], row: int, column: int, place: _Place, rows: Sequence[str]) -> Placement | None:
    """`rows` at `place`, instead of a blank line or a lone dash or else behind what the cursor is in."""
    line, here = lines[row], read_line(lines[row])
    end = _row_behind(lines, row, place.column, place.is_list)
    if end is None:
        return None
    is_lone = here.is_lone_dash and not line[max(column, here.indent + 1) :].strip()
    is_lone = is_lone and _row_behind(lines, row, here.column - 1, True) == row + 1
    kept, behind = [] if is_lone else [line], list[str]()
    begins = " " * place.column
    if line.strip() and not is_lone and column <= here.indent == place.column and place.is_list == bool(here.dashes):
        kept, end, behind = [], row + 1, [line]
    elif here.opens and here.key is not None and (place.column, place.is_list) > (here.column, False):
        end = row + 1
    elif end == row + 1 and (is_lone or not line.strip()):
        kept, begins = [], line[: place.column].ljust(place.column)
    kept += lines[row + 1 : end]
    indented = [begins + rows[0], *(" " * place.column + each if each else "" for each in rows[1:])]
    last = row + len(kept) + len(rows) - 1
    return Placement(row, end, [*kept, *indented, *behind], (last, len(indented[-1])))


def _below(lines: Sequence[str], row: int, column: int, pasted: str) -> Placement | None:
    """`pasted` as it is, but below the line if the cursor is behind its text."""
    if not lines[row].strip() or column < len(lines[row].rstrip()):
        return None
    rows = pasted.rstrip().split("\n")
    return Placement(row, row + 1, [lines[row], *rows], (row + len(rows), len(rows[-1])))


# --- Texts


def _ends_block(lines: Sequence[str], row: int, column: int, names: Set[str]) -> bool:
    """Whether rows with keys `names` end the block text around: on a blank line, those of a prompt and its rubric."""
    _, parent, is_begun = block_around(lines, row)
    is_outside = column <= parent or (is_begun and not names.isdisjoint(_OF_PROMPT))
    return bool(names) and not lines[row].strip() and is_outside


def _into_block(lines: Sequence[str], row: int, column: int, pasted: str, has_keys: bool) -> Placement:
    """`pasted` as lines of the block text. Keys begin where its text does, so that a rule tells of them."""
    before, behind = lines[row][:column], lines[row][column:]
    is_apart = not before.strip()
    margin, _, is_begun = block_around(lines, row)
    pad = " " * margin
    rows = [*([""] if has_keys and not is_apart else []), *dedent(pasted).split("\n")]
    first = (pad + (rows[0] if is_begun else rows[0].lstrip(" "))) if is_apart else before + rows[0]
    new = [first, *(pad + each if each.strip() else "" for each in rows[1:])]
    if not rows[-1]:
        new[-1] = before if is_apart and behind.strip() else pad
    return Placement(row, row + 1, [*new[:-1], new[-1] + behind], (row + len(rows) - 1, len(new[-1])))


def _owner(lines: Sequence[str], row: int, column: int, here: Line) -> tuple[int, Line] | None:
    """The line whose key or dash begins the value that the cursor is in, on that line or below.

    Prose may go on behind Enter, where the next key would be.
    """
    if here.levels:
        return (row, here) if column >= here.column else None
    owner = next(yaml_line.rows_above(lines, row, yaml_line.ANYWHERE), None)
    if owner is None or not owner[1].levels or any(map(str.strip, lines[owner[0] + 1 : row + 1])):
        return None
    begins, is_prose = owner[1], owner[1].key in _PROSE
    is_in = column >= begins.levels[-1].column + (not is_prose)
    return owner if is_in and (is_prose or begins.opens or begins.key is None) else None


def _as_block(lines: Sequence[str], row: int, column: int, owner: tuple[int, Line], text: str) -> Placement | None:
    """The value of `owner` as a block text, with `text` at the cursor; None if it has another form."""
    top, begins = owner
    parent, value = begins.levels[-1].column, begins.value
    behind = begins.column + len(begins.text)
    start, comment = behind - len(value), lines[top][behind:].rstrip()
    has_more = (_row_behind(lines, top, parent, begins.key is None) or row + 2) > row + 1
    quote = value[0] if value[:1] in ("'", '"') and value[1:].endswith(value[0]) and "\\" not in value else ""
    is_other = not quote and value.startswith(_NOT_PLAIN)
    if has_more or is_other or (row == top and value and comment and column > behind):
        return None
    value = value[1:-1] if quote else value
    at = max(0, column - start - len(quote)) if row == top else len(value)
    text = "\n" * (row - top + (at > len(value) > 0 and text[:1] != "\n")) + text
    head, tail = (each.replace("''", "'") if quote == "'" else each for each in (value[:at], value[at:]))
    before = (head + (text if tail else text.rstrip())).lstrip("" if head else "\n")
    sign = "|" + ("2" if before[:1] == " " else "") + ("-" if begins.key is None or begins.is_check else "")
    header = f"{lines[top][:start].rstrip()} {sign}{comment}"
    block = [" " * (parent + 2) + each if each.strip() else "" for each in (before + tail).split("\n")]
    cursor = top + before.count("\n") + 1, parent + 2 + len(before) - (before.rfind("\n") + 1)
    return Placement(top, row + 1, [header, *block], cursor)

"""Slips of layout: blocks too far left or right, text that is not indented, and prose where none can stand.

Also items without their dash, lists of prompts without the `---` before them, and among points keys below a point that
is plain text, and points at the margin of the prompts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final

from engine.text import Span, TextEdit, count, lazy
from engine.yaml.quoting import begins_check, in_quotes
from engine.yaml.rows import WORD, behind_signs
from engine.yaml.slips import (
    ANY_KEY,
    HEADER_KEYS,
    KEY_LINE,
    LIST_KEYS,
    MOST_MOVED,
    POINT_KEYS,
    PROMPT_KEYS,
    Line,
    Lines,
    Slip,
    SlipRule,
    begins_prompt,
    key_column,
    line_end,
)


def margin_slips(lines: Lines, index: int) -> Iterator[Slip]:
    """The slips of layout that may be why reading stops at the line `index`, the likeliest first."""
    line = lines[index]
    if line.column < 0:
        return
    if prose := _prose_above(lines, index):
        count = f"these {len(prose)} lines are" if len(prose) > 1 else "this line is"
        message = f"{count} neither a key nor a comment: put `# ` before {'each' if len(prose) > 1 else 'it'}"
        edits = tuple(TextEdit(Span(each.start, each.start), "# ") for each in prose)
        yield Slip(prose[0].content, message, "make it a comment", edits)
    if line.column == 0 and begins_prompt(line.written):
        yield from _missing_separators(lines, index)
        return
    above = lines.above(index)
    is_value = above is not None and lines[above].written.rstrip().endswith(":")
    is_item = not is_value and any(lines[each].column == line.column for each in _open_items(lines, index))
    likeliest = (_missing_dashes, _unindented_texts) if is_item else (_unindented_texts, _missing_dashes)
    for slips in (*likeliest, _moved_blocks):
        yield from slips(lines, index)


_PROSE = re.compile(r"[^\W_][^:]*(?:\w|[.!?…)\"'”’])[ \t]*\Z")
"""A line that begins with a letter or a digit and has no colon."""
_MOST_PROSE = 20


def _prose_above(lines: Lines, index: int) -> list[Line]:
    """The prose at the beginning of the document whose first key or item at the margin is on the line `index`."""
    line = lines[index]
    if line.column != 0 or not (line.is_item or line.key):
        return []
    found: list[Line] = []
    for _, above in lines.upward(index):
        if above.column != 0 or len(found) == _MOST_PROSE or _PROSE.match(above.written) is None:
            return []
        found.append(above)
    return found[::-1]


_BLOCK_HEADER = re.compile(r".*(?::|-)[ \t]+[|>][-+0-9]*[ \t]*(?:#.*)?\Z")


def _unindented_texts(lines: Lines, index: int) -> Iterator[Slip]:
    """Prose that belongs to the text of the key above, but is indented too little."""
    line = lines[index]
    if _is_item_or_key(line):
        return
    above = _text_above(lines, index)
    if above is None:
        return
    head, target = above
    first = head + 1
    while first < index and (lines[first].column < 0 or lines[first].column >= target):
        first += 1
    end = lines.until(index, _is_item_or_key)
    moved = lines.written(first, end)
    by = target - min((each.column for each in moved), default=target)
    if by <= 0 or end - first > MOST_MOVED:
        return
    if any(each.column == target for each in moved):
        moved = [each for each in moved if each.column < target]
    # the lines keep their own indentation within the block
    edits = tuple(each.indented(by) for each in moved)
    count = f" ({len(moved)} lines)" if len(moved) > 1 else ""
    message = f"indent this block{count}: it is the text of {_name_of(lines[head])} above"
    yield Slip(moved[0].content, message, "indent this block", edits)


def _text_above(lines: Lines, index: int) -> tuple[int, int] | None:
    """The line whose key has the text that goes on at `index`, and the column of that text."""
    text_column = -1
    for other in range(index - 1, -1, -1):
        line = lines[other]
        if line.column < 0:
            continue
        if line.is_item or line.key is not None:
            key = ANY_KEY.match(line.written)
            column = (line.column if key is None else key_column(key)) + 2
            is_block = key is None or _BLOCK_HEADER.match(line.written) is not None
            return other, max(text_column, column) if is_block else column
        text_column = line.column
    return None


def _is_item_or_key(line: Line) -> bool:
    """Whether the line is an item, a key of a blueprint, a separator, or a mark of a merge conflict."""
    return line.is_item or line.is_conflict or line.written.startswith("---") or line.key is not None


def _name_of(line: Line) -> str:
    key = ANY_KEY.match(line.written)
    return "the item" if key is None else f"`{key['name']}`"


def _moved_blocks(lines: Lines, index: int) -> Iterator[Slip]:
    """A key or an item, with its block, that is too far left or right for the lines above."""
    line = lines[index]
    if not line.is_item and line.key is None:
        return
    yield from _moved_item(lines, index)
    for column in _columns(lines, index):
        for end in _ends(lines, index, column) if column != line.column else ():
            if end - index <= MOST_MOVED:
                yield _moved(line, lines.written(index, end), column)


def _moved_item(lines: Lines, index: int) -> Iterator[Slip]:
    """The prompt above this key of it, which stands as the keys of the other prompts do: its first line was moved."""
    column = lines[index].column - 2
    prompts = [number for number, each in enumerate(lines.lines) if each.is_item and begins_prompt(each.written)]
    above = max((each for each in prompts if each < index), default=None)
    if above is None or lines[above].column <= column or column < 0 or lines[index].is_item:
        return
    if any(lines[each].column == column for each in prompts) or (column == 0 and len(prompts) == 1):
        yield _moved(lines[above], lines.written(above, index), column)


def _moved(line: Line, block: Sequence[Line], column: int) -> Slip:
    """The slip of `line`, which belongs at `column` with the lines of its `block`."""
    by = column - line.column
    far = count(abs(by), "space")
    side, other_side = ("left", "right") if by > 0 else ("right", "left")
    kind = "`-`" if line.is_item else "key"
    message = f"this {kind} stands {far} too far {side}: it lines up with nothing above"
    title = f"move {'it' if len(block) == 1 else f'these {len(block)} lines'} {far} to the {other_side}"
    return Slip(line.content, message, title, tuple(each.indented(by) for each in block))


def _columns(lines: Lines, index: int) -> list[int]:
    """The columns at which the line may have been meant, the likeliest first."""
    line = lines[index]
    enclosing = list(_enclosing(lines, index))
    found: list[int] = []
    for number, above in enumerate(enclosing):
        opened = ANY_KEY.match(above.written)
        content = above.column + (2 if above.is_item else 0) if opened is None else key_column(opened)
        if not line.is_item:
            found.append(content)
            continue
        if above.is_item and begins_prompt(above.written) == begins_prompt(line.written):
            found.append(above.column)
        opens_list = opened is not None and not above.written[opened.end() :].strip(" \t")
        if number == 0 and opens_list:
            found += [content + 2, content]
    if not line.is_item and line.key_name in PROMPT_KEYS - POINT_KEYS - HEADER_KEYS:
        found.sort(key=lambda column: not _has_prompt_key(lines, index, column))
    return list(dict.fromkeys(found))


def _enclosing(lines: Lines, index: int) -> Iterator[Line]:
    """The items and keys above `index` in its document, the nearest first, each no deeper than the one before."""
    least: int | None = None
    for _, above in lines.upward(index):
        is_deeper = least is not None and above.column > least
        if not is_deeper and (above.is_item or above.key is not None):
            least = above.column
            yield above


def _has_prompt_key(lines: Lines, index: int, column: int) -> bool:
    """Whether the nearest key at `column` above `index` is one of a prompt."""
    keys = (above.key for above in reversed(lines.lines[:index]))
    nearest = next((key for key in keys if key is not None and key_column(key) == column), None)
    return nearest is not None and nearest["name"] in PROMPT_KEYS


def _ends(lines: Lines, index: int, column: int) -> Sequence[int]:
    """The indices after the block that was moved with the line from `column`, the likeliest first."""
    own = lines[index].column
    beside, block = _end_beside(lines, index, column), lines.block(index, own)
    likeliest = [beside, block] if own < column and beside < block else [block, beside]
    deeper_than_both = lines.block(index, max(own, column))
    return list(dict.fromkeys([*likeliest, deeper_than_both, index + 1]))


def _end_beside(lines: Lines, index: int, column: int) -> int:
    """The index after the lines that were moved with the line, up to one that stands where it should."""
    own = lines[index]

    def stands_right(line: Line) -> bool:
        is_alike = line.is_item if own.is_item else not line.is_item and line.key is not None
        return line.column < own.column or (own.column < column == line.column and is_alike)

    return lines.until(index, stands_right)


_WORDS = re.compile(r"[^\w$!]*(?:\"?!\w+[^\w$]*)?(?:(?:text|point):[^\w$]*)?(?P<first>\w)")
"""The beginning of an item that is no check, up to the first letter of its words."""


def _missing_dashes(lines: Lines, index: int) -> Iterator[Slip]:
    """An item without its dash: this line between items, or the first line of a list, or of the one of this item."""
    line = lines[index]
    if line.is_item:
        first = _first_of_block(lines, index)
        if first is not None and not lines[first].is_item and not _goes_on(lines, first):
            yield _without_dash(lines, first, line.column)
        return
    yield from _among_items(lines, index)
    above = lines.above(index)
    below = next((each for each in lines.lines[index + 1 :] if not each.is_blank), None)
    if above is not None and below is not None and below.is_item and _begins_list(lines[above]):
        yield _without_dash(lines, index, below.column)


def _among_items(lines: Lines, index: int) -> Iterator[Slip]:
    """A line that is one more item of an open list: a text in a list of texts, a repeated key in a list of prompts."""
    line = lines[index]
    key = line.key
    if key is None and (ANY_KEY.match(line.written) is not None or WORD.search(line.written) is None):
        return
    if _goes_on(lines, index):
        return
    for item in sorted(_open_items(lines, index), key=lambda item: lines[item].column != line.column):
        has_key = lines[item].key is not None
        if has_key is (key is not None) and (key is None or _repeats(lines, item, index, key["name"])):
            yield _without_dash(lines, index, lines[item].column)


def _goes_on(lines: Lines, index: int) -> bool:
    """Whether a line is the middle of a sentence: in lower case, in a list that has an item that begins one."""
    first = lines[index].written[lines[index].column]
    if not (first.islower() or first.isdigit()) or lines[index].key is not None:
        return False
    listed = takewhile(lambda above: not _begins_list(above[1]), lines.upward(index))
    begun = (_WORDS.match(above.written) for _, above in listed if above.is_item)
    return any(words["first"].isupper() for words in begun if words is not None)


def _begins_list(line: Line) -> bool:
    return line.key_name in LIST_KEYS


def _repeats(lines: Lines, item: int, index: int, name: str) -> bool:
    """Whether the item that begins at the line `item` has a key `name` above the line `index` already."""
    column = -1
    for line in lines.lines[item:index]:
        key = line.key
        if key is None:
            continue
        column = key_column(key) if column < 0 else column
        if key["name"] == name and key_column(key) == column:
            return True
    return False


def _without_dash(lines: Lines, index: int, column: int) -> Slip:
    """The slip of the line at `index`, which begins an item at `column`."""
    line = lines[index]
    what = "a new item" if line.key is None else "a new prompt"
    edits = (TextEdit(Span(line.start, line.start + line.column), " " * column + "- "),)
    return Slip(line.content, f"put `- ` before this: {what} of the list starts here", "add the dash", edits)


def _open_items(lines: Lines, index: int) -> Iterable[int]:
    """The last item of each list that is open above `index`, the innermost first."""
    least: int | None = None
    for other, line in lines.upward(index):
        if least is None or line.column < least:
            least = line.column
            if line.is_item:
                yield other


def _first_of_block(lines: Lines, index: int) -> int | None:
    """The first line of the list that the item at `index` continues; None if that list has its dash."""
    column = lines[index].column
    first: int | None = None
    for other, line in lines.upward(index):
        if line.column < column:
            break
        if line.column == column and (line.is_item or line.key is not None):
            return None if line.is_item else first
        first = other
    return first


_OF_PROMPTS = PROMPT_KEYS - HEADER_KEYS | {"id"}
"""Keys that a prompt has, and no header but for `id`."""
_PROMPTS = re.compile(r"prompts:[ \t]*(?:#.*)?\Z")


def _missing_separators(lines: Lines, index: int) -> Iterator[Slip]:
    """A list of prompts at the margin below something else: a header, a prompt without its dash, indented prompts."""
    first = min((above for above, _ in lines.upward(index)), default=None)
    if first is not None and behind_signs(lines.text, lines[first].span) > lines[first].start:
        return  # an item, or what is meant as one
    if first is not None and lines[first].own_key in _OF_PROMPTS:
        yield _without_dash(lines, first, 0)
    column = _column_of_prompts(lines, index)
    if column:
        yield _outside_prompts(lines, index, column)
    line = lines[index]
    message = "a list starts here, but the lines above are not a list: put `---` on a line of its own between them"
    yield Slip(line.content, message, "put `---` before it", (TextEdit(Span(line.start, line.start), "---\n"),))


def _outside_prompts(lines: Lines, index: int, column: int) -> Slip:
    """The slip of a list at the margin, whose items belong at `column` to the list of `prompts` above."""
    line, end = lines[index], lines.until(index, lambda line: line.column == 0 and not line.is_item)
    by = count(column, "space")
    message = f"this starts too far left to belong to `prompts`: indent it by {by} like the items above"
    moved = lines.written(index, end) if end - index <= MOST_MOVED else []
    edits = tuple(each.indented(column) for each in moved)
    return Slip(line.content, message, f"indent {'it' if len(moved) == 1 else 'these lines'} by {by}", edits)


def _column_of_prompts(lines: Lines, index: int) -> int:
    """The column of the items of `prompts` if the line at `index` follows them; else 0."""
    column = 0
    for _, line in lines.upward(index):
        if line.column > 0 and line.is_item:
            column = line.column
        elif line.column == 0:
            return column if _PROMPTS.match(line.written) is not None else 0
    return 0


_POINT_LINE = re.compile(r" *(?:-[ \t]+)+(?P<text>[^\s-].*)\Z")
_TEXT = re.compile(r"(?:text|point)[ \t:：=;]")
"""A point that has its `text:`, or has it without its colon."""
_PROMPT_ITEM = re.compile(r" *-[ ]+(?:id|prompt|promptText|messages):(?=\s|\Z)")


def keys_under_text(lines: Lines, index: int) -> Iterator[Slip]:
    """The slip of the key at the line `index`, if it is one of a point that is plain text; with each way to fix it."""
    line = lines[index]
    if line.own_key not in POINT_KEYS - {"text", "point"}:
        return
    above = [each for _, each in lines.upward(index)]
    keys = list(takewhile(_is_key_of_point, above))
    continued = list(takewhile(lambda each: not each.is_item and not each.is_structure, above[len(keys) :]))
    point = next(iter(above[len(keys) + len(continued) :]), None)
    item = None if point is None else _POINT_LINE.match(point.written)
    if point is None or item is None or begins_check(item["text"]) or _TEXT.match(item["text"]):
        return
    if any(each.column == point.column and _PROMPT_ITEM.match(each.written) for each in lines.lines):
        return  # it stands among prompts, and is indented too little
    keys += (
        line,
        *takewhile(lambda each: _is_key_of_point(each) and each.column == line.column, lines.lines[index + 1 :]),
    )
    text = Span(point.start + item.start("text"), point.start + item.end("text"))
    margins = tuple(_lined_up(keys, continued, column=item.start("text")))
    message = f"a point with a `{line.own_key}` needs `text:`"
    ways = [TextEdit(Span(text.start, text.start), "text: ")]
    if not continued:
        ways.append(TextEdit(text, f"text: {in_quotes(item['text'].rstrip())}"))
    for edit in ways:
        yield Slip(line.content, message, "write `text:`", (edit, *margins), SlipRule.KEY_UNDER_TEXT)


def _is_key_of_point(line: Line) -> bool:
    return line.own_key in POINT_KEYS


def _lined_up(keys: Iterable[Line], continued: Iterable[Line], *, column: int) -> Iterator[TextEdit]:
    """The edits that line up the keys at `column`, and indent the other lines of the text deeper."""
    for key in keys:
        if key.column != column:
            yield TextEdit(Span(key.start, key.start + key.column), " " * column)
    for line in continued:
        if line.column <= column:
            yield line.indented(2)


_POINT: Final = re.compile(r"-[ \t]+\S")
_ITEM_OR_KEY: Final = re.compile(r"-|[ ]*[\w$]+:(?:\s|$)")
_MOST_POINTS: Final = 100
"""How many points are looked for above and below the item."""
_LIST_ABOVE_POINTS: Final = lazy(
    rf"^.*\b(?:{'|'.join(sorted(LIST_KEYS))})[\"']?:[^\S\n]*\n(?:[^\S\n]*(?:#.*)?\n)*(?=-[ \t])", re.MULTILINE
)


@lru_cache(maxsize=1)
def all_lost_points(text: str) -> Mapping[int, Slip]:
    """What `lost_points` says of each point, by its start: found once for all points below a key, however many."""
    slips = (lost_points(text, above.end()) for above in _LIST_ABOVE_POINTS.finditer(text))
    return {edit.span.start: slip for slip in slips if slip is not None for edit in slip.edits}


def lost_points(text: str, offset: int) -> Slip | None:
    """The points around the line at `offset`, an item of text at the margin; None if it has none.

    The key of the list is the last line of a prompt above, which has no value yet.
    """
    if not begins_point(text, offset):
        return None
    lines = Lines(text, offset)
    above, opening = _points_beside(lines.lines[: lines.at][::-1])
    key = None if opening is None else opening.key
    if opening is None or key is None or key_column(key) < 2 or key["name"] not in LIST_KEYS:
        return None
    below, behind = _points_beside(lines.lines[lines.at + 1 :])
    is_alone = behind is None or _ITEM_OR_KEY.match(behind.written) is not None
    if opening.written[key.end() :].strip() or not is_alone or max(len(above), len(below)) > _MOST_POINTS:
        return None  # the last point has several lines, or is far away
    points = [*reversed(above), lines[lines.at], *below]
    edits = tuple(point.indented(key_column(key) + 2) for point in points)
    title, they = (
        ("indent this point", "it does") if len(edits) == 1 else (f"indent these {len(edits)} points", "they do")
    )
    message = f"{title}: at the margin of the prompts, {they} not belong to `{key['name']}` above"
    return Slip(points[0].span, message, title, edits)


def _points_beside(lines: Iterable[Line]) -> tuple[list[Line], Line | None]:
    """The points at the margin with which `lines` begin, and the line behind them."""
    written = [line for line in lines if not line.is_blank]
    points = list(takewhile(lambda line: _is_point(line.written), written))
    return points, next(iter(written[len(points) :]), None)


def begins_point(text: str, offset: int) -> bool:
    """Whether the line at `offset` is an item at the margin that no prompt begins with."""
    return _is_point(text[offset : line_end(text, offset)])


def _is_point(written: str) -> bool:
    """Whether a line is an item at the margin that no prompt begins with."""
    return _POINT.match(written) is not None and KEY_LINE.match(written) is None

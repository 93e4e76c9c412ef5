"""Trying edits: whether the edited text `works`, and whether it `conserves` what its author wrote.

Conservation is judged on rows, since broken YAML has no points. A *row* is a line outside every text that could be read
which begins with a dash, a bullet, a number with `.` or `)`, `---`, or a known key and a colon, with its continuation
lines. After a safe fix every row begins a list item, a key or a document, in the same order, in the block and the
prompt where it could be read; only a row that begins with a key of prompts becomes a prompt. Words stay, apart from
`text:` and what YAML or a new name says instead. No line of a text that could be read becomes a row, except for a plain
text in place of a list of points. Nothing that is no criterion becomes one: `OR`, a boolean, null, `(weight 3)`. No
text in brackets becomes a path.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator
from functools import lru_cache
from typing import Final, final

from engine.text import Record, Span, TextEdit, apply_edits, lazy
from engine.yaml.pieces import split_pieces
from engine.yaml.rows import (
    WORD,
    CarriedWords,
    Entry,
    RowReading,
    behind_signs,
    block_lines,
    columns,
    row_reading,
)
from engine.yaml.slips import (
    ALL_KEYS,
    LIST_KEYS,
    MESSAGE_KEYS,
    OR_LINE,
    POINT_KEYS,
    PROMPT_KEYS,
    line_at,
    lines_of,
)

_KEY: Final = lazy(r"[\"'*]*(?P<name>\w+)[\"'*]*[^\S\n]*[:：﹕︰∶]")
_NO_CRITERION: Final = lazy(
    r"(?:and|true|false|null|yes|no|on|off|~|\(?(?:weight|multiplier)\W*[\d.]+\W*)[.:]?", re.IGNORECASE
)
_CHECK: Final = lazy(r"\$[A-Za-z_]\w*[ \t]*[:：]")
_ANCHOR: Final = lazy(r"(?<![^\s\[{,])&\w")
_BLOCK_HEAD: Final = lazy(r"[|>][-+0-9]*\s*")
_SEPARATOR: Final = lazy(r"^[ \t]*---(?=\s|$)", re.MULTILINE)
_PROSE_KEYS: Final = frozenset(
    ["prompt", "promptText", "ideal", "idealResponse", "description", "title", "context", *(MESSAGE_KEYS - {"role"})]
)
"""Keys whose text may go on at a line without its indentation."""
_FIRST_KEYS: Final = PROMPT_KEYS - LIST_KEYS | {"messages"}
"""Keys that a prompt begins with."""
_ONLY_OF_PROMPTS: Final = PROMPT_KEYS - POINT_KEYS
"""Keys that no point has."""
_NO_FIRST_KEYS: Final = POINT_KEYS - {"text", "point", "fn"}
"""Keys that no point begins with."""
_REMEMBERED: Final = 200
"""How many comparisons are remembered: a text is checked at each keystroke, with all of its fixes."""


def works(text: str, edits: Iterable[TextEdit], holds: Callable[[str], bool], piece: Span | None = None) -> bool:
    """Whether `holds` is true of `text`, or of this `piece` of it, once `edits` are applied; not if they overlap."""
    piece = piece or Span(0, len(text))
    try:
        after = apply_edits(piece.of(text), (edit.shifted(-piece.start) for edit in edits))
    except ValueError:
        return False
    return holds(after)


def conserves(text: str, edits: Iterable[TextEdit]) -> bool:
    """Whether `text` has every row, word and text of before once `edits` are applied; not if they overlap."""
    edits = tuple(edits)
    part = part_around(text, edits)
    return works(text, edits, lambda after: lost_row(part.of(text), after) is None, part)


def part_around(text: str, edits: Iterable[TextEdit]) -> Span:
    """The pieces of `text` that `edits` touch and those beside them: what all others mean stays the same."""
    ends = [offset for edit in edits for offset in (edit.span.start, edit.span.end)]
    starts = _starts_of_pieces(text)
    first = max(bisect_right(starts, min(ends, default=0)) - 2, 0)
    last = bisect_right(starts, max(ends, default=0)) + 1
    start = 0 if _ANCHOR.search(text, 0, starts[first]) else starts[first]
    return Span(start, starts[last] if last < len(starts) else len(text))


@lru_cache(maxsize=4)
def _starts_of_pieces(text: str) -> list[int]:
    return [piece.start for piece in split_pieces(text, 0)] or [0]


@lru_cache(maxsize=_REMEMBERED)
def lost_row(before: str, after: str) -> Span | None:
    """The first line of `before` that `after` loses, joins, moves to another place or takes for what it was not.

    What was found of the last texts is remembered.
    """
    return None if before == after else _Comparison(before, after).lost()


def levels(text: str) -> tuple[object, ...]:
    """What the lines of `text` begin, as far as it can be read: texts of the same words and levels mean the same."""
    entries = row_reading(text).entries
    count = {at: index for index, at in enumerate(entries)}
    places = ((each.block, each.prompt, each.owner) for each in entries.values())
    return tuple(tuple(count.get(each) for each in place) for place in places)


class _Row(Record):
    """A line before the edits with words: its first word, its signs and the known key that it begins with.

    `new` is the place of that word after the edits, -1 for none, `entry` what begins there.
    """

    line: Span
    at: int
    signs: int
    key: str | None
    new: int
    entry: Entry | None
    is_changed: bool


@final
class _Comparison:
    """The rows and words of a text before and after edits."""

    def __init__(self, before: str, after: str) -> None:
        self._before, self._after = before, after
        self._old, self._new = row_reading(before), row_reading(after)
        self._carried = CarriedWords(before, after)
        self._blocks, self._new_blocks = block_lines(before), block_lines(after)
        self._rows = list(self._lines_with_words())
        self._prompts: set[int] = set()
        """The columns at which prompts above begin."""

    def lost(self) -> Span | None:
        """The first line of the text before that is not conserved."""
        places = [*self._carried.gone, *self._lost_rows(), *self._made_rows(), *self._joined_blocks()]
        if not places and self._loses_separator():
            places = [0]
        return line_at(self._before, min(places)) if places else None

    def _lines_with_words(self) -> Iterator[_Row]:
        text = self._before
        above = 0  # the signs of an item whose block text begins on the next line
        for line in lines_of(text):
            start = behind_signs(text, line)
            word = WORD.search(text, start, line.end)
            signs = len(text[line.start : start].split()) or above
            above = 0
            if word is None or text.startswith("#", start):
                is_head = _BLOCK_HEAD.fullmatch(text, start, line.end) is not None
                above = signs if is_head and not self._old.is_known(line.start) else 0
                continue
            key = _KEY.match(text, start, line.end)
            name = key["name"] if key is not None and key["name"] in ALL_KEYS else None
            new = self._carried.words.get(word.start(), -1)
            is_changed = new >= 0 and not self._carried.is_same(Span(new, new))
            yield _Row(line, word.start(), signs, name, new, self._new.entries.get(new), is_changed)

    def _lost_rows(self) -> Iterator[int]:
        """The rows that begin nothing any more, or something else, or stand elsewhere."""
        above: _Row | None = None
        item: _Row | None = None
        path: _Row | None = None
        for row in self._rows:
            if row.signs > 1:
                path = row
            elif path is not None and self._ends_path(row, path, item):
                path = None
            is_other = self._is_other(row) or self._has_more_signs(row) or self._leaves_rubric(row, item)
            is_other = is_other or self._joins_point(row, item)
            if (row.is_changed and (is_other or self._is_misplaced(row))) or self._changes_path(row, path):
                yield row.at
            elif self._is_row(row):
                if not self._is_kept(row, item) or self._left_its_point(row, above):
                    yield row.at
                above = row
            elif self._may_be_row(row) and row.line.start not in self._blocks and self._is_joined(row):
                yield row.at
            item = row if row.signs else item
            if row.signs == 1 and row.key in _FIRST_KEYS:
                self._prompts.add(columns(self._before, row.at)[0])

    def _ends_path(self, row: _Row, path: _Row, above: _Row | None) -> bool:
        """Whether the path is over: not where all of its lines may have lost their indentation, its first one too."""
        margin = self._before[row.line.start : row.at]
        tabs = margin.count("\t") if " " in margin.lstrip("\t")[:1] else 0  # before blanks, a tab is one too many
        by = columns(self._before, row.at)[0] - tabs - columns(self._before, path.at)[0]
        return by < 0 or (by == 0 and not (above is path and path.is_changed and row.is_changed))

    def _leaves_rubric(self, row: _Row, above: _Row | None) -> bool:
        """Whether a prompt that stands among points, or deeper, moves out of their list."""
        if above is None or not row.signs or row.key not in _FIRST_KEYS:
            return False
        beside = columns(self._before, above.at)[0]
        return columns(self._after, max(row.new, 0))[0] < beside <= columns(self._before, row.at)[0]

    def _joins_point(self, row: _Row, above: _Row | None) -> bool:
        """Whether a line becomes a check beside the text or the check of the item above, which counts no more then."""
        if above is None or row.signs or row.entry is None or not _CHECK.match(self._after, row.new - 1):
            return False
        if self._after[line_at(self._after, row.new).start : row.new - 1].strip():
            return False  # an item of its own
        is_within = columns(self._before, above.at)[0] < columns(self._before, row.at)[0]
        return is_within and (above.key in ("text", "point") or _CHECK.match(self._before, above.at - 1) is not None)

    def _is_row(self, row: _Row) -> bool:
        if self._old.is_known(row.at):
            text = self._old.text_at(row.at) if row.signs and row.is_changed else None
            return row.at in self._old.entries or (text is not None and text.is_list)
        written = self._before[behind_signs(self._before, row.line) : row.line.end].strip()
        is_key = row.key is not None or written in ALL_KEYS
        has_sign = is_key or row.signs or _is_no_criterion(written)
        return bool(has_sign) and row.line.start not in self._blocks

    def _may_be_row(self, row: _Row) -> bool:
        """Whether a line without a sign may have lost it: outside of texts, or in one in place of a list of points."""
        text = self._old.text_at(row.at) if row.is_changed else None
        return not self._old.is_known(row.at) or (text is not None and text.is_list)

    def _is_kept(self, row: _Row, above: _Row | None) -> bool:
        """Whether a row begins what it should after the edits; `above` is the item before it."""
        old, entry = self._old.entries.get(row.at), row.entry
        if self._joins_prompts(row):
            return False
        if row.new < 0 or not self._new.is_known(row.new):
            return row.new >= 0
        if entry is None:
            named = self._new.values.get(row.new)
            if named is not None:
                return row.key is None and named not in self._carried.origins
            text = self._new.text_at(row.new)
            return old is None and text is not None and self._carried.is_same(text.span)
        if row.key is not None and not entry.is_key and (row.is_changed or (old is not None and old.is_key)):
            return False
        if row.key in _ONLY_OF_PROMPTS and entry.block >= 0 and entry.owner < 0:
            own = columns(self._before, row.at)[0]
            is_reached = above is not None and above.is_changed and columns(self._before, above.at)[0] != own
            if row.is_changed or (row.key in _FIRST_KEYS and is_reached):  # the list above was moved to it
                return False
        if entry.is_prompt and row.key not in _FIRST_KEYS and not (old is not None and old.is_prompt):
            beside = above if above is not None and _is_point(above) else row  # in a list of points without its key
            return columns(self._before, beside.at)[0] == columns(self._after, row.new)[0]
        if old is None or (old.is_prompt and old.criterion is not None):
            return True
        places = ((old.block, entry.block), (old.prompt, entry.prompt))
        return all(one < 0 or self._carried.words.get(one) == other for one, other in places)

    def _joins_prompts(self, row: _Row) -> bool:
        """Whether a line that begins no prompt gets a dash in the column of the prompts above."""
        if row.new < 0 or row.key in _FIRST_KEYS or row.line.of(self._before).lstrip().startswith("-"):
            return False
        line = line_at(self._after, row.new).of(self._after)
        return line.lstrip().startswith("-") and len(line) - len(line.lstrip()) in self._prompts

    def _is_other(self, row: _Row) -> bool:
        """Whether a line becomes a path in brackets, or an item within a text joins the line above it."""
        if row.new in self._new.bracketed:
            return row.at not in self._old.bracketed
        text = self._old.text_at(row.at) if row.signs else None
        return text is not None and text.span.start < row.line.start and not self._begins_line(row.new)

    def _begins_line(self, new: int) -> bool:
        first = WORD.search(self._after, behind_signs(self._after, line_at(self._after, new)))
        return first is not None and first.start() == new

    def _has_more_signs(self, row: _Row) -> bool:
        """Whether a line has more dashes or other signs than before, and is not a text that got its dash."""
        names = _NO_FIRST_KEYS if row.entry is None or row.entry.block < 0 else _NO_FIRST_KEYS | PROMPT_KEYS
        written = self._before[row.at : row.line.end].strip()
        if not row.signs and row.entry is not None and row.key not in names and not _is_no_criterion(written):
            return False
        line = Span(line_at(self._after, row.new).start, row.new)
        return len(self._after[line.start : behind_signs(self._after, line)].split()) > row.signs

    def _is_misplaced(self, row: _Row) -> bool:
        """Whether a line becomes a point though it stood in no prompt or was an argument, or becomes an argument.

        An argument if it stood further left or is a check.
        """
        text = self._before
        entry = self._entry(row)
        if entry is None or entry.block < 0:
            return False
        column = columns(text, row.at)[0]
        if row.key is None and not row.signs and entry.owner < 0:
            above = line_at(text, len(text[: row.line.start].rstrip()) - 1).of(text).strip(" \t\r-")
            if _CHECK.match(above) and above.endswith((":", "：")):
                return True  # the argument of a check
            return column <= columns(self._after, max(entry.prompt, 0))[0] < columns(self._after, row.new)[0]
        owner, sibling = (self._carried.origins.get(each, -1) for each in (entry.owner, entry.sibling))
        if owner < 0:
            return False
        if _CHECK.match(text, row.at - 1):
            return True
        level = columns(text, owner)[0]
        is_nearer = 0 <= sibling != row.at and column - level < abs(columns(text, sibling)[0] - column)
        return column <= level or is_nearer

    def _changes_path(self, row: _Row, path: _Row | None) -> bool:
        """Whether a line leaves the `path` above it, or enters another one, as one of the two was moved."""
        entry = self._entry(row)
        if path is row or entry is None or entry.block < 0 or (entry.is_key and not row.signs):
            return False
        is_moved = row.is_changed or (path is not None and path.is_changed)
        is_moved = is_moved or (entry.path >= 0 and not self._carried.is_same(Span(entry.path, entry.path)))
        return is_moved and self._carried.origins.get(entry.path, -1) != (-1 if path is None else path.at)

    def _entry(self, row: _Row) -> Entry | None:
        return row.entry or self._new.entries.get(self._new.values.get(row.new, -1))

    def _left_its_point(self, row: _Row, above: _Row | None) -> bool:
        """Whether the key of a point becomes one of its prompt."""
        is_key = row.key in POINT_KEYS and not row.signs and row.is_changed
        is_outside = row.entry is not None and row.entry.block < 0
        return is_key and is_outside and not (above is None or above.entry is None or above.entry.block < 0)

    def _is_joined(self, row: _Row) -> bool:
        """Whether a line without a sign, which may be a row that lost it, becomes a part of a text above it."""
        text = self._new.text_at(row.new) if row.entry is None else None
        if text is None or self._carried.is_same(text.span):
            return False
        written = row.line.of(self._before).split(maxsplit=1)[0]
        if text.key in _PROSE_KEYS:
            return written in PROMPT_KEYS
        if line_at(self._after, text.span.start) == line_at(self._after, row.new):
            return False
        word = self._new.word(text.span)
        column, origin = columns(self._before, row.at)[0], self._carried.origins.get(word, 0)
        head = line_at(self._before, origin)
        if _is_no_criterion(self._before[behind_signs(self._before, head) : head.end].strip()):
            return True
        is_middle = written[:1].islower() and written not in ALL_KEYS and not self._is_below_blank(row)
        if is_middle and text.key in ("", "text", "point"):
            return False
        if head.start in self._blocks and self._carried.is_same(Span(word, word)):
            return text.key == "" and column <= columns(self._after, text.span.start)[0]
        if text.key in ("", "-"):
            return column < len(self._before[head.start : behind_signs(self._before, head)].rstrip())
        return column <= max(columns(self._before, origin)[1], columns(self._after, text.span.start)[1])

    def _is_below_blank(self, row: _Row) -> bool:
        above = self._before.rfind("\n", 0, max(row.line.start - 1, 0)) + 1
        return not self._before[above : row.line.start].strip()

    def _joined_blocks(self) -> Iterator[int]:
        """The lines of a block text that became lines of another one."""
        numbers: dict[int, int] = {}
        for row in self._rows:
            number = self._blocks.get(row.line.start)
            new = self._new_blocks.get(line_at(self._after, row.new).start) if row.new >= 0 else None
            if number is not None and new is not None and numbers.setdefault(new, number) != number:
                yield row.at

    def _made_rows(self) -> Iterator[int]:
        """Lines of a text, and what is no criterion, that become an item or a key."""
        for new, entry in self._new.entries.items():
            at = self._carried.origins.get(new, -1)
            old = self._old.entries.get(at)
            if at < 0 or (old is not None and entry.criterion in (None, old.criterion)):
                continue
            if entry.criterion is not None and entry.block >= 0 and _is_no_criterion(entry.criterion):
                yield at
            if old is not None or not self._begins_line(new):
                continue
            text = self._old.text_at(at)
            was_text = text is not None and not text.is_list
            if not self._old.is_known(at):  # the first line of an item that is a block text begins no item itself
                is_block = line_at(self._before, at).start in self._blocks
                was_text = is_block and line_at(self._after, new).start not in self._new_blocks
            if was_text:
                yield at

    def _loses_separator(self) -> bool:
        """Whether fewer lines outside of texts separate documents, or are meant to."""
        old = _separators(self._before, self._old, self._blocks)
        return old > 0 and old > _separators(self._after, self._new, self._new_blocks)


def _separators(text: str, reading: RowReading, blocks: Container[int]) -> int:
    found = (each for each in _SEPARATOR.finditer(text) if each.start() not in blocks)
    return sum(reading.text_at(each.end() - 1) is None for each in found)


def _is_point(row: _Row) -> bool:
    """Whether a row begins a point with keys."""
    return row.entry is not None and row.entry.is_key and row.key not in PROMPT_KEYS


def _is_no_criterion(text: str) -> bool:
    return text in LIST_KEYS or any(each.fullmatch(text) for each in (_NO_CRITERION, OR_LINE))

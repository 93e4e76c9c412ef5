"""Trying edits: whether the edited text `works`, and whether it `conserves` what its author wrote.

Conservation is judged on rows, since broken YAML has no points. A *row* is a line outside every text that could be read
which begins with a dash, a bullet, a number with `.` or `)`, `---`, or a known key and a colon, with its continuation
lines. After a safe fix every row begins a list item, a key or a document, in the same order, in the block and the
prompt where it could be read; only a row that begins with a key of prompts becomes a prompt. Words stay, apart from
`text:` and what YAML or a new name says instead. No line of a text that could be read becomes a row, except for a plain
text in place of a list of points. Nothing that is no criterion becomes one: `OR`, a boolean, null, `(weight 3)`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, final

from engine.line_differences import changed_lines
from engine.record import Record, replace
from engine.text import Span, TextEdit, apply_edits
from engine.yaml_nodes.anchors import Anchors
from engine.yaml_nodes.key_names import ALL_KEYS, LIST_KEYS, MESSAGE_KEYS, POINT_KEYS, PROMPT_KEYS
from engine.yaml_nodes.line_spans import line_end, line_start
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, SequenceNode, Style, property_name
from engine.yaml_nodes.pieces import split_pieces
from engine.yaml_nodes.reader import Reader

_WORD: Final = re.compile(r"\w+")
_SIGNS: Final = re.compile(
    r"""(?:[^\S\n]|\[[ xX✓]?\](?=\s)  # blanks, and boxes
      | [-–—•▪‣◦●○∙⁃－]+ | [^\w\s"'\[\]{}()$\#&!|>%@`/<.,:;?=~\\]{1,3}(?=[^\S\n])  # dashes and bullets
      | \(?(?:\d{1,3}|[a-z])[.)](?=[^\S\n]))*""",
    re.VERBOSE,
)
"""What a line has before its text: dashes, bullets, numbers and letters."""
_KEY: Final = re.compile(r"[\"']?(?P<name>\w+)[\"']?[^\S\n]*[:：﹕︰∶]")
_BLOCK: Final = re.compile(r"(?P<head>[^#\n]*(?:[:：]|-))[ \t]+[|>][-+0-9]*[ \t]*(?:#.*)?")
"""A line that a block text follows."""
_NO_CRITERION: Final = re.compile(
    r"(?:and|or|true|false|null|yes|no|on|off|~|\(?(?:weight|multiplier)\W*[\d.]+\W*)[.:]?", re.IGNORECASE
)
_PROSE_KEYS: Final = frozenset(
    ["prompt", "promptText", "ideal", "idealResponse", "description", "title", "context", *(MESSAGE_KEYS - {"role"})]
)
"""Keys whose text may go on at a line without its indentation."""
_MAY_GO: Final = frozenset(["text", "point", "i", "x"])
"""Words that a safe fix may remove: keys of a point that YAML needs no more, a flag, the mark in a box."""
_SEPARATOR: Final = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_NO_FIRST_KEYS: Final = POINT_KEYS - {"text", "point", "fn"}
"""Keys that no point begins with."""
_COMMENT: Final = re.compile(r"(?:[^\n]*[ \t])?#")
_PATH: Final = re.compile(r"^[ ]*-[ \t]*-[ \t]", re.MULTILINE)
_ALIKE: Final = 0.5
_REMEMBERED: Final = 16
"""How many texts are read only once: many edits of one are tried."""
_LONGEST: Final = 2_000
"""How many words that differ are compared one by one."""


def works(text: str, edits: Iterable[TextEdit], holds: Callable[[str], bool], piece: Span | None = None) -> bool:
    """Whether `holds` is true of `text`, or of this `piece` of it, once `edits` are applied; not if they overlap."""
    piece = piece or Span(0, len(text))
    try:
        return holds(apply_edits(piece.of(text), (edit.shifted(-piece.start) for edit in edits)))
    except ValueError:
        return False


def conserves(text: str, edits: Iterable[TextEdit], names: frozenset[str] = ALL_KEYS) -> bool:
    """Whether `text` has every row, word and text of before once `edits` are applied; `names` are those of keys."""
    return works(text, edits, lambda after: lost_row(text, after, names) is None)


def lost_row(before: str, after: str, names: frozenset[str] = ALL_KEYS) -> Span | None:
    """The first line of `before` that `after` loses, joins, moves to another place or takes for what it was not."""
    if before == after:
        return None
    return _Comparison(before, after, names).lost()


def levels(text: str) -> tuple[object, ...]:
    """What the lines of `text` are, as far as it can be read: two texts with the same words and levels mean the same."""
    count = {at: index for index, at in enumerate(_read(text).entries)}
    places = ((each.block, each.prompt, each.owner) for each in _read(text).entries.values())
    return tuple(tuple(count.get(each) for each in place) for place in places)


class _Entry(Record):
    """An item, a key, or both, that begins with a word.

    `block` is the first word of the prompt's key that holds it, `prompt` that of the prompt; -1 for none. `criterion`
    is its text if it is an item that is only a text. `owner` is the first word of the key whose argument it is,
    `sibling` that of the first argument.
    """

    is_key: bool
    is_prompt: bool
    block: int
    prompt: int
    criterion: str | None = None
    owner: int = -1
    sibling: int = -1


class _Text(Record):
    """A text that could be read: where, and the name of its key; "" for a point, "-" for another item."""

    span: Span
    key: str
    style: Style


@final
class _Reading:
    """What can be read of a text: `entries` by their first words, `texts`, and the values of `text` by first words."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.entries: dict[int, _Entry] = {}
        self.texts: list[_Text] = []
        self.values: dict[int, int] = {}
        self._pieces: list[tuple[int, int]] = []
        """Where each piece begins, and up to where it can be read."""
        anchors = Anchors()
        for piece in split_pieces(text, 0):
            reader = Reader(text, piece.start, piece.end, anchors)
            refusal = reader.read_to_refusal()
            end = piece.end
            if refusal is not None:
                quote = refusal.multiline_quote
                places = (refusal.offset, refusal.node_start, refusal.opening, None if quote is None else quote.start)
                end = line_start(text, min(each for each in places if each is not None))
            self._pieces.append((piece.start, end))
            for document in reader.documents:
                if document.root is not None:
                    self._walk(document.root, -1, -1, end, is_top=True)
        self._starts = [start for start, _ in self._pieces]

    def is_known(self, offset: int) -> bool:
        """Whether the text could be read at `offset`."""
        at = bisect_right(self._starts, offset) - 1
        return at >= 0 and offset < self._pieces[at][1]

    def text_at(self, offset: int) -> _Text | None:
        """The text that holds `offset`."""
        return next((each for each in self.texts if each.span.start <= offset < each.span.end), None)

    def is_stray(self, text: _Text) -> bool:
        """Whether `text` stands in place of a prompt."""
        entry = self.entries.get(self.word(text.span))
        return entry is not None and entry.is_prompt

    def is_rubric_text(self, offset: int) -> bool:
        """Whether a plain text in place of a list holds `offset`."""
        text = self.text_at(offset)
        return text is not None and text.key in LIST_KEYS and text.style is Style.PLAIN

    def _walk(
        self, node: Node, prompt: int, block: int, end: int, *, key: str = "", owner: int = -1, is_top: bool = False
    ) -> None:
        if isinstance(node, SequenceNode):
            is_listed = key in LIST_KEYS
            for item in node.items:
                places = (-1, -1) if is_listed else (owner, self.word(node.items[0].span))
                entry = _Entry(False, is_top, block, prompt, _criterion(item), *places)
                word = self._note(item.span, entry, end)
                name = key if isinstance(item, SequenceNode) else "" if is_listed else "-"
                self._walk(item, word if is_top else prompt, block, end, key=name)
        elif isinstance(node, MappingNode):
            for pair in node.pairs:
                word = self._note(pair.key.span, _Entry(True, False, block, prompt), end)
                name, value = property_name(pair.key), pair.value
                if name in ("text", "point"):
                    self.values[self.word(value.span)] = word
                is_list = is_top and name == "prompts"
                inner = -1 if is_list else word if block < 0 else block
                self._walk(value, prompt, inner, end, key=name, owner=word, is_top=is_list)
        elif isinstance(node, ScalarNode) and node.span.start < end:
            self.texts.append(_Text(node.span, key, node.style))

    def _note(self, span: Span, entry: _Entry, end: int) -> int:
        word = self.word(span)
        if 0 <= word < end:
            known = self.entries.get(word)
            self.entries[word] = entry if known is None else replace(known, is_key=known.is_key or entry.is_key)
        return word

    def word(self, span: Span) -> int:
        found = _WORD.search(self._text, span.start, span.end)
        return -1 if found is None else found.start()


@lru_cache(maxsize=_REMEMBERED)
def _read(text: str) -> _Reading:
    return _Reading(text)


def _criterion(item: Node) -> str | None:
    return item.value if isinstance(item, ScalarNode) and isinstance(item.value, str) else None


@final
class _Comparison:
    """The rows and words of a text before and after edits."""

    def __init__(self, before: str, after: str, names: frozenset[str]) -> None:
        self._before, self._after, self._names = before, after, names
        self._old, self._new = _read(before), _read(after)
        self._carried = _Carried(before, after)
        self._blocks = _block_lines(before)

    def lost(self) -> Span | None:
        """The first line of the text before that is not conserved."""
        places = [*self._carried.gone, *self._lost_rows(), *self._made_rows()]
        if not places and len(_SEPARATOR.findall(self._before)) > len(_SEPARATOR.findall(self._after)):
            places = [0]
        at = min(places, default=None)
        return None if at is None else Span(line_start(self._before, at), line_end(self._before, at))

    def _lost_rows(self) -> Iterator[int]:
        """The rows that begin nothing any more, or something else, or stand elsewhere."""
        text = self._before
        above: _Entry | None = None
        above_at = -1
        for line in _lines(text):
            start = _behind_signs(text, line)
            word = _WORD.search(text, start, line.end)
            if word is None or text.startswith("#", start):
                continue
            key = _KEY.match(text, start, line.end)
            name = key["name"] if key is not None and key["name"] in self._names else None
            at, signs = word.start(), text[line.start : start].split()
            new = self._carried.words.get(at, -1)
            entry = self._new.entries.get(new)
            is_changed = new >= 0 and not self._carried.is_same(Span(new, new))
            if self._old.is_known(at):
                is_row = at in self._old.entries or (bool(signs) and is_changed and self._old.is_rubric_text(at))
            else:
                is_row = bool(name or signs or _NO_CRITERION.fullmatch(text[start : line.end].strip()))
                is_row = is_row and line.start not in self._blocks
            if (
                is_changed
                and (signs or entry is None or name in _NO_FIRST_KEYS)
                and self._has_more_signs(new, len(signs))
            ):
                yield at
            elif is_changed and entry is not None and self._is_misplaced(at, new, entry, above_at):
                yield at
            elif is_row and not self._is_kept(at, new, name):
                yield at
            elif is_row:
                if name in POINT_KEYS and not signs and is_changed and _is_outside(entry) and not _is_outside(above):
                    yield at  # the key of a point became one of its prompt
                above, above_at = entry, at
            elif not self._old.is_known(at) and line.start not in self._blocks and self._is_joined(line, at, new):
                yield at

    def _has_more_signs(self, new: int, count: int) -> bool:
        """Whether the line of `new` has more than `count` dashes or other signs."""
        line = Span(line_start(self._after, new), new)
        return len(self._after[line.start : _behind_signs(self._after, line)].split()) > count

    def _is_misplaced(self, at: int, new: int, entry: _Entry, above: int) -> bool:
        """Whether a changed line becomes an argument though it stood further left, or a point though it began a path."""
        column, text = _columns(self._before, at)[0], self._before
        owner, sibling = (self._carried.origins.get(each, -1) for each in (entry.owner, entry.sibling))
        if owner >= 0 and entry.block >= 0:
            level = _columns(text, owner)[0]
            is_nearer = 0 <= sibling != at and column - level < abs(_columns(text, sibling)[0] - column)
            return column <= level or is_nearer
        is_nested = above >= 0 and not entry.is_key and column == _columns(text, above)[1]
        if not is_nested or entry.block < 0 or _PATH.search(text) is None:
            return False
        return _columns(self._after, new)[0] <= _columns(self._after, self._carried.words.get(above, 0))[0]

    def _is_joined(self, line: Span, at: int, new: int) -> bool:
        """Whether a line without a sign, which may be a row that lost it, becomes a part of a text above it."""
        text = self._new.text_at(new) if new not in self._new.entries else None
        if text is None or text.key in _PROSE_KEYS or self._carried.is_same(text.span):
            return False
        if line_start(self._after, text.span.start) == line_start(self._after, new):
            return False
        written = line.of(self._before)
        is_middle = written.strip()[:1].islower() and _first_name(written) not in self._names
        if is_middle and text.key in ("", "text", "point"):
            return False
        column = len(written) - len(written.lstrip())
        origin = self._carried.origins.get(self._new.word(text.span), -1)
        if text.key in ("", "-"):
            return column <= _columns(self._before, origin)[0]
        return column <= max(_columns(self._before, origin)[1], _columns(self._after, text.span.start)[1])

    def _is_kept(self, at: int, new: int, key: str | None) -> bool:
        """Whether the row with the first word `at`, perhaps a known key, begins what it should at `new`."""
        old, entry = self._old.entries.get(at), self._new.entries.get(new)
        if new < 0 or not self._new.is_known(new):
            return new >= 0
        if entry is None:
            named = self._new.values.get(new)
            if named is not None:
                return key is None and named not in self._carried.origins
            text = self._new.text_at(new)
            return old is None and text is not None and self._carried.is_same(text.span)
        if key is not None and not entry.is_key:
            return False
        if entry.is_prompt and key not in PROMPT_KEYS and not (old is not None and old.is_prompt):
            return _columns(self._before, at)[0] == _columns(self._after, new)[0]
        if old is None or (old.is_prompt and old.criterion is not None):
            return True
        return all(
            one < 0 or self._carried.words.get(one) == other
            for one, other in ((old.block, entry.block), (old.prompt, entry.prompt))
        )

    def _made_rows(self) -> Iterator[int]:
        """Lines of a text, and what is no criterion, that become an item or a key."""
        for new, entry in self._new.entries.items():
            at = self._carried.origins.get(new, -1)
            old = self._old.entries.get(at)
            if at < 0 or (old is not None and entry.criterion in (None, old.criterion)):
                continue
            if entry.criterion is not None and entry.block >= 0 and _NO_CRITERION.fullmatch(entry.criterion):
                yield at
            start = line_start(self._after, new)
            first = _WORD.search(self._after, _behind_signs(self._after, Span(start, line_end(self._after, new))))
            if old is not None or first is None or first.start() != new:
                continue
            text = self._old.text_at(at) if self._old.is_known(at) else None
            if text is None:
                is_made = not self._old.is_known(at) and line_start(self._before, at) in self._blocks
            else:
                stands_for_list = self._old.is_rubric_text(at) or self._old.is_stray(text)
                is_made = not stands_for_list
            if is_made:
                yield at


@final
class _Carried:
    """Where the words of a text are after edits: `words` by their places before, `origins` the other way.

    `gone` are the words that are lost, or that become a comment within a prompt.
    """

    def __init__(self, before: str, after: str) -> None:
        self.words: dict[int, int] = {}
        self.gone: list[int] = []
        self._before, self._after = before, after
        self._old, self._new = list(_lines(before)), list(_lines(after))
        old, new = ([line.of(text) for line in lines] for text, lines in ((before, self._old), (after, self._new)))
        low = 0
        while low < min(len(old), len(new)) and old[low] == new[low]:
            low += 1
        tail = 0
        while tail < min(len(old), len(new)) - low and old[-1 - tail] == new[-1 - tail]:
            tail += 1
        self._changed: set[int] = set()
        """The lines after the edits that were not there before, or follow others."""
        at, new_at = 0, 0
        changes = changed_lines(old[low : len(old) - tail], new[low : len(new) - tail])
        for change in [*changes, None]:
            end, new_end = (len(old), len(new)) if change is None else (low + change.low, low + change.new_low)
            self._keep(at, new_at, end - at)
            if change is not None:
                at, new_at = low + change.high, low + change.new_high
                self._changed.update(range(new_end, max(new_at, new_end + 1)))
                self._align(self._old[end:at], self._new[new_end:new_at])
        self.origins = {new: old for old, new in self.words.items()}

    def is_same(self, span: Span) -> bool:
        """Whether the lines of `span`, in the text after the edits, are as before."""
        first = bisect_right(self._new, span.start, key=_start) - 1
        last = bisect_right(self._new, max(span.end - 1, span.start), key=_start) - 1
        return self._changed.isdisjoint(range(first, last + 1))

    def _keep(self, at: int, new_at: int, count: int) -> None:
        """Carry the words of lines that stay as they are."""
        for old, new in zip(self._old[at : at + count], self._new[new_at : new_at + count], strict=True):
            by = new.start - old.start
            for word in _WORD.finditer(self._before, old.start, old.end):
                self.words[word.start()] = word.start() + by

    def _align(self, old: Sequence[Span], new: Sequence[Span]) -> None:
        """Carry the words of lines that were changed."""
        before, after = _words(self._before, old), _words(self._after, new)
        if len(before) + len(after) > _LONGEST:
            self.gone += [word.start() for word in before[:1]]
            return
        names = ([word[0].casefold() for word in words] for words in (before, after))
        for _, low, high, new_low, new_high in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
            for index in range(low, high):
                word = before[index]
                other = after[new_low + index - low] if new_low + index - low < new_high else None
                if other is not None and self._is_alike(word, other[0]):
                    self.words[word.start()] = other.start()
                    if self._is_comment(self._after, other) and not self._may_be_comment(word):
                        self.gone.append(word.start())
                elif new_high > new_low and word[0] in after[new_high - 1][0]:
                    pass  # the new name says it
                elif word[0] in _MAY_GO or self._before[max(word.start() - 1, 0)] == "\\":
                    pass
                elif not self._is_comment(self._before, word):
                    self.gone.append(word.start())

    def _is_alike(self, word: re.Match[str], other: str) -> bool:
        """Whether `other` may stand for `word`: it is a name, or much like it."""
        if word[0].casefold() == other.casefold() or self._before[word.end() :].lstrip("\"' \t").startswith(
            (":", "：")
        ):
            return True
        if self._before[max(word.start() - 1, 0)] == "$" or (
            _NO_CRITERION.fullmatch(word[0]) and other in ("true", "false")
        ):
            return True
        return SequenceMatcher(None, word[0], other).ratio() >= _ALIKE

    @staticmethod
    def _is_comment(text: str, word: re.Match[str]) -> bool:
        return _COMMENT.match(text, line_start(text, word.start()), word.start()) is not None

    def _may_be_comment(self, word: re.Match[str]) -> bool:
        """Whether a line is a comment, of YAML or another language, or prose outside every prompt."""
        line = self._before[line_start(self._before, word.start()) :]
        return (
            self._is_comment(self._before, word)
            or line[:1].isalnum()
            or line.lstrip().startswith(("#", "//", "<!--", "/*", "```", "~~~"))
        )


def _lines(text: str) -> Iterator[Span]:
    start = 0
    while start < len(text):
        end = line_end(text, start)
        yield Span(start, end)
        start = end + 1


def _behind_signs(text: str, line: Span) -> int:
    """Where a line begins behind its signs."""
    signs = _SIGNS.match(text, line.start, line.end)
    return line.start if signs is None else signs.end()


def _columns(text: str, offset: int) -> tuple[int, int]:
    """The columns of the first sign, and of what is behind the signs, of the line that holds `offset`."""
    line = Span(line_start(text, offset), line_end(text, offset))
    written = line.of(text)
    return len(written) - len(written.lstrip()), _behind_signs(text, line) - line.start


def _first_name(written: str) -> str:
    """The first word of a line."""
    return written.split(maxsplit=1)[0]


def _is_outside(entry: _Entry | None) -> bool:
    """Whether an entry is in no block of points."""
    return entry is not None and entry.block < 0


def _start(span: Span) -> int:
    return span.start


def _words(text: str, lines: Sequence[Span]) -> list[re.Match[str]]:
    """The words of `lines` behind their signs."""
    return [word for line in lines for word in _WORD.finditer(text, _behind_signs(text, line), line.end)]


def _block_lines(text: str) -> set[int]:
    """Where the lines of block texts begin, by their indentation alone."""
    found: set[int] = set()
    above, content = -1, 0
    for line in _lines(text):
        written = line.of(text)
        column = len(written) - len(written.lstrip(" "))
        if not written.strip():
            continue
        if 0 <= above < column >= content:
            found.add(line.start)
            content = content or column
            continue
        block = _BLOCK.fullmatch(written)
        head = "" if block is None else block["head"]
        above = -1 if block is None else head.rindex("-") if head.endswith("-") else len(head) - len(head.lstrip(" -"))
        content = 0
    return found

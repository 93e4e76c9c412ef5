"""Positions in source text, edits on it, and making untrusted text safe to show.

The only coordinate is the *offset*: the number of code points before a place. A `LineIndex` derives lines and columns
from it for display.

Short texts are compared by the longest blocks of lines that they share. That is quadratic, so in long ones the lines
that occur once in each text are matched first, as in a patience diff, and only short gaps between them are compared so.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise, takewhile
from types import MappingProxyType
from typing import NamedTuple
from unicodedata import category, combining

from engine.text.patterns import lazy
from engine.text.record import Record

_LINE_BREAK = re.compile(r"\r\n|\r|\n")


class Span(Record, gc=False, order=True):
    """A half-open range of offsets, `start` inclusive and `end` exclusive, `0 <= start <= end`."""

    start: int
    end: int

    def shifted(self, by: int) -> Span:
        """The same span `by` code points further on, or back where `by` is negative."""
        return Span(self.start + by, self.end + by)

    def of(self, text: str) -> str:
        """The slice of `text` that this span covers."""
        return text[self.start : self.end]

    def stripped(self, text: str) -> Span:
        """The span without the white space around what it covers."""
        written = self.of(text)
        start = self.start + len(written) - len(written.lstrip())
        return Span(start, max(start, self.start + len(written.rstrip())))


NOWHERE = Span(0, 0)
"""The span of what stands in no text."""


class Position(Record, gc=False, order=True):
    """A place as line and column, both from 0; columns count code points."""

    line: int
    column: int


class LineIndex:
    """Converts between offsets and positions of one text.

    Lines end at LF, CRLF or CR, as in YAML; U+2028, U+2029 and U+0085 do not end a line.
    """

    __slots__ = ("_starts", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        if "\r" in text:
            self._starts = [0, *(match.end() for match in _LINE_BREAK.finditer(text))]
        else:  # the same, at a third of the time
            self._starts = [0, *accumulate([len(line) + 1 for line in text.split("\n")])]
            self._starts.pop()

    @property
    def line_count(self) -> int:
        """The number of lines; an empty text has one."""
        return len(self._starts)

    def position(self, offset: int) -> Position:
        """The position of `offset`; an offset outside the text is clamped to it."""
        offset = min(max(offset, 0), len(self._text))
        line = bisect_right(self._starts, offset) - 1
        return Position(line, offset - self._starts[line])

    def offset(self, position: Position) -> int:
        """The offset of `position`; a line or column beyond the text is clamped to its end."""
        if position.line >= len(self._starts):
            return len(self._text)
        return min(self._starts[position.line] + position.column, self.line_span(position.line).end)

    def line_span(self, line: int) -> Span:
        """The span of line number `line` without its line break. `0 <= line < line_count`."""
        start = self._starts[line]
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self._text)
        while end > start and self._text[end - 1] in "\r\n":
            end -= 1
        return Span(start, end)

    def line(self, line: int) -> str:
        """The text of line number `line` without its line break."""
        return self.line_span(line).of(self._text)


def positions(text: str, offsets: Iterable[int]) -> Iterator[Position]:
    """The positions of ascending `offsets`; cheaper than a `LineIndex` for a few of them."""
    if "\r" in text:
        yield from map(LineIndex(text).position, offsets)
        return
    line = counted = 0
    for offset in offsets:
        offset = min(max(offset, 0), len(text))
        line += text.count("\n", counted, offset)
        counted = offset
        yield Position(line, offset - text.rfind("\n", 0, offset) - 1)


class TextEdit(Record, gc=False):
    """Replace the text of `span` by `text`."""

    span: Span
    text: str

    def shifted(self, by: int) -> TextEdit:
        """The same edit `by` code points further on."""
        return TextEdit(self.span.shifted(by), self.text)


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """`text` after all `edits`, whose spans refer to the text before any of them.

    Raises `ValueError` if two edits overlap or one lies outside the text.
    """
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        if edit.span.start < done or edit.span.end > len(text):
            raise ValueError(f"edit {edit.span} overlaps another or lies outside the text")
        pieces += (text[done : edit.span.start], edit.text)
        done = edit.span.end
    return "".join((*pieces, text[done:]))


def edits_between(before: str, after: str) -> tuple[TextEdit, ...]:
    """Edits that turn `before` into `after`, each as short as possible within the lines that differ.

    Compares line by line, so its cost grows with the file: keep it off the event loop.
    """
    old, new = _lines_of(before), _lines_of(after)
    starts = [0, *accumulate(len(line) for line in old)]
    edits: list[TextEdit] = []
    for change in changed_lines(old, new):
        removed, added = old[change.low : change.high], new[change.new_low : change.new_high]
        edits.append(difference("".join(removed), "".join(added), starts[change.low]))
    return tuple(edits)


def _lines_of(text: str) -> list[str]:
    """The lines of `text` with their line breaks."""
    ends = [match.end() for match in _LINE_BREAK.finditer(text)]
    bounds = [0, *ends, *([len(text)] if not ends or ends[-1] < len(text) else [])]
    return [text[start:end] for start, end in pairwise(bounds)]


def difference(old: str, new: str, offset: int) -> TextEdit:
    """The shortest single edit that turns `old`, which begins at `offset`, into `new`."""
    prefix = common_prefix(old, new)
    suffix = common_suffix(old, new, min(len(old), len(new)) - prefix)
    return TextEdit(Span(offset + prefix, offset + len(old) - suffix), new[prefix : len(new) - suffix])


_COMPARED = 65_536
"""Characters that are compared at once: a copy of more takes longer than the comparison."""


def common_prefix(one: str, other: str) -> int:
    """The length of the longest common prefix, in a time that long texts do not make felt."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = min((low + high + 1) // 2, low + _COMPARED)
        if other.startswith(one[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(one: str, other: str, most: int) -> int:
    """The length of the longest common suffix, at most `most`; as quick as `common_prefix`."""
    low, high = 0, most
    while low < high:
        middle = min((low + high + 1) // 2, low + _COMPARED)
        if other.endswith(one[len(one) - middle : len(one) - low], 0, len(other) - low):
            low = middle
        else:
            high = middle - 1
    return low


def carry_span(span: Span, edits: Iterable[TextEdit]) -> Span:
    """Where the text of `span` is after all `edits`, including what they insert into it or at its ends.

    The edits do not overlap, and their spans refer to the text before any of them. Replaced text counts as its
    replacement.
    """
    before_start = before_end = 0
    start, end = span.start, span.end
    for edit in edits:
        grown = len(edit.text) - (edit.span.end - edit.span.start)
        if edit.span.end <= span.start and not (edit.span.start == edit.span.end == span.start):
            before_start += grown
        elif edit.span.start < span.start < edit.span.end:
            start = edit.span.start
        if edit.span.end <= span.end:
            before_end += grown
        elif edit.span.start < span.end:
            end = edit.span.start
            before_end += len(edit.text)
    return Span(start + before_start, max(end + before_end, start + before_start))


class Carrier:
    """Carries many spans through the same edits, each in a time that hardly grows with the number of edits."""

    def __init__(self, edits: Iterable[TextEdit]) -> None:
        """`edits` do not overlap, and their spans refer to the text before any of them."""
        self._edits = sorted(edits, key=lambda edit: edit.span)
        self._spans = [edit.span for edit in self._edits]
        self._starts = [span.start for span in self._spans]
        self._ends = [span.end for span in self._spans]
        grown = (len(edit.text) - (edit.span.end - edit.span.start) for edit in self._edits)
        self._grown = [0, *accumulate(grown)]

    def carry(self, span: Span) -> Span:
        """As `carry_span`."""
        first = bisect_left(self._ends, span.start)
        touching = self._edits[first : bisect_right(self._starts, span.end)]
        return carry_span(span, touching).shifted(self._grown[first])

    def written(self, edit: TextEdit) -> Span:
        """The span of the text of `edit`, one of the edits, after all of them."""
        start = edit.span.start + self._grown[bisect_left(self._spans, edit.span)]
        return Span(start, start + len(edit.text))


_DOUBLE_MARKS = frozenset('"“”„‟＂')
_SINGLE_MARKS = frozenset("'‘’‚‛")


def in_quotes(text: str) -> str:
    """`text` in quotation marks; in backticks if it begins or ends with a quotation mark, to show where it ends.

    A single mark at the end alone is an apostrophe: “the tenants’”.
    """
    if text and (text[0] in _DOUBLE_MARKS | _SINGLE_MARKS or text[-1] in _DOUBLE_MARKS):
        return f"`{text}`"
    return f"“{text}”"


def one_line(text: str, longest: int | None = None) -> str:
    """`text` with its white space collapsed, cut to `longest` characters, of which ` …` are the last."""
    line = " ".join(text.split())
    return line if longest is None or len(line) <= longest else f"{line[: longest - 2].rstrip()} …"


_MOST_PAIRS = 1_000_000
"""How many pairs of lines, in all, may be in gaps that are compared by blocks: some tenths of a second."""


class Change(NamedTuple):
    """The lines `low` to `high` of the old text, without the last, became `new_low` to `new_high` of the new one."""

    low: int
    high: int
    new_low: int
    new_high: int


def changed_lines(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """The changes that turn `old` into `new`, ascending, with lines in common between any two of them."""
    changes: list[Change] = []
    low = new_low = 0
    for start, new_start, length in [*_blocks(old, new), (len(old), len(new), 0)]:
        if (start, new_start) != (low, new_low):
            changes.append(Change(low, start, new_low, new_start))
        low, new_low = start + length, new_start + length
    return changes


_Block = tuple[int, int, int]
"""Equal lines: their start in the old and in the new text, and their number."""


def _blocks(old: Sequence[str], new: Sequence[str]) -> Iterator[_Block]:
    if len(old) * len(new) <= _MOST_PAIRS:
        yield from _shared(old, new)
        return
    prefix = _common(zip(old, new, strict=False))
    rest = min(len(old), len(new)) - prefix
    suffix = _common(zip(reversed(old[len(old) - rest :]), reversed(new[len(new) - rest :]), strict=True))
    end, new_end = len(old) - suffix, len(new) - suffix
    pairs = _MOST_PAIRS
    low, new_low = 0, 0
    for line, new_line in [*((each, each) for each in range(prefix)), *_unique(old, new, prefix, end, new_end)]:
        size = (line - low) * (new_line - new_low)
        if 0 < size <= pairs:
            pairs -= size
            yield from _shifted(_shared(old[low:line], new[new_low:new_line]), low, new_low)
        yield line, new_line, 1
        low, new_low = line + 1, new_line + 1
    if 0 < (end - low) * (new_end - new_low) <= pairs:
        yield from _shifted(_shared(old[low:end], new[new_low:new_end]), low, new_low)
    if suffix:
        yield end, new_end, suffix


def _shared(old: Sequence[str], new: Sequence[str]) -> Iterable[_Block]:
    from difflib import SequenceMatcher  # compares nothing before a file changes on disk

    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks if block.size]


def _shifted(blocks: Iterable[_Block], by: int, new_by: int) -> Iterator[_Block]:
    return ((start + by, new_start + new_by, length) for start, new_start, length in blocks)


def _common(pairs: Iterable[tuple[str, str]]) -> int:
    """The number of equal pairs before the first that differs."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _unique(old: Sequence[str], new: Sequence[str], start: int, end: int, new_end: int) -> list[tuple[int, int]]:
    """The longest ascending series of lines that occur once in each text, as pairs of numbers."""
    counts, new_counts = Counter(old[start:end]), Counter(new[start:new_end])
    places = {line: number for number, line in enumerate(new[start:new_end], start) if new_counts[line] == 1}
    lines = enumerate(old[start:end], start)
    return ascending([(number, places[line]) for number, line in lines if counts[line] == 1 and line in places])


def ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest series of `pairs`, which ascend by their first numbers, that ascends by the second ones too."""
    ends: list[int] = []
    indexes: list[int] = []
    before: list[int] = []
    for index, (_, number) in enumerate(pairs):
        place = bisect_left(ends, number)
        ends[place : place + 1] = [number]
        indexes[place : place + 1] = [index]
        before.append(indexes[place - 1] if place else -1)
    series: list[tuple[int, int]] = []
    index = indexes[-1] if indexes else -1
    while index >= 0:
        series.append(pairs[index])
        index = before[index]
    return series[::-1]


# Characters that a terminal obeys or does not draw, which text from elsewhere could hide in, and how they are shown.
#
# They are the controls, what reorders a line, the Default_Ignorable_Code_Point characters of Unicode
# (DerivedCoreProperties.txt), interlinear annotations (Core Specification, 23.8) and lone surrogates. Some of them are
# part of a character that is drawn: joiners and variation selectors in an emoji or in a script that has them, and the
# tags of a flag. Those stay.

_ALWAYS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
"""Shown wherever they are. Newline and tab are not among them."""
_SELECTORS = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_IN_CONTEXT = f"\u180e\u200c\u200d{_SELECTORS}\U000e0020-\U000e007f"
"""Needed in some places, hidden in all others."""
_REST_OF_PLANE_14 = "\U000e0000-\U000e001f\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"

_HIDDEN = lazy(f"[{_ALWAYS}{_IN_CONTEXT}{_REST_OF_PLANE_14}]")
_CONTEXT = lazy(f"[{_IN_CONTEXT}]")

# --- Emoji (UTS #51)

_EMOJI = lazy(
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u24c2"
    "\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2604\u260e\u2611\u2614\u2615\u2618\u261d\u2620\u2622\u2623\u2626\u262a"
    "\u262e\u262f\u2638-\u263a\u2640\u2642\u2648-\u2653\u265f\u2660\u2663\u2665\u2666\u2668\u267b\u267e\u267f\u2692-\u2697"
    "\u2699\u269b\u269c\u26a0\u26a1\u26a7\u26aa\u26ab\u26b0\u26b1\u26bd\u26be\u26c4\u26c5\u26c8\u26ce\u26cf\u26d1\u26d3"
    "\u26d4\u26e9\u26ea\u26f0-\u26f5\u26f7-\u26fa\u26fd\u2702\u2705\u2708-\u270d\u270f\u2712\u2714\u2716\u271d\u2721\u2728"
    "\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935"
    "\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f004\U0001f0cf\U0001f170\U0001f171\U0001f17e"
    "\U0001f17f\U0001f18e\U0001f191-\U0001f19a\U0001f201\U0001f202\U0001f21a\U0001f22f\U0001f232-\U0001f23a\U0001f250"
    "\U0001f251\U0001f300-\U0001f64f\U0001f680-\U0001f6ff\U0001f7e0-\U0001f7eb\U0001f7f0\U0001f900-\U0001f9ff"
    "\U0001fa70-\U0001faff]"
)
_FLAGS = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
"""The flags of England, Scotland and Wales. No other sequence of tags is drawn as a flag."""
_FLAG_LENGTH = len(_FLAGS[0])

# --- Variations (StandardizedVariants.txt; ideographic ones by their ranges)

_IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_MONGOLIAN = "\u1820-\u1878\u1880-\u18aa"
_VARIATION = lazy(
    f"[{_MONGOLIAN}][\u180b-\u180d\u180f]"
    f"|[{_IDEOGRAPH}][\ufe00-\ufe02\U000e0100-\U000e01ef]"
    "|[\U00013000-\U0001342f][\ufe00-\ufe06]"
    "|[\u2018\u2019\u201c\u201d\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f][\ufe00\ufe01]"
    "|[\u210b\u2110\u2112\u211b\u212c\u2130\u2131\u2133\U0001d49c\U0001d49e\U0001d49f\U0001d4a2\U0001d4a5\U0001d4a6"
    "\U0001d4a9-\U0001d4ac\U0001d4ae-\U0001d4b5][\ufe00\ufe01]"
    "|[0\u2205\u2229\u222a\u2268\u2269\u2272\u2273\u228a\u228b\u2293-\u2295\u2297\u229c\u22da\u22db\u2a3c\u2a3d\u2a9d\u2a9e"
    "\u2aac\u2aad\u2acb\u2acc]\ufe00"
    "|[\u1000\u1002\u1004\u1010\u1011\u1015\u1019\u101a\u101c\u101d\u1022\u1031\u1075\u1078\u107a\u1080"
    "\uaa60-\uaa66\uaa6b\uaa6c\uaa6f\uaa7a]\ufe00"
    "|[\ua856\ua85c\ua85e\ua85f\ua860\ua868\U00010ac5\U00010ac6\U00010ad6\U00010ad7\U00010ae1]\ufe00"
)

# --- Scripts whose letters join (RFC 5892, appendices A.1 and A.2)

_JOINING = lazy(
    "[\u0600-\u0fff\u1000-\u109f\u1700-\u18af\u1a00-\u1aaf\u1b00-\u1c4f\ua800-\uaaff\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010aff\U00010b80-\U00010baf\U00010d00-\U00010d3f\U00010f30-\U00010fff\U00011000-\U00011fff"
    "\U0001e900-\U0001e95f]"
)
_VIRAMA = 9


def pictures_in(text: str) -> Iterator[tuple[int, str]]:
    """The index of each hidden character of `text`, ascending, and what is shown in its place."""
    for match in _HIDDEN.finditer(text):
        if not (_CONTEXT.match(match.group()) and _is_part_of_another(text, match.start())):
            yield match.start(), _picture(match.group())


def has_hidden(text: str) -> bool:
    """Whether `text` has a character that `pictures_in` looks at. Quick, and False for most texts."""
    return _HIDDEN.search(text) is not None


def _picture(character: str) -> str:
    """A control picture for C0 and DEL, else the escape that YAML, JSON and Python know."""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if code < 0xA0:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _is_part_of_another(text: str, at: int) -> bool:
    """Whether the character at `at`, one of those needed in some places, is needed there."""
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    match text[at]:
        case "\u200c":
            return _ends_in_virama(before) or (_joins(before) and _joins(after))
        case "\u200d":
            return _joins_emoji(text, at) or _joins(before) or (_joins(after) and before not in ("\u200c", "\u200d"))
        case "\u180e":
            return bool(re.match(f"[{_MONGOLIAN}]", before)) and after in ("\u1820", "\u1821")
        case "\ufe0e" | "\ufe0f":
            return before in "#*0123456789" if before.isascii() and before else _EMOJI.match(before) is not None
        case character if character > "\U000e007f" or character < "\U000e0000":
            return _VARIATION.match(before + character) is not None
        case _:
            return _is_in_flag(text, at)


def _joins(character: str) -> bool:
    """Whether `character` is a letter or a mark of a script whose letters join."""
    return bool(_JOINING.match(character)) and category(character)[0] in "LM"


def _ends_in_virama(before: str) -> bool:
    return before != "" and combining(before) == _VIRAMA


def _joins_emoji(text: str, at: int) -> bool:
    """Whether a joiner is between two emoji, the first of them with its skin tone or variation selector."""
    first = at - 2 if at >= 2 and text[at - 1] == "\ufe0f" else at - 1
    return first >= 0 and _EMOJI.match(text, first) is not None and _EMOJI.match(text, at + 1) is not None


def _is_in_flag(text: str, at: int) -> bool:
    start = text.rfind(_FLAGS[0][0], max(at - _FLAG_LENGTH + 1, 0), at)
    return start >= 0 and text.startswith(_FLAGS, start)


ASCII_PICTURES = MappingProxyType({code: _picture(chr(code)) for code in range(0x80) if _HIDDEN.match(chr(code))})
"""What is shown for each hidden character of ASCII, by code point, for `str.translate`."""


def visible(text: str) -> str:
    """`text` with every character that could control a terminal, reorder a line or hide text made visible.

    C0 controls (except newline and tab) and DEL become control pictures; C1, bidi controls, U+2028/9, lone surrogates
    and characters that are not drawn (U+200B, U+00AD, BOM, tags) become escapes. What an emoji or a script needs stays:
    see `pictures_in`. All text from a blueprint, a response, a service or a file name goes through this
    function before it reaches a terminal, an SVG, the clipboard, a log or a report.
    """
    if text.isascii():
        return text if text.isprintable() else text.translate(ASCII_PICTURES)
    if not has_hidden(text):
        return text
    pieces: list[str] = []
    done = 0
    for at, picture in pictures_in(text):
        pieces += (text[done:at], picture)
        done = at + 1
    return "".join((*pieces, text[done:]))


def count(number: int, noun: str, several: str = "") -> str:
    """`1 word`, `2 words`; `several` is a plural without an s."""
    return f"{number} {noun}" if number == 1 else f"{number} {several or noun + 's'}"

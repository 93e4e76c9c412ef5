"""The slip that makes a text unreadable: its cause in an author's words, and the edits where only one correction fits.

The candidates are tried in the order in which they are likely; where none fits, js-yaml's reason is put in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import final

from msgspec import Struct

from engine.text import Diagnostic, Fix, Related, Span, TextEdit, apply_edits, count, replace
from engine.text.pacing import give_way
from engine.yaml.line_slips import false_spaces, sign_slips, spoilt_head
from engine.yaml.margin_slips import keys_under_text, margin_slips
from engine.yaml.nodes import Node
from engine.yaml.quoting import quoting_slips, unclosed
from engine.yaml.reader import Reader
from engine.yaml.scalar_text import Refusal
from engine.yaml.slips import (
    Lines,
    Slip,
    SlipRule,
    first_line,
    line_at,
    line_end,
    line_start,
    margin,
    or_slip,
    placed_lines,
)
from engine.yaml.trial import conserves, levels

_ALIAS = re.compile(r"\*(?P<name>[\w.-]+)(?=[ \t\r]*(?:$|[,\]}]|[ \t]#))", re.MULTILINE)
_ANCHOR = re.compile(r"(?:^[ \t]*|[:\[{,-][ \t]+)(?P<sign>&(?P<name>[\w.-]+))(?=[\s,\]}]|\Z)", re.MULTILINE)
_DOCUMENT = re.compile(r"^---(?=\s|\Z)", re.MULTILINE)
_LIKENESS = 0.7


def ended_alias(text: str, refusal: Refusal) -> Iterator[Slip]:
    """An alias that is a whole value, where js-yaml refuses `text`; nothing if a text was meant."""
    at = text.rfind("*", line_start(text, refusal.offset), refusal.offset + 1)
    alias = _ALIAS.match(text, at) if at >= 0 and refusal.reason.startswith("unidentified alias") else None
    if alias is not None:
        message = f"`{alias[0]}` repeats what `&{alias['name']}` marks, and there is none in this file"
        yield Slip(Span(*alias.span()), message, rule=SlipRule.ENDED_ALIAS)


def with_anchor(diagnostic: Diagnostic, text: str) -> Diagnostic:
    """`diagnostic`, the report of an `ended_alias` in the whole `text`, with the place of the anchor that was meant."""
    place = diagnostic.span
    name = place.of(text)[1:]
    anchors = {each["name"]: each for each in reversed(list(_ANCHOR.finditer(text)))}
    meant = next(iter([name] if name in anchors else get_close_matches(name, anchors, 1, _LIKENESS)), None)
    if meant is None:
        return diagnostic
    anchor = anchors[meant]
    line = text.count("\n", 0, anchor.start("sign")) + 1
    if anchor.start() > place.start:
        message, fixes = f"`&{meant}` stands below it, in line {line}: an alias repeats what stands above it", ()
    elif _DOCUMENT.search(text, anchor.end(), place.start):
        message = f"`&{meant}` stands in line {line}, and the `---` below it ends it: an alias cannot reach past it"
        fixes = ()
    elif meant == name:
        message, fixes = f"`&{meant}` in line {line} is part of what cannot be read: correct that first", ()
    else:
        message = f"there is no `&{name}`: did you mean `*{meant}`?"
        fixes = (Fix(f"write *{meant}", False, (TextEdit(place, f"*{meant}"),)),)
    related = (Related(Span(*anchor.span("sign")), f"`&{meant}` is here"),)
    return replace(diagnostic, message=message, related=related, fixes=fixes)


_SEPARATOR_EXPECTED = "end of the stream or a document separator is expected"
_LONE_WORD = re.compile(r"[ \t]*(?:-[ \t]+)*(?P<name>[A-Za-z_$][\w$-]*)[ \t]*$")
_STRUCTURE = re.compile(r"(?P<margin> *)(?P<sign>-(?=[ \t\r\n]|$)|[\w$\"'][^:#\n]*:(?=[ \t\r\n]|$))")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*[ \t]*$")


_NO_ALIAS = "text that starts with `*` needs quotes: `*name` repeats a part marked `&name`, and there is none"
_NO_COLON = "a line above this has no `:`, or is indented too little to belong to the text before it"
_CONTROL = "the text before this contains a control character, which YAML does not allow: remove it"
_BLOCK_ON_LINE = "after `|` or `>` the text starts on the next line; text that starts with one of them needs quotes"
_REASONS = {
    "unidentified alias": _NO_ALIAS,
    "the stream contains non-printable": _CONTROL,
    "expected valid JSON character": _CONTROL,
    "null byte": "this is a null byte, which YAML does not allow: remove it",
    "a line break is expected": _BLOCK_ON_LINE,
    "can not read": _NO_COLON,
    "a whitespace character is expected after": "put a space after the `:` of this key",
    "missed comma": "a `,` is missing before this, or text inside the brackets needs quotes",
    "expected the node content, but found ','": "there is nothing before this `,`: remove it",
    "cannot merge mappings": "`<<` copies keys and their values, and this has none",
    "bad indentation of": "this does not fit the lines around it: indent it like them, or put it in quotes",
}
"""What to say of js-yaml's reasons, by how they begin."""


def _reason_text(text: str, reason: str, offset: int) -> str:
    """The message for js-yaml's `reason` at `offset`, where the text around it does not show a likelier cause."""
    if reason.startswith("name of an alias") and text[offset : offset + 1] in (" ", "\t"):
        return "lists use `-`, not `*`"
    if "tag" in reason.split():
        return "text that starts with `!` needs quotes: without them, YAML reads the name of a type"
    if reason.startswith("nested more than"):
        return f"this is {reason}"
    if reason == _SEPARATOR_EXPECTED and text[offset : offset + 2] == "- ":
        return "a list starts here, but the lines above are not a list: put `---` on a line of its own between them"
    if reason == _SEPARATOR_EXPECTED and offset and text[offset - 1] in "\r\n":
        return "this line starts too far left to belong to the lines above: indent it"
    found = (message for begins, message in _REASONS.items() if reason.startswith(begins))
    return next(found, "YAML cannot read the text from here on")


def unreadable(text: str, refusal: Refusal, offset: int) -> Slip:
    """The error at `offset`, whose cause no edit shows; of layout, if that shows why."""
    reason, found = refusal.reason, None
    if reason.startswith("can not read"):
        found = _not_a_key(text, line_at(text, min(refusal.node_start, offset)))
    elif reason.startswith("bad indentation"):
        found = _misaligned(text, line_at(text, offset))
    if found is not None:
        return Slip(*found)
    at = max(offset - 1, 0) if text[offset : offset + 1] in ("", "\n", "\r") else offset
    return Slip(first_line(text, at, line_end(text, at)), _reason_text(text, reason, offset))


def _not_a_key(text: str, line: Span) -> tuple[Span, str]:
    """The line that js-yaml took for a key until it found no `:` on it."""
    place = line.stripped(text)
    word = _LONE_WORD.match(text, line.start, line.end)
    if _BLOCK_HEADER.search(text[: line.start].rstrip()) is not None:
        return place, "this is the text of the `|` or `>` above: indent it deeper than its key"
    if word is not None:
        return place, f"put a `:` after `{word['name']}`"
    return place, "this line is not `key: value`: if it belongs to the text above, indent it deeper than its key"


def _misaligned(text: str, line: Span) -> tuple[Span, str] | None:
    """A key or a dash that lines up with nothing above it, or with something that cannot hold it."""
    here = _STRUCTURE.match(text, line.start, line.end)
    if here is None or line.start == 0:
        return None
    kind = "`-`" if here["sign"] == "-" else "key"
    widths = [
        len(each["margin"]) + (2 if each["sign"] == "-" and kind == "key" else 0)
        for above in text[: line.start].splitlines()
        if (each := _STRUCTURE.match(above)) is not None and (kind == "key" or each["sign"] == "-")
    ]
    width = len(here["margin"])
    place = line.stripped(text)
    if widths and width not in widths:
        near = min(reversed(widths), key=lambda each: abs(each - width))
        indented = f"it is indented by {count(width, 'space')}, the nearest {kind} by {near}"
        return place, f"this {kind} lines up with nothing above: {indented}"
    if kind == "`-`":
        return place, "this `-` cannot start a list here: the lines above are complete, or indented differently"
    return place, "this key cannot go here: the line above has its value already, or is indented differently"


_BAD_ESCAPE = re.compile(r"\\([^0abt\tnvfre \"/\\N_LPxuU\r\n])|\\(.)", re.DOTALL)
_TAB_MARGIN = re.compile(r"^(?:[ ]|-(?=[ \t]))*\t(?:[ \t]|-(?=[ \t]))*(?=[^\s])", re.MULTILINE)
_TAB_WIDTHS = (2, 4, 8, 0)
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ITEM_OR_KEY = re.compile(r"- |[\w$]+:(?=\s)")
_HEAD_OF_LIST = re.compile(r"(?:---)?\s*[^\s-][^\n]*\Z")


_START = 1_000
"""What one reading takes beside its characters, in characters: a reader and its text are made anew for each."""


@final
class Effort(Struct):
    """How many characters may still be read to find fixes in one text; the rest of its errors then have none.

    Each reading counts `_START` characters more than it has.
    """

    left: int

    def spend(self, characters: int) -> bool:
        """Whether there is enough left for reading `characters`; takes them."""
        give_way()
        if characters + _START > self.left:
            return False
        self.left -= characters + _START
        return True


@final
class Trial:
    """Tries edits on a piece of text that js-yaml refuses.

    An edit works if reading gets as far as it does without the lines of the slip: to the end, or to the next slip.
    """

    __slots__ = ("_effort", "_goal", "_known", "_most_duplicates", "refusal", "skipped", "text")

    def __init__(self, text: str, refusal: Refusal, known: Mapping[str, Node], effort: Effort) -> None:
        """The piece is all of `text`; `known` are the anchors before it."""
        self.text = text
        self.refusal = refusal
        self._known = known
        self._effort = effort
        self.skipped: tuple[TextEdit, ...] = ()
        """The edits that blank the lines of the slip, so that reading goes on below; none if it does not."""
        self._goal: int | None = None
        self._most_duplicates = 0
        self._skip()

    def first_sound(self, slips: Iterable[Slip]) -> Slip | None:
        """The first of `slips` whose edits work, or that has none to try."""
        return next((slip for slip in slips if not slip.edits or self.works(slip)), None)

    def works(self, slip: Slip) -> bool:
        """Whether reading gets beyond the slip with its edits, or as far as it says, and nothing is lost or joined."""
        read = self._read(slip.edits)
        if read is None:
            return False
        refused, duplicates = read
        is_beyond = refused is None or (self._goal is not None and refused >= self._goal)
        is_beyond = is_beyond and duplicates <= self._most_duplicates
        if not is_beyond and (slip.until is None or (refused is not None and refused < slip.until)):
            return False
        return not slip.keeps_points or conserves(self.text, slip.edits)

    def _read(self, edits: Iterable[TextEdit]) -> tuple[int | None, int] | None:
        """Where the text is refused after `edits`, as an offset before them, and how many keys are repeated."""
        if not self._effort.spend(len(self.text)):
            return None
        try:
            fixed = apply_edits(self.text, edits)
        except ValueError:  # edits that overlap
            return None
        reader = Reader(fixed, 0, len(fixed), self._known)
        refusal = reader.read_to_refusal()
        at = None if refusal is None else len(self.text) - (len(fixed) - refusal.offset)
        return at, len(reader.duplicates)

    def _skip(self) -> None:
        """Find the lines to blank: the first choice after which reading gets below them."""
        for lines in self._choices():
            below = placed_lines(lines.of(self.text), lines.start)
            edits = tuple(TextEdit(line.span, " " * len(line.written)) for line in below if line.column >= 0)
            read = self._read(edits) if edits else None
            if read is not None and (read[0] is None or read[0] > lines.end):
                self._goal, self._most_duplicates = read
                self.skipped = edits
                if _HEAD_OF_LIST.match(self.text[: lines.end]) and self.text.startswith("- ", lines.end + 1):
                    self._goal = lines.end + 1  # without the lines above the list no `---` is missing between them
                return

    def _choices(self) -> Iterator[Span]:
        text, refusal = self.text, self.refusal
        at = min(refusal.offset, len(text))
        if at == len(text) or text[at] in "\r\n":
            at = max(len(text[:at].rstrip()) - 1, 0)
        last = line_at(text, at)
        if refusal.reason == "a line break is expected":  # the lines below are the block
            yield Span(at, last.end)
        first = [line_start(text, min(start, at)) for start in refusal.starts]
        if len(first) > 1 or refusal.reason.startswith("can not read"):  # what is open, or was taken for a key
            yield from (line_at(text, start) for start in first)
        yield last
        for start in (*first, line_start(text, max(last.start - 1, 0))):
            if start < last.start:
                yield Span(start, last.end)


def refused_slip(trial: Trial) -> Slip:
    """The slip that makes the piece of `trial` unreadable, with offsets of the piece."""
    text, refusal = trial.text, trial.refusal
    offset = refusal.offset if refusal.offset < len(text) else max(len(text.rstrip()) - 1, 0)
    return trial.first_sound(_candidates(trial, offset)) or unreadable(text, refusal, offset)


def _candidates(trial: Trial, offset: int) -> Iterator[Slip]:
    """What may be wrong where reading stopped at `offset`, the likeliest first."""
    text, refusal, reason = trial.text, trial.refusal, trial.refusal.reason
    yield from ended_alias(text, refusal)
    opening = _never_closed(text, refusal, offset)
    if opening is not None:
        yield from unclosed(text, opening)
    elif reason == "unknown escape sequence" or reason == "expected hexadecimal character":
        yield from _closed_below(text, refusal.opening, offset)
        yield from _bad_escape(text, refusal.opening or offset, offset)
    elif reason == "tab characters must not be used in indentation" or "\t" in margin(text, offset):
        yield _tab(trial, offset)
    else:
        lines = Lines(text, offset)
        suspects = _suspects(lines, refusal)
        yield from (replace(slip, until=offset) for slip in spoilt_head(lines, lines.at))
        yield from _signs(lines, suspects, refusal, offset)
        quoting = list(quoting_slips(text, refusal, offset))
        begins_line = not text[line_start(text, offset) : offset].strip(" -")
        tried = [] if begins_line else [slip for slip in quoting if slip.edits]
        yield from tried
        for index in suspects:
            yield from margin_slips(lines, index)
        yield from (slip for slip in quoting if slip not in tried)


def _never_closed(text: str, refusal: Refusal, offset: int) -> int | None:
    """The offset of the quote or the bracket that is never closed, or closed too late; None if none is."""
    reason, opening, quoted = refusal.reason, refusal.opening, refusal.multiline_quote
    if opening is not None and reason.startswith("unexpected end"):
        return opening
    if quoted is not None and text.find("\n", quoted.end, offset) < 0 <= offset - quoted.end:
        return quoted.start
    is_first = not text[line_start(text, offset) : offset].strip()
    if opening is not None and reason.startswith("missed comma") and is_first and _ITEM_OR_KEY.match(text, offset):
        return opening
    return None


def _closed_below(text: str, opening: int | None, offset: int) -> Iterator[Slip]:
    """The quote at `opening` was to close above the line of `offset`, which begins an item or a key."""
    dashes = margin(text, offset)
    begins = line_start(text, offset) + len(dashes)
    if opening is not None and opening < begins and ("-" in dashes or _ITEM_OR_KEY.match(text, begins)):
        yield from (slip for slip in unclosed(text, opening) if slip.edits)


def _suspects(lines: Lines, refusal: Refusal) -> list[int]:
    """The indices of the lines that may hold the slip: where reading stopped, the node read last, the line above."""
    above = lines.above(lines.at)
    found = [lines.at, lines.index(refusal.node_start)]
    return list(dict.fromkeys(found if above is None else [*found, above]))


def _signs(lines: Lines, suspects: list[int], refusal: Refusal, offset: int) -> Iterator[Slip]:
    """The slips that the signs on the lines around the error give away."""
    start, end = line_start(lines.text, min(refusal.node_start, offset)), line_end(lines.text, offset)
    yield from false_spaces(lines.text, Span(start, end))
    for slips in (or_slip, keys_under_text, sign_slips):
        for index in suspects:
            yield from slips(lines, index)


def _bad_escape(text: str, opening: int, offset: int) -> Iterator[Slip]:
    """An escape that YAML does not have, in the double quotes that begin at `opening`."""
    if text[offset - 1 : offset] == "\\":
        message = f"`{text[offset - 1 : offset + 1]}` has no meaning in double quotes"
    else:
        message = "`\\x`, `\\u` and `\\U` need hexadecimal digits in double quotes"
    message += ": write the backslash twice, or use single quotes"
    span = Span(max(offset - 1, 0), min(offset + 1, len(text)))
    quoted = _DOUBLE_QUOTED.match(text, opening)
    if quoted is not None:
        inner = quoted[0][1:-1]
        if "\n" in inner or any(escape[2] for escape in _BAD_ESCAPE.finditer(inner)):
            doubled = _BAD_ESCAPE.sub(lambda escape: "\\" + escape[0] if escape[1] else escape[0], inner)
            replacement, title = f'"{doubled}"', "write the backslash twice"
        else:
            replacement, title = "'" + inner.replace("'", "''") + "'", "use single quotes"
        line = text[line_start(text, offset) : offset]
        is_row = opening < offset - len(line) and line.lstrip().startswith("- ")  # the quotes took it in
        edits = (TextEdit(Span(*quoted.span()), replacement),)
        yield Slip(span, message, title, edits, SlipRule.BACKSLASH, not is_row, quoted.end())
    yield Slip(span, message, rule=SlipRule.BACKSLASH)


def _tab(trial: Trial, offset: int) -> Slip:
    """The tabs of all margins of the piece, or else of the one at `offset`, as spaces.

    They go where only that makes the lines readable. There are no edits if widths of a tab differ in meaning.
    """
    text = trial.text
    start, indentation = line_start(text, offset), margin(text, offset)
    tab = start + indentation.find("\t")
    place = Span(tab, max(start + len(indentation.rstrip("-")), tab + 1))
    slip = Slip(place, "this line is indented with a tab: YAML allows only spaces there", rule=SlipRule.TAB)
    margins = [Span(*found.span()) for found in _TAB_MARGIN.finditer(text)]
    for spans in (margins, [Span(start, start + len(indentation))]):
        found: dict[tuple[object, ...], Slip] = {}
        for width in _TAB_WIDTHS if spans else ():
            title = "indent with spaces" if width else "remove the tab"
            edits = tuple(TextEdit(span, _spaced(span.of(text), width)) for span in spans)
            spaced = replace(slip, title=title, edits=edits)
            if (width or not found) and trial.works(spaced):
                found.setdefault(levels(apply_edits(text, edits)), spaced)
        if found:
            most = max(map(len, found))
            best = [spaced for meant, spaced in found.items() if len(meant) == most]
            return best[0] if len(best) == 1 else slip
    return slip


def _spaced(indentation: str, width: int) -> str:
    """`indentation` with each tab after a dash as one space, and every other as `width` spaces."""
    return re.sub(r"(?<=-)\t", " ", indentation).replace("\t", " " * width)

"""Finds the parts of a text that an error cuts off; only the error is reported there."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from engine.parsing.fields import fields
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import Span
from engine.yaml.nodes import MappingNode, Node, NodeTree, Pair, SequenceNode

_DOCUMENT = lazy(r"\n---(?=[ \t\r\n]|\Z)")
_NEAR = 4_000
"""Characters above a place in which its piece mostly begins: the whole text is searched only where it does not."""
_DASH = lazy(r"( *)-[ \t]+")


class Broken(Record):
    """The parts that the errors of a text hide: whether the header is cut off, and the indices of cut-off prompts.

    `unread` are the offsets of errors outside the header and all prompts: one for each part of the file that could not
    be read and may contain further prompts. `incomplete` are the indices of the cut-off prompts, None for the header,
    of which some lines are not read at all; the other cut-off parts are read with their errors repaired in thought.
    `lines` are the lines of errors and of what is not read, in order and apart from each other.
    """

    header: bool = False
    prompts: frozenset[int] = frozenset()
    unread: tuple[int, ...] = ()
    incomplete: frozenset[int | None] = frozenset()
    lines: tuple[Span, ...] = ()

    def hides(self, span: Span) -> bool:
        """Whether `span` is on a line of an error, or of what is not read."""
        at = bisect_right(self.lines, span.end, key=_start) - 1
        return at >= 0 and span.start <= self.lines[at].end


def find_broken(tree: NodeTree, header: MappingNode | None, prompts: Sequence[Node]) -> Broken:
    """The parts of `header` and `prompts` that the errors of `tree` hide; a repeated key hides nothing."""
    places = [each.span.start for each in tree.diagnostics if each.slug != "duplicate-key"]
    if tree.error is None or not places:
        return Broken()
    listed = None if header is None else fields(header).get("prompts")
    parts = _Parts(tree.text, header, prompts, listed)
    found = [(place, parts.of(place)) for place in places]
    unread: dict[int, int] = {}
    for place, part in found:
        if part.piece is not None:
            unread.setdefault(part.piece, place)
    if (lost := _lost_list(listed, parts.first)) is not None:
        unread[lost] = lost
    cut_off = {part.index for _, part in found if part.piece is None and part.index is not None}
    incomplete = {parts.of(each.start).index for each in tree.lost} if prompts else {None}
    hidden = {_lines(tree.text, span) for span in (*tree.lost, *(Span(place, place) for place in places))}
    return Broken(
        header=any(part.index is None for _, part in found),
        prompts=frozenset(cut_off),
        # JSON is read only up to its first error.
        unread=tuple(sorted(places[:1] if tree.is_json else unread.values())),
        incomplete=frozenset({*cut_off, None} if tree.is_json else incomplete),
        lines=tuple(_merged(hidden)),
    )


def _start(span: Span) -> int:
    return span.start


def _merged(spans: Iterable[Span]) -> list[Span]:
    """`spans` in order, with those joined that touch or overlap."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


class _Part(Record):
    """The part of a file that holds a place: the index of a prompt, None for the header.

    `piece` is the start of the piece that begins behind it and holds the place, None if the part itself holds it.
    """

    index: int | None
    piece: int | None


class _Parts:
    """The header and the prompts of a file. `first` is where the first prompt begins."""

    def __init__(self, text: str, header: MappingNode | None, prompts: Sequence[Node], listed: Pair | None) -> None:
        self._text = text
        self._below_break = "\n" + text
        """Where the patterns of pieces look for the line breaks before them: `^` is five times slower."""
        self._header = header
        self._prompts = prompts
        self._listed = listed
        self._starts = [prompt.span.start for prompt in prompts]
        self._pieces: dict[re.Pattern[str], list[int]] = {}
        """Where pieces begin, by the pattern that begins them."""
        self.first = self._starts[0] if self._starts else len(text) + 1

    def of(self, place: int) -> _Part:
        """The part that holds `place`."""
        prompts = self._prompts
        following = bisect_right(self._starts, place)
        piece = self._piece_after(place, prompts[following - 1]) if following else self._piece_before(place)
        if piece is not None and following < len(prompts) and self._is_behind_dash(place, prompts[following]):
            return _Part(following, None)
        return _Part(following - 1 if following else None, piece)

    def _is_behind_dash(self, place: int, prompt: Node) -> bool:
        """Whether a piece that begins before `place` begins `prompt`: its dash or its `---` is before both."""
        return self._last(_beginning(self._text, prompt), place, prompt.span.start) is None

    def _piece_after(self, place: int, prompt: Node) -> int | None:
        """The start of the piece that contains `place`, after the start of `prompt`; None if that is the prompt."""
        return self._last(_beginning(self._text, prompt), min(prompt.span.end, place), place)

    def _piece_before(self, place: int) -> int | None:
        """The start of the piece that contains `place`, before all prompts; None if that piece is the header."""
        header, listed = self._header, self._listed
        beginning = _beginning(self._text, self._prompts[0]) if self._prompts else _DOCUMENT
        if header is None:
            marker = _DOCUMENT.match(self._below_break)
            return self._last(beginning, 0 if marker is None else marker.end() - 1, place)
        if listed is None:
            return self._last(_DOCUMENT, min(header.span.end, place), place)
        return self._last(beginning, min(listed.key.span.end, place), place)

    def _last(self, beginning: re.Pattern[str], start: int, end: int) -> int | None:
        """The offset of the last match of `beginning` between two offsets, or None; a match is within one line."""
        line = self._text.rfind("\n", 0, max(end - _NEAR, 0)) + 1
        near = [match.start() for match in beginning.finditer(self._below_break, max(start, line), end + 1)]
        if near:
            return near[-1]
        if beginning not in self._pieces:
            self._pieces[beginning] = [match.start() for match in beginning.finditer(self._below_break)]
        above = self._pieces[beginning]
        at = bisect_left(above, line) - 1
        return above[at] if at >= 0 and above[at] >= start else None


def _lines(text: str, span: Span) -> Span:
    """The whole lines that `span` is on."""
    end = text.find("\n", span.end)
    return Span(text.rfind("\n", 0, span.start) + 1, len(text) if end < 0 else end)


def _lost_list(listed: Pair | None, first: int) -> int | None:
    """Where the header's list of prompts begins, if it is not read since other prompts follow the error; else None."""
    if listed is None or listed.value.span.end > first or not isinstance(listed.value, SequenceNode):
        return None
    return listed.key.span.start


def _beginning(text: str, prompt: Node) -> re.Pattern[str]:
    """The pattern that begins a piece: `---` or, if `prompt` is a list item, a dash no further right."""
    line = text.rfind("\n", 0, prompt.span.start) + 1
    dash = _DASH.fullmatch(text, line, prompt.span.start)
    if dash is None:
        return _DOCUMENT
    return re.compile(rf"\n(?: {{0,{len(dash[1])}}}-|---)(?=[ \t\r\n]|\Z)")

"""Whether a piece of text that js-yaml refuses can be read once edits are applied to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import final

from engine.text.pacing import give_way
from engine.text.spans import Span, TextEdit, apply_edits
from engine.yaml.cursor import Refusal
from engine.yaml.nodes import Node
from engine.yaml.reader import Reader
from engine.yaml.slips import Slip, line_end, line_start
from engine.yaml.trial import conserves

_START = 1_000
"""What one reading takes beside its characters, in characters: a reader and its text are made anew for each."""


@final
class Effort:
    """How many characters may still be read to find fixes in one text; the rest of its errors then have none.

    Each reading counts `_START` characters more than it has. `has_failed` is whether there was too little for one.
    """

    __slots__ = ("has_failed", "left")

    def __init__(self, characters: int) -> None:
        self.left = characters
        self.has_failed = False

    def spend(self, characters: int) -> bool:
        """Whether there is enough left for reading `characters`; takes them."""
        give_way()
        if characters + _START > self.left:
            self.has_failed = True
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
        reader = Reader(fixed, 0, len(fixed), dict(self._known))
        refusal = reader.read_to_refusal()
        at = None if refusal is None else len(self.text) - (len(fixed) - refusal.offset)
        return at, len(reader.duplicates)

    def _skip(self) -> None:
        """Find the lines to blank: the first choice after which reading gets below them."""
        for lines in self._choices():
            edits = blanked(self.text, lines)
            read = self._read(edits) if edits else None
            if read is not None and (read[0] is None or read[0] > lines.end):
                self._goal, self._most_duplicates = read
                self.skipped = edits
                return

    def _choices(self) -> Iterator[Span]:
        text, refusal = self.text, self.refusal
        at = min(refusal.offset, len(text))
        if at == len(text) or text[at] in "\r\n":
            at = max(len(text[:at].rstrip()) - 1, 0)
        last = Span(line_start(text, at), line_end(text, at))
        if refusal.reason == "a line break is expected":  # the lines below are the block
            yield Span(at, last.end)
        starts = [refusal.node_start]
        starts += [] if refusal.opening is None else [refusal.opening]
        starts += [] if refusal.multiline_quote is None else [refusal.multiline_quote.start]
        first = [line_start(text, min(start, at)) for start in starts]
        for start in first:
            if refusal.opening is not None or refusal.multiline_quote is not None:
                yield Span(start, line_end(text, start))
        if refusal.reason.startswith("can not read"):  # the line above it was taken for a key
            yield Span(first[0], line_end(text, first[0]))
        yield last
        for start in first:
            if start != last.start:
                yield Span(start, last.end)
        above = line_start(text, max(last.start - 1, 0))
        if above < last.start:
            yield Span(above, last.end)


def blanked(text: str, lines: Span) -> tuple[TextEdit, ...]:
    """The edits that replace every line of `lines` by spaces."""
    edits: list[TextEdit] = []
    start = lines.start
    while start < lines.end:
        end = min(line_end(text, start), lines.end)
        stop = end - (text[end - 1 : end] == "\r")
        if text[start:stop].strip():
            edits.append(TextEdit(Span(start, stop), " " * (stop - start)))
        start = end + 1
    return tuple(edits)

"""Edits of a piece in thought: where its places and nodes are in the author's text, and whether it can be read then."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import final

from engine.text.diagnostics import Diagnostic, Fix, Related
from engine.text.pacing import give_way
from engine.text.record import Record, replace
from engine.text.spans import Span, TextEdit, apply_edits
from engine.yaml.nodes import AliasNode, Document, Duplicate, MappingNode, Node, Pair, ScalarNode, SequenceNode, Style
from engine.yaml.reader import Reader
from engine.yaml.scalars import Refusal
from engine.yaml.slips import Slip, line_end, line_start
from engine.yaml.trial import conserves


class _Run(Record, gc=False):
    """A stretch of the author's text that is unchanged: where it begins in the edited text, and in the author's."""

    start: int
    origin: int
    length: int


@final
class EditedText:
    """A part of the author's text after some edits. `text` is the edited text."""

    __slots__ = ("_runs", "_starts", "end", "text")

    def __init__(self, text: str, runs: Sequence[_Run], end: int) -> None:
        self.text = text
        self._runs = runs
        self._starts = [run.start for run in runs]
        self.end = end
        """The end of the part in the author's text."""

    @staticmethod
    def of(text: str, piece: Span) -> EditedText:
        """`piece` of the author's `text`, without edits."""
        return EditedText(piece.of(text), (_Run(0, piece.start, piece.end - piece.start),), piece.end)

    def edited(self, edits: Iterable[TextEdit]) -> EditedText:
        """This text after `edits`, whose spans refer to it. Raises `ValueError` if they overlap."""
        minimal = sorted((small for edit in edits for small in _minimal(edit, self.text)), key=lambda edit: edit.span)
        runs: list[_Run] = []
        done = grown = 0
        for edit in minimal:
            runs += self._between(done, edit.span.start, grown)
            grown += len(edit.text) - (edit.span.end - edit.span.start)
            done = edit.span.end
        runs += self._between(done, len(self.text), grown)
        return EditedText(apply_edits(self.text, minimal), tuple(runs), self.end)

    def _between(self, start: int, end: int, grown: int) -> Iterator[_Run]:
        """The runs of this text between two offsets, moved by `grown`."""
        for run in self._runs:
            first, last = max(run.start, start), min(run.start + run.length, end)
            if first < last:
                yield _Run(first + grown, run.origin + first - run.start, last - first)

    def origin(self, offset: int) -> int:
        """The offset in the author's text of `offset`; text that is not the author's counts as where it was put in."""
        at = bisect_right(self._starts, offset) - 1
        if at < 0:
            return self._runs[0].origin if self._runs else self.end
        run = self._runs[at]
        following = self._runs[at + 1].origin if at + 1 < len(self._runs) else self.end
        within = offset - run.start
        if within < run.length:
            return run.origin + within
        return min(run.origin + within, following)

    def span(self, span: Span) -> Span:
        """The span in the author's text of a `span` of this text."""
        start = self.origin(span.start)
        return Span(start, max(start, self.origin(span.end)))

    def diagnostic(self, diagnostic: Diagnostic) -> Diagnostic:
        """`diagnostic`, on this text, as one on the author's text; without the fixes that only fit this text."""
        related = tuple(Related(self.span(each.span), each.message) for each in diagnostic.related)
        fixes = tuple(fix for each in diagnostic.fixes if (fix := self._fix(each)) is not None)
        return replace(diagnostic, span=self.span(diagnostic.span), related=related, fixes=fixes)

    def _fix(self, fix: Fix) -> Fix | None:
        edits: list[TextEdit] = []
        for edit in fix.edits:
            span = self.span(edit.span)
            if span.end - span.start != edit.span.end - edit.span.start or not self._is_unchanged(edit.span):
                return None
            edits.append(TextEdit(span, edit.text))
        return Fix(fix.title, fix.safe, tuple(edits))

    def _is_unchanged(self, span: Span) -> bool:
        """Whether `span` is the author's own text."""
        return any(run.start <= span.start and span.end <= run.start + run.length for run in self._runs)


def _minimal(edit: TextEdit, text: str) -> Iterator[TextEdit]:
    """`edit` as insertions around the text that it keeps, so that the kept text still has its place."""
    start, end = edit.span.start, edit.span.end
    old = text[start:end]
    at = edit.text.find(old) if old else -1
    if at < 0:
        yield edit
        return
    if at:
        yield TextEdit(Span(start, start), edit.text[:at])
    if rest := edit.text[at + len(old) :]:
        yield TextEdit(Span(end, end), rest)


_MARKS = {Style.SINGLE: "'", Style.DOUBLE: '"', Style.LITERAL: "|", Style.FOLDED: ">"}


@final
class PlacedNodes:
    """Gives nodes of `edited` the spans of the author's `text`; keeps the identity of anchored nodes."""

    def __init__(self, text: str, edited: EditedText) -> None:
        self._text = text
        self._edited = edited
        self._placed: dict[int, Node] = {}
        self._pairs: dict[int, Pair] = {}
        self._aliases: list[AliasNode] = []

    def document(self, document: Document) -> Document:
        """`document` with the author's spans."""
        root = None if document.root is None else self._node(document.root)
        for alias in self._aliases:
            alias.target = self._placed.get(id(alias.target), alias.target)
        self._aliases = []
        return Document(self._edited.span(document.span), root)

    def duplicate(self, duplicate: Duplicate) -> Duplicate:
        """`duplicate` with the author's spans."""
        return Duplicate(self._pair(duplicate.pair), self._pair(duplicate.first), duplicate.name)

    def anchors(self, known: dict[str, Node]) -> dict[str, Node]:
        """`known` with the nodes that were placed; those of the text before stay."""
        return {name: self._placed.get(id(node), node) for name, node in known.items()}

    def _node(self, node: Node) -> Node:
        span = self._edited.span(node.span)
        match node:
            case ScalarNode():
                placed = replace(node, span=span, style=self._style(node.style, span))
            case SequenceNode():
                placed = SequenceNode(span, tuple(map(self._node, node.items)), node.flow)
            case MappingNode():
                placed = MappingNode(span, tuple(map(self._pair, node.pairs)), node.flow)
            case AliasNode():
                placed = AliasNode(span, node.target)
                self._aliases.append(placed)
        self._placed[id(node)] = placed
        return placed

    def _pair(self, pair: Pair) -> Pair:
        if id(pair) not in self._pairs:
            self._pairs[id(pair)] = Pair(self._node(pair.key), self._node(pair.value))
        return self._pairs[id(pair)]

    def _style(self, style: Style, span: Span) -> Style:
        """The style that the author's text has: quotes that are only there in thought do not count."""
        mark = _MARKS.get(style)
        return style if mark is None or self._text.startswith(mark, span.start) else Style.PLAIN


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

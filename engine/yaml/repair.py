"""Reading a broken piece to its end: each slip is diagnosed, repaired in thought, and reading goes on below it.

`EditedText` knows where the places of a text that was edited in thought are in the author's text, `PlacedNodes` gives
its nodes these places. What was found is remembered: a change to one piece of a text leaves the others as they are, and
trying the fixes of a text reads it many times. Where lines are moved beside lines that nothing makes readable, where
they belong is a guess: no such fix is safe.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias, final

from msgspec import Struct

from engine.text import Diagnostic, Fix, Record, Related, Span, TextEdit, apply_edits, replace
from engine.yaml.diagnosis import Effort, Trial, refused_slip
from engine.yaml.margin_slips import lost_points
from engine.yaml.nodes import AliasNode, Document, Duplicate, MappingNode, Node, Pair, ScalarNode, SequenceNode, Style
from engine.yaml.reader import Reader
from engine.yaml.scalar_text import Refusal
from engine.yaml.slips import line_end, line_start


@final
class EditedText:
    """A part of the author's text after some edits. `text` is the edited text."""

    __slots__ = ("_places", "_start", "text")

    def __init__(self, text: str, places: array[int], start: int) -> None:
        """`places` has where each character of `text`, and its end, is in the part, which has its `start` in the
        author's text.

        Of text that is not the author's it is the complement (`~`) of where that was put in.
        """
        self.text = text
        self._places = places
        self._start = start

    @staticmethod
    def of(text: str, piece: Span) -> EditedText:
        """`piece` of the author's `text`, without edits."""
        return EditedText(piece.of(text), array("l", range(piece.end - piece.start + 1)), piece.start)

    def edited(self, edits: Iterable[TextEdit]) -> EditedText:
        """This text after `edits`, whose spans refer to it. Raises `ValueError` if they overlap."""
        minimal = sorted((small for edit in edits for small in _minimal(edit, self.text)), key=lambda edit: edit.span)
        places, done = array("l"), 0
        for edit in minimal:
            replaced = self.span(edit.span).shifted(-self._start)
            places += self._places[done : edit.span.start]
            places.extend(~min(replaced.start + at, replaced.end) for at in range(len(edit.text)))
            done = edit.span.end
        return EditedText(apply_edits(self.text, minimal), places + self._places[done:], self._start)

    def shifted(self, by: int) -> EditedText:
        """The same text, where its part of the author's text begins `by` code points further on."""
        return EditedText(self.text, self._places, self._start + by)

    def origin(self, offset: int) -> int:
        """The offset in the author's text of `offset`; text that is not the author's counts as where it was put in."""
        place = self._places[offset]
        return self._start + (place if place >= 0 else ~place)

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
        place = self._places[span.start]
        if span.start == span.end:  # between two characters: one of them is
            return max(self._places[max(span.start - 1, 0) : span.end + 1]) >= 0
        own = array("l", range(place, place + span.end - span.start))
        return place >= 0 and self._places[span.start : span.end] == own


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

    def anchors(self, named: Mapping[str, Node]) -> dict[str, Node]:
        """The anchors `named`, whose nodes were placed."""
        return {name: self._placed.get(id(node), node) for name, node in named.items()}

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


_MAXIMUM_REPAIRS = 16
"""How many slips of one piece are repaired in thought; what follows further ones is not read."""
_LONGEST_REMEMBERED = 8_000
"""Characters of a piece whose repairs are remembered; a long prompt has 4,000."""
_CAPACITY = 500

Read: TypeAlias = tuple[list[Document], list[Duplicate]]
"""The documents that were read, and the keys that their mappings have twice."""
_Key: TypeAlias = tuple[str, str, int, int | None, int, Span | None]


class Repairs(Record):
    """The slips that were `found` in a piece, and the text of the piece once they are repaired in thought.

    `lost` are the lines that repairs leave out. To find them took `effort` characters of reading.
    """

    found: tuple[Diagnostic, ...]
    lost: tuple[Span, ...]
    edited: EditedText
    effort: int


_remembered: dict[_Key, Repairs] = {}


def repairs_of(text: str, refused: Refusal, known: Mapping[str, Node], effort: Effort) -> Repairs:
    """The repairs of a piece, all of `text`, which is refused with `refused`; `known` are the anchors before it."""
    key = (text, refused.reason, refused.offset, refused.opening, refused.node_start, refused.multiline_quote)
    is_short = not known and len(text) <= _LONGEST_REMEMBERED
    repairs = _remembered.get(key) if is_short else None
    if repairs is None or repairs.effort > effort.left:
        own = Effort(effort.left)
        repairs = _found(text, refused, known, own)
        if is_short and not own.has_failed:
            if len(_remembered) >= _CAPACITY:
                _remembered.clear()
            _remembered[key] = repairs
    effort.left -= repairs.effort
    return repairs


def _found(text: str, refused: Refusal, known: Mapping[str, Node], effort: Effort) -> Repairs:
    before = effort.left
    edited = EditedText.of(text, Span(0, len(text)))
    refusal: Refusal | None = refused
    found: list[Diagnostic] = []
    lost: list[Span] = []
    for _ in range(_MAXIMUM_REPAIRS):
        if refusal is None:
            break
        trial = Trial(edited.text, refusal, known, effort)
        slip = refused_slip(trial)
        own = edited.diagnostic(slip.diagnostic)
        if not (found and lost and _continues(found[-1], own, lost[-1], text)):
            found.append(own)
        edits = slip.edits or trial.skipped
        if not slip.edits:
            lost += (edited.span(edit.span) for edit in edits)
        if not edits or not effort.spend(len(edited.text)):
            break
        edited = edited.edited(edits)
        refusal = Reader(edited.text, 0, len(edited.text), known).read_to_refusal()
    return Repairs(tuple(found), tuple(lost), edited, before - effort.left)


def _continues(before: Diagnostic, after: Diagnostic, lost: Span, text: str) -> bool:
    """Whether two errors without a fix are of one block: the same cause, on lines that follow each other."""
    if before.fixes or after.fixes or before.message != after.message:
        return False
    return lost.end <= after.span.start and not text[lost.end : line_start(text, after.span.start)].strip()


def with_guesses(found: Iterable[Diagnostic], text: str) -> tuple[Diagnostic, ...]:
    """The errors `found` in `text`, with no fix safe that only moves lines."""
    return tuple(
        replace(each, fixes=tuple(replace(fix, safe=False) if _moves(fix, text) else fix for fix in each.fixes))
        for each in found
    )


def _moves(fix: Fix, text: str) -> bool:
    return not any(edit.text.strip() or edit.span.of(text).strip() for edit in fix.edits)


_MAXIMUM_BROKEN = 200
"""How many broken pieces are reported and partly read; any further ones are skipped."""


class Recovered(Struct):
    """The parts of `text` that could be read, with `effort` left to find fixes; `known` are the anchors so far.

    `broken` are the pieces that cannot be read as they are, `diagnostics` their errors, and `lost` what no repair makes
    readable. `duplicates` are all repeated keys. The text `is_torn` where two of its pieces cannot follow each other,
    and no fix joins them.
    """

    text: str
    effort: Effort
    known: dict[str, Node] = {}
    documents: list[Document] = []
    duplicates: list[Duplicate] = []
    broken: list[Span] = []
    diagnostics: list[Diagnostic] = []
    lost: list[Span] = []
    is_torn: bool = False

    @property
    def is_full(self) -> bool:
        """Whether no further broken piece is reported."""
        return len(self.broken) >= _MAXIMUM_BROKEN

    def repair(self, piece: Span, refused: Refusal) -> Read:
        """What `piece`, refused with `refused`, holds once its errors are repaired in thought; they are noted."""
        self.broken.append(piece)
        points = lost_points(self.text, piece.start)
        if points is None:
            return self._repaired(piece, refused)
        self.diagnostics.append(points.diagnostic)
        rest = Span(min(line_end(self.text, points.edits[-1].span.start) + 1, piece.end), piece.end)
        refusal = Reader(rest.of(self.text), 0, rest.end - rest.start, self.known).read_to_refusal()
        lost = [*self.lost, piece]  # what follows the points are further keys of the prompt above
        if refusal is not None:
            self._repaired(rest, refusal.shifted(rest.start))
        self.lost = lost
        return [], []

    def _repaired(self, piece: Span, refused: Refusal) -> Read:
        repairs = repairs_of(piece.of(self.text), refused.shifted(-piece.start), self.known, self.effort)
        edited = repairs.edited.shifted(piece.start)
        reader = Reader(edited.text, 0, len(edited.text), self.known)
        refusal = reader.read_to_refusal()
        lost = [span.shifted(piece.start) for span in repairs.lost]
        if refusal is not None:
            lost.append(Span(edited.origin(min(refusal.offset, len(edited.text))), piece.end))
        found = tuple(diagnostic.shifted(piece.start) for diagnostic in repairs.found)
        self.diagnostics += with_guesses(found, self.text) if lost else found
        self.lost += lost
        placed = PlacedNodes(self.text, edited)
        read = list(map(placed.document, reader.documents)), list(map(placed.duplicate, reader.duplicates))
        reader.anchors = placed.anchors(reader.anchors)
        reader.add_anchors(self.known)
        return read

    def note(self, piece: Span, refusal: Refusal) -> None:
        """Note the first error of the broken `piece`."""
        edited = EditedText.of(self.text, piece)
        found = refused_slip(Trial(edited.text, refusal.shifted(-piece.start), self.known, self.effort))
        self.broken.append(piece)
        self.diagnostics.append(edited.diagnostic(found.diagnostic))
        self.is_torn = self.is_torn or not found.fixes

    def add(self, part: Recovered) -> None:
        """Add the errors of a `part` of this text, and the anchors after it."""
        self.broken += part.broken
        self.diagnostics += part.diagnostics
        self.lost += part.lost
        self.is_torn = self.is_torn or part.is_torn
        self.known = part.known

"""Recovery from errors: the text is split at `---` and at top-level `- ` lines, and each piece is read by itself.

Of a header with a list of prompts, each prompt is read by itself. A piece that cannot be read is repaired in thought,
so that all its errors are known: each slip is diagnosed, its edits are made, and reading goes on below it. `EditedText`
knows where the places of a text that was edited in thought are in the author's text, `PlacedNodes` gives its nodes
these places. Where lines are moved beside lines that nothing makes readable, where they belong is a guess: no such fix
is safe. What only shows in what could be read comes last: prompts without their dash, whose keys repeat those above.

What was found in a piece is remembered: a change to one piece of a text leaves the others as they are, and trying the
fixes of a text reads it many times.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias, final

from msgspec import Struct

from engine.text import Diagnostic, Fix, Record, Related, Severity, Span, TextEdit, apply_edits, replace
from engine.text.text_limits import VALUES, TooManyValues
from engine.yaml.diagnosis import Effort, Trial, refused_slip
from engine.yaml.layout import column
from engine.yaml.line_slips import SEPARATOR
from engine.yaml.margin_slips import begins_point, lost_points
from engine.yaml.nodes import (
    AliasNode,
    Document,
    Duplicate,
    MappingNode,
    Node,
    Pair,
    ScalarNode,
    SequenceNode,
    Style,
)
from engine.yaml.pieces import (
    ended_texts,
    joined_documents,
    joined_lists,
    list_items,
    may_continue,
    sections,
    split_pieces,
    with_list,
)
from engine.yaml.reader import Reader
from engine.yaml.scalar_text import Refusal
from engine.yaml.slips import WHY, Slip, line_end, line_start


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
        first, begins = self._pair(duplicate.first), self._edited.origin(duplicate.mapping)
        return Duplicate(self._pair(duplicate.pair), first, duplicate.name, begins)

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
_PIECE_EFFORT = 1_000_000
"""Characters that are read to repair one such piece."""

Read: TypeAlias = tuple[list[Document], list[Duplicate]]
"""The documents that were read, and the keys that their mappings have twice."""


class Repairs(Record):
    """The slips that were `found` in a piece, and the text of the piece once they are repaired in thought.

    `lost` are the lines that repairs leave out. To find them took `effort` characters of reading.
    """

    found: tuple[Diagnostic, ...]
    lost: tuple[Span, ...]
    edited: EditedText
    effort: int


def _repairs_of(text: str, known: Mapping[str, Node], effort: Effort) -> Repairs:
    """The repairs of a piece, all of `text`; `known` are the anchors before it."""
    if known or len(text) > _LONGEST_REMEMBERED or effort.left <= 0:
        return _found(text, known, effort)
    repairs = _remembered(text)
    effort.left -= repairs.effort
    return repairs


@lru_cache(maxsize=500)
def _remembered(text: str) -> Repairs:
    return _found(text, {}, Effort(_PIECE_EFFORT))


def _found(text: str, known: Mapping[str, Node], effort: Effort) -> Repairs:
    before = effort.left
    edited = EditedText.of(text, Span(0, len(text)))
    found: list[Diagnostic] = []
    lost: list[Span] = []
    for _ in range(_MAXIMUM_REPAIRS):
        refusal = Reader(edited.text, 0, len(edited.text), known).read_to_refusal()
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

    def repair(self, piece: Span) -> Read:
        """What `piece`, which is refused, holds once its errors are repaired in thought; they are noted."""
        self.broken.append(piece)
        points = lost_points(self.text, piece.start)
        if points is None:
            return self._repaired(piece)
        self.diagnostics.append(points.diagnostic)
        lost = [*self.lost, piece]  # what follows the points are further keys of the prompt above
        self._repaired(Span(min(line_end(self.text, points.edits[-1].span.start) + 1, piece.end), piece.end))
        self.lost = lost
        return [], []

    def _repaired(self, piece: Span) -> Read:
        repairs = _repairs_of(piece.of(self.text), self.known, self.effort)
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

    def note(self, piece: Span) -> None:
        """Note the first error of the broken `piece`."""
        edited = EditedText.of(self.text, piece)
        refusal = Reader(edited.text, 0, len(edited.text), self.known).read_to_refusal()
        if refusal is None:
            return
        found = refused_slip(Trial(edited.text, refusal, self.known, self.effort))
        self.broken.append(piece)
        self.diagnostics.append(edited.diagnostic(found.diagnostic))
        self.is_torn = self.is_torn or not found.fixes


_PROMPTS = re.compile(r"^prompts[ \t]*:", re.MULTILINE)


def _by_items(recovered: Recovered, piece: Span, begun: Sequence[Document]) -> Read | None:
    """What `piece`, a mapping with a list of prompts, holds: each prompt, and the keys above and below, read apart.

    None if it is none by the documents that were `begun`, or if all can be read: splitting does not isolate the error.
    """
    text = recovered.text
    listed = (part for part in sections(text, piece) if _PROMPTS.search(text, part.start, part.end) is not None)
    items = list_items(text, next(listed, Span(piece.end, piece.end)))
    if not items or len(begun) != 1 or isinstance(begun[0].root, SequenceNode):
        return None
    below = [Span(items[-1].end, piece.end)] if items[-1].end < piece.end else []
    parts = [Span(piece.start, items[0].end), *items[1:], *below]
    known, broken = dict(recovered.known), len(recovered.broken)
    ended = ended_texts(text, parts)
    read = [_read_part(recovered, part, ended.get(part.end, text)) for part in parts]
    if len(recovered.broken) == broken:
        recovered.known = known
        return None
    root = _joined([documents[0].root for documents, _ in read if documents])
    document = [] if root is None else [Document(Span(root.span.start, piece.end), root)]
    return document, [each for _, repeated in read for each in repeated]


def _read_part(recovered: Recovered, part: Span, ended: str) -> Read:
    """What `part` holds, repaired in thought where it is broken; nothing if no further broken piece is reported."""
    reader = Reader(ended, part.start, part.end, recovered.known)
    if reader.read_to_refusal() is not None:
        return ([], []) if recovered.is_full else recovered.repair(part)
    reader.add_anchors(recovered.known)
    return reader.documents, reader.duplicates


def _joined(roots: Sequence[Node | None]) -> MappingNode | None:
    """The mapping that is the first of `roots`, with the lists among the others as its last value, and their keys."""
    head = roots[0] if roots else None
    if not isinstance(head, MappingNode) or head.flow or not head.pairs:
        return None
    lists = [each for each in roots if isinstance(each, SequenceNode) and each.items]
    whole = with_list(head, joined_lists(lists)) if lists else head
    below = (pair for each in roots[1:] if isinstance(each, MappingNode) for pair in each.pairs)
    pairs = (*whole.pairs, *below)
    return MappingNode(Span(whole.span.start, pairs[-1].span.end), pairs, False)


_EFFORT = 2_000_000
"""How many characters are read to find the fixes of one text: a third of a second, and many times what a slip takes."""
_TRIAL_EFFORT = 300_000
"""The same to try a fix, of which only the number of errors that it leaves counts."""


def recover(text: str, *, is_trial: bool = False) -> Recovered:
    """Read `text`, which js-yaml refuses.

    A piece that can be read by itself means the same in the whole text, unless it ends in an empty item: js-yaml then
    continues the same list, whatever the indentation of the next item. Less is read if this `is_trial`.
    Raises `TooManyValues`.
    """
    recovered = Recovered(text, Effort(_TRIAL_EFFORT if is_trial else _EFFORT))
    recovery = _Recovery(recovered)
    recovery.read_all()
    for piece in recovery.points:
        lost = None if begins_point(text, piece.end) else lost_points(text, piece.start)
        recovered.diagnostics += [] if lost is None else [lost.diagnostic]
    if recovered.is_torn:
        recovered.diagnostics = list(with_guesses(recovered.diagnostics, text))
    recovered.documents = joined_documents(text, recovery.readable)
    return recovered


class _Recovery:
    """Reads the pieces of a text one after the other.

    `readable` are the documents of the pieces, `points` the readable pieces that begin with a point at the margin.
    """

    def __init__(self, recovered: Recovered) -> None:
        self.readable: list[tuple[Span, Document]] = []
        self.points: list[Span] = []
        self._text = recovered.text
        self._recovered = recovered
        self._pieces: deque[Span] = deque()
        self._ended: dict[int, str] = {}
        """The `ended_texts` of the pieces."""
        self._values = 0

    def read_all(self) -> None:
        """Read all pieces. Raises `TooManyValues`."""
        self._insert(split_pieces(self._text, 0))
        is_first = True
        while self._pieces:
            self._read_piece(self._pieces.popleft(), is_first=is_first)
            is_first = False

    def _insert(self, pieces: Iterable[Span]) -> None:
        """Read `pieces` before all others."""
        pieces = list(pieces)
        self._pieces.extendleft(reversed(pieces))
        self._ended.update(ended_texts(self._text, pieces))

    def _read_piece(self, piece: Span, *, is_first: bool) -> None:
        text, recovered = self._text, self._recovered
        if text.startswith("---", piece.start):
            recovered.known = {}
        reader = Reader(self._ended.pop(piece.end, text), piece.start, piece.end, recovered.known)
        refusal = reader.read_to_refusal()
        if refusal is None:
            if begins_point(text, piece.start):
                self.points.append(piece)
            if is_first and may_continue(text, piece, reader.documents):
                # The piece can be read by itself, but js-yaml cannot read it together with the next ones.
                recovered.note(Span(piece.start, len(text)))
            self._keep(piece, reader)
        elif not recovered.is_full:
            self._read_broken(piece, reader, refusal)

    def _read_broken(self, piece: Span, reader: Reader, refusal: Refusal) -> None:
        """Read the parts of `piece`, or all of it with its errors repaired."""
        text, recovered = self._text, self._recovered
        if refusal.opening is None and text.startswith("\n- ", refusal.offset - 1, piece.end):
            # A list without `---` before it: its items can still be read.
            recovered.note(piece)
            self._insert(split_pieces(text, refusal.offset, piece.end))
            self._keep(piece, reader)
        else:
            by_items = None if _is_at_separator(text, refusal) else _by_items(recovered, piece, reader.documents)
            self._add(piece, *(by_items or recovered.repair(piece)))

    def _keep(self, piece: Span, reader: Reader) -> None:
        """Take what was read, with its anchors."""
        reader.add_anchors(self._recovered.known)
        self._add(piece, reader.documents, reader.duplicates)

    def _add(self, piece: Span, documents: list[Document], duplicates: list[Duplicate]) -> None:
        self._values += sum(_count(document.root) for document in documents if document.root is not None)
        if self._values > VALUES:
            raise TooManyValues(piece.start)
        self.readable += ((piece, document) for document in documents)
        self._recovered.duplicates += duplicates


def _is_at_separator(text: str, refusal: Refusal) -> bool:
    """Whether reading stopped at a line that was meant as `---`: what follows is another document."""
    starts = (line_start(text, min(refusal.node_start, refusal.offset)), line_start(text, refusal.offset))
    starts = (*starts, line_start(text, max(starts[1] - 1, 0)))
    return any(SEPARATOR.match(text[start : line_end(text, start)].rstrip("\r")) is not None for start in starts)


def _count(node: Node) -> int:
    """The number of nodes in `node`, itself included; aliases are not followed."""
    match node:
        case SequenceNode(items=items):
            return 1 + sum(map(_count, items))
        case MappingNode(pairs=pairs):
            return 1 + sum(_count(pair.key) + _count(pair.value) for pair in pairs)
        case _:
            return 1


_ASKS = ("prompt", "promptText", "messages")
_BEGINS = ("id", "description", *_ASKS)
_ASKING_LINE = re.compile(rf"^ *(?:- +)*(?P<quote>[\"']?)(?:{'|'.join(_ASKS)})(?P=quote):(?=\s|\Z)", re.MULTILINE)
"""The beginning of a line with a question's key."""
_MOST = 50
"""How many prompts without a dash are looked for in one text."""


_LostDash: TypeAlias = tuple[Slip, list[Duplicate]]
"""A prompt that begins without its dash, and the keys that are repeated for this."""


def add_dashes(read: Recovered, *, is_refused: bool) -> None:
    """Report the lost dashes of a text in `read`, in place of the repeated keys that they explain.

    A text that can be read but for those keys is read with the dashes.
    """
    text = read.text
    lost = _lost_dashes(text, read.duplicates)
    explained = {id(duplicate) for _, duplicates in lost for duplicate in duplicates}
    others = [each for each in read.duplicates if id(each) not in explained]
    if lost and not is_refused:
        edited = EditedText.of(text, Span(0, len(text))).edited([edit for slip, _ in lost for edit in slip.edits])
        reader = Reader(edited.text, 0, len(edited.text), {})
        if reader.read_to_refusal() is not None or len(reader.duplicates) > len(others):
            return
        read.documents = list(map(PlacedNodes(text, edited).document, reader.documents)) or read.documents
    read.duplicates = others
    read.diagnostics += (slip.diagnostic for slip, _ in lost)


def _lost_dashes(text: str, duplicates: Sequence[Duplicate]) -> list[_LostDash]:
    """The prompts whose keys are `duplicates` of those of the prompt above: each begins where a key is repeated again.

    The first of them is whole only if it has a question.
    """
    asking = [line.start() for line in _ASKING_LINE.finditer(text)] if duplicates else []
    prompts: dict[int, list[dict[str, Duplicate]]] = {}
    for each in duplicates:
        begun = prompts.setdefault(each.mapping, [{}])
        if each.name in begun[-1]:
            begun.append({})
        begun[-1][each.name] = each
    keys = [list(prompt.values()) for begun in prompts.values() for prompt in begun]
    found = [(slip, own) for own in keys if (slip := _lost_dash(text, asking, own)) is not None]
    return found if len(found) <= _MOST else []


def _lost_dash(text: str, asking: Sequence[int], own: Sequence[Duplicate]) -> Slip | None:
    """The slip of a prompt that begins with the first of its `own` keys, if that may begin one."""
    first = own[0]
    at = first.pair.key.span.start
    start, indent = line_start(text, at), column(text, at)
    above = line_start(text, first.first.key.span.start)
    asked = bisect_left(asking, above)
    if first.name not in _BEGINS or (len(own) < 2 and first.name != "id") or text[start:at].strip():
        return None
    if asked == len(asking) or asking[asked] >= start:
        return None
    if 0 < indent < 2 or (indent and first.first.key.span.start - above != indent):
        return None
    sign, title, edit = ("- ", "add the dash", TextEdit(Span(at - 2, at), "- "))
    if indent == 0:
        sign, title, edit = "---", "add `---`", TextEdit(Span(start, start), "---\n")
    message = f"put `{sign}` before this: a new prompt starts here, and it repeats keys without it"
    return Slip(Span(at, line_end(text, at)), message, title, (edit,))


def diagnose_duplicate(duplicate: Duplicate) -> Diagnostic:
    """The diagnostic for a key that its mapping already has."""
    return Diagnostic(
        code="Y002",
        slug="duplicate-key",
        severity=Severity.ERROR,
        span=duplicate.pair.key.span,
        message=f"`{duplicate.name}` is already set: join the two, or remove one",
        why=WHY,
        related=(Related(duplicate.first.key.span, f"the first `{duplicate.name}` is here"),),
    )

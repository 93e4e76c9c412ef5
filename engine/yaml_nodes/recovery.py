"""Recovery from errors: the text is split at `---` and at top-level `- ` lines, and each piece is read by itself.

A piece that cannot be read is repaired in thought (`engine.yaml_nodes.repair`), so that all its errors are known.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from engine.diagnostics import Diagnostic
from engine.record import replace
from engine.text import Span, TextEdit, apply_edits
from engine.text_limits import VALUES, TooManyValues
from engine.yaml_nodes import tagged_nodes
from engine.yaml_nodes.cursor import Refusal
from engine.yaml_nodes.diagnosis import diagnose_lost_points
from engine.yaml_nodes.line_slips import SEPARATOR
from engine.yaml_nodes.line_spans import line_end, line_start
from engine.yaml_nodes.lost_points import begins_point, lost_points
from engine.yaml_nodes.mapping_sections import list_items, sections
from engine.yaml_nodes.nodes import (
    Document,
    MappingNode,
    Node,
    Pair,
    ScalarNode,
    SequenceNode,
    count_nodes,
    property_name,
)
from engine.yaml_nodes.piece_trial import Effort
from engine.yaml_nodes.reader import Reader
from engine.yaml_nodes.repair import diagnose_only, is_of_layout, repair
from engine.yaml_nodes.tagged_nodes import Duplicate

_CUT = re.compile(r"^(?:---|\.\.\.|-)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_MAXIMUM_BROKEN = 200
"""How many broken pieces are reported and partly read; any further ones are skipped."""
_EFFORT = 3_000_000
"""How many characters are read to find the fixes of one text: half a second, and a hundred times what a slip takes."""
_TRIAL = 600_000
"""What trying the fix of one key in all keys counts for, beside the characters that are read."""
_MAXIMUM_COPIED = 4_000_000_000
"""How many characters may be copied to read all pieces: each is read in a copy of the text up to its end.

A longer text is read as one piece, so only its first error is reported.
"""
_BLANK_START = re.compile(r"(?:---)?(?:[ \t\r\n]|#[^\n]*+)*+")
_ITEM_LINE = re.compile(r"^- ", re.MULTILINE)
_EMPTY_ITEM_AT_END = re.compile(r"(?:^|[ \t-])-(?:[ \t\r\n]|#[^\n]*+)*+\Z", re.MULTILINE)


_Reading: TypeAlias = tuple[list[Document], list[Duplicate], Refusal | None]


class Recovered:
    """The parts of a text that could be read. `refusal` is js-yaml's for the whole text, None if it accepts it.

    `broken` are the pieces that cannot be read as they are, `diagnostics` their errors, and `lost` what no repair makes
    readable. `duplicates` are all repeated keys; `early_duplicates` those that js-yaml finds before it reaches
    `refusal`.
    """

    __slots__ = ("broken", "diagnostics", "documents", "duplicates", "early_duplicates", "effort", "lost", "refusal")

    def __init__(self, refusal: Refusal | None = None, effort: Effort | None = None) -> None:
        self.documents: list[Document] = []
        self.duplicates: list[Duplicate] = []
        self.early_duplicates: list[Duplicate] = []
        self.broken: list[Span] = []
        self.diagnostics: list[Diagnostic] = []
        self.lost: list[Span] = []
        self.refusal = refusal
        self.effort = effort or Effort(_EFFORT)

    @property
    def is_full(self) -> bool:
        """Whether no further broken piece is reported."""
        return len(self.broken) >= _MAXIMUM_BROKEN

    def repair(
        self, text: str, piece: Span, refusal: Refusal, known: dict[str, Node]
    ) -> tuple[list[Document], list[Duplicate]]:
        """Read the broken `piece` with its errors repaired in thought, and note them."""
        read = repair(text, piece, refusal, known, self.effort)
        self.broken.append(piece)
        self.diagnostics += read.diagnostics
        self.lost += read.lost
        return list(read.documents), list(read.duplicates)

    def note(self, text: str, piece: Span, refusal: Refusal, known: dict[str, Node]) -> None:
        """Note the first error of the broken `piece`."""
        self.broken.append(piece)
        self.diagnostics.append(diagnose_only(text, piece, refusal, known, self.effort))

    def add(self, other: Recovered) -> None:
        """Add the errors of `other`, a part of this text."""
        self.broken += other.broken
        self.diagnostics += other.diagnostics
        self.lost += other.lost


def recover(text: str, refused: Refusal, early_duplicates: list[Duplicate], *, is_trial: bool = False) -> Recovered:
    """Read `text`, which js-yaml refuses with `refused`, after finding `early_duplicates`.

    A piece that can be read by itself means the same in the whole text, unless it ends in an empty item: js-yaml then
    continues the same list, whatever the indentation of the next item. A fix is not tried in turn if this `is_trial`.
    Raises `TooManyValues`.
    """
    recovered = Recovered(refused)
    recovered.early_duplicates = early_duplicates
    readable: list[tuple[Span, Document]] = []
    points: list[Span] = []
    known: dict[str, Node] = {}
    pieces = deque(_affordable(text, list(split_pieces(text, 0))))
    values = 0
    is_first = True
    while pieces:
        piece = pieces.popleft()
        if text.startswith("---", piece.start):
            known.clear()
        before = dict(known)
        documents, duplicates, refusal = _read_piece(text, piece, known)
        if refusal is not None and recovered.is_full:
            continue
        if refusal is None and begins_point(text, piece.start):
            points.append(piece)
        if is_first and refusal is None and _may_continue(text, piece, documents):
            # The piece can be read by itself, but js-yaml cannot read it together with the next ones.
            recovered.note(text, Span(piece.start, len(text)), refused, before)
        is_first = False
        if refusal is not None:
            if _ITEM_LINE.match(text, refusal.offset) is not None:
                # A list without `---` before it: its items can still be read.
                recovered.note(text, piece, refusal, before)
                items = _affordable(text, list(split_pieces(text, refusal.offset, piece.end)))
                pieces.extendleft(reversed(items))
            else:
                is_whole = len(documents) != 1 or _is_at_separator(text, refusal)
                cut = None if is_whole else _by_keys(text, piece, before, recovered.effort, is_trial=is_trial)
                if cut is not None:
                    recovered.add(cut)
                    documents, duplicates = cut.documents, cut.duplicates
                else:
                    known = before
                    documents, duplicates = recovered.repair(text, piece, refusal, known)
        values += sum(count_nodes(document.root) for document in documents)
        if values > VALUES:
            raise TooManyValues(piece.start)
        readable += ((piece, document) for document in documents)
        recovered.duplicates += duplicates
    for piece in points:
        lost = None if begins_point(text, piece.end) else lost_points(text, piece)
        recovered.diagnostics += [] if lost is None else [diagnose_lost_points(lost)]
    recovered.documents = _joined(text, readable)
    return recovered


def _is_at_separator(text: str, refusal: Refusal) -> bool:
    """Whether reading stopped at a line that was meant as `---`: what follows is another document."""
    starts = (line_start(text, min(refusal.node_start, refusal.offset)), line_start(text, refusal.offset))
    starts = (*starts, line_start(text, max(starts[1] - 1, 0)))
    return any(SEPARATOR.match(text[start : line_end(text, start)].rstrip("\r")) is not None for start in starts)


def _by_keys(text: str, piece: Span, known: dict[str, Node], effort: Effort, *, is_trial: bool) -> Recovered | None:
    """The document of the mapping `piece`, with each key, and each item of a list under a key, read by itself.

    None if all of them can be read, or if there is only one: splitting does not isolate the error.
    """
    parts = sections(text, piece)
    if len(parts) * len(text) > _MAXIMUM_COPIED:
        return None
    leading = _BLANK_START.match(text, piece.start, piece.end)
    first = piece.start if leading is None else leading.end()
    is_list = text.startswith("-", first)
    is_indented = text[first - 1 : first] == " "  # the keys at the margin are not beside the first one
    if is_list or is_indented or (parts == [piece] and not list_items(text, piece)):
        return None
    found = Recovered(None, effort)
    pairs: list[Pair] = []
    for part in parts:
        items = list_items(text, part)
        broken, told = len(found.broken), len(found.diagnostics)
        documents, duplicates = _by_items(text, items, dict(known), found) if items else ([], [])
        if len(found.broken) == broken:
            before = dict(known)
            documents, duplicates, refusal = _read_piece(text, part, known)
            if refusal is not None:
                if found.is_full:
                    continue
                known = before
                documents, duplicates = found.repair(text, part, refusal, known)
        if part is not parts[-1]:
            found.diagnostics[told:] = (_with_keys_below(each, text, part) for each in found.diagnostics[told:])
        found.duplicates += duplicates
        root = documents[0].root if documents else None
        pairs += root.pairs if isinstance(root, MappingNode) else ()
    if not found.broken or found.broken[0] == piece:
        return None
    if pairs:
        root = MappingNode(Span(pairs[0].span.start, pairs[-1].span.end), tuple(pairs), False)
        found.documents = [Document(Span(root.span.start, piece.end), root)]
    nested = [each for each in found.duplicates if all(each.pair is not pair for pair in pairs)]
    found.duplicates = nested + tagged_nodes.duplicates(pairs)
    if not is_trial and len(found.diagnostics) > 1:
        count = len(found.diagnostics)
        found.diagnostics = [_if_fewer_are_left(each, count, text, piece, effort) for each in found.diagnostics]
    return found


def _if_fewer_are_left(diagnostic: Diagnostic, count: int, text: str, piece: Span, effort: Effort) -> Diagnostic:
    """`diagnostic`, without its fix if that moves lines and leaves `count` errors of `piece`: it shifts the keys.

    A text that is too long to be tried keeps the fix.
    """
    if not any(is_of_layout(fix, text) for fix in diagnostic.fixes):
        return diagnostic
    if not effort.spend(_TRIAL + count * count * (piece.end - piece.start)):
        return diagnostic
    after = apply_edits(piece.of(text), (edit.shifted(-piece.start) for edit in diagnostic.fixes[0].edits))
    reading = Reader(after, 0, len(after), {})
    try:
        reading.read()
    except Refusal as refusal:
        left = recover(after, refusal.with_traceback(None), [], is_trial=True)
        return diagnostic if len(left.diagnostics) < count else replace(diagnostic, fixes=())
    return diagnostic


def _with_keys_below(diagnostic: Diagnostic, text: str, part: Span) -> Diagnostic:
    """`diagnostic` of a key, without fixes that make a list of it or begin a document: further keys follow it."""
    fixes = [fix for fix in diagnostic.fixes if not any(_begins_list(edit, text, part) for edit in fix.edits)]
    return diagnostic if len(fixes) == len(diagnostic.fixes) else replace(diagnostic, fixes=tuple(fixes))


def _begins_list(edit: TextEdit, text: str, part: Span) -> bool:
    """Whether `edit` puts a separator into `part`, or a dash before its first line."""
    is_first = not text[part.start : edit.span.start].strip()
    return edit.text.startswith("---") or (is_first and edit.text.lstrip().startswith("- "))


def _affordable(text: str, pieces: list[Span]) -> list[Span]:
    """`pieces`, or all of them as one where reading each by itself would take too long."""
    if len(pieces) * len(text) <= _MAXIMUM_COPIED:
        return pieces
    return [Span(pieces[0].start, pieces[-1].end)]


def _by_items(
    text: str, items: list[Span], known: dict[str, Node], found: Recovered
) -> tuple[list[Document], list[Duplicate]]:
    """A key with its list, read part by part: the first of `items` is the key, the others are the list items."""
    read: list[Document] = []
    duplicates: list[Duplicate] = []
    for item in items:
        before = dict(known)
        documents, more, refusal = _read_piece(text, item, known)
        if refusal is not None:
            if found.is_full:
                continue
            known = before
            documents, more = found.repair(text, item, refusal, known)
        read += documents[:1]
        duplicates += more
    head = read[0].root if read else None
    if not isinstance(head, MappingNode) or head.flow or not head.pairs:
        return [], duplicates
    roots = [each.root for each in read[1:] if isinstance(each.root, SequenceNode) and each.root.items]
    if not roots:
        return read[:1], duplicates
    whole = SequenceNode(
        Span(roots[0].span.start, roots[-1].span.end), tuple(item for root in roots for item in root.items), False
    )
    last = Pair(head.pairs[-1].key, whole)
    root = MappingNode(Span(head.span.start, whole.span.end), (*head.pairs[:-1], last), False)
    return [Document(Span(read[0].span.start, items[-1].end), root)], duplicates


def _read_piece(text: str, piece: Span, known: dict[str, Node]) -> _Reading:
    """Read `piece` by itself; `known` are the anchors before it, to which its own are added."""
    reader = Reader(text, piece.start, piece.end, known)
    try:
        reader.read()
    except Refusal as refusal:
        # Tracebacks would keep the reader and its copy of the text.
        refusal.__cause__ = refusal.__context__ = None
        return reader.documents, reader.duplicates, refusal.with_traceback(None)
    return reader.documents, reader.duplicates, None


def _may_continue(text: str, piece: Span, documents: list[Document]) -> bool:
    """Whether js-yaml may read the text after `piece`, which can be read by itself, as a continuation of it.

    It does so after an empty item, and after a document that is only a scalar or a flow collection.
    """
    if piece.end == len(text):
        return False
    root = documents[-1].root if documents else None
    if isinstance(root, ScalarNode) or (isinstance(root, MappingNode | SequenceNode) and root.flow):
        return True  # flow collections also stand for the bytes of a `!!binary` text, and for a lone tag
    return _EMPTY_ITEM_AT_END.search(text[max(piece.start, piece.end - 2000) : piece.end]) is not None


def split_pieces(text: str, start: int, end: int | None = None) -> Iterator[Span]:
    """Split `text[start:end]`, by its lines alone, into documents, and documents that are lists into their items."""
    in_list = False
    end = len(text) if end is None else end
    for cut in _CUT.finditer(text, start, end):
        begins = start + text.startswith("\ufeff", start)
        is_blank = _BLANK_START.fullmatch(text, begins, cut.start()) is not None
        if cut[0] == "---":
            if cut.start() > start and (not is_blank or text.startswith("---", begins)):
                yield Span(start, cut.start())
                start = cut.start()
            in_list = False
        elif cut[0] == "...":
            in_list = False
        elif is_blank:
            in_list = True
        elif in_list:
            yield Span(start, cut.start())
            start = cut.start()
    if start < end:
        yield Span(start, end)


def _joined(text: str, parts: Iterable[tuple[Span, Document]]) -> list[Document]:
    """The documents of `parts`, with the parts of a list joined to one document again."""
    groups: list[list[Document]] = []
    last_piece: Span | None = None
    for piece, document in parts:
        starts_with_item = text.startswith("-", piece.start) and not text.startswith("---", piece.start)
        if groups and starts_with_item and piece is not last_piece and _continues(groups[-1][0], document):
            groups[-1].append(document)
        else:
            groups.append([document])
        last_piece = piece
    return [_merged(group) if len(group) > 1 else group[0] for group in groups]


def _continues(first: Document, after: Document) -> bool:
    """Whether `after` continues the list that `first` begins, or the prompts with which it ends, or is empty."""
    return after.root is None or (_open_list(first) is not None and isinstance(after.root, SequenceNode))


def _open_list(document: Document) -> SequenceNode | None:
    """The block list that `document` is, or the one under `prompts`, its last key."""
    root = document.root
    if (
        isinstance(root, MappingNode)
        and root.pairs
        and not root.flow
        and property_name(root.pairs[-1].key) == "prompts"
    ):
        root = root.pairs[-1].value
    return root if isinstance(root, SequenceNode) and not root.flow else None


def _merged(group: list[Document]) -> Document:
    """One document of all in `group`; each continues the first."""
    span = Span(group[0].span.start, max(each.span.end for each in group))
    root, first = group[0].root, _open_list(group[0])
    lists = [each.root for each in group[1:] if isinstance(each.root, SequenceNode)]
    if first is None or not lists:
        return Document(span, root)
    items = tuple(item for each in (first, *lists) for item in each.items)
    whole = SequenceNode(Span(first.span.start, lists[-1].span.end), items, False)
    if not isinstance(root, MappingNode):
        return Document(span, whole)
    last = Pair(root.pairs[-1].key, whole)
    return Document(span, MappingNode(Span(root.span.start, whole.span.end), (*root.pairs[:-1], last), False))

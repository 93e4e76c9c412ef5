"""Keeping what is sound of a broken text: it is cut at `---` and at top-level `- ` lines, and each piece read alone."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from engine.record import Record
from engine.text import Span
from engine.yaml_nodes import tagged_nodes
from engine.yaml_nodes.cursor import Refusal
from engine.yaml_nodes.mapping_sections import list_items, sections
from engine.yaml_nodes.nodes import Document, MappingNode, Node, Pair, ScalarNode, SequenceNode
from engine.yaml_nodes.reader import Reader
from engine.yaml_nodes.tagged_nodes import Duplicate

_CUT = re.compile(r"^(?:---|\.\.\.|-)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_MOST_TROUBLES = 200
"""How many broken pieces are reported, and kept as far as they can be read."""
_NOTHING_YET = re.compile(r"(?:---)?(?:[ \t\r\n]|#[^\n]*+)*+")
_ITEM_LINE = re.compile(r"^- ", re.MULTILINE)
_EMPTY_ITEM_AT_END = re.compile(r"(?:^|[ \t-])-(?:[ \t\r\n]|#[^\n]*+)*+\Z", re.MULTILINE)


_Reading: TypeAlias = tuple[list[Document], list[Duplicate], Refusal | None]


class Trouble(Record):
    """One piece of the text that cannot be read by itself, and why."""

    piece: Span
    refusal: Refusal


class Recovered:
    """All that could be read of a text. `refusal` is js-yaml's of the whole, None where it takes it.

    `met` are the duplicates that js-yaml meets before the place of `refusal`, all where there is none.
    """

    __slots__ = ("documents", "duplicates", "met", "refusal", "troubles")

    def __init__(self, refusal: Refusal | None = None) -> None:
        self.documents: list[Document] = []
        self.duplicates: list[Duplicate] = []
        self.met: list[Duplicate] = []
        self.troubles: list[Trouble] = []
        self.refusal = refusal


def recover(text: str, refused: Refusal, met: list[Duplicate]) -> Recovered:
    """Read `text`, which js-yaml refuses as `refused` after it has `met` some repeated keys.

    A piece that is sound by itself means the same in the whole, but where it ends in an empty item (js-yaml then goes
    on with the same list, whatever the next item's indentation).
    """
    recovered = Recovered(refused)
    recovered.met = met
    sound: list[tuple[Span, Document]] = []
    known: dict[str, Node] = {}
    pieces = deque(cuts(text, 0))
    is_first = True
    while pieces:
        piece = pieces.popleft()
        if text.startswith("---", piece.start):
            known.clear()
        before = dict(known)
        documents, duplicates, refusal = _read_piece(text, piece, known)
        if refusal is not None and len(recovered.troubles) >= _MOST_TROUBLES:
            continue
        if is_first and refusal is None and _may_go_on(text, piece, documents):
            # The piece is sound, but what js-yaml makes of it and the next ones together is not.
            recovered.troubles.append(Trouble(Span(piece.start, len(text)), refused))
            is_first = False
        if refusal is not None:
            is_first = False
            if _ITEM_LINE.match(text, refusal.offset) is not None:
                # A list without `---` before it: its items can be read all the same.
                recovered.troubles.append(Trouble(piece, refusal))
                pieces.extendleft(reversed(list(cuts(text, refusal.offset, piece.end))))
            else:
                cut = _by_keys(text, piece, before) if len(documents) == 1 else None
                recovered.troubles += [Trouble(piece, refusal)] if cut is None else cut.troubles
                if cut is not None:
                    documents, duplicates = cut.documents, cut.duplicates
        sound += ((piece, document) for document in documents)
        recovered.duplicates += duplicates
    recovered.documents = _joined(text, sound)
    return recovered


def _by_keys(text: str, piece: Span, known: dict[str, Node]) -> Recovered | None:
    """The document that is the mapping `piece`, each key and each item of a list under a key read by itself.

    None where all of these are sound, or there is but one: the trouble is not in them.
    """
    parts = sections(text, piece)
    begun = _NOTHING_YET.match(text, piece.start, piece.end)
    is_list = text.startswith("-", piece.start if begun is None else begun.end())
    if is_list or (parts == [piece] and not list_items(text, piece)):
        return None
    found = Recovered()
    pairs: list[Pair] = []
    for part in parts:
        items = list_items(text, part)
        troubles = len(found.troubles)
        documents, duplicates = _by_items(text, items, dict(known), found) if items else ([], [])
        if len(found.troubles) == troubles:
            documents, duplicates, refusal = _read_piece(text, part, known)
            found.troubles += [] if refusal is None else [Trouble(part, refusal)]
        found.duplicates += duplicates
        root = documents[0].root if documents else None
        pairs += root.pairs if isinstance(root, MappingNode) else ()
    if not found.troubles or found.troubles[0].piece == piece:
        return None
    if pairs:
        root = MappingNode(Span(pairs[0].span.start, pairs[-1].span.end), tuple(pairs), False)
        found.documents = [Document(Span(root.span.start, piece.end), root)]
    nested = [each for each in found.duplicates if all(each.pair is not pair for pair in pairs)]
    found.duplicates = nested + tagged_nodes.duplicates(pairs)
    return found


def _by_items(
    text: str, items: list[Span], known: dict[str, Node], found: Recovered
) -> tuple[list[Document], list[Duplicate]]:
    """A key with its list, each of whose `items` but the first, which is the key, is read by itself."""
    read: list[Document] = []
    duplicates: list[Duplicate] = []
    for item in items:
        documents, more, refusal = _read_piece(text, item, known)
        if refusal is not None and len(found.troubles) >= _MOST_TROUBLES:
            continue
        read += documents[:1]
        duplicates += more
        if refusal is not None:
            found.troubles.append(Trouble(item, refusal))
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
    """What the `piece` is by itself; `known` are the anchors before it, and then those after it."""
    reader = Reader(text, piece.start, piece.end, known)
    try:
        reader.read()
    except Refusal as refusal:
        return reader.documents, reader.duplicates, refusal
    return reader.documents, reader.duplicates, None


def _may_go_on(text: str, piece: Span, documents: list[Document]) -> bool:
    """Whether js-yaml may take what follows the sound `piece` for more of it.

    It does so behind an empty item, and where a document is nothing but a block scalar.
    """
    if piece.end == len(text):
        return False
    root = documents[-1].root if documents else None
    if isinstance(root, ScalarNode) or (isinstance(root, MappingNode | SequenceNode) and root.flow):
        return True  # as such count the bytes of a `!!binary` text, and what is nothing but a tag
    return _EMPTY_ITEM_AT_END.search(text[max(piece.start, piece.end - 2000) : piece.end]) is not None


def cuts(text: str, start: int, end: int | None = None) -> Iterator[Span]:
    """The pieces of `text[start:end]`, by its lines alone: documents, and of those that are lists the items."""
    in_list = False
    end = len(text) if end is None else end
    for cut in _CUT.finditer(text, start, end):
        begins = start + text.startswith("\ufeff", start)
        nothing_yet = _NOTHING_YET.fullmatch(text, begins, cut.start()) is not None
        if cut[0] == "---":
            if cut.start() > start and (not nothing_yet or text.startswith("---", begins)):
                yield Span(start, cut.start())
                start = cut.start()
            in_list = False
        elif cut[0] == "...":
            in_list = False
        elif nothing_yet:
            in_list = True
        elif in_list:
            yield Span(start, cut.start())
            start = cut.start()
    if start < end:
        yield Span(start, end)


def _joined(text: str, parts: Iterable[tuple[Span, Document]]) -> list[Document]:
    """`parts` with the lists that belong to one document put together again."""
    groups: list[list[Document]] = []
    last_piece: Span | None = None
    for piece, document in parts:
        starts_with_item = text.startswith("-", piece.start) and not text.startswith("---", piece.start)
        if groups and starts_with_item and piece is not last_piece and _goes_on(groups[-1][0], document):
            groups[-1].append(document)
        else:
            groups.append([document])
        last_piece = piece
    return [_continued(group) if len(group) > 1 else group[0] for group in groups]


def _goes_on(first: Document, after: Document) -> bool:
    """Whether `after` goes on with the list that `first` begins, or is nothing."""
    return after.root is None or (
        isinstance(first.root, SequenceNode) and not first.root.flow and isinstance(after.root, SequenceNode)
    )


def _continued(group: list[Document]) -> Document:
    """One document of all in `group`, where each goes on with the first."""
    span = Span(group[0].span.start, max(each.span.end for each in group))
    lists = [each.root for each in group if isinstance(each.root, SequenceNode)]
    if len(lists) < 2:
        return Document(span, group[0].root)
    items = tuple(item for each in lists for item in each.items)
    return Document(span, SequenceNode(Span(lists[0].span.start, lists[-1].span.end), items, False))

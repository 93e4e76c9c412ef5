"""Keeping what is sound of a broken text: it is cut at `---` and at top-level `- ` lines, and each piece read alone."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from engine.text import Span
from engine.yaml_nodes.building import Duplicate
from engine.yaml_nodes.composer import NotQuick, compose, has_rare_line
from engine.yaml_nodes.cursor import Refusal
from engine.yaml_nodes.nodes import Document, MappingNode, Node, ScalarNode, SequenceNode

_CUT = re.compile(r"^(?:---|\.\.\.|-)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_NOTHING_YET = re.compile(r"(?:---)?(?:[ \t\r\n]|#[^\n]*)*")
_ITEM_LINE = re.compile(r"^- ", re.MULTILINE)
_EMPTY_ITEM_AT_END = re.compile(r"(?:^|[ \t-])-(?:[ \t\r\n]|#[^\n]*)*\Z", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Trouble:
    """One piece of the text that cannot be read by itself, and why."""

    piece: Span
    refusal: Refusal


@dataclass(slots=True)
class Recovered:
    """All that could be read. `refusal` is js-yaml's of the whole text, None where it takes it.

    `met` are the duplicates that js-yaml meets before the place of `refusal`, all where there is none. `is_plain` is
    set where each piece means by itself what it means in the whole.
    """

    documents: list[Document] = field(default_factory=list[Document])
    duplicates: list[Duplicate] = field(default_factory=list[Duplicate])
    met: list[Duplicate] = field(default_factory=list[Duplicate])
    troubles: list[Trouble] = field(default_factory=list[Trouble])
    refusal: Refusal | None = None
    is_plain: bool = False


def recover(text: str) -> Recovered:
    """Read `text`, which the quick reader does not vouch for as a whole.

    A piece that is sound by itself means the same in the whole, but where it ends in an empty item (js-yaml then goes
    on with the same list, whatever the next item's indentation). Where a piece is not sound, the exact reader goes on
    from its start: it says whether the whole is refused, and why.
    """
    recovered = Recovered()
    sound: list[tuple[Span, Document]] = []
    known: dict[str, Node] = {}
    is_plain = not has_rare_line(text)
    pieces = deque(cuts(text, 0))
    while pieces:
        piece = pieces.popleft()
        if text.startswith("---", piece.start):
            known.clear()
        before = dict(known)
        documents, duplicates, refusal = _read(text, piece, known)
        is_plain = is_plain and not known and not duplicates and not may_go_on(text, piece, documents)
        if recovered.refusal is None and (refusal is not None or may_go_on(text, piece, documents)):
            rest = Span(piece.start, len(text))
            whole, whole_duplicates, recovered.refusal = _read(text, rest, before, quick=False)
            recovered.met = recovered.duplicates + whole_duplicates
            if recovered.refusal is None:
                sound += ((rest, document) for document in whole)
                recovered.duplicates += whole_duplicates
                break
            if refusal is None:
                # The piece is sound, but what js-yaml makes of it and the next ones together is not.
                recovered.troubles.append(Trouble(rest, recovered.refusal))
        sound += ((piece, document) for document in documents)
        recovered.duplicates += duplicates
        if refusal is not None:
            recovered.troubles.append(Trouble(piece, refusal))
            if _ITEM_LINE.match(text, refusal.offset) is not None:
                # A list without `---` before it: its items can be read all the same.
                pieces.extendleft(reversed(list(cuts(text, refusal.offset, piece.end))))
    recovered.documents = joined(text, sound)
    if recovered.refusal is None:
        recovered.met = recovered.duplicates
    recovered.is_plain = is_plain and not recovered.troubles
    return recovered


def read_alone(text: str, piece: Span) -> Document | None:
    """The one document that `piece` is by itself; None where it may mean something else in the whole, or nothing."""
    known: dict[str, Node] = {}
    documents, duplicates, refusal = _read(text, piece, known)
    if refusal is not None or duplicates or known or len(documents) != 1:
        return None
    if may_go_on(text, piece, documents) or has_rare_line(piece.of(text)):
        return None
    return documents[0]


def read_broken(text: str, piece: Span) -> tuple[Document, Trouble, Refusal] | None:
    """What can be read of `piece`, before which all is sound, why no more, and why js-yaml refuses the whole.

    None where that takes more than this piece.
    """
    known: dict[str, Node] = {}
    documents, duplicates, refusal = _read(text, piece, known)
    if refusal is None or duplicates or known or len(documents) != 1 or has_rare_line(piece.of(text)):
        return None
    if refusal.offset < piece.end and _ITEM_LINE.match(text, refusal.offset) is not None:
        return None
    whole = _read(text, Span(piece.start, len(text)), {}, quick=False)[2]
    return None if whole is None else (documents[0], Trouble(piece, refusal), whole)


def _read(
    text: str, piece: Span, known: dict[str, Node], quick: bool = True
) -> tuple[list[Document], list[Duplicate], Refusal | None]:
    if quick:
        try:
            composed = compose(text, piece.start, piece.end)
        except NotQuick:
            pass
        else:
            return composed.documents, composed.duplicates, None
    from engine.yaml_nodes.reader import Reader  # most texts do without it

    reader = Reader(text, piece.start, piece.end, known)
    try:
        reader.read()
    except Refusal as refusal:
        return reader.documents, reader.duplicates, refusal
    return reader.documents, reader.duplicates, None


def may_go_on(text: str, piece: Span, documents: list[Document]) -> bool:
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
    """The pieces of `text[start:end]`, told by its lines alone: documents, and of those that are lists the items."""
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


def joined(text: str, parts: Iterable[tuple[Span, Document]]) -> list[Document]:
    """`parts` with the lists that belong to one document put together again."""
    documents: list[Document] = []
    last_piece: Span | None = None
    for piece, document in parts:
        starts_with_item = text.startswith("-", piece.start) and not text.startswith("---", piece.start)
        if documents and starts_with_item and piece is not last_piece:
            before = documents.pop()
            documents += _continued(before, document)
        else:
            documents.append(document)
        last_piece = piece
    return documents


def _continued(before: Document, after: Document) -> list[Document]:
    """One document, where `after` goes on with the list that `before` is; else both."""
    first, second = before.root, after.root
    span = Span(before.span.start, max(before.span.end, after.span.end))
    if second is None:
        return [Document(span, first)]
    if isinstance(first, SequenceNode) and isinstance(second, SequenceNode) and not first.flow:
        joined = SequenceNode(Span(first.span.start, second.span.end), first.items + second.items, False)
        return [Document(span, joined)]
    return [before, after]

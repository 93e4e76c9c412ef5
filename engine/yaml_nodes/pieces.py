"""A plain text in pieces that each mean the same by themselves, so that an edit costs the piece that it touches.

A piece is a document, or one item of a document that is a list. What stands behind an edit has moved: its nodes are
made anew only when somebody asks for them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from typing import overload

from engine.diagnostics import Diagnostic
from engine.record import Record
from engine.text import Span
from engine.yaml_nodes.nodes import Document, MappingNode, Node, NodeTree, SequenceNode, YamlError, shifted
from engine.yaml_nodes.recovery import cuts, joined, may_go_on, read_alone, read_broken


class Piece(Record):
    """`read` is the document that the piece is when it is all there is; `moved`, how far it has moved since then."""

    span: Span
    read: Document
    moved: int = 0

    @property
    def document(self) -> Document:
        """The piece as a document, where it stands now."""
        if not self.moved:
            return self.read
        root = self.read.root
        return Document(self.read.span.shifted(self.moved), None if root is None else shifted(root, self.moved))

    def shifted(self, by: int) -> Piece:
        """The same piece `by` code points further on."""
        return Piece(self.span.shifted(by), self.read, self.moved + by)


class BrokenPiece(Record):
    """The one piece that is not sound: its index, what is wrong in it, and why js-yaml refuses the whole for it."""

    index: int
    diagnostic: Diagnostic
    error: YamlError


class Pieces(Sequence[Document]):
    """The documents of a text in pieces, of which one may be broken; as a sequence, its documents put together."""

    __slots__ = ("_documents", "broken", "pieces", "text")

    def __init__(self, text: str, pieces: Sequence[Piece], broken: BrokenPiece | None = None) -> None:
        self.text = text
        self.pieces = pieces
        self.broken = broken
        self._documents: tuple[Document, ...] | None = None

    @property
    def tree(self) -> NodeTree:
        """The tree of the whole text."""
        if self.broken is None:
            return NodeTree(self.text, self, is_plain=True)
        return NodeTree(self.text, self, (self.broken.diagnostic,), self.broken.error)

    @property
    def documents(self) -> tuple[Document, ...]:
        """All documents, as the whole text would have been read."""
        if self._documents is None:
            self._documents = tuple(joined(self.text, ((piece.span, piece.document) for piece in self.pieces)))
        return self._documents

    def around(self, span: Span) -> Iterator[Document]:
        """The pieces whose nodes cover `span`, as documents of their own."""
        behind = bisect_right(self.pieces, span.start, key=lambda piece: piece.span.start)
        for piece in self.pieces[max(behind - 2, 0) : behind]:
            if piece.span.start <= span.start and span.end <= piece.span.end:
                yield piece.document

    def reread(self, text: str) -> tuple[int, Pieces] | None:
        """The pieces of `text`, and which of them was read anew: the one that has changed.

        None where more than one has, or where the new one may mean something else in the whole than by itself.
        """
        index, span = self._changed(text)
        if (self.broken is not None and self.broken.index != index) or not self._stays_a_piece(text, span, index):
            return None
        broken: BrokenPiece | None = None
        document = read_alone(text, span)
        if document is None:
            before = self.pieces[:index]
            is_sure = index > 0 and not any(may_go_on(text, piece.span, [piece.read]) for piece in before)
            found = read_broken(text, span) if is_sure else None
            if found is None:
                return None
            document, trouble, refusal = found
            from engine.yaml_nodes import diagnosis  # not needed by a sound text, and not quick to import

            diagnostic = diagnosis.of_refusal(text, span, trouble.refusal)
            broken = BrokenPiece(index, diagnostic, YamlError(refusal.reason, min(refusal.offset, len(text))))
        if not self._fits(text, document, index, is_broken=broken is not None):
            return None
        by = span.end - self.pieces[index].span.end
        rest = [piece.shifted(by) for piece in self.pieces[index + 1 :]] if by else self.pieces[index + 1 :]
        return index, Pieces(text, [*self.pieces[:index], Piece(span, document), *rest], broken)

    def _changed(self, text: str) -> tuple[int, Span]:
        """The first piece that is another in `text`, and where it would stand were it the only one."""
        last = len(self.pieces) - 1
        index = 0
        while index < last and text.startswith(self.pieces[index].span.of(self.text), self.pieces[index].span.start):
            index += 1
        piece = self.pieces[index]
        return index, Span(piece.span.start, len(text) - (len(self.text) - piece.span.end))

    def _stays_a_piece(self, text: str, span: Span, index: int) -> bool:
        """Whether `span` of the new text is one piece, begun as the old one was, before what has not changed."""
        old = self.pieces[index].span
        if span.end <= span.start or (span.end < len(text) and text[span.end - 1] != "\n"):
            return False
        if not text.endswith(self.text[old.end :]):
            return False
        begins = 4 if self.text.startswith("---", old.start) else 2
        if index and text[old.start : old.start + begins] != self.text[old.start : old.start + begins]:
            return False
        return list(cuts(text, span.start, span.end)) == [span]

    def _fits(self, text: str, document: Document, index: int, *, is_broken: bool) -> bool:
        """Whether `document` takes the place of the piece `index` and leaves the others what they are."""
        root = document.root
        goes_on = index + 1 < len(self.pieces) and self._is_item(index + 1)
        if is_broken and root is None:
            return self._is_item(index) or not goes_on
        if self._is_item(index) or goes_on:
            return _is_one_item(text, document)
        return isinstance(root, MappingNode | SequenceNode) and not root.flow and self._was_like(root, index)

    def _was_like(self, root: Node, index: int) -> bool:
        before = self.pieces[index].read.root
        return before is None or type(before) is type(root)

    def _is_item(self, index: int) -> bool:
        """Whether the piece goes on with the list that the one before it begins."""
        start = self.pieces[index].span.start
        return index > 0 and self.text.startswith("-", start) and not self.text.startswith("---", start)

    @overload
    def __getitem__(self, index: int) -> Document: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Document]: ...

    def __getitem__(self, index: int | slice) -> Document | Sequence[Document]:
        return self.documents[index]

    def __len__(self) -> int:
        return len(self.documents)

    def __eq__(self, other: object) -> bool:
        return self.documents == (other.documents if isinstance(other, Pieces) else other)

    __hash__ = None  # pyright: ignore[reportAssignmentType]


def in_pieces(tree: NodeTree) -> Pieces | None:
    """The documents of `tree` in pieces; None where its lines do not tell for certain where they begin."""
    if not tree.is_plain:
        return None
    if isinstance(tree.documents, Pieces):
        return tree.documents
    spans = deque(cuts(tree.text, 0))
    pieces: list[Piece] = []
    for number, document in enumerate(tree.documents, 1):
        end = tree.documents[number].span.start if number < len(tree.documents) else len(tree.text) + 1
        own: list[Span] = []
        while spans and spans[0].start < end:
            own.append(spans.popleft())
        found = [Piece(own[0], document)] if len(own) == 1 else _items(own, document)
        if not found:
            return None
        pieces += found
    return Pieces(tree.text, pieces) if pieces and not spans else None


def _items(spans: Sequence[Span], document: Document) -> list[Piece]:
    """A document that is a list, cut into its items; nothing where `spans` are not these."""
    root = document.root
    if not isinstance(root, SequenceNode) or root.flow or len(root.items) != len(spans):
        return []
    pieces: list[Piece] = []
    for span, item in zip(spans, root.items, strict=True):
        if not (span.start <= item.span.start and item.span.end <= span.end):
            return []
        first = not pieces
        dash = root.span.start if first else span.start
        alone = SequenceNode(Span(dash, item.span.end), (item,), False)
        pieces.append(Piece(span, Document(Span(document.span.start if first else dash, span.end), alone)))
    last = pieces[-1]
    whole = Document(Span(last.read.span.start, document.span.end), last.read.root)
    pieces[-1] = Piece(last.span, whole)
    return pieces


def _is_one_item(text: str, document: Document) -> bool:
    """Whether the document is one item (what was read of one, at the most) whose dash begins its line."""
    root = document.root
    if not isinstance(root, SequenceNode) or root.flow or len(root.items) > 1:
        return False
    return root.span.start == 0 or text[root.span.start - 1] == "\n"

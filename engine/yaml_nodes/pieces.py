"""A plain text in pieces that each mean the same by themselves, so that an edit costs the piece that it touches.

A piece is a document, or one item of a document that is a list. What stands behind an edit has moved: its nodes are
made anew only when somebody asks for them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from engine.text import Span
from engine.yaml_nodes.nodes import Document, MappingNode, NodeTree, SequenceNode, shifted
from engine.yaml_nodes.recovery import cuts, joined, read_alone


@dataclass(frozen=True, slots=True)
class Piece:
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


class Pieces(Sequence[Document]):
    """The documents of a text in pieces; as a sequence, its documents put together."""

    __slots__ = ("_documents", "pieces", "text")

    def __init__(self, text: str, pieces: Sequence[Piece]) -> None:
        self.text = text
        self.pieces = pieces
        self._documents: tuple[Document, ...] | None = None

    @property
    def documents(self) -> tuple[Document, ...]:
        """All documents, as the whole text would have been read."""
        if self._documents is None:
            self._documents = tuple(joined(self.text, ((piece.span, piece.document) for piece in self.pieces)))
        return self._documents

    def around(self, span: Span) -> Iterator[Document]:
        """The pieces whose nodes cover `span`, as documents of their own."""
        for piece in self.pieces:
            if piece.span.start <= span.start and span.end <= piece.span.end:
                yield piece.document

    def reread(self, text: str) -> tuple[int, Pieces] | None:
        """The pieces of `text`, and which of them was read anew: the one that has changed.

        None where more than one has, or where the new one may mean something else in the whole than by itself.
        """
        index, span = self._changed(text)
        before = self.pieces[index]
        if not self._stays_a_piece(text, span, index):
            return None
        document = read_alone(text, span)
        if (
            document is None
            or not _is_alike(before.read, document)
            or (self._is_item(index) and not _is_one_item(text, document))
        ):
            return None
        by = span.end - before.span.end
        rest = [piece.shifted(by) for piece in self.pieces[index + 1 :]] if by else self.pieces[index + 1 :]
        return index, Pieces(text, [*self.pieces[:index], Piece(span, document), *rest])

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
        if text[span.end :] != self.text[old.end :]:
            return False
        begins = 4 if self.text.startswith("---", old.start) else 2
        if index and text[old.start : old.start + begins] != self.text[old.start : old.start + begins]:
            return False
        return list(cuts(text[: span.end], span.start)) == [span]

    def _is_item(self, index: int) -> bool:
        """Whether the piece is one of several of a list."""
        return any(
            self.text.startswith("-", piece.span.start) and not self.text.startswith("---", piece.span.start)
            for piece in self.pieces[max(index, 1) : index + 2]
        )

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


def _is_alike(before: Document, after: Document) -> bool:
    """Whether both are block mappings, or both block lists."""
    old, new = before.root, after.root
    if isinstance(old, MappingNode):
        return isinstance(new, MappingNode) and not old.flow and not new.flow
    return isinstance(old, SequenceNode) and isinstance(new, SequenceNode) and not old.flow and not new.flow


def _is_one_item(text: str, document: Document) -> bool:
    """Whether the document is one item whose dash stands at the beginning of its line."""
    root = document.root
    if not isinstance(root, SequenceNode) or len(root.items) != 1:
        return False
    return root.span.start == 0 or text[root.span.start - 1] == "\n"

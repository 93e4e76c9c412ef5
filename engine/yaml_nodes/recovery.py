"""Keeping what is sound of a text that is not: it is cut at `---` and at top-level `- ` lines, and each piece read alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.text import Span
from engine.yaml_nodes.building import Duplicate
from engine.yaml_nodes.composer import NotQuick, compose
from engine.yaml_nodes.nodes import Document, Node, SequenceNode
from engine.yaml_nodes.reader import Reader, Refusal

_CUT = re.compile(r"^(?:---(?=[ \t\r\n]|\Z)|-(?=[ \t\r\n]|\Z))", re.MULTILINE)
_NOTHING_YET = re.compile(r"(?:---)?(?:[ \t\r\n]|#[^\n]*)*")
_ITEM_LINE = re.compile(r"^- ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Trouble:
    """One piece of the text that cannot be read by itself, and why."""

    piece: Span
    refusal: Refusal


@dataclass(slots=True)
class Recovered:
    """All that could be read. `refusal` is js-yaml's of the whole text, None where it takes it."""

    documents: list[Document] = field(default_factory=list[Document])
    duplicates: list[Duplicate] = field(default_factory=list[Duplicate])
    troubles: list[Trouble] = field(default_factory=list[Trouble])
    refusal: Refusal | None = None


def recover(text: str) -> Recovered:
    """Read `text`, which the quick reader does not vouch for as a whole."""
    pieces = list(_pieces(text))
    known: dict[str, Node] = {}
    recovered = Recovered()
    sound: list[tuple[Span, Document]] = []
    for index, piece in enumerate(pieces):
        try:
            composed = compose(text, piece.start, piece.end)
        except NotQuick:
            break
        sound += ((piece, document) for document in composed.documents)
        recovered.duplicates += composed.duplicates
    else:
        # Each is sound, yet the whole was not: only the exact reader knows why.
        index = 0
    if not _continues(text, pieces, index):
        index = 0
    start = pieces[index].start if pieces else 0
    if index == 0:
        sound, recovered.duplicates = [], []
    reader = Reader(text, start, len(text), known)
    try:
        reader.read()
    except Refusal as refusal:
        recovered.refusal = refusal
    else:
        recovered.duplicates += reader.duplicates
        rest = [(Span(start, len(text)), document) for document in reader.documents]
        recovered.documents = _joined(text, sound + rest)
        return recovered
    _read_pieces(text, pieces[index:], sound, recovered)
    recovered.documents = _joined(text, sound)
    if not recovered.troubles:
        recovered.troubles.append(Trouble(Span(start, len(text)), recovered.refusal))
    return recovered


def _continues(text: str, pieces: list[Span], index: int) -> bool:
    """Whether reading may go on at piece `index` as if a document began there."""
    return index > 0 and text.startswith("-", pieces[index].start)


def _read_pieces(text: str, pieces: list[Span], sound: list[tuple[Span, Document]], recovered: Recovered) -> None:
    known: dict[str, Node] = {}
    for piece in pieces:
        try:
            composed = compose(text, piece.start, piece.end)
            sound += ((piece, document) for document in composed.documents)
            recovered.duplicates += composed.duplicates
        except NotQuick:
            reader = Reader(text, piece.start, piece.end, known)
            try:
                reader.read()
            except Refusal as refusal:
                recovered.troubles.append(Trouble(piece, refusal))
            sound += ((piece, document) for document in reader.documents)
            recovered.duplicates += reader.duplicates


def _pieces(text: str) -> Iterator[Span]:
    """The pieces of `text`: documents, and in those that are lists their items.

    A document that is no list is cut at `- ` lines only where they cannot belong to it, behind `prompt lists` that
    follow no `---`; these its own reading tells.
    """
    start = 0
    in_list = False
    for cut in _CUT.finditer(text):
        if cut[0] == "---":
            if cut.start() > start:
                yield Span(start, cut.start())
            start = cut.start()
            in_list = False
            continue
        nothing_yet = _NOTHING_YET.fullmatch(text, start + text.startswith("\ufeff", start), cut.start()) is not None
        if nothing_yet:
            in_list = True
        elif in_list:
            yield Span(start, cut.start())
            start = cut.start()
    if start < len(text):
        yield Span(start, len(text))


def _joined(text: str, parts: list[tuple[Span, Document]]) -> list[Document]:
    """`parts` with the lists that belong to one document put together again."""
    documents: list[Document] = []
    for piece, document in parts:
        before = documents[-1].root if documents else None
        root = document.root
        belongs = documents and text.startswith("-", piece.start) and not text.startswith("---", piece.start)
        if belongs and isinstance(before, SequenceNode) and isinstance(root, SequenceNode) and not before.flow:
            joined = SequenceNode(Span(before.span.start, root.span.end), before.items + root.items, False)
            documents[-1] = Document(Span(documents[-1].span.start, document.span.end), joined)
        elif belongs and root is None:
            documents[-1] = Document(Span(documents[-1].span.start, document.span.end), before)
        else:
            documents.append(document)
    return documents

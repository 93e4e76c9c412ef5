"""Pieces of a text that are read by themselves, found by its lines alone, and their documents joined again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from engine.text.patterns import lazy
from engine.text.spans import Span
from engine.yaml.nodes import Document, MappingNode, Pair, ScalarNode, SequenceNode, property_name

_CUT = lazy(r"\n(?:---|\.\.\.|-)(?=[ \t\r\n]|\Z)")
"""What cuts, in a text with a line break before it: `^` is five times slower."""
_BLANK_START = lazy(r"(?:---)?(?:[ \t\r\n]|#[^\n]*+)*+")
_EMPTY_ITEM_AT_END = lazy(r"(?:^|[ \t-])-(?:[ \t\r\n]|#[^\n]*+)*+\Z", re.MULTILINE)
_LONGEST_END = 2_000
"""How many characters at the end of a piece are searched for an empty item."""


def split_pieces(text: str, start: int, end: int | None = None) -> Iterator[Span]:
    """Split `text[start:end]`, by its lines alone, into documents, and documents that are lists into their items."""
    in_list = False
    end = len(text) if end is None else end
    for cut in _CUT.finditer("\n" + text, start, end + 1):
        begins = start + text.startswith("\ufeff", start)
        is_blank = _BLANK_START.fullmatch(text, begins, cut.start()) is not None
        if cut[0] == "\n---":
            if cut.start() > start and (not is_blank or text.startswith("---", begins)):
                yield Span(start, cut.start())
                start = cut.start()
            in_list = False
        elif cut[0] == "\n...":
            in_list = False
        elif is_blank:
            in_list = True
        elif in_list:
            yield Span(start, cut.start())
            start = cut.start()
    if start < end:
        yield Span(start, end)


def content_start(text: str, piece: Span) -> int:
    """Where the content of `piece` begins, behind a separator, blanks and comments."""
    found = _BLANK_START.match(text, piece.start, piece.end)
    return piece.start if found is None else found.end()


def may_continue(text: str, piece: Span, documents: list[Document]) -> bool:
    """Whether js-yaml may read the text after `piece`, which can be read by itself, as a continuation of it.

    It does so after an empty item, and after a document that is only a scalar or a flow collection.
    """
    if piece.end == len(text):
        return False
    root = documents[-1].root if documents else None
    if isinstance(root, ScalarNode) or (isinstance(root, MappingNode | SequenceNode) and root.flow):
        return True  # flow collections also stand for the bytes of a `!!binary` text, and for a lone tag
    return _EMPTY_ITEM_AT_END.search(text[max(piece.start, piece.end - _LONGEST_END) : piece.end]) is not None


def joined_documents(text: str, parts: Iterable[tuple[Span, Document]]) -> list[Document]:
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

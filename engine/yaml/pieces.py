"""Pieces of a text that are read by themselves, found by its lines alone, and their documents joined again.

`ended_texts` spares a copy of the text for each piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.text import Span, lazy
from engine.text.pacing import give_way
from engine.yaml.nodes import Document, MappingNode, Pair, ScalarNode, SequenceNode, property_name
from engine.yaml.schema import END

_CUT = lazy(r"\n(?:---|\.\.\.|-)(?=[ \t\r\n]|\Z)")
"""What cuts, in a text with a line break before it: `^` is five times slower."""
_BLANK_START = lazy(r"(?:---)?(?:[ \t\r\n]|#[^\n]*+)*+")
_EMPTY_ITEM_AT_END = lazy(r"(?:^|[ \t-])-(?:[ \t\r\n]|#[^\n]*+)*+\Z", re.MULTILINE)
_KEY = r"^[A-Za-z_$][^\s:#'\"]*[ \t]*:"
_KEY_LINE = re.compile(rf"{_KEY}(?=[ \t\r\n]|\Z)", re.MULTILINE)
_LIST = re.compile(rf"{_KEY}(?:[ \t]*(?:#[^\n]*)?\r?\n)+(?P<item>(?P<indent> *)-[ \t\r\n])", re.MULTILINE)
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


def sections(text: str, piece: Span) -> list[Span]:
    """`piece` split at each key that begins a line; the first section reaches to the second key."""
    starts = [found.start() for found in _KEY_LINE.finditer(text, piece.start, piece.end)][1:]
    return list(map(Span, [piece.start, *starts], [*starts, piece.end]))


def list_items(text: str, section: Span) -> list[Span]:
    """The part before the list, and each item, of a section that is a key with a list below it; else nothing."""
    found = _LIST.search(text, section.start, section.end)
    if found is None:
        return []
    item = re.compile(rf"^{found['indent']}-(?=[ \t\r\n])", re.MULTILINE)
    starts = [each.start() for each in item.finditer(text, found.start("item"), section.end)]
    return list(map(Span, [section.start, *starts], [*starts, section.end]))


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
    whole = joined_lists([first, *lists])
    return Document(span, with_list(root, whole) if isinstance(root, MappingNode) else whole)


def joined_lists(lists: Sequence[SequenceNode]) -> SequenceNode:
    """One block list with the items of `lists`, at least one."""
    items = tuple(item for each in lists for item in each.items)
    return SequenceNode(Span(lists[0].span.start, lists[-1].span.end), items, False)


def with_list(mapping: MappingNode, listed: SequenceNode) -> MappingNode:
    """The block `mapping` with `listed` as the value of its last key."""
    last = Pair(mapping.pairs[-1].key, listed)
    return MappingNode(Span(mapping.span.start, listed.span.end), (*mapping.pairs[:-1], last), False)


def ended_texts(text: str, pieces: Iterable[Span]) -> Mapping[int, str]:
    """For the end of each of `pieces` a text with `END` there, and with the piece as it is in `text`.

    `pieces` may touch and not overlap. They share two texts, as `END` stands where the next piece begins. A piece that
    ends with `text`, or not behind a line break, has none.
    """
    ends = sorted({each.end for each in pieces if 0 < each.end < len(text) and text[each.end - 1] in "\n\r"})
    if len(ends) < 3:
        return {}
    one, other = (_with_ends(text, some) for some in (ends[::2], ends[1::2]))
    return {end: (one, other)[number % 2] for number, end in enumerate(ends)}


def _with_ends(text: str, ends: Sequence[int]) -> str:
    """`text` with `END` instead of the characters at `ends`."""
    give_way()
    starts = [0, *(end + 1 for end in ends)]
    return END.join(text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True))

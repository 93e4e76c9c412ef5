"""Recovery of a mapping that cannot be read: each key, and each item of a list under a key, is read by itself.

Keys and items are found by their lines alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from engine.text.diagnostics import Diagnostic
from engine.text.record import replace
from engine.text.spans import Span, TextEdit
from engine.yaml import tagged_nodes
from engine.yaml.anchors import Anchors
from engine.yaml.ended_texts import ended_texts
from engine.yaml.nodes import Document, MappingNode, Node, Pair, SequenceNode
from engine.yaml.pieces import content_start
from engine.yaml.repair import Recovered
from engine.yaml.tagged_nodes import Duplicate

_KEY = r"^[A-Za-z_$][^\s:#'\"]*[ \t]*:"
_KEY_LINE = re.compile(rf"{_KEY}(?=[ \t\r\n]|\Z)", re.MULTILINE)
_LIST = re.compile(rf"{_KEY}(?:[ \t]*(?:#[^\n]*)?\r?\n)+(?P<item>(?P<indent> *)-[ \t\r\n])", re.MULTILINE)


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


def recover_by_keys(text: str, piece: Span, known: Mapping[str, Node], whole: Recovered) -> Recovered | None:
    """The document of `piece`, a mapping in `whole`, with each key, and each item of a list below, read by itself.

    None if all of them can be read, or if there is only one: splitting does not isolate the error. `known` are the
    anchors before the piece.
    """
    parts = sections(text, piece)
    if not _is_divisible(text, piece, parts):
        return None
    found = whole.part()
    anchors = Anchors(known)
    items = {part: list_items(text, part) for part in parts}
    ended = ended_texts(text, parts)
    ended_items = ended_texts(text, chain.from_iterable(items.values()))
    pairs: list[Pair] = []
    for part in parts:
        reported = len(found.diagnostics)
        before = anchors.mark()
        read = _by_items(text, items[part], anchors, ended_items, found)
        if read is None:
            anchors.take_back(before)
            read = found.read(text, part, anchors, ended)
        if read is None:
            continue
        if part is not parts[-1]:
            found.diagnostics[reported:] = (_with_keys_below(each, text, part) for each in found.diagnostics[reported:])
        documents, duplicates = read
        found.duplicates += duplicates
        root = documents[0].root if documents else None
        pairs += root.pairs if isinstance(root, MappingNode) else ()
    if not found.broken or found.broken[0] == piece:
        return None
    if pairs:
        root = MappingNode(Span(pairs[0].span.start, pairs[-1].span.end), tuple(pairs), False)
        found.documents = [Document(Span(root.span.start, piece.end), root)]
    own = {id(pair) for pair in pairs}
    nested = [each for each in found.duplicates if id(each.pair) not in own]
    found.duplicates = nested + tagged_nodes.duplicates(pairs)
    return found


def _is_divisible(text: str, piece: Span, parts: list[Span]) -> bool:
    """Whether `piece` is a mapping at the margin with several keys, or with a list."""
    first = content_start(text, piece)
    is_list = text.startswith("-", first)
    is_indented = text[first - 1 : first] == " "  # the keys at the margin are not beside the first one
    return not is_list and not is_indented and (parts != [piece] or bool(list_items(text, piece)))


def _by_items(
    text: str, items: Sequence[Span], known: Anchors, ended: Mapping[int, str], found: Recovered
) -> tuple[list[Document], list[Duplicate]] | None:
    """A key with its list, the key and each of `items` read by itself; None if there are none, or all can be read."""
    broken = len(found.broken)
    read: list[Document] = []
    duplicates: list[Duplicate] = []
    for item in items:
        item_read = found.read(text, item, known, ended)
        if item_read is not None:
            read += item_read[0][:1]
            duplicates += item_read[1]
    if len(found.broken) == broken:
        return None
    document = _with_list(read, items[-1].end)
    return [] if document is None else [document], duplicates


def _with_list(read: list[Document], end: int) -> Document | None:
    """The document of a key, the first of `read`, with the lists in the others as its value; None without a key."""
    head = read[0].root if read else None
    if not isinstance(head, MappingNode) or head.flow or not head.pairs:
        return None
    lists = [each.root for each in read[1:] if isinstance(each.root, SequenceNode) and each.root.items]
    if not lists:
        return read[0]
    items = tuple(item for each in lists for item in each.items)
    whole = SequenceNode(Span(lists[0].span.start, lists[-1].span.end), items, False)
    last = Pair(head.pairs[-1].key, whole)
    root = MappingNode(Span(head.span.start, whole.span.end), (*head.pairs[:-1], last), False)
    return Document(Span(read[0].span.start, end), root)


def _with_keys_below(diagnostic: Diagnostic, text: str, part: Span) -> Diagnostic:
    """`diagnostic` of a key, without fixes that make a list of it or begin a document: further keys follow it."""
    fixes = [fix for fix in diagnostic.fixes if not any(_begins_list(edit, text, part) for edit in fix.edits)]
    return diagnostic if len(fixes) == len(diagnostic.fixes) else replace(diagnostic, fixes=tuple(fixes))


def _begins_list(edit: TextEdit, text: str, part: Span) -> bool:
    """Whether `edit` puts a separator into `part`, or a dash before its first line."""
    is_first = not text[part.start : edit.span.start].strip()
    return edit.text.startswith("---") or (is_first and edit.text.lstrip().startswith("- "))

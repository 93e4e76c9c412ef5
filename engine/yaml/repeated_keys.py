"""Slips that only show in what could be read: a quotation mark that is closed too late, and prompts without their dash.

The keys of a prompt without its dash, or without the `---` before it, repeat those of the prompt above. Apart from
`tree_loader`, which reads sound texts without what this needs.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from engine.text.spans import Span, TextEdit
from engine.yaml.cursor import Refusal
from engine.yaml.nodes import Document, MappingNode, Node, Pair, ScalarNode, SequenceNode
from engine.yaml.piece_trial import EditedText, PlacedNodes
from engine.yaml.reader import Reader
from engine.yaml.repair import Recovered
from engine.yaml.slips import Slip, line_end, line_start
from engine.yaml.tagged_nodes import Duplicate


def late_closing(text: str, documents: Iterable[Document]) -> Refusal | None:
    """The refusal that the first key behind such a text would deserve; None if there is none.

    js-yaml accepts a key on the line on which the value above it ends, if that value began on a line above.
    """
    for document in documents:
        for above, pair in _neighbours(document.root):
            quoted, at = _last_scalar(above.value), pair.key.span.start
            if quoted is not None and quoted.span.start < line_start(text, at) < quoted.span.end:
                refusal = Refusal("bad indentation of a mapping entry", at)
                refusal.multiline_quote = Span(quoted.span.start, quoted.span.end)
                return refusal
    return None


def _neighbours(node: Node | None) -> Iterator[tuple[Pair, Pair]]:
    """Each two pairs of a block mapping that follow on each other, in `node` and all that it holds."""
    match node:
        case MappingNode(pairs=pairs, flow=False):
            for above, pair in pairwise(pairs):
                yield from _neighbours(above.value)
                yield above, pair
            yield from _neighbours(pairs[-1].value if pairs else None)
        case SequenceNode(items=items, flow=False):
            for item in items:
                yield from _neighbours(item)
        case _:
            return


def _last_scalar(node: Node) -> ScalarNode | None:
    """The scalar with which `node` ends."""
    match node:
        case ScalarNode():
            return node
        case MappingNode(pairs=(*_, last)):
            return _last_scalar(last.value)
        case SequenceNode(items=(*_, item)):
            return _last_scalar(item)
        case _:
            return None


_ASKS = ("prompt", "promptText", "messages")
_BEGINS = ("id", "description", *_ASKS)
_ASKING_LINE = re.compile(rf"^ *(?:- +)*(?P<quote>[\"']?)(?:{'|'.join(_ASKS)})(?P=quote):(?=\s|\Z)", re.MULTILINE)
"""The beginning of a line with a question's key."""
_MOST = 50
"""How many prompts without a dash are looked for in one text."""


_LostDash: TypeAlias = tuple[Slip, list[Duplicate]]
"""A prompt that begins without its dash, and the keys that are repeated for this."""


def add_dashes(text: str, read: Recovered) -> None:
    """Report the lost dashes of `text` in `read`, in place of the repeated keys that they explain.

    A text that can be read but for those keys is read with the dashes.
    """
    lost = _lost_dashes(text, read.duplicates)
    explained = {id(duplicate) for _, duplicates in lost for duplicate in duplicates}
    others = [each for each in read.duplicates if id(each) not in explained]
    if lost and read.refusal is None:
        edited = EditedText.of(text, Span(0, len(text))).edited([edit for slip, _ in lost for edit in slip.edits])
        reader = Reader(edited.text, 0, len(edited.text), {})
        if reader.read_to_refusal() is not None or len(reader.duplicates) > len(others):
            return
        read.documents = list(map(PlacedNodes(text, edited).document, reader.documents)) or read.documents
    read.duplicates = others
    read.diagnostics += (slip.diagnostic for slip, _ in lost)


def _lost_dashes(text: str, duplicates: Sequence[Duplicate]) -> list[_LostDash]:
    """The prompts whose keys are `duplicates` of those of the prompt above, in source order."""
    found: list[_LostDash] = []
    group: list[Duplicate] = []
    asking = [line.start() for line in _ASKING_LINE.finditer(text)] if duplicates else []
    for duplicate in sorted(duplicates, key=lambda each: each.pair.key.span.start):
        if group and (_column(text, duplicate) != _column(text, group[0]) or _parted(text, group[-1], duplicate)):
            found += _of_group(text, asking, group)
            group = []
        group.append(duplicate)
    found += _of_group(text, asking, group)
    return found if len(found) <= _MOST else []


def _of_group(text: str, asking: Sequence[int], group: list[Duplicate]) -> list[_LostDash]:
    """The prompts of a group of repeated keys in one mapping: each begins where a key is repeated once more.

    `asking`: where the lines with a question's key begin. The first prompt is whole only if it has one.
    """
    found: list[_LostDash] = []
    own: list[Duplicate] = []
    names: set[str] = set()
    for duplicate in group:
        if duplicate.name in names:
            found += _begun_by(text, asking, own)
            own, names = [], set()
        own.append(duplicate)
        names.add(duplicate.name)
    return [*found, *_begun_by(text, asking, own)]


def _begun_by(text: str, asking: Sequence[int], own: list[Duplicate]) -> list[_LostDash]:
    if not own or own[0].name not in _BEGINS:
        return []
    first = own[0]
    at = first.pair.key.span.start
    start = line_start(text, at)
    column = at - start
    above = line_start(text, first.first.key.span.start)
    if text[start:at].strip() or not _any_within(asking, above, start):
        return []
    if len(own) < 2 and first.name != "id":
        return []
    if 0 < column < 2 or (column and first.first.key.span.start - above != column):
        return []
    sign, title, edit = ("- ", "add the dash", TextEdit(Span(at - 2, at), "- "))
    if column == 0:
        sign, title, edit = "---", "add `---`", TextEdit(Span(start, start), "---\n")
    message = f"put `{sign}` before this: a new prompt starts here, and it repeats keys without it"
    return [(Slip(Span(at, line_end(text, at)), message, title, (edit,)), own)]


def _any_within(offsets: Sequence[int], start: int, end: int) -> bool:
    """Whether one of the ascending `offsets` lies in `start` to `end`, excluded."""
    at = bisect_left(offsets, start)
    return at < len(offsets) and offsets[at] < end


def _parted(text: str, before: Duplicate, after: Duplicate) -> bool:
    """Whether the keys belong to different mappings: a line between them stands further to the left."""
    column = _column(text, after)
    between = text[before.pair.key.span.end : after.pair.key.span.start].split("\n")[1:-1]
    return any(line.strip() and len(line) - len(line.lstrip(" ")) < column for line in between if line[:1] != "#")


def _column(text: str, duplicate: Duplicate) -> int:
    at = duplicate.pair.key.span.start
    return at - line_start(text, at)

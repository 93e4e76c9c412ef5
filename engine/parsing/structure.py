"""Tells the header of a file from its prompts: 002, "How the Parser Interprets Structures".

The header is found as Weval finds it (platform.md, A14); findings report where the result may surprise.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Final

from engine.parsing.demands import Demands, Kind
from engine.parsing.fields import Fields, fields, first_truthy, is_null, is_object, truthy, type_name, value_of
from engine.parsing.normalised_form import POINT_KEYS
from engine.text import Record, Span, replace
from engine.yaml.layout import column
from engine.yaml.line_slips import spoilt_key
from engine.yaml.nodes import (
    MappingNode,
    Node,
    NodeTree,
    Pair,
    ScalarNode,
    SequenceNode,
    Style,
    property_name,
    resolved,
)
from engine.yaml.pieces import with_list
from engine.yaml.slips import Line

_EMPTY_ITEM: Final = r"-(?<!--)[ \t]*(?:#[^\r\n]*)?\r?\n(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*[ \t]*-\s"
_LISTS = frozenset((*POINT_KEYS, "should_not", "messages"))
_EMPTY = "Failed to parse YAML blueprint: YAML blueprint is empty or contains only null documents."
_PROMPT_SIGNS = ("prompt", "messages", "should", "ideal", "points")
"""A document with one of these keys, not empty, is a prompt."""
_READS_AS_PROMPT = (*_PROMPT_SIGNS, "promptText", "idealResponse", "should_not", "expect", "expects", "expectations")
_READS_AS_HEADER = (
    "title",
    "configTitle",
    "models",
    "systems",
    "temperatures",
    "evaluationConfig",
    "point_defs",
    "tools",
    "toolUse",
    "externalServices",
    "author",
    "references",
    "citations",
    "systemPrompt",
    "configId",
)


class Structure(Record):
    """The mapping of the header, if there is one, and the items of the prompt list in source order."""

    header: MappingNode | None = None
    prompts: tuple[Node, ...] = ()


def find_structure(tree: NodeTree, demand: Demands) -> Structure:
    """The header and the prompts of `tree`; notes what is lost between them and what Weval refuses."""
    whole = roots = [document.root for document in tree.documents if document.root is not None]
    if tree.is_json:
        return _json(roots[0], demand) if roots else Structure()
    roots = [root for root in roots if not is_null(resolved(root))]
    if not roots:
        if tree.error is None:
            thrown = whole[0] if whole else None
            demand(False, Span(0, 0), _EMPTY, Kind.BAD_STRUCTURE, "nothing", thrown=thrown)
        return Structure()
    structure = _single(resolved(roots[0]), demand) if len(roots) == 1 else _stream(roots, demand)
    if tree.error is None:
        return structure
    # Other items may be pieces of broken ones.
    return Structure(structure.header, tuple(filter(_is_prompt, structure.prompts)))


def _is_prompt(item: Node) -> bool:
    """Whether `item` is certainly read as a prompt, even in a text with an error."""
    node = resolved(item)
    if isinstance(node, ScalarNode):  # a key without a space, or with a wide colon: `title:Bees`
        return node.style is Style.PLAIN and spoilt_key(Line(node.span, 0, node.text)) is not None
    return isinstance(node, MappingNode) and not fields(node).keys().isdisjoint((*_READS_AS_PROMPT, "id", "prompts"))


def _json(root: Node, demand: Demands) -> Structure:
    if isinstance(root, SequenceNode):
        return Structure(None, root.items)
    if not isinstance(root, MappingNode):
        refusal = "Cannot read properties of null (reading 'prompts')"
        demand(False, root, refusal, Kind.BAD_STRUCTURE, type_name(root), refused=is_null(root))
        return Structure()
    found = fields(root)
    prompts = found.get("prompts")
    listed = value_of(prompts)
    if isinstance(listed, SequenceNode):
        return Structure(root, listed.items)
    if prompts is not None and truthy(prompts):
        demand.note(Kind.BAD_STRUCTURE, prompts.value, "prompts", refused=True)
    _note_lost_prompt(found, demand)
    return Structure(root)


def _single(root: Node, demand: Demands) -> Structure:
    if isinstance(root, SequenceNode):
        return Structure(None, root.items)
    if isinstance(root, ScalarNode):
        kind = type_name(root)
        refusal = f"Invalid YAML format: Document must be an object or array. Found: {kind}"
        demand(False, root, refusal, Kind.BAD_STRUCTURE, kind, refused=not is_object(root))
        return Structure()
    assert isinstance(root, MappingNode)
    found = fields(root)
    prompts = found.get("prompts")
    listed = value_of(prompts)
    if isinstance(listed, SequenceNode):
        return Structure(root, listed.items)
    if first_truthy(found, *_PROMPT_SIGNS) is not None:
        _note_lost_header(found, demand)
        return Structure(None, (root,))
    if prompts is not None and truthy(prompts):
        demand.note(Kind.BAD_STRUCTURE, prompts.value, "prompts")
    _note_lost_prompt(found, demand)
    return Structure(root)


def _stream(roots: list[Node], demand: Demands) -> Structure:
    header = _header_of_stream(roots[0], demand)
    is_lost = _is_date(roots[0])
    if is_lost:
        demand.note(Kind.BAD_STRUCTURE, roots[0], "date")
    rest = roots[1:] if is_lost or header is not None else roots
    return Structure(header, tuple(prompt for root in rest for prompt in _prompts_of_document(root)))


def _header_of_stream(root: Node, demand: Demands) -> MappingNode | None:
    """The first of several documents as the header; None if it is a prompt or a list of prompts."""
    first = resolved(root)
    if not isinstance(first, MappingNode):
        return None
    found = fields(first)
    if first_truthy(found, *_PROMPT_SIGNS, "expect") is not None:
        _note_lost_header(found, demand)
        return None
    _note_lost_prompt(found, demand)
    if (listed := found.get("prompts")) is not None and _may_hold_prompts(listed):
        demand.note(Kind.PROMPT_LOST, listed.key, "prompts")
    return first


def _may_hold_prompts(listed: Pair) -> bool:
    """Whether there are items or keys; not in `prompts: []`, with which Weval's sandbox begins each file."""
    value = resolved(listed.value)
    return bool(value.items if isinstance(value, SequenceNode) else isinstance(value, MappingNode) and value.pairs)


def _is_date(root: Node) -> bool:
    """Whether a document is only a date, which Weval treats as an empty header."""
    node = resolved(root)
    return isinstance(node, ScalarNode) and is_object(node)


def _prompts_of_document(root: Node) -> tuple[Node, ...]:
    """The prompts of one document of a stream: its items, or the document itself."""
    document = resolved(root)
    return document.items if isinstance(document, SequenceNode) else (root,)


def _note_lost_prompt(found: Fields, demand: Demands) -> None:
    """Note a header with a key of prompts: that prompt is never run."""
    for name in _READS_AS_PROMPT:
        if name in found and (truthy(found[name]) or name not in _PROMPT_SIGNS):
            demand.note(Kind.PROMPT_LOST, found[name].key, name)
            return


def _note_lost_header(found: Fields, demand: Demands) -> None:
    """Note a prompt with a key of the header: the header's keys in it are not read."""
    for name in _READS_AS_HEADER:
        if name in found:
            at = first_truthy(found, *_PROMPT_SIGNS, "expect")
            demand.note(Kind.HEADER_LOST, found[name].key, "" if at is None else property_name(at.key))
            return


# Items that a list swallows behind a dash that is still empty
#
# After `    - ` with nothing in it yet, js-yaml continues the same list, whatever the indentation: an item of an outer
# list, also the next prompt, becomes an item of this one. Weval refuses such a file where a point or a message is
# empty. While the author is still writing it, the outer lists are read as they will be once it is written.


class Swallowed(Record):
    """An item that a list swallowed behind its `empty` one; `name` is the key of the list, "" for a path."""

    item: Node
    empty: Node
    name: str


def swallowed_items(tree: NodeTree) -> Iterator[Swallowed]:
    """All items of block lists that stand further left than their lists."""
    if not tree.is_json and re.search(_EMPTY_ITEM, tree.text) is not None:
        for document in tree.documents:
            if document.root is not None:
                yield from _swallowed(tree.text, document.root, "")


def _swallowed(text: str, node: Node, name: str) -> Iterator[Swallowed]:
    match node:
        case SequenceNode(items=items, flow=False):
            indent = column(text, node.span.start)
            for index, item in enumerate(items):
                if index and _dash_column(text, item.span.start) < indent:
                    yield Swallowed(item, items[index - 1], name)
                yield from _swallowed(text, item, "")
        case MappingNode(pairs=pairs, flow=False):
            for pair in pairs:
                yield from _swallowed(text, pair.value, property_name(pair.key))
        case _:
            return


def release_swallowed_prompts(text: str, structure: Structure) -> Structure | None:
    """`structure` with the swallowed prompts as prompts again; None if there are none."""
    if re.search(_EMPTY_ITEM, text) is None:
        return None
    prompts = tuple(prompt for item in structure.prompts for prompt in _with_released(text, item))
    return None if len(prompts) == len(structure.prompts) else replace(structure, prompts=prompts)


def _with_released(text: str, item: Node) -> Iterator[Node]:
    if isinstance(item, MappingNode) and item.pairs:
        last = item.pairs[-1]
        if isinstance(last.value, SequenceNode) and property_name(last.key) in _LISTS:
            rest, swallowed = _cut(text, last.value)
            if swallowed:
                yield with_list(item, rest)
                for inner in swallowed:
                    yield from _with_released(text, inner)
                return
    yield item


def _cut(text: str, node: SequenceNode) -> tuple[SequenceNode, tuple[Node, ...]]:
    """`node` without the items that are indented less than it is, and those items. A flow list swallows nothing."""
    if node.flow:
        return node, ()
    indent = column(text, node.span.start)
    waiting = deque(node.items)
    kept: list[Node] = []
    while waiting:
        if kept and _dash_column(text, waiting[0].span.start) < indent:
            break
        item = waiting.popleft()
        if isinstance(item, SequenceNode):
            item, swallowed = _cut(text, item)
            waiting.extendleft(reversed(swallowed))
        kept.append(item)
    return SequenceNode(Span(node.span.start, kept[-1].span.end), tuple(kept), False), tuple(waiting)


def _dash_column(text: str, offset: int) -> int:
    """The column of the first dash on the line of `offset`."""
    start = text.rfind("\n", 0, offset) + 1
    return len(text[start:offset]) - len(text[start:offset].lstrip(" "))

"""Rows with bullets or numbers as items of a list: one each, quoted where YAML would read something else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.rules.edits.added_points import as_item
from engine.yaml_nodes import MappingNode, Node, ScalarNode, SequenceNode, Style, property_name
from engine.yaml_nodes.key_names import POINT_KEYS
from engine.yaml_nodes.line_slips import BULLET
from engine.yaml_nodes.reader import Reader
from studio.tui.editor.yaml_line import STEP

_DASH = re.compile(r" *-(?:[ \t]+|$)")
_CHECK = re.compile(r" *(?=\$\w+:)")
_KEYED = re.compile(rf"(?:{'|'.join(POINT_KEYS)}|\$\w+):(?:\s|$)")
_IN_WORDS = re.compile(rf"(?!{_KEYED.pattern})[^\W\d_][\w,.;()]* ")
"""How a text begins that is no other value in YAML."""


def begins_item(line: str) -> bool:
    """Whether a row begins on `line`: with a dash, a bullet, a number, or as a check."""
    return _bullet(line) is not None


def _bullet(line: str) -> re.Match[str] | None:
    return _DASH.match(line) or BULLET.match(line) or _CHECK.match(line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def items(rows: Sequence[str]) -> list[str]:
    """The lines of a list with an item for each row. Lines without a bullet go on with the row above them."""
    found: list[list[str]] = []
    is_apart = True
    for line in rows:
        is_outer = not found or _indent(line) <= _indent(found[-1][0])
        if line.strip() and is_outer and (is_apart or begins_item(line)):
            found.append([line])
        elif found:
            found[-1].append(line)
        is_apart = not line.strip()
    return [line for item in found for line in _written(item)]


def _written(item: list[str]) -> Iterator[str]:
    while not item[-1].strip():
        item.pop()
    bullet = _bullet(item[0])
    text = item[0][bullet.end() if bullet else 0 :].strip()
    is_dash = _DASH.match(item[0]) is not None
    if len(item) == 1 and _IN_WORDS.match(text):
        yield "- " + as_item(text)
        return
    indent = _indent(item[0])
    own = [line[indent:] if not line[:indent].strip() else STEP + line for line in item]
    own[0] = own[0] if is_dash else f"- {text}"
    is_yaml = _KEYED.match(text) is not None
    if is_yaml or (is_dash and is_read_whole(own)):
        yield from own
    elif any(map(begins_item, item[1:])):
        for line in filter(str.strip, item):
            yield from _written([line])
    else:
        yield "- " + as_item(" ".join([text, *(line.strip() for line in item[1:])]))


def node_of(lines: Sequence[str]) -> Node | None:
    """What YAML reads `lines` as; None if they are no one document without errors."""
    text = "\n".join([*lines, ""])
    reader = Reader(text, 0, len(text), {})
    is_read = reader.read_to_refusal() is None and not reader.duplicates and len(reader.documents) == 1
    return reader.documents[0].root if is_read else None


def names_in(node: Node | None) -> set[str]:
    """The keys of a mapping, or of the mappings of a list."""
    mappings = node.items if isinstance(node, SequenceNode) else (node,)
    return {property_name(pair.key) for each in mappings if isinstance(each, MappingNode) for pair in each.pairs}


def is_read_whole(lines: Sequence[str]) -> bool:
    """Whether YAML reads `lines` as one item that has all their text: a point in words, a check, or a path."""
    match node_of(lines):
        case SequenceNode(items=[ScalarNode(style=Style.PLAIN) as item]):
            return item.span.end == len("\n".join(lines).rstrip()) and not any(map(begins_item, lines[1:]))
        case SequenceNode(items=[item]):
            return all(name in POINT_KEYS or name.startswith("$") for name in names_in(item))
        case _:
            return False

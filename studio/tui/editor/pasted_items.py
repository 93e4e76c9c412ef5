"""Rows with bullets or numbers as items of a list: one each, quoted where YAML would read something else.

A heading above them becomes a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.rules.rubric_edits import as_item
from engine.yaml.line_slips import BOX, BULLET
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, Style, property_name
from engine.yaml.reader import Reader
from engine.yaml.slips import KEY_LINE, POINT_KEYS
from studio.tui.editor.yaml_line import STEP

_DASH = re.compile(r" *-(?:[ \t]+|$)")
_GLUED_DASH = re.compile(r" *-[\u00a0 ]*(?=[^\W\d_]|[\"'`*$])")
_CHECK = re.compile(r" *(?=\$\w+:)")
_KEYED = re.compile(rf"(?:{'|'.join(POINT_KEYS)}|\$\w+):(?:\s|$)")
_IN_WORDS = re.compile(rf"(?!{_KEYED.pattern})[^\W\d_][\w,.;()]* ")
"""How a text begins that is no other value in YAML."""
_HEADING = re.compile(r"#+ .*|.*:")


def begins_item(line: str) -> bool:
    """Whether a row begins on `line`: with a dash, a bullet, a number, or as a check."""
    return _bullet(line) is not None


def commented(line: str) -> str:
    """`line` as a comment if it only says what the rows below it are."""
    is_heading = not begins_item(line) and _HEADING.fullmatch(line) and not KEY_LINE.match(line)
    return f"# {line.lstrip('# ')}" if is_heading else line


def _bullet(line: str) -> re.Match[str] | None:
    return BOX.match(line) or _DASH.match(line) or _GLUED_DASH.match(line) or BULLET.match(line) or _CHECK.match(line)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def items(rows: Sequence[str], *, are_points: bool) -> list[str]:
    """The lines of a list with an item for each row. Lines without a bullet go on with the row above them.

    If none has a bullet, each that is not further in is a row. `are_points`: other values than texts are quoted.
    """
    if not any(map(begins_item, rows)):
        rows = [f"- {line}" if line.strip() and not line.startswith((" ", "# ")) else line for line in rows]
    found: list[list[str]] = []
    is_apart = True
    for line in rows:
        is_outer = not found or _indent(line) <= _indent(found[-1][0])
        if line.strip() and is_outer and (is_apart or begins_item(line)):
            found.append([line])
        elif found:
            found[-1].append(line)
        is_apart = not line.strip()
    return [line for item in found for line in _written(item, are_points)]


def _written(item: list[str], are_points: bool) -> Iterator[str]:
    while not item[-1].strip():
        item.pop()
    bullet = _bullet(item[0])
    text = item[0][bullet.end() if bullet else 0 :].replace("\u00a0", " ").strip()
    text = text[box.end() :] if (box := BOX.match(text)) else text
    is_dash = bullet is not None and bullet.re is _DASH
    below = next((at for at, line in enumerate(item[1:], 1) if begins_item(line)), len(item))
    if len(item) == 1 and bullet is None and commented(text).startswith("# "):
        yield commented(text)
        return
    if len(item) == 1 and _IN_WORDS.match(text):
        yield "- " + as_item(text)
        return
    indent = _indent(item[0])
    own = [line[indent:] if not line[:indent].strip() else STEP + line for line in item]
    own[0] = own[0] if is_dash else f"- {text}"
    is_quoted = below > 1 and re.fullmatch("(['\"]).*\\1", text) is not None
    is_yaml = is_quoted or any(_KEYED.match(line) for line in (text, *map(str.lstrip, item[1:below])))
    if is_yaml or (is_dash and is_read_whole(own, are_points)):
        yield from own
    elif below < len(item):
        yield from _written(item[:below], are_points)
        yield from items(item[below:], are_points=are_points)
    else:
        lines = [text, *(line.strip() for line in item[1:] if line.strip())]
        wrapped = [f"- {text}", *(STEP + line for line in lines[1:])]
        is_wrapped = len(lines) > 1 and is_read_whole(wrapped, are_points)
        yield from wrapped if is_wrapped else [f"- {as_item(' '.join(lines))}"]


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


def is_read_whole(lines: Sequence[str], are_points: bool) -> bool:
    """Whether YAML reads `lines` as one item that has all their text: a point in words, a check, or a path."""
    match node_of(lines):
        case SequenceNode(items=[ScalarNode(style=Style.PLAIN) as item]):
            is_text = isinstance(item.value, str) or not are_points or item.span.start == item.span.end
            return is_text and item.span.end == len("\n".join(lines).rstrip()) and not any(map(begins_item, lines[1:]))
        case SequenceNode(items=[item]):
            return all(name in POINT_KEYS or name.startswith("$") for name in names_in(item))
        case _:
            return False

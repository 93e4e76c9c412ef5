"""Lists and mappings in brackets, `[a, b]` and `{a: b}`: taking a part out with its comma, and adding one.

What is added is laid out as its neighbours are: behind a comma on the same line, or on a line of its own, as deep as
they stand. JSON has nothing else, and YAML has it as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.rules.source.layout import line_start
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import MappingNode, Node, SequenceNode

_COMMA = re.compile(r"\s*,\s*")


def element_spans(node: SequenceNode | MappingNode) -> Sequence[Span]:
    """Where the items of a list stand, or the pairs of a mapping."""
    return [item.span for item in node.items] if isinstance(node, SequenceNode) else [pair.span for pair in node.pairs]


def without(text: str, node: SequenceNode | MappingNode, index: int) -> TextEdit | None:
    """The edit that takes the part `index` of `node` out, with one comma.

    None where it is the only one, or where a comment would go with it.
    """
    parts = element_spans(node)
    if len(parts) < 2:
        return None
    taken = Span(parts[0].start, parts[1].start) if index == 0 else Span(parts[index - 1].end, parts[index].end)
    gap = Span(parts[0].end, parts[1].start) if index == 0 else Span(parts[index - 1].end, parts[index].start)
    return TextEdit(taken, "") if _COMMA.fullmatch(gap.of(text)) else None


def added(text: str, node: SequenceNode | MappingNode, written: Sequence[str], before: int | None = None) -> TextEdit:
    """The edit that adds what is `written` to `node`, which is not empty: at its end, or before the part `before`."""
    parts = element_spans(node)
    gap = _gap(text, node, len(parts) - 1 if before is None else before)
    if before is None:
        return TextEdit(Span(parts[-1].end, parts[-1].end), "".join(f"{gap}{each}" for each in written))
    return TextEdit(Span(parts[before].start, parts[before].start), "".join(f"{each}{gap}" for each in written))


def added_after(text: str, node: SequenceNode | MappingNode, index: int, written: Sequence[str]) -> TextEdit:
    """The edit that adds what is `written` behind the part `index` of `node`."""
    last = index == len(element_spans(node)) - 1
    return added(text, node, written, before=None if last else index + 1)


def _gap(text: str, node: SequenceNode | MappingNode, index: int) -> str:
    """The comma and the blanks that stand, or would stand, beside the part `index` of `node`."""
    parts = element_spans(node)
    if len(parts) > 1:
        one, other = (parts[0], parts[1]) if index == 0 else (parts[index - 1], parts[index])
        gap = text[one.end : other.start]
        return gap if _COMMA.fullmatch(gap) else ", "
    opening = text[node.span.start + 1 : parts[0].start]
    return f",{opening}" if "\n" in opening and not opening.strip() else ", "


def list_like(text: str, like: SequenceNode, written: Sequence[str]) -> str:
    """A list of what is `written`, laid out as `like`, which is not empty and stands at the same depth."""
    opening = text[like.span.start + 1 : like.items[0].span.start]
    closing = text[like.items[-1].span.end : like.span.end - 1]
    if (opening + closing).strip():
        opening = closing = ""
    return f"[{opening}{_gap(text, like, 0).join(written)}{closing}]"


def new_list(text: str, mapping: MappingNode, written: Sequence[str]) -> str:
    """A list of what is `written`, for a key of `mapping`: over lines where the pairs of `mapping` are."""
    found = re.fullmatch(r"\s*?(\r\n|\r|\n)([ \t]*)", text[mapping.span.start + 1 : mapping.pairs[0].span.start])
    if found is None:
        return f"[{', '.join(written)}]"
    step = found[2].removeprefix(indent_at(text, mapping.span.start))
    items = ",".join(f"{found[0]}{step}{each}" for each in written)
    return f"[{items}{found[0]}]"


def indent_at(text: str, offset: int) -> str:
    """The blanks that the line of `offset` begins with."""
    line = text[line_start(text, offset) : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def outdented(text: str, span: Span, by: str, to: str) -> Iterator[TextEdit]:
    """Edits that give the lines that begin within `span`, indented by `by` and more, the indentation `to` for `by`."""
    for found in _lines_indented(by).finditer(text, span.start, span.end):
        yield TextEdit(Span(*found.span(1)), to)


def moved_text(text: str, written: str, source: int, target: int) -> str:
    """What is `written` at `source`, its further lines indented as suits a place on the line of `target`."""
    by, to = indent_at(text, source), indent_at(text, target)
    return _lines_indented(by).sub(lambda found: found[0][: -len(by) or None] + to, written)


def _lines_indented(by: str) -> re.Pattern[str]:
    return re.compile(rf"(?:\r\n|\r|\n)({re.escape(by)})")


def key_like(text: str, key: Node, name: str) -> str:
    """`name` as a key, in the quotes of `key`."""
    quote = text[key.span.start]
    return f"{quote}{name}{quote}" if quote in "\"'" else name

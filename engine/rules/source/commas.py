"""Edits of lists and mappings in brackets, `[a, b]` and `{a: b}`, in JSON and YAML: add and remove elements.

An added element has the layout of its neighbours: after a comma on the same line, or on a line of its own with their
indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.rules.source.layout import line_start
from engine.text.patterns import lazy
from engine.text.spans import Span, TextEdit
from engine.yaml.nodes import MappingNode, Node, SequenceNode

_COMMA = lazy(r"\s*,\s*")


def _count(node: SequenceNode | MappingNode) -> int:
    """The number of items of a list, or of pairs of a mapping."""
    return len(node.items if isinstance(node, SequenceNode) else node.pairs)


def _element(node: SequenceNode | MappingNode, index: int) -> Span:
    """The span of one item of a list, or of one pair of a mapping."""
    return node.items[index].span if isinstance(node, SequenceNode) else node.pairs[index].span


def without(text: str, node: SequenceNode | MappingNode, index: int) -> TextEdit | None:
    """The edit that removes the element `index` of `node` with one comma.

    None if it is the only element, or if a comment would be lost.
    """
    if _count(node) < 2:
        return None
    one, other = (_element(node, at) for at in ((0, 1) if index == 0 else (index - 1, index)))
    taken = Span(one.start, other.start) if index == 0 else Span(one.end, other.end)
    gap = Span(one.end, other.start)
    return TextEdit(taken, "") if _COMMA.fullmatch(gap.of(text)) else None


def added(text: str, node: SequenceNode | MappingNode, written: Sequence[str], before: int | None = None) -> TextEdit:
    """The edit that adds the elements `written` to `node`, not empty: at its end, or before the element `before`."""
    gap = _gap(text, node, _count(node) - 1 if before is None else before)
    if before is None:
        end = _element(node, -1).end
        return TextEdit(Span(end, end), "".join(f"{gap}{each}" for each in written))
    start = _element(node, before).start
    return TextEdit(Span(start, start), "".join(f"{each}{gap}" for each in written))


def added_after(text: str, node: SequenceNode | MappingNode, index: int, written: Sequence[str]) -> TextEdit:
    """The edit that adds the elements `written` after the element `index` of `node`."""
    last = index == _count(node) - 1
    return added(text, node, written, before=None if last else index + 1)


def _gap(text: str, node: SequenceNode | MappingNode, index: int) -> str:
    """The comma and the blanks that separate, or would separate, the element `index` of `node` from its neighbour."""
    if _count(node) > 1:
        one, other = (_element(node, at) for at in ((0, 1) if index == 0 else (index - 1, index)))
        gap = text[one.end : other.start]
        return gap if _COMMA.fullmatch(gap) else ", "
    opening = text[node.span.start + 1 : _element(node, 0).start]
    return f",{opening}" if "\n" in opening and not opening.strip() else ", "


def list_like(text: str, like: SequenceNode, written: Sequence[str]) -> str:
    """A list of the elements `written`, with the layout of `like`, a list at the same depth that is not empty."""
    opening = text[like.span.start + 1 : like.items[0].span.start]
    closing = text[like.items[-1].span.end : like.span.end - 1]
    if (opening + closing).strip():
        opening = closing = ""
    return f"[{opening}{_gap(text, like, 0).join(written)}{closing}]"


def new_list(text: str, mapping: MappingNode, written: Sequence[str]) -> str:
    """A list of the elements `written` for a key of `mapping`; on several lines if the pairs of `mapping` are."""
    found = re.fullmatch(r"\s*?(\r\n|\r|\n)([ \t]*)", text[mapping.span.start + 1 : mapping.pairs[0].span.start])
    if found is None:
        return f"[{', '.join(written)}]"
    step = found[2].removeprefix(indent_at(text, mapping.span.start))
    items = ",".join(f"{found[0]}{step}{each}" for each in written)
    return f"[{items}{found[0]}]"


def indent_at(text: str, offset: int) -> str:
    """The indentation of the line of `offset`."""
    line = text[line_start(text, offset) : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def outdented(text: str, span: Span, by: str, to: str) -> Iterator[TextEdit]:
    """Edits that replace the indentation `by` by `to` on the lines that begin within `span`."""
    for found in _lines_indented(by).finditer(text, span.start, span.end):
        yield TextEdit(Span(*found.span(1)), to)


def moved_text(text: str, written: str, source: int, target: int) -> str:
    """The text `written` at `source`, with its later lines indented to fit the line of `target`."""
    by, to = indent_at(text, source), indent_at(text, target)
    return _lines_indented(by).sub(lambda found: found[0][: -len(by) or None] + to, written)


def _lines_indented(by: str) -> re.Pattern[str]:
    return re.compile(rf"(?:\r\n|\r|\n)({re.escape(by)})")


def key_like(text: str, key: Node, name: str) -> str:
    """`name` as a key, in the quotes of `key`."""
    quote = text[key.span.start]
    return f"{quote}{name}{quote}" if quote in "\"'" else name

"""Edits of nodes: insert, remove, move, wrap and rename items and pairs, in blocks and in brackets, YAML and JSON.

Every function takes the `text` that the nodes were read from (`engine.yaml.tree_loader.load`) and returns edits of it,
for `engine.text.spans.apply_edits`. Spans are offsets in code points, edits of one call never overlap, and everything
that they do not name stays byte for byte: comments, quotes, order, blank lines and line ends.

The result is empty where the edit cannot be made without losing something: a comment between or beside what would be
removed, lines that hold something else too, a layout that leaves no room. No function raises for a node of `text`.
An added element has the layout of its neighbours. Source that is passed in is written as it is: quote it with
`engine.yaml.layout.quoted`. The edits are made from the shape of the nodes alone: `engine.yaml.trial.works` reads the
result again, where it matters what it says.

    tree = load("should:\\n  - Names Nairobi\\n")
    listed = tree.documents[0].root.pairs[0].value
    apply_edits(tree.text, insert(tree.text, listed, 1, "Is one sentence"))
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from engine.text import Span, TextEdit, apply_edits, lazy
from engine.yaml.layout import (
    column,
    dash_before,
    first_line,
    is_one_line,
    line_end,
    line_start,
    newline_of,
    next_line_start,
    quoted,
    reindented,
)
from engine.yaml.nodes import MappingNode, Node, NodeTree, Pair, ScalarNode, SequenceNode, Style, last_scalar, resolved
from engine.yaml.tree_loader import indices_near, nodes_around

Collection: TypeAlias = "SequenceNode | MappingNode"
Edits: TypeAlias = "tuple[TextEdit, ...]"

_COMMA = lazy(r"\s*,\s*")
_BLANK_LINE = lazy(r"[ \t]*(?:\r\n|\r|\n)|[ \t]+\Z")
_LINE_OF_BLANKS = lazy(r"[ \t]+(?:\r\n|\r|\n|\Z)")
_QUOTED = lazy(r"""(?<![^\s\[{,:-])(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')""", re.DOTALL)
_COMMENT = lazy(r"(?:^|\s)#")


def insert(text: str, node: Collection, index: int, *written: str) -> Edits:
    """Insert the elements `written` before the element `index` of `node`.

    `index` is from 0 to the number of elements, which is the end. An element is the source of an item without its
    dash, or a `key: value`. In a block it may have several lines, the later ones indented as in a block of its own.
    """
    spans = _elements(node)
    if node.flow:
        is_bracketed = text[node.span.start] + text[node.span.end - 1] in ("[]", "{}")
        return (_in_brackets(text, node, index, written),) if is_bracketed else ()
    sign = "- " if isinstance(node, SequenceNode) else ""
    first = dash_before(text, spans[0].start) if sign else spans[0].start
    margin = "" if first is None else text[line_start(text, first) : first].removeprefix("\ufeff")
    if first is None or margin.strip(" -"):
        return ()
    newline, indent = newline_of(text), " " * len(margin)
    lines = [sign + _on_lines(text, each, len(indent + sign)) for each in written]
    if index == 0:
        return (TextEdit(Span(first, first), "".join(f"{line}{newline}{indent}" for line in lines)),)
    return (lines_below(text, _last(node, index - 1), [indent + line for line in lines]),)


def remove(text: str, node: Collection, index: int) -> Edits:
    """Remove the element `index` of `node`: its lines or, in brackets, with one comma. Comments are never removed.

    Refused for the only element of a mapping or of brackets; the only item of a block list leaves its key empty.
    """
    spans = _elements(node)
    if not node.flow and isinstance(node, SequenceNode):
        lines = item_lines(text, spans[index])
        return () if lines is None or has_comment(text, lines, spans[index]) else (TextEdit(lines, ""),)
    if len(spans) < 2:
        return ()
    one, other = spans[:2] if index == 0 else spans[index - 1 : index + 1]
    if node.flow:
        taken = Span(one.start, other.start) if index == 0 else Span(one.end, other.end)
        return (TextEdit(taken, ""),) if _COMMA.fullmatch(text, one.end, other.start) else ()
    span = spans[index]
    lines = Span(line_start(text, span.start), next_line_start(text, span.end))
    beside = text[lines.start : span.start]
    if index == 0:
        lines, beside = Span(span.start, other.start), beside.strip(" -\ufeff")
    beside += text[span.end : lines.end]
    return () if beside.strip() else (TextEdit(lines, ""),)


def remove_item(tree: NodeTree, span: Span) -> Edits:
    """Remove the list item whose content is at `span`, as `remove` does; brackets with one item go with their key."""
    above: Node | None = None
    for node in nodes_around(tree, span):
        index = item_at(node, span)
        if isinstance(node, SequenceNode) and node.flow and index is not None:
            if len(node.items) == 1 and isinstance(above, MappingNode):
                return remove_pair_of(tree.text, above, node)
            return remove(tree.text, node, index)
        above = node
    lines = item_lines(tree.text, span)
    return () if lines is None or has_comment(tree.text, lines, span) else (TextEdit(lines, ""),)


def remove_pair_of(text: str, mapping: MappingNode, listed: SequenceNode) -> Edits:
    """Remove the key of `mapping` with its value `listed`, brackets of one item."""
    at = pair_of(mapping, listed)
    if at is None:
        return ()
    span, item = mapping.pairs[at].span, listed.items[0].span
    between = text[mapping.pairs[at].key.span.end : item.start] + text[item.end : span.end]
    return () if "#" in between else remove(text, mapping, at)


def set_key(text: str, mapping: MappingNode, key: str, source: str, order: Sequence[str] = ()) -> Edits:
    """Give `key` of `mapping`, which is not empty, the value `source`: in place of the present one, or as a new pair.

    A new pair stands behind those that precede it in `order`, or first; without an `order`, last. `source` may have
    several lines, the later ones indented from the column of the key; a block begins with a line break.
    """
    pair = mapping.pair(key)
    if pair is not None:
        return set_value(text, pair, source)
    names = list(mapping.keys())
    before = order[: order.index(key)] if key in order else names
    at = max((at + 1 for at, name in enumerate(names) if name in before), default=0)
    return insert(text, mapping, at, pair_source(text, mapping, key, source))


def set_value(text: str, pair: Pair, source: str) -> Edits:
    """Replace the value of `pair` by `source`, or write it where there is none. Refused if a comment is in the old.

    A comment that stands behind the old value stays behind the first line of the new one.
    """
    span = pair.value.span
    is_lost = _loses_comment(text, pair) if span.start < span.end else ":" not in text[pair.key.span.end : span.start]
    if is_lost:
        return ()
    end = span.start + len(span.of(text).rstrip("\r\n"))  # a block ends behind its last line break
    if "\n" not in source and is_one_line(text, Span(pair.key.span.end, span.start)):
        return (TextEdit(Span(span.start, end), source if span.start < span.end else f" {source}"),)
    colon = text.find(":", pair.key.span.end, max(span.start, pair.key.span.end) + 2) + 1
    ending = max(colon, end)
    rest = text[ending : line_end(text, ending)]
    if not colon or rest.lstrip()[:1] not in ("", "#"):
        return ()
    newline = newline_of(text)
    first, opening, others = _on_lines(text, source, column(text, pair.key.span.start)).partition(newline)
    written = f"{first and f' {first}'}{rest.rstrip() if opening else rest}{opening}{others}"
    return (TextEdit(Span(colon, ending + len(rest)), written),)


def rename(text: str, key: Node, name: str) -> Edits:
    """Write `name` instead of `key`, in its quotes."""
    return (TextEdit(key.span, key_like(text, key, name)),)


def quote(node: ScalarNode, text: str | None = None, *, is_json: bool = False) -> Edits:
    """Write `node` in quotes, so that it reads as a text: as `text`, or as what is written."""
    return (TextEdit(node.span, quoted(node.text if text is None else text, is_json=is_json)),)


def wrap(text: str, node: ScalarNode, name: str, key: str, source: str) -> Edits:
    """Make `node`, an item of a list, the value of `name` in a mapping that has `key: source` too."""
    span, dash = node.span, dash_before(text, node.span.start)
    if dash is None:
        sign = '"' if text[span.start] == '"' else ""
        opening = TextEdit(Span(span.start, span.start), f"{{{sign}{name}{sign}: ")
        return (opening, TextEdit(Span(span.end, span.end), f", {sign}{key}{sign}: {source}}}"))
    if line_start(text, dash) != line_start(text, span.start):
        return ()
    inner = () if is_one_line(text, span) else tuple(reindented(text, span, 2))
    added = lines_below(text, node, [f"{' ' * column(text, span.start)}{key}: {source}"])
    return (TextEdit(Span(span.start, span.start), f"{name}: "), *inner, added)


def unwrap(text: str, node: SequenceNode) -> Edits:
    """Remove the list around the items of `node`, itself an item of a list, by moving lines or removing brackets."""
    if node.flow:
        return _unbracketed(text, node)
    dash = dash_before(text, node.span.start)
    if dash is None or "#" in text[dash : node.span.start] or text[line_start(text, dash) : dash].strip():
        return ()
    by = column(text, node.span.start) - column(text, dash)
    return (TextEdit(Span(dash, node.span.start), ""), *reindented(text, node.span, -by))


def move(
    text: str,
    listed: SequenceNode,
    index: int,
    target: SequenceNode,
    change: Edits = (),
    removal: Edits | None = None,
) -> Edits:
    """Move the item `index` of `listed`, with `change` applied, to the end of `target`, which is not empty.

    `removal` removes more than the item, such as the key of a list that it leaves empty. In blocks the comments of the
    item go with it. Refused where one list is a block and the other in brackets, and where blocks have other columns.
    """
    if listed.flow != target.flow or not target.items:
        return ()
    item, last = listed.items[index].span, target.items[-1].span
    if listed.flow:
        removed = remove(text, listed, index) if removal is None else removal
        written = _moved(text, changed(text, item, change), item.start, last.start)
        return (*insert(text, target, len(target.items), written), *removed) if removed else ()
    lines, there = item_lines(text, item), item_lines(text, last)
    if lines is None or there is None or not _are_level(text, item, last):
        return ()
    if text[there.end - 1 : there.end] not in ("\n", "\r") or lines.start < there.end < lines.end:
        return ()
    moved = changed(text, lines, change)
    moved += "" if moved.endswith(("\n", "\r")) else newline_of(text)
    edits = (TextEdit(Span(there.end, there.end), moved), *(removal or (TextEdit(lines, ""),)))
    return tuple(sorted(edits, key=lambda edit: edit.span))


def item_at(node: Node, span: Span) -> int | None:
    """The index of the item of a list whose content is at `span`; None if there is none."""
    near = indices_near(node, span.start) if isinstance(node, SequenceNode) else ()
    return next((index for index in near if isinstance(node, SequenceNode) and node.items[index].span == span), None)


def pair_of(mapping: MappingNode, value: Node) -> int | None:
    """The index of the pair of `mapping` whose value is `value` itself, not an alias of it; None if there is none."""
    return next((index for index, pair in enumerate(mapping.pairs) if pair.value is value), None)


def key_like(text: str, key: Node, name: str) -> str:
    """`name` as a key, in the quotes of `key`."""
    sign = text[key.span.start]
    return f"{sign}{name}{sign}" if sign in "\"'" else name


def pair_source(text: str, mapping: MappingNode, key: str, source: str) -> str:
    """`key: source` as a pair of `mapping`: in brackets, the key is in the quotes of the first."""
    written = key_like(text, mapping.pairs[0].key, key) if mapping.flow else key
    return f"{written}:{source}" if source.startswith("\n") else f"{written}: {source}"


def item_lines(text: str, span: Span) -> Span | None:
    """The whole lines of the block list item whose content is at `span`; None if they hold anything else."""
    dash = dash_before(text, span.start)
    if dash is None or text[line_start(text, dash) : dash].strip():
        return None
    return Span(line_start(text, dash), next_line_start(text, max(span.end - 1, dash)))


def has_comment(text: str, lines: Span, span: Span) -> bool:
    """Whether a comment stands in the `lines` of a block list item, beside or within its content at `span`."""
    if "#" in text[lines.start : span.start] or "#" in text[span.end : lines.end]:
        return True
    return any(line.lstrip().startswith("#") or " #" in line for line in span.of(text).splitlines())


def lines_below(text: str, above: Node, lines: Sequence[str]) -> TextEdit:
    """The edit that writes whole `lines` below those of `above`: of a block of text, behind its own blank lines."""
    at = next_line_start(text, max(above.span.end - 1, above.span.start))
    last = last_scalar(above)
    if last is not None and last.style in (Style.LITERAL, Style.FOLDED):
        own = _BLANK_LINE if "+" in first_line(text, last.span).of(text) else _LINE_OF_BLANKS
        while (blank := own.match(text, at)) is not None:
            at = blank.end()
    newline = newline_of(text)
    written = "".join(f"{line}{newline}" for line in lines)
    is_ended = text[at - 1 : at] in ("\n", "\r")
    return TextEdit(Span(at, at), written if is_ended else newline + written.removesuffix(newline))


def _on_lines(text: str, source: str, margin: int) -> str:
    """`source` with the line breaks of `text`, its later lines indented by `margin`; a blank one stays so."""
    first, *others = source.split("\n")
    return newline_of(text).join([first, *(f"{' ' * margin}{line}" if line else "" for line in others)])


def changed(text: str, span: Span, change: Edits) -> str:
    """The text of `span` after the edits `change`, which lie within it."""
    return apply_edits(span.of(text), [edit.shifted(-span.start) for edit in change])


# Layout in brackets


def list_in_brackets(text: str, mapping: MappingNode, like: SequenceNode | None, *written: str) -> str:
    """The items `written` in brackets, as a value of `mapping`: laid out as `like`, a list at the same depth.

    Without one, or an item in it, they are on several lines if the pairs of `mapping` are.
    """
    if like is not None and like.flow and like.items:
        opening = text[like.span.start + 1 : like.items[0].span.start]
        closing = text[like.items[-1].span.end : like.span.end - 1]
        if (opening + closing).strip():
            opening = closing = ""
        return f"[{opening}{_gap(text, like, 0).join(written)}{closing}]"
    inner = text[mapping.span.start + 1 : mapping.pairs[0].span.start] if mapping.flow else ""
    found = re.fullmatch(r"\s*?(\r\n|\r|\n)([ \t]*)", inner)
    if found is None:
        return f"[{', '.join(written)}]"
    step = found[2].removeprefix(_indent(text, mapping.span.start))
    items = ",".join(f"{found[0]}{step}{each}" for each in written)
    return f"[{items}{found[0]}]"


def _in_brackets(text: str, node: Collection, index: int, written: Sequence[str]) -> TextEdit:
    spans = _elements(node)
    if not spans:
        return TextEdit(Span(node.span.start + 1, node.span.start + 1), ", ".join(written))
    gap = _gap(text, node, min(index, len(spans) - 1))
    if index == len(spans):
        end = spans[-1].end
        return TextEdit(Span(end, end), "".join(f"{gap}{each}" for each in written))
    start = spans[index].start
    return TextEdit(Span(start, start), "".join(f"{each}{gap}" for each in written))


def _gap(text: str, node: Collection, index: int) -> str:
    """The comma and the blanks that separate, or would separate, the element `index` of `node` from its neighbour."""
    spans = _elements(node)
    if len(spans) > 1:
        one, other = spans[:2] if index == 0 else spans[index - 1 : index + 1]
        gap = text[one.end : other.start]
        return gap if _COMMA.fullmatch(gap) else ", "
    opening = text[node.span.start + 1 : spans[0].start]
    return f",{opening}" if "\n" in opening and not opening.strip() else ", "


def _elements(node: Collection) -> list[Span]:
    """The spans of the items of a list, or of the pairs of a mapping."""
    return [each.span for each in (node.items if isinstance(node, SequenceNode) else node.pairs)]


def _last(node: Collection, index: int) -> Node:
    """The node with which the element `index` ends."""
    return node.items[index] if isinstance(node, SequenceNode) else node.pairs[index].value


def _unbracketed(text: str, node: SequenceNode) -> Edits:
    """`unwrap` for `[a, b]`: unchanged within brackets; in a block list, each item on a line of its own."""
    start, end = node.span.start, node.span.end
    if not node.items:
        return ()
    opening, closing = Span(start, node.items[0].span.start), Span(node.items[-1].span.end, end)
    if "#" in opening.of(text) or "#" in closing.of(text):
        return ()
    edits = [TextEdit(opening, ""), TextEdit(closing, "")]
    dash = dash_before(text, start)
    if dash is None:
        return (*edits, *_outdented(text, node))
    if len(node.items) == 1:
        return tuple(edits) if is_one_line(text, node.span) else ()
    if text[line_start(text, dash) : dash].strip() or not is_one_line(text, node.span):
        return ()
    item = f"{newline_of(text)}{' ' * column(text, dash)}- "
    gaps = zip(node.items, node.items[1:], strict=False)
    edits += (TextEdit(Span(before.span.end, after.span.start), item) for before, after in gaps)
    return tuple(sorted(edits, key=lambda edit: edit.span))


def _outdented(text: str, node: SequenceNode) -> Iterator[TextEdit]:
    """Edits that outdent the items of `node`, on lines of their own, to the column of its bracket."""
    first, end = node.items[0].span.start, node.items[-1].span.end
    if not is_one_line(text, Span(node.span.start, first)):
        for found in _indented(_indent(text, first)).finditer(text, first, end):
            yield TextEdit(Span(*found.span(1)), _indent(text, node.span.start))


def _moved(text: str, written: str, source: int, target: int) -> str:
    """The text `written` at `source`, with its later lines indented to fit the line of `target`."""
    by, to = _indent(text, source), _indent(text, target)
    return _indented(by).sub(lambda found: found[0][: -len(by) or None] + to, written)


def _indented(by: str) -> re.Pattern[str]:
    return re.compile(rf"(?:\r\n|\r|\n)({re.escape(by)})")


def _indent(text: str, offset: int) -> str:
    """The indentation of the line of `offset`."""
    line = text[line_start(text, offset) : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _are_level(text: str, one: Span, other: Span) -> bool:
    """Whether the dashes of two items are in the same column."""
    dashes = dash_before(text, one.start), dash_before(text, other.start)
    return len({None if dash is None else column(text, dash) for dash in dashes}) == 1


# What would be lost


def _loses_comment(text: str, pair: Pair) -> bool:
    """Whether there may be a comment within the value of `pair`, or before it."""
    value = resolved(pair.value)
    before, written = text[pair.key.span.end : pair.value.span.start], pair.value.span.of(text)
    if not isinstance(value, ScalarNode):
        return "#" in before or _COMMENT.search(_QUOTED.sub("", written)) is not None
    is_block = value.style in (Style.LITERAL, Style.FOLDED)
    return "#" in before or (is_block and "#" in first_line(text, value.span).of(text))

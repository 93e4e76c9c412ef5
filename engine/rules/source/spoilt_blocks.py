"""Points, prompts and headers that are written apart, and the edits that put them together.

A wide colon after a key, or no space after it, makes YAML read one text; `weight: 2` may stand as a point of its own.
"""

from __future__ import annotations

import re
from itertools import islice

from engine.parsing.demands import HIGHEST, LOWEST
from engine.rules.rule import FileView
from engine.text import Fix, Record, Span, TextEdit, lazy
from engine.yaml.edit import Edits, insert, pair_source, remove, wrap
from engine.yaml.layout import column, dash_before, is_one_line, line_start
from engine.yaml.line_slips import BULLET, KEYS, bullet_kind, false_spaces, spoilt_key
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, property_name
from engine.yaml.slips import POINT_KEYS, Line, Slip, lines_of, placed_lines
from engine.yaml.tree_loader import load, nodes_around, value_below
from engine.yaml.trial import works

_MOST_LINES = 300
"""How many lines a text may have that was meant as a header, a prompt or a list."""


class Spoilt(Record):
    """The slips of a block that YAML reads as one text, and the edits that make it what it was meant as."""

    slips: tuple[Slip, ...]
    edits: Edits

    @property
    def fix(self) -> Fix:
        """The fix for all slips, named after the first."""
        return Fix(self.slips[0].title, True, self.edits)


def spoilt_keys(text: str, span: Span) -> Spoilt | None:
    """What spoils the header or the prompt that the plain text at `span` was meant as; None if it was not.

    The first line has to be such a key.
    """
    lines = _lines(text, span)
    found = [slip for line in lines if line.column == lines[0].column and (slip := spoilt_key(line, KEYS)) is not None]
    return _as_mapping(text, lines, found, ()) if found and _has(lines[0], found[0]) else None


def spoilt_point_keys(text: str, span: Span) -> Spoilt | None:
    """The same for a point: `text:Names the fee`, or a plain text above `weight:2`."""
    lines = _lines(text, span)
    found = [slip for line in lines if (slip := spoilt_key(line, POINT_KEYS)) is not None]
    if not found:
        return None
    if _has(lines[0], found[0]):
        return _as_mapping(text, lines, found, ())
    if len(found) != len(lines) - 1:
        return None
    start, column = span.start, lines[0].column
    before = TextEdit(Span(start, start), "text: ")
    moved = (TextEdit(Span(line.start, line.start + line.column), " " * column) for line in lines[1:])
    return _as_mapping(
        text, lines, found, (before, *(edit for edit in moved if edit.span.end - edit.span.start != column))
    )


def _lines(text: str, span: Span) -> list[Line]:
    """The lines of `span`, the first without what stands before it; none of a text that is too long."""
    start = line_start(text, span.start)
    lines = list(placed_lines(" " * (span.start - start) + span.of(text), start))
    return lines if len(lines) <= _MOST_LINES else []


def _has(line: Line, slip: Slip) -> bool:
    return line.start <= slip.span.start <= line.span.end


def _as_mapping(text: str, lines: list[Line], found: list[Slip], others: tuple[TextEdit, ...]) -> Spoilt | None:
    """The slips with the edits for all of them, if the lines are a mapping then."""
    edits = (*others, *(edit for slip in found for edit in slip.edits))
    first, margin = lines[0].content.start, " " * lines[0].column

    def is_mapping(fixed: str) -> bool:
        below = "".join(f"\n {line}" for line in f"{margin}{fixed}".split("\n"))
        return isinstance(value_below(f"{below}\n"), MappingNode)

    is_one = works(text, edits, is_mapping, Span(first, lines[-1].span.end))
    return Spoilt(tuple(found), edits) if is_one else None


_DASH = lazy(r"(?P<margin> *)-(?P<gap>[ \t]+)(?=\S)")
_NO_SPACE = lazy(r"(?P<margin> *)(?P<sign>-)(?=[^\s-])")
_KEY = "k:\n"
"""What the lines of a list are read below."""


def spoilt_list(text: str, span: Span, key: str) -> Spoilt | None:
    """What spoils the list that the plain text at `span`, the value of `key`, was meant as; None if it was not."""
    start = line_start(text, span.start)
    lines = [line.shifted(start) for line in lines_of(text[start : span.end])]
    if text[start : span.start].strip() or len(lines) > _MOST_LINES:
        return None
    found = ([*islice(false_spaces(text, span), 1)], _bullets(text, lines, key), _first_dash(text, lines, key))
    read = (_as_sequence(text, Span(start, span.end), slips) for slips in found if slips)
    return next(filter(None, read), None)


def _bullets(text: str, lines: list[Span], key: str) -> list[Slip]:
    """The signs that are no dash of a list, one slip for each kind of them."""
    found: dict[str, list[tuple[Span, str, TextEdit]]] = {}
    for line in lines:
        match = _NO_SPACE.match(line.of(text)) or BULLET.match(line.of(text))
        if match is not None:
            sign, edit = match["sign"].strip(), TextEdit(Span(*match.span("sign")).shifted(line.start), "- ")
            found.setdefault(bullet_kind(sign), []).append((line, sign, edit))
    slips: list[Slip] = []
    for (line, sign, edit), *others in found.values():
        message, title = f"lists use `-`, not `{sign}`: as it stands, `{key}` is not a list", "write `-`"
        if sign == "-":
            message, title = f"put a space after `-`: without it, `{key}` is not a list", "add the space"
        slips.append(Slip(line, message, title, (edit, *(each for _, _, each in others))))
    is_list = bool(slips) and not text[lines[0].start : slips[0].edits[0].span.start].strip()
    return slips if is_list else []


def _first_dash(text: str, lines: list[Span], key: str) -> list[Slip]:
    dash = next(filter(None, (_DASH.match(line.of(text)) for line in lines[1:])), None)
    if dash is None:
        return []
    first, written = lines[0], lines[0].of(text)
    edit = TextEdit(Span(first.start, first.start + len(written) - len(written.lstrip(" "))), f"{dash['margin']}- ")
    return [Slip(first, f"put `- ` before this: without it, `{key}` is not a list", "add the dash", (edit,))]


def _as_sequence(text: str, span: Span, slips: list[Slip]) -> Spoilt | None:
    """`slips` with all others in the lines of `span`, and the edits for them; None if they are no list even so."""
    from engine.yaml.recovery import EditedText  # here, as few files have one, and it brings the slips

    edits = sorted((edit for slip in slips for edit in slip.edits), key=lambda edit: edit.span)
    edited = EditedText.of(text, span).edited(edit.shifted(-span.start) for edit in edits)
    tree = load(_KEY + edited.text + "\n")
    others = [edited.diagnostic(diagnostic.shifted(-len(_KEY))) for diagnostic in tree.diagnostics]
    if not all(each.fixes for each in others):
        return None
    edits += (edit for each in others for edit in each.fixes[0].edits)
    slips = [*slips, *(Slip(each.span, each.message) for each in others)]
    is_one = works(text, edits, lambda fixed: isinstance(value_below(f"\n{fixed}\n"), SequenceNode), span)
    return Spoilt(tuple(slips), tuple(edits)) if is_one else None


_WEIGHTS = ("weight", "multiplier")


def joined_with_point_above(span: Span, view: FileView, weight: str | None = None) -> tuple[Fix, ...]:
    """The fix that makes the pair at `span` part of the point above it in the same list.

    With a `weight`, a text at `span` that only names this one.
    """
    for listed in reversed([*nodes_around(view.tree, span)]):
        items = listed.items if isinstance(listed, SequenceNode) else ()
        index = next((at for at, item in enumerate(items) if item.span.start <= span.start < item.span.end), 0)
        if isinstance(listed, SequenceNode) and index:
            key, written = ("weight", weight) if weight else _pair_of(items[index], view.text)
            join = _joined_in_brackets if listed.flow else _joined_below
            edits = join(view.text, listed, index, key, written) if written else ()
            return (Fix("join it with the criterion above", False, edits),)
    return ()


def _pair_of(item: Node, text: str) -> tuple[str, str | None]:
    """The key and the source of the only pair of an item; None as the source of what cannot be joined."""
    if not isinstance(item, MappingNode) or len(item.pairs) != 1 or not isinstance(item.pairs[0].value, ScalarNode):
        return "", None
    key, value = property_name(item.pairs[0].key), item.pairs[0].value
    if key not in _WEIGHTS:
        return key, value.span.of(text)
    is_weight = re.fullmatch(r"\d+(\.\d+)?", value.text) and LOWEST <= float(value.text) <= HIGHEST
    return key, value.text if is_weight else None


def _joined_below(text: str, listed: SequenceNode, index: int, key: str, source: str) -> Edits:
    """The edits that write an item of a block list as a key of the item above it."""
    above, item = listed.items[index - 1 : index + 1]
    opening: Edits = ()
    dash = dash_before(text, item.span.start)
    match above:
        case MappingNode(flow=False) if _accepts_key(above, key):
            pass
        case ScalarNode(value=str(written)) if is_one_line(text, above.span) and not written.startswith("$"):
            opening = (TextEdit(Span(above.span.start, above.span.start), "point: "),)
        case _:
            return ()
    if dash is None or text[line_start(text, dash) : dash].strip():
        return ()
    line = f"{' ' * column(text, above.span.start)}{key}: {source}"
    return (*opening, TextEdit(Span(line_start(text, dash), item.span.end), line))


def _joined_in_brackets(text: str, listed: SequenceNode, index: int, key: str, source: str) -> Edits:
    """The same, of a list in brackets. Empty where a comment would be lost, too."""
    above, item = listed.items[index - 1 : index + 1]
    joined: Edits = ()
    match above:
        case MappingNode() if _accepts_key(above, key):
            joined = insert(text, above, len(above.pairs), pair_source(text, above, key, source))
        case ScalarNode(value=str(written)) if not written.startswith("$"):
            if not isinstance(item, MappingNode) or text[item.span.start] != "{":
                joined = wrap(text, above, "point", key, source)
            elif inserted := insert(text, item, 0, pair_source(text, item, "point", above.span.of(text))):
                joined, index = (*inserted, TextEdit(item.pairs[0].value.span, source)), index - 1
        case _:
            pass
    removed = remove(text, listed, index)
    return tuple(sorted((*joined, *removed), key=lambda edit: edit.span)) if joined and removed else ()


def _accepts_key(point: MappingNode, key: str) -> bool:
    """Whether `key` can be added to `point`: it lacks the key, and is a check or a mapping with `point` or `text`."""
    names = [property_name(pair.key) for pair in point.pairs]
    return key not in names and any(name in ("point", "text", "fn") or name.startswith("$") for name in names)

"""A header, a prompt or a point whose keys have a wide colon, or no space after it, so that YAML reads one text."""

from __future__ import annotations

from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import Span, TextEdit
from engine.yaml import load
from engine.yaml.key_names import POINT_KEYS
from engine.yaml.line_slips import BULLET, KEYS, bullet_kind, false_spaces, spoilt_key
from engine.yaml.nodes import MappingNode, SequenceNode
from engine.yaml.piece_trial import EditedText
from engine.yaml.rows import lines_of
from engine.yaml.slips import Line, Slip, line_start, placed_lines
from engine.yaml.tree_loader import value_below
from engine.yaml.trial import works

_MOST_LINES = 300
"""How many lines a text may have that was meant as a header, a prompt or a list."""


class SpoiltKeys(Record):
    """The slips of the keys of a mapping that YAML reads as one text, and the edits that make it a mapping."""

    slips: tuple[Slip, ...]
    edits: tuple[TextEdit, ...]


def spoilt_keys(text: str, span: Span) -> SpoiltKeys | None:
    """What spoils the header or the prompt that the plain text at `span` was meant as; None if it was not.

    The first line has to be such a key.
    """
    lines = _lines(text, span)
    found = [slip for line in lines if line.column == lines[0].column and (slip := spoilt_key(line, KEYS)) is not None]
    return _as_mapping(text, lines, found, ()) if found and _has(lines[0], found[0]) else None


def spoilt_point_keys(text: str, span: Span) -> SpoiltKeys | None:
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


def _as_mapping(text: str, lines: list[Line], found: list[Slip], others: tuple[TextEdit, ...]) -> SpoiltKeys | None:
    """The slips with the edits for all of them, if the lines are a mapping then."""
    edits = (*others, *(edit for slip in found for edit in slip.edits))
    first, margin = lines[0].content.start, " " * lines[0].column

    def is_mapping(fixed: str) -> bool:
        below = "".join(f"\n {line}" for line in f"{margin}{fixed}".split("\n"))
        return isinstance(value_below(f"{below}\n"), MappingNode)

    is_one = works(text, edits, is_mapping, Span(first, lines[-1].span.end))
    return SpoiltKeys(tuple(found), edits) if is_one else None


_DASH = lazy(r"(?P<margin> *)-(?P<gap>[ \t]+)(?=\S)")
_NO_SPACE = lazy(r"(?P<margin> *)(?P<sign>-)(?=[^\s-])")
_KEY = "k:\n"
"""What the lines of a list are read below."""


class SpoiltList(Record):
    """What spoils a list, in words for its author, and the edits that make it a list."""

    message: str
    title: str
    edits: tuple[TextEdit, ...]
    others: tuple[tuple[Span, str], ...] = ()
    """Further slips in the list, which the edits correct as well: their places and messages."""


def spoilt_list(text: str, span: Span, key: str) -> SpoiltList | None:
    """The list that the plain text at `span`, the value of `key`, was meant as; None if it was meant as none."""
    start = line_start(text, span.start)
    if text[start : span.start].strip():
        return None
    lines = [line.shifted(start) for line in lines_of(text[start : span.end])]
    if len(lines) > _MOST_LINES:
        return None
    for found in (_false_spaces(text, span), _bullets(text, lines, key), _first_dash(text, lines, key)):
        read = None if found is None else _as_sequence(text, Span(start, span.end), found)
        if read is not None:
            return read
    return None


def _false_spaces(text: str, span: Span) -> SpoiltList | None:
    slip = next(false_spaces(text, span), None)
    return None if slip is None else SpoiltList(slip.message, slip.title, slip.edits)


def _bullets(text: str, lines: list[Span], key: str) -> SpoiltList | None:
    edits: list[TextEdit] = []
    signs: list[str] = []
    others: list[tuple[Span, str]] = []
    for line in lines:
        written = line.of(text)
        sign = _NO_SPACE.match(written) or BULLET.match(written)
        if sign is not None:
            edits.append(TextEdit(Span(*sign.span("sign")).shifted(line.start), "- "))
            signs.append(sign["sign"].strip())
            if bullet_kind(signs[-1]) not in {bullet_kind(each) for each in signs[:-1]}:
                others.append((line, _message(signs[-1], key)))
    first = lines[0].of(text).strip() if lines else ""
    if not signs or not first.startswith(signs[0]):
        return None
    title = "add the space" if signs[0] == "-" else "write `-`"
    return SpoiltList(others[0][1], title, tuple(edits), tuple(others[1:]))


def _message(sign: str, key: str) -> str:
    if sign == "-":
        return f"put a space after `-`: without it, `{key}` is not a list"
    return f"lists use `-`, not `{sign}`: as it stands, `{key}` is not a list"


def _first_dash(text: str, lines: list[Span], key: str) -> SpoiltList | None:
    dashes = [dash for line in lines[1:] if (dash := _DASH.match(line.of(text))) is not None]
    if not dashes:
        return None
    first = lines[0]
    column = len(first.of(text)) - len(first.of(text).lstrip(" "))
    edit = TextEdit(Span(first.start, first.start + column), f"{dashes[0]['margin']}- ")
    message = f"put `- ` before this: without it, `{key}` is not a list"
    return SpoiltList(message, "add the dash", (edit,))


def _as_sequence(text: str, span: Span, found: SpoiltList) -> SpoiltList | None:
    """`found` with the edits for all other slips in the lines of `span`; None if they are no list even so."""
    edited = EditedText.of(text, span)
    edited = edited.edited(edit.shifted(-span.start) for edit in found.edits)
    tree = load(_KEY + edited.text + "\n")
    others: list[tuple[Span, str]] = []
    edits = list(found.edits)
    for diagnostic in tree.diagnostics:
        own = edited.diagnostic(diagnostic.shifted(-len(_KEY)))
        if not own.fixes:
            return None
        edits += own.fixes[0].edits
        others.append((own.span, own.message))
    is_one = works(text, edits, lambda fixed: isinstance(value_below(f"\n{fixed}\n"), SequenceNode), span)
    return SpoiltList(found.message, found.title, tuple(edits), (*found.others, *others)) if is_one else None

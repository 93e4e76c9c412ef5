"""Lists whose dashes are spoilt, so that YAML reads one text: bullets, `-` without a space, a missing dash."""

from __future__ import annotations

from engine.patterns import lazy
from engine.record import Record
from engine.rules.source.written_values import value_below
from engine.text import Span, TextEdit, apply_edits
from engine.yaml_nodes import load
from engine.yaml_nodes.edited_text import EditedText
from engine.yaml_nodes.line_slips import BULLET, bullet_kind, false_spaces
from engine.yaml_nodes.line_spans import line_start
from engine.yaml_nodes.nodes import SequenceNode
from engine.yaml_nodes.rows import lines_of

_DASH = lazy(r"(?P<margin> *)-(?P<gap>[ \t]+)(?=\S)")
_NO_SPACE = lazy(r"(?P<margin> *)(?P<sign>-)(?=[^\s-])")
_MOST_LINES = 300
"""How many lines a text may have that was meant as a list."""
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
        read = None if found is None else _as_list(text, Span(start, span.end), found)
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


def _as_list(text: str, span: Span, found: SpoiltList) -> SpoiltList | None:
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
    try:
        fixed = apply_edits(span.of(text), (edit.shifted(-span.start) for edit in edits))
    except ValueError:  # edits that overlap
        return None
    if not isinstance(value_below(f"\n{fixed}\n"), SequenceNode):
        return None
    return SpoiltList(found.message, found.title, tuple(edits), (*found.others, *others))

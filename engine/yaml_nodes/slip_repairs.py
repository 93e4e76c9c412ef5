"""Finds the slips of a broken piece one after the other, each with the edits that repair it in thought.

What was found is remembered: a change to one piece of a text leaves the others as they are, and trying the fixes of a
text reads it many times.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from engine.diagnostics import Diagnostic
from engine.record import Record
from engine.text import Span, TextEdit
from engine.yaml_nodes import diagnosis
from engine.yaml_nodes.cursor import Refusal
from engine.yaml_nodes.edited_text import EditedText
from engine.yaml_nodes.line_spans import line_start
from engine.yaml_nodes.nodes import Node
from engine.yaml_nodes.piece_trial import Effort, Trial
from engine.yaml_nodes.reader import Reader

_MAXIMUM_REPAIRS = 16
"""How many slips of one piece are repaired in thought; what follows further ones is not read."""
_LONGEST_REMEMBERED = 8_000
"""Characters of a piece whose repairs are remembered; a long prompt has 4,000."""
_CAPACITY = 500

_Key: TypeAlias = tuple[str, str, int, int | None, int, Span | None]


class Repairs(Record):
    """The slips that were `found` in a piece, with offsets of the piece, and the `edits` that repair it in thought.

    The edits are one tuple for each repair, with offsets of the piece as the repairs before have left it. `lost` are
    the lines that repairs leave out. To find them took `effort` characters of reading.
    """

    found: tuple[Diagnostic, ...]
    lost: tuple[Span, ...]
    edits: tuple[tuple[TextEdit, ...], ...]
    effort: int


_remembered: dict[_Key, Repairs] = {}


def repairs_of(text: str, refused: Refusal, known: Mapping[str, Node], effort: Effort) -> Repairs:
    """The repairs of a piece, all of `text`, which is refused with `refused`; `known` are the anchors before it."""
    if known or len(text) > _LONGEST_REMEMBERED:
        return _found(text, refused, known, effort)
    key = (text, refused.reason, refused.offset, refused.opening, refused.node_start, refused.multiline_quote)
    repairs = _remembered.get(key)
    if repairs is not None and repairs.effort <= effort.left:
        effort.left -= repairs.effort
        return repairs
    had_failed, effort.has_failed = effort.has_failed, False
    repairs = _found(text, refused, known, effort)
    if not effort.has_failed:
        if len(_remembered) >= _CAPACITY:
            _remembered.clear()
        _remembered[key] = repairs
    effort.has_failed = effort.has_failed or had_failed
    return repairs


def _found(text: str, refused: Refusal, known: Mapping[str, Node], effort: Effort) -> Repairs:
    before = effort.left
    edited = EditedText.of(text, Span(0, len(text)))
    refusal: Refusal | None = refused
    found: list[Diagnostic] = []
    lost: list[Span] = []
    steps: list[tuple[TextEdit, ...]] = []
    while refusal is not None and len(steps) < _MAXIMUM_REPAIRS:
        trial = Trial(edited.text, refusal, known, effort)
        diagnostic = diagnosis.diagnose_refusal(trial)
        own = edited.diagnostic(diagnostic)
        if not (found and lost and _continues(found[-1], own, lost[-1], text)):
            found.append(own)
        edits = diagnostic.fixes[0].edits if diagnostic.fixes else trial.skipped
        if not edits:
            break
        if not diagnostic.fixes:
            lost += (edited.span(edit.span) for edit in edits)
        if not effort.spend(len(edited.text)):
            break
        edited = edited.edited(edits)
        steps.append(edits)
        refusal = Reader(edited.text, 0, len(edited.text), dict(known)).read_to_refusal()
    return Repairs(tuple(found), tuple(lost), tuple(steps), before - effort.left)


def _continues(before: Diagnostic, after: Diagnostic, lost: Span, text: str) -> bool:
    """Whether two errors without a fix are of one block: the same cause, on lines that follow each other."""
    if before.fixes or after.fixes or before.message != after.message:
        return False
    return lost.end <= after.span.start and not text[lost.end : line_start(text, after.span.start)].strip()

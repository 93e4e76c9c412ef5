"""Reads a broken piece to its end: each slip is diagnosed, repaired in thought, and reading goes on below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.diagnostics import Diagnostic, Fix
from engine.record import Record, replace
from engine.text import Span, apply_edits
from engine.yaml_nodes import diagnosis
from engine.yaml_nodes.cursor import Refusal
from engine.yaml_nodes.edited_text import EditedText
from engine.yaml_nodes.line_spans import line_start
from engine.yaml_nodes.lost_points import LostPoints, lost_points
from engine.yaml_nodes.nodes import Document, Node
from engine.yaml_nodes.piece_trial import Effort, Trial
from engine.yaml_nodes.placed_nodes import PlacedNodes
from engine.yaml_nodes.reader import Reader
from engine.yaml_nodes.tagged_nodes import Duplicate

_MAXIMUM_REPAIRS = 16
"""How many slips of one piece are repaired in thought; what follows further ones is not read."""


_MOST_TRIED_ALONE = 4
"""How many fixes of layout are tried alone in one piece. Later ones have a fix once the first slips are fixed."""


class RepairedPiece(Record):
    """What a broken piece holds once its slips are repaired in thought, with places in the author's text.

    `lost` are the parts that no repair makes readable: lines that were left out, and what follows the last error.
    """

    documents: tuple[Document, ...]
    duplicates: tuple[Duplicate, ...]
    diagnostics: tuple[Diagnostic, ...]
    lost: tuple[Span, ...]


def repair(
    text: str, piece: Span, refused: Refusal, known: dict[str, Node], effort: Effort, *, is_trial: bool = False
) -> RepairedPiece:
    """Read `piece`, which is refused with `refused`; `known` are the anchors before it, to which its own are added.

    If this `is_trial`, fixes are not tried alone: some of them may only fit the text as an earlier repair left it.
    """
    before = dict(known)
    points = lost_points(text, piece)
    if points is not None:
        return _below_points(text, piece, points, known, effort)
    read = _repaired(text, piece, refused, known, effort)
    if is_trial:
        return read
    diagnostics = tuple(_sound_fixes(read.diagnostics, text, piece, before, effort))
    return replace(read, diagnostics=diagnostics)


def _below_points(text: str, piece: Span, points: LostPoints, known: dict[str, Node], effort: Effort) -> RepairedPiece:
    """Read what follows points at the margin, with which `piece` begins: further keys of the prompt above."""
    found = diagnosis.diagnose_lost_points(points)
    lost = Span(piece.start, points.end)
    rest = Span(min(points.end + 1, piece.end), piece.end)
    reader = Reader(rest.of(text), 0, rest.end - rest.start, dict(known))
    refusal = reader.read_to_refusal()
    if refusal is None:
        return RepairedPiece((), (), (found,), (Span(lost.start, piece.end),))
    read = _repaired(text, rest, refusal.shifted(rest.start), known, effort)
    return RepairedPiece((), (), (found, *read.diagnostics), (Span(lost.start, piece.end),))


def _sound_fixes(
    found: Sequence[Diagnostic], text: str, piece: Span, known: dict[str, Node], effort: Effort
) -> Iterator[Diagnostic]:
    """`found` without the fixes of layout that only fit the text as an earlier repair left it.

    Each fix has to work alone, so one is tried if lines were moved or left out in thought before it was found.
    """
    is_other_layout = False
    untried = _MOST_TRIED_ALONE
    for diagnostic in found:
        moves = any(is_of_layout(fix, text) for fix in diagnostic.fixes)
        is_doubtful = moves and is_other_layout
        untried -= is_doubtful
        if is_doubtful and (untried < 0 or not _leaves_fewer(diagnostic, found, text, piece, known, effort)):
            yield replace(diagnostic, fixes=())
        else:
            yield diagnostic
        is_other_layout = is_other_layout or moves or not diagnostic.fixes


def is_of_layout(fix: Fix, text: str) -> bool:
    """Whether `fix` changes the indentation of lines."""
    return any(not text[line_start(text, edit.span.start) : edit.span.start].strip() for edit in fix.edits)


def _leaves_fewer(
    diagnostic: Diagnostic,
    found: Sequence[Diagnostic],
    text: str,
    piece: Span,
    known: dict[str, Node],
    effort: Effort,
) -> bool:
    """Whether the fix of `diagnostic` alone leaves fewer errors than are `found` in `piece`, and fewer of its rule."""
    if not effort.spend(piece.end - piece.start):
        return False
    after = apply_edits(piece.of(text), (edit.shifted(-piece.start) for edit in diagnostic.fixes[0].edits))
    reader = Reader(after, 0, len(after), dict(known))
    refusal = reader.read_to_refusal()
    if refusal is None:
        return True
    left = _repaired(after, Span(0, len(after)), refusal, dict(known), effort).diagnostics
    return len(left) < len(found) and _count_of(diagnostic.slug, left) < _count_of(diagnostic.slug, found)


def _count_of(slug: str, diagnostics: Sequence[Diagnostic]) -> int:
    return sum(each.slug == slug for each in diagnostics)


def _repaired(text: str, piece: Span, refused: Refusal, known: dict[str, Node], effort: Effort) -> RepairedPiece:
    edited = EditedText.of(text, piece)
    refusal: Refusal | None = refused.shifted(-piece.start)
    found: list[Diagnostic] = []
    lost: list[Span] = []
    anchors = dict(known)
    reader: Reader | None = None
    for _ in range(_MAXIMUM_REPAIRS):
        if refusal is None:
            break
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
        anchors = dict(known)
        reader = Reader(edited.text, 0, len(edited.text), anchors)
        refusal = reader.read_to_refusal()
    if reader is None:
        reader = Reader(edited.text, 0, len(edited.text), anchors)
        refusal = reader.read_to_refusal()
    if refusal is not None:
        lost.append(Span(edited.origin(min(refusal.offset, len(edited.text))), piece.end))
    placed = PlacedNodes(text, edited)
    documents = tuple(map(placed.document, reader.documents))
    duplicates = tuple(map(placed.duplicate, reader.duplicates))
    known.clear()
    known.update(placed.anchors(anchors))
    return RepairedPiece(documents, duplicates, tuple(found), tuple(lost))


def _continues(before: Diagnostic, after: Diagnostic, lost: Span, text: str) -> bool:
    """Whether two errors without a fix are of one block: the same cause, on lines that follow each other."""
    if before.fixes or after.fixes or before.message != after.message:
        return False
    return lost.end <= after.span.start and not text[lost.end : line_start(text, after.span.start)].strip()


def diagnose_only(text: str, piece: Span, refused: Refusal, known: dict[str, Node], effort: Effort) -> Diagnostic:
    """The diagnostic of the first error of `piece`, which is refused with `refused`."""
    edited = EditedText.of(text, piece)
    trial = Trial(edited.text, refused.shifted(-piece.start), known, effort)
    return edited.diagnostic(diagnosis.diagnose_refusal(trial))

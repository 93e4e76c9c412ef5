"""Reads a broken piece to its end: each slip is diagnosed, repaired in thought, and reading goes on below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.diagnostics import Diagnostic, Fix
from engine.record import Record, replace
from engine.text import Span
from engine.yaml_nodes import diagnosis
from engine.yaml_nodes.cursor import Refusal
from engine.yaml_nodes.edited_text import EditedText
from engine.yaml_nodes.line_spans import line_start
from engine.yaml_nodes.lost_points import LostPoints, lost_points
from engine.yaml_nodes.nodes import Document, Node
from engine.yaml_nodes.piece_trial import Effort, Trial
from engine.yaml_nodes.placed_nodes import PlacedNodes
from engine.yaml_nodes.reader import Reader
from engine.yaml_nodes.slip_repairs import repairs_of
from engine.yaml_nodes.tagged_nodes import Duplicate
from engine.yaml_nodes.trial import works

_MOST_TRIED_ALONE = 4
"""How many fixes of layout are tried alone in one piece. Later ones have a fix once the first slips are fixed."""
_MOST_SLIPS = 8
"""How many slips a piece may have for its fixes to be tried alone: each trial finds all the others again."""


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
    untried = _MOST_TRIED_ALONE if len(found) <= _MOST_SLIPS else 0
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

    def ends(after: str) -> bool:
        reader = Reader(after, 0, len(after), dict(known))
        refusal = reader.read_to_refusal()
        if refusal is None:
            return True
        left = _repaired(after, Span(0, len(after)), refusal, dict(known), effort).diagnostics
        return len(left) < len(found) and _count_of(diagnostic.slug, left) < _count_of(diagnostic.slug, found)

    return effort.spend(piece.end - piece.start) and works(text, diagnostic.fixes[0].edits, ends, piece)


def _count_of(slug: str, diagnostics: Sequence[Diagnostic]) -> int:
    return sum(each.slug == slug for each in diagnostics)


def _repaired(text: str, piece: Span, refused: Refusal, known: dict[str, Node], effort: Effort) -> RepairedPiece:
    repairs = repairs_of(piece.of(text), refused.shifted(-piece.start), known, effort)
    edited = EditedText.of(text, piece)
    for edits in repairs.edits:
        edited = edited.edited(edits)
    anchors = dict(known)
    reader = Reader(edited.text, 0, len(edited.text), anchors)
    refusal = reader.read_to_refusal()
    lost = [span.shifted(piece.start) for span in repairs.lost]
    if refusal is not None:
        lost.append(Span(edited.origin(min(refusal.offset, len(edited.text))), piece.end))
    placed = PlacedNodes(text, edited)
    documents = tuple(map(placed.document, reader.documents))
    duplicates = tuple(map(placed.duplicate, reader.duplicates))
    known.clear()
    for name, node in placed.anchors(anchors).items():
        known[name] = node
    found = tuple(diagnostic.shifted(piece.start) for diagnostic in repairs.found)
    return RepairedPiece(documents, duplicates, found, tuple(lost))


def diagnose_only(text: str, piece: Span, refused: Refusal, known: dict[str, Node], effort: Effort) -> Diagnostic:
    """The diagnostic of the first error of `piece`, which is refused with `refused`."""
    edited = EditedText.of(text, piece)
    trial = Trial(edited.text, refused.shifted(-piece.start), known, effort)
    return edited.diagnostic(diagnosis.diagnose_refusal(trial))

"""Reads a broken piece to its end: each slip is diagnosed, repaired in thought, and reading goes on below it."""

from __future__ import annotations

from engine.diagnostics import Diagnostic
from engine.record import Record
from engine.text import Span
from engine.yaml_nodes import diagnosis
from engine.yaml_nodes.cursor import Refusal
from engine.yaml_nodes.edited_text import EditedText
from engine.yaml_nodes.guesses import with_guesses
from engine.yaml_nodes.lost_points import LostPoints, lost_points
from engine.yaml_nodes.nodes import Document, Node
from engine.yaml_nodes.piece_trial import Effort, Trial
from engine.yaml_nodes.placed_nodes import PlacedNodes
from engine.yaml_nodes.reader import Reader
from engine.yaml_nodes.slip_repairs import repairs_of
from engine.yaml_nodes.tagged_nodes import Duplicate


class RepairedPiece(Record):
    """What a broken piece holds once its slips are repaired in thought, with places in the author's text.

    `lost` are the parts that no repair makes readable: lines that were left out, and what follows the last error.
    """

    documents: tuple[Document, ...]
    duplicates: tuple[Duplicate, ...]
    diagnostics: tuple[Diagnostic, ...]
    lost: tuple[Span, ...]


def repair(text: str, piece: Span, refused: Refusal, known: dict[str, Node], effort: Effort) -> RepairedPiece:
    """Read `piece`, which is refused with `refused`; `known` are the anchors before it, to which its own are added."""
    points = lost_points(text, piece.start)
    if points is not None:
        return _below_points(text, piece, points, known, effort)
    return _repaired(text, piece, refused, known, effort)


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
    return RepairedPiece(documents, duplicates, with_guesses(found, text) if lost else found, tuple(lost))


def diagnose_only(text: str, piece: Span, refused: Refusal, known: dict[str, Node], effort: Effort) -> Diagnostic:
    """The diagnostic of the first error of `piece`, which is refused with `refused`."""
    edited = EditedText.of(text, piece)
    trial = Trial(edited.text, refused.shifted(-piece.start), known, effort)
    return edited.diagnostic(diagnosis.diagnose_refusal(trial))

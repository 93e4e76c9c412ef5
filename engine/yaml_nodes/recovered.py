"""What recovery makes of a text that js-yaml refuses."""

from __future__ import annotations

from collections.abc import Mapping

from engine.diagnostics import Diagnostic
from engine.text import Span
from engine.yaml_nodes.anchors import Anchors
from engine.yaml_nodes.cursor import Refusal
from engine.yaml_nodes.nodes import Document, Node
from engine.yaml_nodes.piece_trial import Effort
from engine.yaml_nodes.reader import Reader
from engine.yaml_nodes.repair import diagnose_only, repair
from engine.yaml_nodes.tagged_nodes import Duplicate

_MAXIMUM_BROKEN = 200
"""How many broken pieces are reported and partly read; any further ones are skipped."""
_EFFORT = 2_000_000
"""How many characters are read to find the fixes of one text: a third of a second, and many times what a slip takes."""
_TRIAL_EFFORT = 300_000
"""The same to try a fix, of which only the number of errors that it leaves counts."""


class Recovered:
    """The parts of a text that could be read. `refusal` is js-yaml's for the whole text, None if it accepts it.

    `broken` are the pieces that cannot be read as they are, `diagnostics` their errors, and `lost` what no repair makes
    readable. `duplicates` are all repeated keys; `early_duplicates` those that js-yaml finds before it reaches
    `refusal`. The text `is_torn` where two of its pieces cannot follow each other, and no fix joins them.
    """

    __slots__ = (
        "broken", "diagnostics", "documents", "duplicates", "early_duplicates", "effort", "is_torn", "lost", "refusal",
    )  # fmt: skip

    def __init__(self, refusal: Refusal | None = None, effort: Effort | None = None, *, is_trial: bool = False) -> None:
        """`is_trial`: only the number of errors counts."""
        self.documents: list[Document] = []
        self.duplicates: list[Duplicate] = []
        self.early_duplicates: list[Duplicate] = []
        self.broken: list[Span] = []
        self.diagnostics: list[Diagnostic] = []
        self.lost: list[Span] = []
        self.is_torn = False
        self.refusal = refusal
        self.effort = effort or Effort(_TRIAL_EFFORT if is_trial else _EFFORT)

    def part(self) -> Recovered:
        """What recovery makes of a part of this text, by the same effort."""
        return Recovered(None, self.effort)

    @property
    def is_full(self) -> bool:
        """Whether no further broken piece is reported."""
        return len(self.broken) >= _MAXIMUM_BROKEN

    def repair(
        self, text: str, piece: Span, refusal: Refusal, known: dict[str, Node]
    ) -> tuple[list[Document], list[Duplicate]]:
        """Read the broken `piece` with its errors repaired in thought, and note them."""
        read = repair(text, piece, refusal, known, self.effort)
        self.broken.append(piece)
        self.diagnostics += read.diagnostics
        self.lost += read.lost
        return list(read.documents), list(read.duplicates)

    def read(
        self, text: str, piece: Span, known: Anchors, ended: Mapping[int, str]
    ) -> tuple[list[Document], list[Duplicate]] | None:
        """Read `piece`, repaired in thought where it is broken; `known` are the anchors before it, with its own added.

        `ended` are the `ended_texts` of pieces. None if it is broken, and no further broken piece is reported.
        """
        before = known.mark()
        reader = Reader(ended.get(piece.end, text), piece.start, piece.end, known)
        refusal = reader.read_to_refusal()
        if refusal is None:
            return reader.documents, reader.duplicates
        if self.is_full:
            return None
        known.take_back(before)
        return self.repair(text, piece, refusal, known)

    def note(self, text: str, piece: Span, refusal: Refusal, known: dict[str, Node]) -> None:
        """Note the first error of the broken `piece`."""
        found = diagnose_only(text, piece, refusal, known, self.effort)
        self.broken.append(piece)
        self.diagnostics.append(found)
        self.is_torn = self.is_torn or not found.fixes

    def add(self, other: Recovered) -> None:
        """Add the errors of `other`, a part of this text."""
        self.broken += other.broken
        self.diagnostics += other.diagnostics
        self.lost += other.lost
        self.is_torn = self.is_torn or other.is_torn

"""The notes that the readers of a blueprint take: its findings."""

from __future__ import annotations

from collections.abc import Iterable

from engine.parsing.fields import Fields
from engine.parsing.findings import Finding, Kind
from engine.text import Span
from engine.yaml_nodes.nodes import Node


class Notes:
    """The findings so far, and the index of the prompt that is being read, None in the header."""

    __slots__ = ("findings", "prompt")

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self.findings = list(findings)
        self.prompt: int | None = None

    def add(
        self,
        kind: Kind,
        at: Node | Span,
        detail: str = "",
        *,
        refused: bool = False,
        flagged: bool = False,
        when_run: bool = False,
    ) -> None:
        """Note one finding at a node, or at a span if there is no node."""
        node = None if isinstance(at, Span) else at
        span = at if isinstance(at, Span) else at.span
        self.findings.append(Finding(kind, span, node, self.prompt, detail, refused, flagged, when_run))

    def add_unknown(self, found: Fields, known: frozenset[str]) -> None:
        """Note the fields of `found` that are not among the `known` ones."""
        for name, pair in found.items():
            if name not in known:
                self.add(Kind.UNKNOWN_KEY, pair.key, name)

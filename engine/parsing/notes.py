"""Where the readers write down what they meet."""

from __future__ import annotations

from collections.abc import Iterable

from engine.parsing.fields import Fields
from engine.parsing.findings import Finding, Kind
from engine.text import Span
from engine.yaml_nodes.nodes import Node


class Notes:
    """The findings so far, and which prompt is being read: its index, and the name Weval's messages give it."""

    __slots__ = ("findings", "name", "prompt")

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self.findings = list(findings)
        self.prompt: int | None = None
        self.name = "undefined"

    def add(
        self,
        kind: Kind,
        at: Node | Span,
        detail: str = "",
        *,
        refusal: str | None = None,
        flagged: bool = False,
        when_run: bool = False,
    ) -> None:
        """Note one fact at a node, or at a span where no node stands for it."""
        node = None if isinstance(at, Span) else at
        span = at if isinstance(at, Span) else at.span
        self.findings.append(Finding(kind, span, node, self.prompt, detail, refusal, flagged, when_run))

    def add_unknown(self, found: Fields, known: frozenset[str]) -> None:
        """Note the fields of `found` that are not among the `known` ones."""
        if not known.issuperset(found):
            for name, pair in found.items():
                if name not in known:
                    self.add(Kind.UNKNOWN_KEY, pair.key, name)

    @property
    def weight_name(self) -> str:
        """The name that Weval's messages about weights give the prompt."""
        return "unknown" if self.name == "undefined" else self.name

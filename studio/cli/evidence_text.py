"""The evidence of checks below the arithmetic of a score."""

from __future__ import annotations

from collections.abc import Iterator

from engine.evidence.prompt_evidence import PromptEvidence
from engine.scoring.explanation_text import point_label
from engine.text import visible


def evidence_text(evidence: PromptEvidence | None) -> str:
    """What each check found or nearly found, safe to print; "" where no check searches the answer."""
    lines = [] if evidence is None else list(_lines(evidence))
    return visible("\n".join(("", "", "  evidence", *lines))) if lines else ""


def _lines(evidence: PromptEvidence) -> Iterator[str]:
    for point in evidence.prompt.points():
        found = list(evidence.lines(point))
        if found:
            yield f"    {point_label(point)}"
            yield from (f"      {line}" for line in found)

"""Collecting the evidence of the checks on the answer that is shown, in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from engine.evidence.prompt_evidence import CheckEvidence, prompt_evidence
from studio.session.parts import Part
from studio.session.run import Run
from studio.session.state import EMPTY

if TYPE_CHECKING:
    from engine.blueprint import FunctionCall, Prompt
    from engine.evaluation.events import Response

_Request: TypeAlias = "tuple[tuple[FunctionCall | None, ...], str]"
"""The checks of the points, and the answer."""


class EvidenceSearch(Part):
    """Collects evidence for one answer at a time. Patterns run in V8's process."""

    def request(self, run: Run) -> None:
        """Collect the evidence in the answer of `run`, which is shown and was checked."""
        request, response = _request_for(run), run.response
        if request is not None and response is not None:
            self.find("evidence", run.slot, request, lambda: asyncio.to_thread(self.collected, run.prompt, response))

    def of(self, run: Run) -> Mapping[int, CheckEvidence]:
        """The evidence by the places of checks in `Prompt.points()`; empty until it is collected."""
        request = _request_for(run)
        found = None if request is None else self.beside("evidence", run.slot, request)
        return EMPTY if found is None else found

    def collected(self, prompt: Prompt, response: Response) -> Mapping[int, CheckEvidence]:
        """The evidence in an answer to `prompt`. Blocks."""
        return prompt_evidence(prompt, response, self.resources.javascript()).found


def _request_for(run: Run) -> _Request | None:
    if run.response is None or run.explanation is None or run.failed is not None:
        return None
    checks = tuple(point.function for point in run.prompt.points())
    return (checks, run.response.subject) if any(checks) else None

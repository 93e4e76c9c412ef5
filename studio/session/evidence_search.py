"""Collecting the evidence of the checks on the answer that is shown, in the background."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from engine.evidence.prompt_evidence import CheckEvidence, prompt_evidence
from studio.session.changes import Change
from studio.session.run import Run
from studio.session.session_context import SessionContext

if TYPE_CHECKING:
    from engine.blueprint import FunctionCall, Prompt
    from engine.evaluation.events import Response

_Request: TypeAlias = "tuple[tuple[FunctionCall | None, ...], str]"
"""The checks of the points, and the answer."""

_CACHED = 64
_NOTHING: Mapping[int, CheckEvidence] = MappingProxyType({})


class EvidenceSearch:
    """Collects evidence for one answer at a time. Patterns run in V8's process."""

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._found: OrderedDict[str, tuple[_Request, Mapping[int, CheckEvidence]]] = OrderedDict()
        self._current: _Request | None = None

    def request(self, run: Run) -> None:
        """Collect the evidence in the answer of `run`, which is shown and was checked."""
        request = _request_for(run)
        if request is None or request == self._current or self._known(run, request) is not None:
            return
        self._current = request
        assert run.response is not None
        self._context.tasks.start("evidence", self._find(run, request, run.response), exclusive=True)

    def of(self, run: Run) -> Mapping[int, CheckEvidence]:
        """The evidence by the places of checks in `Prompt.points()`; empty until it is collected."""
        request = _request_for(run)
        found = None if request is None else self._known(run, request)
        return _NOTHING if found is None else found

    def _known(self, run: Run, request: _Request) -> Mapping[int, CheckEvidence] | None:
        cached = self._found.get(_key(run))
        return cached[1] if cached is not None and cached[0] == request else None

    async def _find(self, run: Run, request: _Request, response: Response) -> None:
        try:
            found = await asyncio.to_thread(self._collect, run.prompt, response)
        finally:
            self._current = None
        self._found[_key(run)] = request, found
        while len(self._found) > _CACHED:
            self._found.popitem(last=False)
        self._context.changes.publish(Change.RUNS)

    def _collect(self, prompt: Prompt, response: Response) -> Mapping[int, CheckEvidence]:
        return prompt_evidence(prompt, response, self._context.resources.javascript()).found


def _key(run: Run) -> str:
    return f"{run.place.prompt} {run.candidate.key}"


def _request_for(run: Run) -> _Request | None:
    if run.response is None or run.explanation is None or run.failed is not None:
        return None
    checks = tuple(point.function for point in run.prompt.points())
    return (checks, run.response.subject) if any(checks) else None

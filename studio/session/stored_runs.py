"""The stored answers to a prompt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from engine.evaluation.sources import IdealSource, WrittenSource
from engine.store import PromptPlace
from engine.text.record import replace
from studio.session.run import Run, has_same_questions

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.store import Store

MOST_RUNS = 100
"""How many runs of a prompt are looked through, the newest first."""


def stored_runs(path: Path, text: str, prompt: Prompt, store: Store) -> Iterator[Run]:
    """The newest stored answer of each source but the ideal to the questions of `prompt`, not yet scored. Blocks.

    `path` and `text` are the blueprint that the prompt is in.
    """
    place, seen = PromptPlace.of(path, prompt), set[str]()
    for past in store.past_runs(place, MOST_RUNS):
        candidate = past.candidate
        if not past.answered or candidate.key in seen or isinstance(candidate.source, IdealSource):
            continue
        response = store.past_response(past.number)
        if response is None or not has_same_questions(response, prompt):
            continue
        seen.add(candidate.key)
        if isinstance(candidate.source, WrittenSource):
            candidate = replace(candidate, source=WrittenSource(response.subject))
        yield Run(place, prompt, prompt.span.of(text), 0, candidate, response=response, restored=True)

"""What `studio review` found in one blueprint."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.parsing import Parsed
from engine.parsing.model_collections import DEFAULT, Collections, UnusableCollection, expand
from engine.report.review_findings import (
    MOST_MODELS,
    CodeAndHosts,
    DuplicateGroup,
    PullRequest,
    RubricFigures,
    RunCost,
    Suggestion,
    WebLink,
    code_and_hosts,
    near_duplicates,
    pull_request,
    rubric_figures,
    run_cost,
    suggestions,
    trimmed,
    web_links,
)
from engine.text.diagnostics import Diagnostic
from engine.text.record import Record, replace
from engine.text.spans import LineIndex

if TYPE_CHECKING:
    from engine.functions.tasks import TaskRunner
    from studio.cli.link_check import LinkState


class Review(Record):
    """One page. `cost` is None where the models are unknown; `collection_problems` say why.

    `links` have their states once they were asked, by address.
    """

    path: Path
    parsed: Parsed
    lines: LineIndex
    diagnostics: tuple[Diagnostic, ...]
    rubric: RubricFigures
    duplicates: tuple[DuplicateGroup, ...]
    code: CodeAndHosts
    cost: RunCost | None
    trimmed_cost: RunCost | None
    collection_problems: tuple[str, ...]
    pull_request: PullRequest
    links: tuple[WebLink, ...]
    suggestions: tuple[Suggestion, ...]
    link_states: dict[str, LinkState] | None = None

    def line(self, offset: int) -> int:
        """The line of an offset, from 1."""
        return self.lines.position(offset).line + 1

    def with_links(self, states: dict[str, LinkState]) -> Review:
        """The page with what was found out about its links."""
        return replace(self, link_states=states)


def review(
    path: Path, parsed: Parsed, diagnostics: Sequence[Diagnostic], collections: Path | None, javascript: TaskRunner
) -> Review:
    """The page of the blueprint at `path`, whose problems are `diagnostics`. Blocks. Nothing is sent."""
    blueprint = parsed.blueprint
    known = Collections(path, collections)
    expansion = expand(blueprint.header.models or DEFAULT, known.members)
    core = _core(known)
    kept = [] if core is None else [model for model in expansion.models if model in core][:MOST_MODELS]
    return Review(
        path,
        parsed,
        LineIndex(parsed.text),
        tuple(diagnostics),
        rubric_figures(blueprint, javascript),
        near_duplicates(blueprint.prompts),
        code_and_hosts(blueprint),
        run_cost(blueprint, expansion.models),
        run_cost(trimmed(blueprint), kept),
        tuple(expansion.unusable.values()),
        pull_request(path, blueprint, expansion.models, core),
        web_links(blueprint),
        tuple(suggestions(parsed.text, diagnostics)),
    )


def _core(known: Collections) -> tuple[str, ...] | None:
    try:
        return known.members(DEFAULT[0])
    except UnusableCollection:
        return None

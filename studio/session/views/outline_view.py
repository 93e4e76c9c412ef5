"""The view of the outline: the header and the prompts, with problems and scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.session.analysis import Analysis, Tally

if TYPE_CHECKING:
    from studio.session.views.overview_view import PromptStanding


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """One row. `number` counts prompts from 1; None for the header.

    `score` is the whole figure of the newest run with its marks, "" without one. `failed`: the newest run has no score,
    because its request failed or its answer was withheld.
    """

    number: int | None
    name: str
    tally: Tally
    score: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class OutlineView:
    """The rows, the header first."""

    rows: tuple[OutlineRow, ...]


def outline_view(analysis: Analysis, standings: Sequence[PromptStanding]) -> OutlineView:
    """The outline of `analysis`; `standings` are those of its prompts, () if nothing was run."""
    prompts = analysis.blueprint.prompts
    tallies = analysis.tallies or (Tally(),) * (len(prompts) + 1)
    header = OutlineRow(None, _header_name(analysis), tallies[0])
    if not standings:
        rows = [OutlineRow(place, prompt.id, tallies[place]) for place, prompt in enumerate(prompts, 1)]
        return OutlineView((header, *rows))
    rows = [
        OutlineRow(
            each.number,
            each.id,
            tallies[each.number],
            "" if each.headline is None else each.headline.marked_whole_figure,
            each.failed,
        )
        for each in standings
    ]
    return OutlineView((header, *rows))


def _header_name(analysis: Analysis) -> str:
    """The header's name, with the number of models if these come from collections."""
    count = len(analysis.models)
    if not count or analysis.models == analysis.header.models:
        return "header"
    return f"header · {count} {'model' if count == 1 else 'models'}"

"""The rows of the header's result, section by section. A section is one module, and one line of `overview_rows`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from studio.session.views.overview_view import Order, Overview, PromptStanding
from studio.tui.panes.overview.about import about_rows
from studio.tui.panes.overview.arithmetic import total_rows
from studio.tui.panes.overview.prompts import PromptRows
from studio.tui.panes.result_row import ResultRow

Section = Sequence[ResultRow]
"""The rows of one section, its heading first; empty to leave the section out."""


def overview_rows(view: Overview, prompts: Sequence[PromptStanding], order: Order) -> OverviewRows:
    """All rows for `view` in the order of the screen. `prompts` are its prompts in the chosen order."""
    return OverviewRows([tuple(about_rows(view)), PromptRows(view, prompts, order), tuple(total_rows(view))])


class OverviewRows(Sequence[ResultRow]):
    """The rows of `sections`, with gaps between. The rows of prompts, perhaps a thousand, are made on access."""

    def __init__(self, sections: Sequence[Section]) -> None:
        parts: list[Section] = []
        for section in sections:
            if parts and section:
                parts.append((ResultRow(f"gap:{section[0].key}", "", selectable=False),))
            if section:
                parts.append(section)
        self._parts = parts
        self._length = sum(map(len, parts))

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> ResultRow: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[ResultRow]: ...

    def __getitem__(self, index: int | slice) -> ResultRow | Sequence[ResultRow]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(self._length))]
        place = index + self._length if index < 0 else index
        for part in self._parts:
            if 0 <= place < len(part):
                return part[place]
            place -= len(part)
        raise IndexError(index)

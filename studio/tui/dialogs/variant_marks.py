"""Which variants of a blueprint are marked: temperatures and system prompts, each on a row of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.blueprint import Header
from engine.conversation import variants
from engine.yaml_nodes.javascript_text import javascript_number
from studio.tui.row_list import fit

_SYSTEM_WIDTH = 50
"""Cells of a system prompt that are shown."""


@dataclass(frozen=True, slots=True)
class VariantRow:
    """One temperature or one system prompt."""

    id: str
    label: str
    detail: str = ""


class VariantMarks:
    """At least one temperature and one system prompt are marked, where the header has several."""

    def __init__(self, header: Header, suffixes: Sequence[str]) -> None:
        """`suffixes` are those of the variants chosen before; none, or none that is still there, is the first one."""
        self._all = variants(header)
        self._systems = len(header.systems) if len(header.systems) > 1 else 1
        self._temperatures = tuple(
            VariantRow(f"temperature-{place}", f"temp {javascript_number(value)}")
            for place, value in enumerate(header.temperatures)
        )
        self._prompts = tuple(
            VariantRow(f"system-{place}", f"system prompt {place + 1}", _described(system))
            for place, system in enumerate(header.systems if len(header.systems) > 1 else ())
        )
        chosen = [each for each in self._all if each.suffix in suffixes] or [self._all[0]]
        self._marked = {id for each in chosen for id in self._ids(each.number)}

    def groups(self) -> Iterator[tuple[str, tuple[VariantRow, ...]]]:
        """What can be marked, under its title; nothing where there is only one."""
        if len(self._temperatures) > 1:
            yield "Models are asked at", self._temperatures
        if self._prompts:
            yield "Models are given", self._prompts

    def is_marked(self, id: str) -> bool:
        """Whether this row is marked."""
        return id in self._marked

    def turn(self, id: str) -> bool:
        """Mark a row, or take its mark back unless it is the last of its group; whether it is such a row."""
        group = self._group(id)
        if id in self._marked and len(group & self._marked) > 1:
            self._marked.discard(id)
        elif group:
            self._marked.add(id)
        return bool(group)

    def mark_only(self, id: str) -> None:
        """Let a row be the only one of its group that is marked."""
        if group := self._group(id):
            self._marked = (self._marked - group) | {id}

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Those of every marked temperature with every marked system prompt; none where there is only one variant."""
        if len(self._all) == 1:
            return ()
        return tuple(each.suffix for each in self._all if self._marked.issuperset(self._ids(each.number)))

    def _group(self, id: str) -> set[str]:
        return next(
            (ids for _, rows in self.groups() if id in (ids := {row.id for row in rows})),
            set[str](),
        )

    def _ids(self, number: int) -> tuple[str, str]:
        """The rows of a variant. `variants` goes through all system prompts at each temperature."""
        return f"temperature-{number // self._systems}", f"system-{number % self._systems}"


def _described(system: str | None) -> str:
    return "no system prompt" if system is None else fit(system, _SYSTEM_WIDTH)

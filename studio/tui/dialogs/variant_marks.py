"""The marks on the variants of a blueprint: temperatures and system prompts, one row each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import Header
from engine.blueprint.conversation import variants
from engine.yaml.nodes import javascript_number
from studio.session.host import Choice
from studio.tui.pieces import fit

_SYSTEM_WIDTH = 50
"""How many cells of a system prompt are shown."""


class VariantMarks:
    """The marked temperatures and system prompts of a header. At least one of each is marked."""

    def __init__(self, header: Header, suffixes: Sequence[str]) -> None:
        """`suffixes` are those of the variants chosen before. If none of them exists, the first variant is marked."""
        self._all = variants(header)
        self._systems = len(header.systems) if len(header.systems) > 1 else 1
        self._temperatures = tuple(
            Choice(f"temperature-{place}", f"temp {javascript_number(value)}")
            for place, value in enumerate(header.temperatures)
        )
        self._prompts = tuple(
            Choice(f"system-{place}", f"system prompt {place + 1}", _described(system))
            for place, system in enumerate(header.systems if len(header.systems) > 1 else ())
        )
        chosen = [each for each in self._all if each.suffix in suffixes] or [self._all[0]]
        self._marked = {id for each in chosen for id in self._ids(each.number)}

    def groups(self) -> Iterator[tuple[str, tuple[Choice, ...]]]:
        """The groups of rows to mark, each with its title. A group with one row only is left out."""
        if len(self._temperatures) > 1:
            yield "Temperatures for models", self._temperatures
        if self._prompts:
            yield "System prompts for models", self._prompts

    def is_marked(self, id: str) -> bool:
        """Whether this row is marked."""
        return id in self._marked

    def toggle(self, id: str) -> bool:
        """Mark a row, or unmark it unless it is the last of its group. Returns whether `id` is such a row."""
        group = self._group(id)
        if id in self._marked and len(group & self._marked) > 1:
            self._marked.discard(id)
        elif group:
            self._marked.add(id)
        return bool(group)

    def mark_only(self, id: str) -> None:
        """Mark a row and no other of its group."""
        if group := self._group(id):
            self._marked = (self._marked - group) | {id}

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The suffixes of each marked temperature with each marked system prompt; empty for one variant only."""
        if len(self._all) == 1:
            return ()
        return tuple(each.suffix for each in self._all if self._marked.issuperset(self._ids(each.number)))

    def _group(self, id: str) -> set[str]:
        return next(
            (ids for _, rows in self.groups() if id in (ids := {row.id for row in rows})),
            set[str](),
        )

    def _ids(self, number: int) -> tuple[str, str]:
        """The ids of the two rows of a variant. `variants` lists all system prompts for each temperature."""
        return f"temperature-{number // self._systems}", f"system-{number % self._systems}"


def _described(system: str | None) -> str:
    return "no system prompt" if system is None else fit(system, _SYSTEM_WIDTH)

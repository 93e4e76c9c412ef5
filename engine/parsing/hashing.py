"""The ids of prompts that have none: computed once for each text of a prompt, as long as the text stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

_Key: TypeAlias = tuple[str, int, object]

_LONGEST = 40_000
"""Above this many characters a text is not kept."""


class HashIds:
    """Remembers ids from one reading of a file to the next, since a key changes one prompt and not the others.

    Holds what the last two readings used. Of two readings at once each finds less, never a wrong id.
    """

    __slots__ = ("_before", "_now")

    def __init__(self) -> None:
        self._before: dict[_Key, str] = {}
        self._now: dict[_Key, str] = {}

    def begin(self) -> None:
        """A new reading begins."""
        self._before, self._now = self._now, {}

    def get(self, source: str, column: int, inherited: object, compute: Callable[[], str]) -> str:
        """The id of the prompt written as `source` from `column` on, with what it inherits; computed where unknown.

        One that may refer to a definition (`$ref: name`, `fn: ref`) is computed every time. Not for prompts that hold
        an alias, of which the text does not say all.
        """
        if len(source) > _LONGEST or "$ref" in source or "fn" in source:
            return compute()
        key = (source, column, inherited)
        known = self._before.get(key) or self._now.get(key) or compute()
        self._now[key] = known
        return known

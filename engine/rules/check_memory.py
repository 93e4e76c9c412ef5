"""What rules on a file remember from one check of it to the next."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeAlias, TypeVar, cast

from engine.blueprint import Prompt
from engine.rules.words import SignPlaces
from engine.text.pacing import give_way

PromptKey: TypeAlias = tuple[object, ...]
"""Everything that the diagnostics of a prompt depend on, wherever it stands in its file."""

_Found = TypeVar("_Found")


class Memory:
    """What was found out about unchanged prompts. What one check does not ask for is forgotten."""

    def __init__(self) -> None:
        self.signs = SignPlaces()
        self._keys: dict[int, PromptKey] = {}
        self._before: dict[Hashable, object] = {}
        self._now: dict[Hashable, object] = {}

    def begin(self, text: str) -> None:
        """Begin another check, of `text`."""
        self.signs.update(text)
        self._keys = {}
        self._before, self._now = self._now, {}

    def add(self, prompt: Prompt, key: PromptKey) -> None:
        """Note the key of a prompt of this check. Nothing is remembered about prompts without one."""
        self._keys[prompt.index] = key

    def of(self, what: Hashable, prompts: Iterable[Prompt], find: Callable[[], _Found]) -> _Found:
        """What is known as `what` about `prompts`, or else what `find` returns, which depends on nothing but them."""
        keys = tuple(self._keys.get(prompt.index) for prompt in prompts)
        if None in keys:
            return find()
        give_way()
        key = (what, keys)
        known = self._now if key in self._now else self._before
        found = cast(_Found, known[key]) if key in known else find()
        self._now[key] = found
        return found

"""Patterns that are compiled at their first use: a run uses one in five, and compiling all takes half a second."""

from __future__ import annotations

import re
from typing import cast, final


@final
class LazyPattern:
    """A pattern that is not compiled yet; its first use compiles it."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for each in _NAMES:
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)


_NAMES = [name for name in dir(re.Pattern) if not name.startswith("__")]


def lazy(source: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile`, put off. Errors in `source` are raised at the first use."""
    return cast("re.Pattern[str]", LazyPattern(source, flags))

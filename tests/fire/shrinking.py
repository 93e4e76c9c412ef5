"""Making a text that fails smaller, as long as it fails."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.text.record import replace
from tests.fire.hostile_texts import HostileText

_SECONDS = 20.0
"""How long to try, at most."""


def shrunk(hostile: HostileText, fails: Callable[[HostileText], bool]) -> str:
    """A smaller text that still `fails`: first without lines, then without characters."""
    deadline = time.monotonic() + _SECONDS

    def still_fails(parts: list[str]) -> bool:
        return time.monotonic() < deadline and fails(replace(hostile, text="".join(parts)))

    lines = _fewer(hostile.text.splitlines(keepends=True), still_fails)
    return "".join(_fewer(list("".join(lines)), still_fails))


def _fewer(parts: list[str], still_fails: Callable[[list[str]], bool]) -> list[str]:
    """`parts` without those that are not needed: halves first, then smaller and smaller runs of them."""
    size = len(parts) // 2
    while size:
        at = 0
        while at < len(parts):
            without = parts[:at] + parts[at + size :]
            if still_fails(without):
                parts = without
            else:
                at += size
        size //= 2
    return parts

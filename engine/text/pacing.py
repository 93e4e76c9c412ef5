"""Lets work on other threads give way to the one that answers keys: the interpreter runs only one of them at a time.

Without it, a key and a check of a long text share the interpreter in turns, and the key takes twice as long or longer.
"""

from __future__ import annotations

import threading
import time

_LONGEST = 0.05
"""Seconds that work gives way for at most, from `hold` on: a screen that never gets ready must not stop it."""


class _Turn:
    """Whose turn it is. `holder` is the thread that answers a key, 0 if none does, until `until` at most."""

    __slots__ = ("free", "holder", "until")

    def __init__(self) -> None:
        self.free = threading.Event()
        self.holder = 0
        self.until = 0.0


_turn = _Turn()


def hold() -> None:
    """Let the work of other threads wait until `release`, though for 50 ms at most: a second `hold` adds nothing."""
    if not _turn.holder:
        _turn.until = time.monotonic() + _LONGEST
        _turn.free.clear()
        _turn.holder = threading.get_ident()


def release() -> None:
    """Let the work of other threads go on."""
    _turn.holder = 0
    _turn.free.set()


def give_way() -> None:
    """Wait while another thread answers a key. For work of many milliseconds to call at each of its small steps."""
    holder = _turn.holder
    if holder and holder != threading.get_ident():
        left = _turn.until - time.monotonic()
        if left > 0:
            _turn.free.wait(left)

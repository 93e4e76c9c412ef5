"""Collects old garbage while the author pauses: the collector itself looks through what is old almost never."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable

LOOK_SECONDS = 2.0
"""How often `OldGarbage.collect` is to be called."""
_PAUSE_SECONDS = 1.0
"""Without input for so long, the author pauses."""
_PAUSE_FACTOR = 50
"""A collection may take this part of a pause: what is typed meanwhile waits for its end."""
_FEW_COLLECTIONS = 2
"""Collections of the younger generations between two of all."""
_APART_SECONDS = 10.0
_LATEST_SECONDS = 120.0
"""After so long it is collected while the author types on, unless that is felt."""
_FELT_SECONDS = 0.05


class OldGarbage:
    """When garbage that outlived the younger generations is collected: closed dialogs, earlier runs and texts.

    `clock` gives seconds. All methods belong to the thread of the event loop, which a collection stops: for 45 ms
    with 10,000 dense lines.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._input = self._collected = clock()
        self._seen = _collections()
        self._cost = 0.0

    def note_input(self) -> None:
        """The author has just pressed a key, or moved the mouse."""
        self._input = self._clock()

    def collect(self) -> None:
        """Collect if there may be old garbage, and the author pauses or has not paused for long."""
        if _collections() - self._seen >= _FEW_COLLECTIONS and self._is_time(self._clock()):
            began = time.thread_time()
            gc.collect()
            self._cost = time.thread_time() - began
            threading.Thread(target=_give_back, name="garbage", daemon=True).start()
            self._collected, self._seen = self._clock(), _collections()

    def _is_time(self, now: float) -> bool:
        since = now - self._collected
        if now - self._input >= max(_PAUSE_SECONDS, _PAUSE_FACTOR * self._cost):
            return since >= _APART_SECONDS
        return since >= _LATEST_SECONDS and self._cost < _FELT_SECONDS


def _give_back() -> None:
    """Give unused memory back to the system, where the C library keeps it until it is told to: glibc."""
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def _collections() -> int:
    """How often the younger generations were collected so far: only what outlives that grows old."""
    young, middle, _ = gc.get_stats()
    return int(young["collections"] + middle["collections"])

"""What work costs: the processor time of its own thread, without the search for garbage that other tests left."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def costs_less_than(seconds: float) -> Iterator[None]:
    """Fails if what is done within takes this thread as many seconds of the processor. Other threads do not count."""
    with _no_search_for_garbage():
        began = time.thread_time()
        yield
        taken = time.thread_time() - began
    assert taken < seconds, f"{taken:.2f} s of the processor"


def cost_of(work: Callable[[], object]) -> float:
    """How many seconds of the processor `work` takes this thread."""
    with _no_search_for_garbage():
        began = time.thread_time()
        work()
        return time.thread_time() - began


@contextmanager
def _no_search_for_garbage() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()

"""Calls that may never return, such as a look at a folder of a network mount whose server is gone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

Result = TypeVar("Result")


def answers_in_time(calls: Sequence[Callable[[], Result]], seconds: float) -> list[Result | None]:
    """The results of `calls`, which must not raise and are made at once; None for each that takes longer. Blocks.

    Each call has a thread of its own, which goes on and keeps no program from ending.
    """
    found: dict[int, Result] = {}

    def answer(number: int, call: Callable[[], Result]) -> None:
        found[number] = call()

    threads = [threading.Thread(target=partial(answer, *each), daemon=True) for each in enumerate(calls)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return [found.get(number) for number in range(len(calls))]

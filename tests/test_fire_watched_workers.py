"""Processes that stick or die are noticed. This module imports little, as each of these processes imports it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from tests.fire.watched_workers import Hang, Message, watched


def sticks_or_dies(_: int, numbers: range, started: Callable[[int], None], send: Callable[[object], None]) -> None:
    for number in numbers:
        started(number)
        if number == 2:
            time.sleep(60)
        if number == 5:
            os.kill(os.getpid(), 9)
        send(number)


def test_what_hangs_or_ends_its_process_is_told_and_the_others_go_on() -> None:
    seen = list(watched(sticks_or_dies, 1, 8, 2, hang_seconds=3))
    assert sorted(one.number for one in seen if isinstance(one, Hang)) == [2, 5]
    assert {one.content for one in seen if isinstance(one, Message)} == {0, 1, 3, 4, 6, 7}

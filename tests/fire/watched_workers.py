"""Work on numbered cases in several processes, with a watch for cases that never end."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, TypeAlias

_POLL_SECONDS = 0.5
_CASE, _SINCE = 0, 1
_IDLE = -1.0

Work: TypeAlias = Callable[[int, range, Callable[[int], None], Callable[[object], None]], None]
"""Works on the cases of a seed; calls the first function with each number as it begins, the second with results."""


@dataclass(frozen=True, slots=True)
class Hang:
    """A case that did not end in time, or that took its process down."""

    number: int


@dataclass(frozen=True, slots=True)
class Message:
    """What a process sent."""

    content: object


class _Worker:
    """One process, and the cases that are left for it: `numbers`."""

    def __init__(self, work: Work, seed: int, numbers: range) -> None:
        context = multiprocessing.get_context("spawn")
        self.numbers = numbers
        self._clock: Any = context.Array("d", [_IDLE, time.monotonic()], lock=False)
        self.connection, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_work, args=(work, seed, numbers, self._clock, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def case(self) -> int:
        """The number of the case that it is at; -1 before the first."""
        return int(self._clock[_CASE])

    def seconds(self) -> float:
        """How long it has been at that case."""
        return time.monotonic() - self._clock[_SINCE]

    def end(self) -> None:
        """Kill the process, if it is still there."""
        self._process.kill()
        self._process.join()
        self.connection.close()


def watched(work: Work, seed: int, rounds: int, processes: int, hang_seconds: float) -> Iterator[Message | Hang]:
    """The messages of all processes as they come, and the cases that took over `hang_seconds` or ended a process.

    The cases 0…`rounds` - 1 of `seed` are dealt out in turn. After a hang a new process goes on behind that case.
    """
    workers = [_Worker(work, seed, range(first, rounds, processes)) for first in range(min(processes, rounds))]
    try:
        while workers:
            ready = wait([worker.connection for worker in workers], _POLL_SECONDS)
            for worker in list(workers):
                is_over = False
                if worker.connection in ready:
                    try:
                        message = worker.connection.recv()
                    except EOFError:
                        is_over = True
                    else:
                        if message is None:
                            _dismiss(worker, workers)
                        else:
                            yield Message(message)
                        continue
                if is_over or (worker.case() >= 0 and worker.seconds() > hang_seconds):
                    number = worker.case()
                    _dismiss(worker, workers)
                    if number < 0:
                        raise RuntimeError("a process ended before its first case")
                    yield Hang(number)
                    left = range(number + processes, rounds, processes)
                    if left:
                        workers.append(_Worker(work, seed, left))
    finally:
        for worker in workers:
            worker.end()


def _dismiss(worker: _Worker, workers: list[_Worker]) -> None:
    workers.remove(worker)
    worker.end()


def _work(work: Work, seed: int, numbers: range, clock: Any, connection: Connection) -> None:
    """Runs in the process; sends None when all is done."""

    def started(number: int) -> None:
        clock[_SINCE] = time.monotonic()
        clock[_CASE] = number

    work(seed, numbers, started, connection.send)
    connection.send(None)

"""Random keys against the real application, beside a model of its text.

Each sequence opens a file in a terminal of some size, presses 30 to 60 keys in the text, panes, dialogs and palette,
and holds the text against the model after each. At the end: no fault anywhere, every key still answers, undo leads to
the first text and redo to the last, the problems are those of a fresh check, and Ctrl+S writes the text.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from engine.text.record import replace
from tests.benchmarks.model_server import Pace, running
from tests.fire.figures import Figure, Figures
from tests.fire.key_player import Failed, play
from tests.fire.key_sequences import KeySequence, Step, sequence

ROUNDS = 2000
"""Sequences."""
WORKERS = 2
_CHUNK = 10
"""Sequences that one process plays before it reports."""
_HANGS = 120.0
"""Seconds after which a sequence counts as hanging: its process prints where it is, and ends."""
_TRIES = 40
"""How often a failing sequence is played again to find a shorter one."""
_PACE = Pace(answer=0.0, judge=0.0, between=0.005, words=60)


@dataclass(frozen=True, slots=True)
class Failure:
    """A sequence that failed, as short as it was found to fail."""

    number: int
    setup: str
    why: str
    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        steps = "".join(f"\n    {step!r}" for step in self.steps)
        return f"sequence {self.number} ({self.setup}):{steps}\n  {self.why}"


def run(seed: int, rounds: int) -> Figures:
    """Play `rounds` sequences; each failure is printed with its number and its shortest steps."""
    failures: list[Failure] = []
    for found in _in_processes(seed, rounds):
        failures += found
        for failure in found:
            print(f"seed {seed}, {failure}", file=sys.stderr, flush=True)
    figure = Figure("sequences that failed", f"{len(failures)} of {rounds:,}", "0", not failures)
    return Figures("keys", seed, rounds, (figure,))


def _in_processes(seed: int, rounds: int) -> Iterator[list[Failure]]:
    chunks = [range(start, min(start + _CHUNK, rounds)) for start in range(0, rounds, _CHUNK)]
    context = multiprocessing.get_context("spawn")
    with running(_PACE) as url:
        while chunks:
            with ProcessPoolExecutor(WORKERS, context) as pool:
                waiting = [(chunk, pool.submit(_play_all, seed, chunk, url)) for chunk in chunks]
                chunks = []
                for chunk, future in waiting:
                    try:
                        yield future.result()
                    except BrokenProcessPool:  # one process hung or crashed, and took the others along
                        chunks.append(chunk)
            if chunks and len(chunks[0]) == 1:
                yield [Failure(chunks.pop(0)[0], "", "hangs, or crashes its process")]
            elif chunks:
                first = chunks.pop(0)
                chunks = [*(range(number, number + 1) for number in first), *chunks]


def _play_all(seed: int, numbers: Sequence[int], url: str) -> list[Failure]:
    return [failure for number in numbers if (failure := attack(seed, number, url)) is not None]


def attack(seed: int, number: int, url: str = "") -> Failure | None:
    """Play one sequence; the failure, if it failed, with the shortest steps that fail."""
    whole = sequence(seed, number)
    failed = _outcome(whole, url)
    if failed is None:
        return None
    shortest, why = _shortest(whole, failed, url)
    setup = whole.setup
    kinds = ("read-only " if setup.read_only else "") + ("with a model " if setup.with_model else "")
    return Failure(number, f"{kinds}{setup.name} at {setup.size[0]}x{setup.size[1]}", why, shortest)


def _outcome(attack: KeySequence, url: str) -> Failed | None:
    faulthandler.dump_traceback_later(_HANGS, exit=True)
    try:
        with _printed() as errors:
            asyncio.run(play(attack, url))
    except Failed as failed:
        return failed
    finally:
        faulthandler.cancel_dump_traceback_later()
    return Failed(len(attack.steps), None, f"printed {errors[0]}") if errors else None


@contextlib.contextmanager
def _printed() -> Iterator[list[str]]:
    """What is printed as an error within, by any thread or library; [] if nothing is."""
    found: list[str] = []
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield found
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            text = file.read().decode("utf-8", "replace").strip()
            if text:
                found.append(text)


def _shortest(whole: KeySequence, failed: Failed, url: str) -> tuple[tuple[Step, ...], str]:
    """The steps that still fail after as many as possible were left out, and how they fail."""
    steps, why = whole.steps[: failed.number + 1], str(failed)
    tries, size = _TRIES, max(1, len(steps) // 2)
    while tries > 0:
        start = 0
        while start < len(steps) and tries > 0:
            fewer = steps[:start] + steps[start + size :]
            tries -= 1
            now = _outcome(replace(whole, steps=fewer), url)
            if now is None:
                start += size
            else:
                steps, why = fewer, str(now)
        if size == 1:
            break
        size //= 2
    return steps, why

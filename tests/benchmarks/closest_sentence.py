"""The closest of 20 sentences for each of 10 points in words, with the sentence encoder's own process."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

from engine.blueprint import Block, Point, Prompt, Rubric
from engine.closest_sentence import MiniLM, closest_sentences, what_is_missing
from engine.text import NOWHERE
from tests.benchmarks.table import Row, row

_POINTS, _SENTENCES, _TIMES = 10, 20, 7
_OF = f"{_POINTS} × {_SENTENCES} sentences"


def measure() -> Iterator[Row]:
    """Milliseconds a point: the first time, with the process to start; texts that are new; texts that are known."""
    trouble = what_is_missing()
    if trouble is not None:
        print(f"closest_sentence: {trouble}. {trouble.advice}")
        return
    cold = [_cold() for _ in range(3)]
    encoder = MiniLM()
    _milliseconds(encoder, 0)
    new = [_milliseconds(encoder, number) for number in range(1, _TIMES + 1)]
    known = [_milliseconds(encoder, 1) for _ in range(_TIMES)]
    memory = _resident(encoder.pid)
    encoder.close()
    yield row("closest sentence: cold, a point", _OF, "ms", cold)
    yield row("closest sentence: new texts, a point", _OF, "ms", new)
    yield row("closest sentence: known texts, a point", _OF, "ms", known)
    if memory is not None:
        yield Row("closest sentence: the process", _OF, "MB", memory)


def _cold() -> float:
    encoder = MiniLM()
    try:
        return _milliseconds(encoder, 0)
    finally:
        encoder.close()


def _milliseconds(encoder: MiniLM, number: int) -> float:
    prompt, answer = _prompt(number), _answer(number)
    begun = time.perf_counter()
    closest_sentences(prompt, answer, encoder)
    return (time.perf_counter() - begun) * 1000 / _POINTS


def _prompt(number: int) -> Prompt:
    points = tuple(
        Point(NOWHERE, NOWHERE, text=f"Says that rule {number * 100 + place} of the lease binds both sides.")
        for place in range(_POINTS)
    )
    return Prompt(0, NOWHERE, "p", NOWHERE, True, should=Rubric(Block.SHOULD, NOWHERE, points))


def _answer(number: int) -> str:
    return " ".join(
        f"Under clause {number * 100 + place} the tenant has to tell the landlord of any damage within {place} days."
        for place in range(_SENTENCES)
    )


def _resident(pid: int | None) -> float | None:
    """Megabytes (10^6 bytes) that the process holds, on Linux."""
    if pid is None or not sys.platform.startswith("linux"):
        return None
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) * 1024 / 1e6

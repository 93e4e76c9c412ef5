"""Feeds made inputs to a reader, and counts what no author should meet: exceptions, malformed results, long waits.

A harness names its readers as `Attack`s. Each round makes one input with a `Random` of its own, so that a round that
failed can be run again by itself: `python -m tests.fire NAME --seed SEED` prints its number, its input and the place
of the failure on standard error.
"""

from __future__ import annotations

import math
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from engine.text.record import Record
from tests.fire.figures import Figure, Figures

CPU_LIMIT = 1.0
"""Seconds of processor time that one input may take."""
MEMORY_LIMIT = 200
"""Megabytes that all inputs of a harness together may add to the most memory that the process has taken."""
_OVERDUE = 10
"""How many times its limit an input may take before it is broken off."""
_MOST_PRINTED = 2
_WARM_UP = 50


class Overdue(BaseException):
    """An input took so long that its reading was broken off. No reader's `except` catches it."""


class Malformed(Exception):
    """A reader returned something that cannot be shown or saved."""


_SEEDS = Path(__file__).with_name("seeds")


def seed_text(name: str) -> str:
    """A file in `seeds`: what an attack starts from."""
    return (_SEEDS / name).read_text("utf-8")


@dataclass(frozen=True, slots=True)
class HostileFile:
    """A file by its name in a folder, and what is chosen from it: a model or a prompt, None for nothing."""

    name: str
    content: bytes
    chosen: str | None = None

    def written(self, folder: Path) -> Path:
        """Write it below `folder`; its path."""
        path = folder / self.name
        path.write_bytes(self.content)
        return path


@dataclass(frozen=True, slots=True)
class Attack:
    """One reader: `make` makes an input, `read` reads it as the program does.

    `read` raises only for a failure: the errors that a reader documents are its results. What it returns is checked by
    `check_form`.
    """

    name: str
    make: Callable[[Random], Any]
    read: Callable[[Any], Any]


@dataclass(slots=True)
class Findings:
    """What came out of all rounds. `limit` and `slowest` are seconds of processor time."""

    limit: float
    failed: Counter[str] = field(default_factory=Counter[str])
    malformed: int = 0
    slow: int = 0
    slowest: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter[str])

    def note(self, attack: Attack, number: int, made: Any, error: BaseException) -> None:
        """Count a failure, and print the first ones."""
        kind = f"{attack.name}: {type(error).__name__}"
        self.failed[kind] += 1
        if self.failed[kind] <= _MOST_PRINTED:
            shown = repr(made)
            print(f"--- {attack.name}, round {number}: {shown[:3_000]}", file=sys.stderr)
            traceback.print_exception(error, limit=-6)


def attacked(harness: str, attacks: Sequence[Attack], seed: int, rounds: int, *, seconds: float = CPU_LIMIT) -> Figures:
    """The figures of `rounds` inputs, the attacks in turns. One input may take `seconds` of processor time."""
    findings = Findings(seconds)
    before = 0.0
    with _bounded_time(_OVERDUE * seconds):
        for number in range(rounds):
            if number == min(_WARM_UP, rounds // 2):
                before = peak_memory()
            attack = attacks[number % len(attacks)]
            _one(attack, number, Random(f"{harness} {seed} {number}"), findings)
    return Figures(harness, seed, rounds, tuple(_rows(findings, peak_memory() - before)))


def _one(attack: Attack, number: int, chance: Random, findings: Findings) -> None:
    made = attack.make(chance)
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, _OVERDUE * findings.limit)
    try:
        result = attack.read(made)
        check_form(result)
    except Malformed as error:
        findings.malformed += 1
        findings.note(attack, number, made, error)
    except (Exception, Overdue) as error:  # noqa: BLE001
        findings.note(attack, number, made, error)
    else:
        findings.outcomes[outcome_name(result)] += 1
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    taken = time.process_time() - begun
    findings.slowest = max(findings.slowest, taken)
    if taken > findings.limit:
        findings.slow += 1
        print(f"--- {attack.name}, round {number}: {taken:.1f} s of CPU: {repr(made)[:500]}", file=sys.stderr)


def outcome_name(result: Any) -> str:
    """What kind of result it is: a text that stands for an error keeps only its kind."""
    return type(result).__name__ if not isinstance(result, Outcome) else result.kind


@dataclass(frozen=True, slots=True)
class Outcome:
    """A result with a name for the table, such as `refused`."""

    kind: str
    value: Any = None


def _rows(findings: Findings, memory: float) -> Iterator[Figure]:
    failed = "; ".join(f"{count} × {what}" for what, count in findings.failed.most_common(5)) or "0"
    came = ", ".join(f"{count:,} {what}" for what, count in findings.outcomes.most_common(6))
    yield Figure("what came of the inputs", came)
    yield Figure("exceptions", failed, "0", not findings.failed)
    yield Figure("malformed results", str(findings.malformed), "0", findings.malformed == 0)
    bound = f"over {findings.limit:.0f} s"
    slow = f"{findings.slow} {bound}, most {findings.slowest:.2f} s"
    yield Figure("processor time", slow, f"0 {bound}", findings.slow == 0)
    yield Figure("memory", f"+{memory:.0f} MB", f"≤ {MEMORY_LIMIT} MB", memory <= MEMORY_LIMIT)


# --- The form of results

_PLAIN = (int, bool, bytes, type(None), Path, type)


def check_form(value: Any) -> None:
    """Raise `Malformed` for a number that is not finite, or a text with half a character, anywhere in `value`.

    Looks into dataclasses, records, mappings and lists.
    """
    waiting = [value]
    while waiting:
        match waiting.pop():
            case Enum():
                continue
            case float() as number:
                if not math.isfinite(number):
                    raise Malformed(f"not finite: {number}")
            case str() as text:
                _check_text(text)
            case Mapping() as mapping:
                waiting += [*mapping.keys(), *mapping.values()]
            case list() | tuple() | set() | frozenset() as items:
                waiting += items
            case Record() as record:
                waiting += [getattr(record, name) for name in record.__struct_fields__]
            case each if is_dataclass(each) and not isinstance(each, type):
                waiting += [getattr(each, part.name) for part in fields(each)]
            case each:
                if not isinstance(each, _PLAIN):
                    raise Malformed(f"of an unexpected type: {type(each).__name__}")


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Malformed(f"half a character in a text: {text[max(error.start - 20, 0) : error.end]!r}") from error


# --- Bounds


def peak_memory() -> float:
    """The most memory that this process has taken so far, in MB; 0 where the system does not say."""
    status = Path("/proc/self/status")
    return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024 if status.exists() else 0.0


@contextmanager
def _bounded_time(seconds: float) -> Iterator[None]:
    """Within, an input that takes so much processor time is broken off. Only in the main thread."""

    def late(_number: int, _frame: FrameType | None) -> None:
        raise Overdue(f"more than {seconds:.0f} s")

    earlier = signal.signal(signal.SIGVTALRM, late)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, earlier)

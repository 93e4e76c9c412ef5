"""Hostile and near-valid texts through reading, all rules, and everything that shows or fixes what they report.

Each text is made from the seed and its number alone. To see one: `python -m tests.fire.texts SEED NUMBER`.
"""

from __future__ import annotations

import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.fire.figures import Figure, Figures
from tests.fire.hostile_texts import FIX_SHARE, HostileText, hostile_text
from tests.fire.shrinking import shrunk
from tests.fire.text_checks import LIMIT, Attack
from tests.fire.watched_workers import Hang, Message, watched

ROUNDS = 100_000
"""Texts a seed."""
PROCESSES = 2
HANG_SECONDS = 300.0
"""Seconds without an end after which a text counts as one that hangs."""
_PROGRESS = 10_000
"""Texts between two lines that say how far the attack is."""
_MOST_SHOWN = 3
"""How often the same fault is shown."""
_LONGEST_SHOWN = 1_500
_LINE = 240

Objections = Callable[[HostileText], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Fault:
    """What was wrong with one text. `kind` is the same for faults of one cause."""

    seed: int
    number: int
    what: str
    kind: str
    text: str

    def __str__(self) -> str:
        shown = ascii(self.text)
        shown = shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}… ({len(self.text)} characters)"
        return f"text {self.number} of seed {self.seed}: {self.what}\n  smallest: {shown}"


@dataclass(slots=True)
class Tally:
    """What an attack came to so far. `most` is the most CPU of one step, in seconds, and `slowest` its text."""

    texts: int = 0
    fixes: int = 0
    most: float = 0.0
    slowest: int = -1
    faults: list[Fault] = field(default_factory=list[Fault])

    def add(self, other: Tally) -> None:
        """Add what another process came to."""
        self.texts += other.texts
        self.fixes += other.fixes
        self.faults += other.faults
        if other.most > self.most:
            self.most, self.slowest = other.most, other.slowest


def run(seed: int, rounds: int) -> Figures:
    """Attack with `rounds` texts in two processes. Faults are printed on stderr as they are found."""
    tally = Tally()
    hangs = 0
    for one in watched(_attack_some, seed, rounds, PROCESSES, HANG_SECONDS):
        match one:
            case Hang(number):
                hangs += 1
                print(
                    f"text {number} of seed {seed} hangs: python -m tests.fire.texts {seed} {number}", file=sys.stderr
                )
            case Message(Tally() as part):
                _show(tally, part)
                before = tally.texts
                tally.add(part)
                if tally.texts // _PROGRESS > before // _PROGRESS:
                    print(_progress(tally, rounds), file=sys.stderr, flush=True)
            case _:
                raise TypeError(f"not a tally: {one!r}")
    return Figures("texts", seed, rounds, figures(tally, hangs))


def _progress(tally: Tally, rounds: int) -> str:
    slowest = f"most {tally.most:.2f} s of CPU in a step (text {tally.slowest})"
    return f"{tally.texts:,} of {rounds:,} texts, {tally.fixes:,} fixes, {len(tally.faults)} faults, {slowest}"


def figures(tally: Tally, hangs: int) -> tuple[Figure, ...]:
    """The rows of the table."""
    count = Counter(_Sort.of(fault.what) for fault in tally.faults)
    fixed = f"{tally.fixes:,} fixes of {-(-tally.texts // FIX_SHARE):,} texts"
    slowest = f"most {tally.most:.2f} s, text {tally.slowest}"
    return (
        _figure("exceptions in parsing and all rules", count[_Sort.RAISED], f"{tally.texts:,} texts"),
        _figure(f"steps over {LIMIT:g} s of CPU", count[_Sort.SLOW], slowest),
        _figure(f"hangs over {HANG_SECONDS:g} s", hangs, ""),
        _figure("edits outside the text, and other objections to fixes and reports", count[_Sort.WRONG], fixed),
    )


def _figure(what: str, found: int, detail: str) -> Figure:
    return Figure(what, f"{found} ({detail})" if detail else str(found), "0", found == 0)


class _Sort:
    """The sorts of faults that the table tells apart."""

    RAISED, SLOW, WRONG = "raised", "slow", "wrong"

    @staticmethod
    def of(what: str) -> str:
        if what.startswith(_RAISED):
            return _Sort.RAISED
        return _Sort.SLOW if what.endswith("s of CPU") else _Sort.WRONG


_RAISED = "raised "


def _show(before: Tally, part: Tally) -> None:
    shown = Counter(fault.kind for fault in before.faults)
    for fault in part.faults:
        shown[fault.kind] += 1
        if shown[fault.kind] <= _MOST_SHOWN:
            print(fault, file=sys.stderr)


def _attack_some(seed: int, numbers: range, started: Callable[[int], None], send: Callable[[object], None]) -> None:
    """Attack with the texts `numbers`, in a process of its own; `send` a tally now and then."""
    with Attack() as attack:
        tally = Tally()
        for number in numbers:
            started(number)
            attack_with(attack, seed, number, tally)
            if tally.faults or tally.texts >= 500:
                send(tally)
                tally = Tally()
        send(tally)


def attack_with(attack: Attack, seed: int, number: int, tally: Tally) -> None:
    """Put one text through everything, and add to `tally` what came of it."""
    hostile = hostile_text(seed, number)
    attack.most, attack.fixes = 0.0, 0
    seen = objections_to(hostile, attack.objections)
    tally.texts += 1
    tally.fixes += attack.fixes
    if attack.most > tally.most:
        tally.most, tally.slowest = attack.most, number
    for kind, what in seen.items():
        is_slow = _Sort.of(what) == _Sort.SLOW  # the outcomes of V8 are remembered, so it would not be slow again
        text = (
            hostile.text
            if is_slow
            else shrunk(hostile, lambda one, kind=kind: kind in objections_to(one, attack.objections))
        )
        tally.faults.append(Fault(seed, number, what, kind, text))


def objections_to(hostile: HostileText, objections: Objections) -> dict[str, str]:
    """The objections to a text and what it raised, by their kinds."""
    seen: list[str] = []
    try:
        seen += objections(hostile)
    except Exception as error:  # noqa: BLE001 - whatever is raised is the finding
        frame = traceback.extract_tb(error.__traceback__)[-1]
        seen.append(f"{_RAISED}{type(error).__name__} at {frame.filename}:{frame.lineno}: {str(error)[:_LINE]}")
    return {_kind(what): what for what in seen}


def _kind(what: str) -> str:
    """What faults of one cause have in common: the exception and its place, or the first words of an objection."""
    if what.startswith(_RAISED):
        return ":".join(what.split(":")[:2])
    return "".join(character for character in what if not character.isdigit())[:60]


def main(seed: int, number: int) -> None:
    """Show one text, and what is wrong with it."""
    hostile = hostile_text(seed, number)
    print(f"{hostile.kind}, {hostile.path}, {len(hostile.text)} characters\n{hostile.text!a}")
    with Attack() as attack:
        for what in attack.objections(hostile):
            print(what)
        print(f"at most {attack.most:.2f} s of CPU in one step")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

"""Whether anything that an author wrote is lost, joined or altered by typing slips and by safe fixes.

`python -m tests.conservation --rubrics 20000 --corpus 5000 --seed 1` spoils so many written rubrics and prompts of
the corpus by one to three slips each. It prints what was lost, what stayed silent, and warnings of unspoiled texts.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from difflib import unified_diff
from random import Random

from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Severity
from tests.conservation.rubrics import blueprint
from tests.conservation.trials import Outcome, outcome, spoiled
from tests.slips.excerpts import excerpt

_SHOWN = 12
_PART = 250
_AROUND = 4


@dataclass
class Totals:
    """The counts of many trials, and the first of those that failed."""

    made: int = 0
    clean: int = 0
    faulty: int = 0
    unreported: int = 0
    silent: int = 0
    warned: Counter[str] = field(default_factory=Counter[str])
    by_spoil: Counter[str] = field(default_factory=Counter[str])
    silent_by_spoil: Counter[str] = field(default_factory=Counter[str])
    shown: list[Outcome] = field(default_factory=list[Outcome])

    def add(self, one: Outcome) -> None:
        """Count one trial."""
        self.made += 1
        self.clean += one.is_clean
        self.faulty += bool(one.faults)
        self.silent += bool(one.silent)
        if one.faults:
            self.by_spoil[" + ".join(sorted(one.spoils))] += 1
        if one.silent:
            self.silent_by_spoil[" + ".join(sorted(one.spoils))] += 1
        if one.faults or one.silent:
            self.shown.append(one)

    def __iadd__(self, other: Totals) -> Totals:
        self.made += other.made
        self.clean += other.clean
        self.faulty += other.faulty
        self.silent += other.silent
        self.warned += other.warned
        self.by_spoil += other.by_spoil
        self.silent_by_spoil += other.silent_by_spoil
        self.shown += other.shown
        return self


def rubrics(seed: str, numbers: range) -> Totals:
    """Trials on written rubrics, each with the same text without its slips beside it."""
    totals = Totals()
    for number in numbers:
        rng = Random(f"{seed} rubric {number}")
        lines = blueprint(rng)
        meant = "\n".join(lines) + "\n"
        totals.warned.update({one.slug for one in check(parse(meant)) if one.severity is not Severity.HINT})
        text, names = spoiled(lines, rng, rng.randint(1, 3))
        totals.add(outcome(meant, text, names))
    return totals


def corpus(seed: str, numbers: range) -> Totals:
    """Trials on prompts of the corpus."""
    totals = Totals()
    for number in numbers:
        rng = Random(f"{seed} corpus {number}")
        where = None
        while where is None:
            where = excerpt(rng)
        text, names = spoiled(where.lines, rng, rng.randint(1, 3), range(where.start, where.end))
        totals.add(outcome(where.text, text, names))
    return totals


def main(arguments: Sequence[str]) -> int:
    """Print the counts; 1 where anything was lost."""
    options = _options(arguments)
    failed = False
    for name, count, trials in (("rubrics", options.rubrics, rubrics), ("corpus", options.corpus, corpus)):
        if not count:
            continue
        totals = Totals()
        parts = [range(start, min(start + _PART, count)) for start in range(0, count, _PART)]
        with ProcessPoolExecutor(options.workers) as pool:
            for part in pool.map(trials, [options.seed] * len(parts), parts):
                totals += part
        print("\n".join(_lines(name, totals, options.show)))
        failed = failed or bool(totals.faulty)
    return int(failed)


def _lines(name: str, totals: Totals, shown: int) -> Iterator[str]:
    yield (
        f"{name}: {totals.made} spoiled; {totals.clean} free of problems after --fix; {totals.faulty} lost, joined or "
        f"altered; {totals.silent} silent ({totals.silent / totals.made:.2%}); "
        f"warnings of unspoiled texts: {dict(totals.warned) or 'none'}"
    )
    for title, counts in (("lost", totals.by_spoil), ("silent", totals.silent_by_spoil)):
        for spoil, count in counts.most_common(_SHOWN):
            yield f"  {title} {count:5}  {spoil}"
    for one in totals.shown[:shown]:
        yield f"---- {', '.join(one.spoils)}{' (clean)' if one.is_clean else ''}"
        yield from (f"  fault: {each}" for each in one.faults)
        yield from (f"  silent: {each}" for each in one.silent)
        for name, old, new in (("slips", one.meant, one.spoiled), ("--fix", one.spoiled, one.after)):
            yield from unified_diff(old.splitlines(), new.splitlines(), name, name, n=_AROUND, lineterm="")


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.conservation", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", default="1", help="(default: %(default)s)")
    parser.add_argument("--rubrics", type=int, default=1000, help="spoiled rubrics (default: %(default)s)")
    parser.add_argument("--corpus", type=int, default=0, help="spoiled prompts of the corpus (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--show", type=int, default=0, help="print so many of the failed texts (default: %(default)s)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

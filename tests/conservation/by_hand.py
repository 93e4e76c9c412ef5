"""Whether typing and pasting give the rubric that was meant, or a warning; and whether one undo takes a paste back.

`python -m tests.conservation.by_hand --typed 1000 --pasted 5000 --seed 1` types seeded rubrics key by key, some with a
slip, and pastes pieces of them from the clipboards of other programs. It prints what was lost and what stayed silent.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from random import Random

from tests.conservation.hands import Work
from tests.conservation.pasting import pasted
from tests.conservation.typing import typed

_KINDS = {"typed": typed, "pasted": pasted}
_PART = 50
_SHOWN = 12


def works(kind: str, seed: str, numbers: range) -> list[Work]:
    """The works of a kind with these numbers."""
    return [_KINDS[kind](Random(f"{seed} {kind} {number}")) for number in numbers]


def main(arguments: Sequence[str]) -> int:
    """Print the counts; 1 where anything was lost."""
    options = _options(arguments)
    is_lossy = False
    for kind in _KINDS:
        count = getattr(options, kind)
        parts = [range(start, min(start + _PART, count)) for start in range(0, count, _PART)]
        with ProcessPoolExecutor(options.workers) as pool:
            made = pool.map(works, [kind] * len(parts), [options.seed] * len(parts), parts)
            done = [work for part in made for work in part]
        if done:
            _print(kind, done, options.show)
        is_lossy = is_lossy or any(work.faults for work in done)
    return int(is_lossy)


def _print(kind: str, done: Sequence[Work], shown: int) -> None:
    lost, silent = [work for work in done if work.faults], [work for work in done if work.silent]
    told = sum(bool(work.told) for work in done)
    print(
        f"{kind}: {len(done)}; {len(done) - told - len(silent)} as meant, {told} with a warning, "
        f"{len(silent)} silent ({len(silent) / len(done):.2%}); {len(lost)} lost something"
    )
    for title, works in (("lost", lost), ("silent", silent)):
        for how, count in Counter(each for work in works for each in work.how).most_common(_SHOWN):
            print(f"  {title} {count:5}  {how}")
    for work in [*lost, *silent][:shown]:
        print(f"---- {', '.join(work.how)}", *work.faults, *work.silent, sep="\n  ")
        print(work.before, repr(work.input), work.after, sep="\n  ----\n")


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    summary = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m tests.conservation.by_hand", description=summary)
    parser.add_argument("--seed", default="1", help="(default: %(default)s)")
    parser.add_argument("--typed", type=int, default=200, help="typed rubrics (default: %(default)s)")
    parser.add_argument("--pasted", type=int, default=1000, help="pasted pieces (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--show", type=int, default=0, help="print so many that failed (default: %(default)s)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

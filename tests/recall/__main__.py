"""How much the rules find of fresh faults, and of how many clean look-alikes they warn.

`python -m tests.recall` prints the table; `--half tuning --missed` prints what was missed in the half that may be read.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.recall.cases import Half, stored
from tests.recall.outcomes import outcomes
from tests.recall.table import bars, missed, table

SPENT = (
    "the half held_apart is measured, not read: what is tuned to it no longer says how rules do on files that nobody "
    "has seen. --open-held-apart opens it; say then that it is spent, and write new cases"
)


def main(arguments: Sequence[str]) -> int:
    """Print what is asked for; 2 where the half that is held apart would be opened."""
    options = _options(arguments)
    halves = list(Half) if options.half is None else [Half(options.half)]
    if options.missed and Half.HELD_APART in halves and not options.open_held_apart:
        print(SPENT, file=sys.stderr)
        return 2
    found = outcomes(case for half in halves for case in stored(half))
    if options.missed:
        if Half.HELD_APART in halves:
            print("The half held_apart is spent: write new cases before its figures are quoted again.\n")
        print("\n".join(missed(found)))
    else:
        print("\n".join(table(found, halves)))
        print()
    print("\n".join(bars(found, halves)))
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.recall", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--half", choices=[half.value for half in Half], help="one half only")
    parser.add_argument("--missed", action="store_true", help="print the missed cases with what was reported instead")
    parser.add_argument("--open-held-apart", action="store_true", help="let --missed show the half held apart")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

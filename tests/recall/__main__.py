"""How much the rules find of fresh faults, and of how many clean look-alikes they warn.

`python -m tests.recall` prints the table, `--write` writes it to `docs/recall.md`; `--half tuning --missed` prints what
was missed in the half that may be read.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from tests.recall.cases import Half, stored
from tests.recall.outcomes import outcomes
from tests.recall.page import page
from tests.recall.table import bars, missed, table

ROOT = Path(__file__).parents[2]

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
    if options.write:
        found = outcomes(case for half in Half for case in stored(half))
        (ROOT / "docs" / "recall.md").write_text("\n".join(page(found, date.today(), _commit())) + "\n", "utf-8")
        return 0
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


def _commit() -> str:
    """The short name of the commit that is checked out."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.recall", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--half", choices=[half.value for half in Half], help="one half only")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--missed", action="store_true", help="print the missed cases with what was reported instead")
    output.add_argument("--write", action="store_true", help="write the table of both halves to docs/recall.md")
    parser.add_argument("--open-held-apart", action="store_true", help="let --missed show the half held apart")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

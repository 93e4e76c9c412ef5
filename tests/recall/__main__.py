"""How much the rules find of fresh faults, and of how many clean look-alikes they warn.

`python -m tests.recall` prints the table; `--missed` prints what was missed in the half that may be read. The other
half is measured, not read: what is tuned to it no longer says how rules do on files that nobody has seen.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.recall.cases import Half, stored
from tests.recall.outcomes import bars, missed, outcomes, table


def main(arguments: Sequence[str]) -> int:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.recall", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--missed", action="store_true", help="print the missed cases of the half that may be read")
    halves = [Half.TUNING] if (is_missed := parser.parse_args(arguments).missed) else list(Half)
    found = outcomes(case for half in halves for case in stored(half))
    print("\n".join(missed(found) if is_missed else [*table(found, halves), ""]))
    print("\n".join(bars(found, halves)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

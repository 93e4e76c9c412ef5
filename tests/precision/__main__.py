"""How precise the rules are on the corpus.

`python -m tests.precision` prints the table; `--stale` the verdicts and reports that no longer belong together.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.precision.reports import default_reports, reports
from tests.precision.table import stale, stale_independent, table, totals
from tests.precision.verdicts import INDEPENDENT, SECOND, matched, stored
from tests.world import corpus_files


def main(arguments: Sequence[str]) -> int:
    """Print what is asked for; 2 where there is nothing to measure."""
    options = _options(arguments)
    if not corpus_files():
        print("the corpus is not beside the project", file=sys.stderr)
        return 2
    found = reports()
    judged = matched(found, stored())
    by_default = default_reports()
    independent = matched(by_default, stored(INDEPENDENT))
    if options.stale:
        print("\n".join([*stale(found, judged), *stale_independent(independent)]))
    else:
        print("\n".join(totals(matched(by_default, stored()), "reader of this project")))
        print("\n".join(table(found, judged, independent, matched(by_default, stored(SECOND)))))
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.precision", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--stale", action="store_true", help="print verdicts and reports that do not belong together")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

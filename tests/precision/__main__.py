"""How precise the rules are on the corpus.

`python -m tests.precision` prints the table; `--rule SLUG` a sample of that rule's reports for reading; `--sample N
--seed S` reports of all rules, without verdicts, for a reader who does not know the rules; `--stale` the verdicts and
reports that no longer belong together.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from engine.rules import ALL
from tests.precision.reading import author_view, reading_sample
from tests.precision.reports import default_reports, reports
from tests.precision.sample import spread, told
from tests.precision.table import READ_WHOLE, of_rule, stale, stale_independent, table, totals, verdict_on
from tests.precision.verdicts import INDEPENDENT, SECOND, matched, stored
from tests.world import corpus_files


def main(arguments: Sequence[str]) -> int:
    """Print what is asked for; 2 where there is nothing to measure."""
    options = _options(arguments)
    if not corpus_files():
        print("the corpus is not beside the project", file=sys.stderr)
        return 2
    if options.rule is not None and options.rule not in {rule.slug for rule in ALL}:
        print(f"there is no rule {options.rule}", file=sys.stderr)
        return 2
    if options.sample is not None:
        for number, report in enumerate(reading_sample(default_reports(), options.sample, options.seed), 1):
            print("\n".join(author_view(number, report)))
        return 0
    found = reports()
    judged = matched(found, stored())
    if options.rule is not None:
        here = of_rule(found, options.rule)
        chosen = spread(here, options.most)
        print(f"{len(chosen)} of {len(here)} reports\n")
        for report in chosen:
            print("\n".join(told(report, verdict_on(report, judged), options.around)))
        return 0
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
    asked = parser.add_mutually_exclusive_group()
    asked.add_argument("--rule", metavar="SLUG", help="print reports of this rule with what stands around them")
    asked.add_argument("--stale", action="store_true", help="print verdicts and reports that do not belong together")
    asked.add_argument("--sample", type=int, metavar="N", help="print N reports of all rules that are on for reading")
    parser.add_argument("--seed", type=int, default=1, help="draws the reports of --sample (default: %(default)s)")
    parser.add_argument("--most", type=int, default=READ_WHOLE, help="how many reports to print (default: %(default)s)")
    parser.add_argument("--around", type=int, default=8, help="lines on each side of a report (default: %(default)s)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

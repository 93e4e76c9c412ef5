"""Write what the rules find in the published blueprints to `docs/corpus-report.md`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from engine.functions.v8 import JavaScript
from engine.rules.selection import EVERYTHING
from tests.corpus_report.choice import examples
from tests.corpus_report.effects import effects
from tests.corpus_report.page import page
from tests.precision.reports import reports
from tests.world import NO_CORPUS, corpus_files

PAGE = Path(__file__).parents[2] / "docs" / "corpus-report.md"


def written(day: date) -> str:
    """The page as of `day`."""
    found = reports(EVERYTHING.rules())
    with JavaScript() as javascript:
        chosen = examples(effects(found, javascript))
    return "\n".join(page(found, len(corpus_files()), chosen, day)) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Write the page; 2 where there is no corpus."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus_report", description=__doc__)
    parser.add_argument("--date", type=date.fromisoformat, default=date.today(), help="the date on the page")
    parser.add_argument("--output", type=Path, default=PAGE, help="the file to write (default: %(default)s)")
    options = parser.parse_args(arguments)
    if not corpus_files():
        print(NO_CORPUS, file=sys.stderr)
        return 2
    options.output.write_text(written(options.date), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

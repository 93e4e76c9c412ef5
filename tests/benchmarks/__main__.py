"""Run all benchmarks, or those named: `python -m tests.benchmarks [keystroke startup …]`."""

from __future__ import annotations

import importlib
import pkgutil
import sys

from tests import benchmarks
from tests.benchmarks.table import HEADER, show


def main(names: list[str]) -> None:
    """Every module of this package that has `measure` prints its rows."""
    print(HEADER)
    for found in sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__)):
        if found == "__main__" or (names and found not in names):
            continue
        measure = getattr(importlib.import_module(f"{benchmarks.__name__}.{found}"), "measure", None)
        if measure is not None:
            show(measure())


main(sys.argv[1:])

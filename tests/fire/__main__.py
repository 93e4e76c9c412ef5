"""Attack the studio and print figures: `python -m tests.fire [NAME…] [--seed N] [--rounds N]`.

Without names all harnesses run. Without `--rounds` each runs as often as its figure asks for, which may take hours.
The exit code is 1 if a figure was missed.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType

from tests import fire
from tests.fire.figures import Figures, table


def harnesses() -> dict[str, ModuleType]:
    """The modules of this package that have `run`, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(fire.__path__) if module.name != "__main__")
    modules = {name: importlib.import_module(f"{fire.__name__}.{name}") for name in names}
    return {name: module for name, module in modules.items() if hasattr(module, "run")}


def run(modules: dict[str, ModuleType], seed: int, rounds: int | None) -> Iterator[Figures]:
    """The figures of each harness, with its own number of rounds (`ROUNDS`) unless one is given."""
    for module in modules.values():
        yield module.run(seed, module.ROUNDS if rounds is None else rounds)


def main(arguments: Sequence[str]) -> int:
    """Run the named harnesses; the exit code."""
    known = harnesses()
    parser = argparse.ArgumentParser(prog="python -m tests.fire", description="Attack the studio and print figures.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"harnesses to run: {', '.join(known)}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int)
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(known))
    if unknown:
        parser.error(f"no harness {', '.join(unknown)}: there are {', '.join(known)}")
    chosen = {name: module for name, module in known.items() if not options.names or name in options.names}
    found = list(run(chosen, options.seed, options.rounds))
    print(table(found))
    return 0 if all(figures.met for figures in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

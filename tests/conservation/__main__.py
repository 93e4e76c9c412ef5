"""Whether anything that an author wrote is lost, joined or altered by typing slips, keys, pastes and safe fixes.

`python -m tests.conservation --rubric 20000 --corpus 5000 --typed 1000 --pasted 5000 --seed 1` spoils so many written
rubrics and prompts of the corpus by one to three slips each, types so many rubrics key by key, some with a slip, and
pastes so many pieces of them. It prints what was lost and what stayed silent; `--show 5` also prints the first texts.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from random import Random

from tests.conservation.hands import Work
from tests.conservation.pasting import pasted
from tests.conservation.rubrics import blueprint
from tests.conservation.trials import Outcome, outcome, spoiled
from tests.conservation.typing import typed
from tests.slips.excerpts import excerpt

_SHOWN = 12
_PART = 50


def rubric(rng: Random) -> Outcome:
    """A written rubric, spoiled and fixed, with the same text without its slips beside it."""
    lines = blueprint(rng)
    return outcome("\n".join(lines) + "\n", *spoiled(lines, rng, rng.randint(1, 3)))


def corpus(rng: Random) -> Outcome:
    """A prompt of the corpus, spoiled and fixed."""
    where = None
    while where is None:
        where = excerpt(rng)
    return outcome(where.text, *spoiled(where.lines, rng, rng.randint(1, 3), range(where.start, where.end)))


KINDS: dict[str, Callable[[Random], Outcome | Work]] = {
    "rubric": rubric,
    "corpus": corpus,
    "typed": typed,
    "pasted": pasted,
}


def trials(kind: str, seed: str, numbers: range) -> list[Outcome | Work]:
    """The trials of a kind with these numbers."""
    return [KINDS[kind](Random(f"{seed} {kind} {number}")) for number in numbers]


def main(arguments: Sequence[str]) -> int:
    """Print the counts; 1 where anything was lost."""
    options = _options(arguments)
    failed = False
    for kind in KINDS:
        count = getattr(options, kind)
        parts = [range(start, min(start + _PART, count)) for start in range(0, count, _PART)]
        with ProcessPoolExecutor() as pool:
            made = pool.map(trials, [kind] * len(parts), [options.seed] * len(parts), parts)
            done = [trial for part in made for trial in part]
        if done:
            print("\n".join(_lines(kind, done, options.show)))
        failed = failed or any(trial.faults for trial in done)
    return int(failed)


def _lines(kind: str, done: Sequence[Outcome | Work], shown: int) -> Iterator[str]:
    lost, silent = [trial for trial in done if trial.faults], [trial for trial in done if trial.silent]
    became = ", ".join(f"{count} {what}" for what, count in Counter(trial.became for trial in done).most_common())
    yield f"{kind}: {len(done)}: {became}; {len(silent)} silent ({len(silent) / len(done):.2%}); {len(lost)} lost"
    for title, here in (("lost", lost), ("silent", silent)):
        for how, count in Counter(" + ".join(sorted(trial.how)) for trial in here).most_common(_SHOWN):
            yield f"  {title} {count:5}  {how}"
    for trial in [*lost, *silent][:shown]:
        yield "\n  ".join((f"---- {', '.join(trial.how)}: {trial.became}", *trial.faults, *trial.silent))
        yield from trial.shown()


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.conservation", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", default="1", help="(default: %(default)s)")
    for kind in KINDS:
        most = 0 if kind == "corpus" else 200
        parser.add_argument(f"--{kind}", type=int, default=most, help="how many to try (default: %(default)s)")
    parser.add_argument("--show", type=int, default=0, help="print so many of the failed texts (default: none)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

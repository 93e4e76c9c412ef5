"""How many slips of the hand are reported at their line, with their cause, and fixed.

`python -m tests.slips` prints the shares per kind for one, two and three slips in a prompt; `--kind WORDS` only kinds
with these words in their name, `--missed` the texts that were missed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Severity
from engine.text.spans import LineIndex
from tests.slips.operators import Kind, all_kinds
from tests.slips.trials import Shares, Trial, fixed, made_trial, verdicts
from tests.world import corpus_files


def main(arguments: Sequence[str]) -> int:
    """Print the table; 2 where there is nothing to measure."""
    options = _options(arguments)
    if not corpus_files():
        print("the corpus is not beside the project", file=sys.stderr)
        return 2
    kinds = all_kinds()
    chosen = [kind for kind in kinds if options.kind.lower() in kind.name.lower()]
    rows = [(kind, tuple(_shares(kind, kinds, several, options) for several in options.slips)) for kind in chosen]
    print("\n".join(table(rows, options.slips)))
    return 0


def _shares(kind: Kind, kinds: Sequence[Kind], several: int, options: argparse.Namespace) -> Shares:
    """The shares of one kind, among `several` slips in a prompt; the others are of seeded kinds."""
    shares = Shares()
    for place in range(options.places):
        seed = f"{options.seed} {kind.name} {several} {place}"
        made = made_trial(kind, kinds, several, seed)
        if made is None:
            continue
        verdict = next(each for each in verdicts(made) if each.kind is kind)
        shares.add(verdict)
        is_missed = not (verdict.named and (verdict.fixed or not kind.fix))
        if options.missed and is_missed:
            _show(made, seed)
    return shares


def _show(made: Trial, seed: str) -> None:
    after, left = fixed(made.text)
    lines = made.text.splitlines()
    print(f"--- {seed}: {', '.join(kind.name for kind, _ in made.slips)}")
    for kind, places in made.slips:
        first, last = max(min(places) - 3, 0), min(max(places) + 4, min(places) + 12)
        print("\n".join(f"{number + 1:5} {line}" for number, line in enumerate(lines[first:last], first)))
        print(f"      ^ {kind.name}")
    for verdict in verdicts(made):
        print(f"      {verdict.kind.name}: reported {verdict.reported}, named {verdict.named}, fixed {verdict.fixed}")
    for one in check(parse(made.text)):
        if one.severity is not Severity.HINT:
            line = LineIndex(made.text).position(one.span.start).line + 1
            print(f"      {line}: {one.slug}: {one.message} [{', '.join(fix.title for fix in one.fixes)}]")
    for one in left:
        print(f"      left {LineIndex(after).position(one.span.start).line + 1}: {one.slug}: {one.message}")


Row = tuple[Kind, tuple[Shares, ...]]


def table(rows: Sequence[Row], slips: Sequence[int]) -> Iterator[str]:
    """The lines of the table, in Markdown, and the totals."""
    numbers = {1: "one slip", 2: "two slips", 3: "three slips"}
    heads = " | ".join(f"{numbers.get(count, str(count))}: reported, named, fixed" for count in slips)
    yield f"| kind | {heads} |"
    yield "|---|" + "---|" * len(slips)
    for kind, shares in rows:
        yield f"| {kind.name} | {' | '.join(_cell(each, kind) for each in shares)} |"
    for due, name in ((True, "all kinds with a fix"), (False, "kinds without a fix")):
        chosen = [shares for kind, shares in rows if kind.fix is due]
        if chosen:
            totals = [sum((row[index] for row in chosen), Shares()) for index in range(len(slips))]
            yield f"| **{name}** | {' | '.join(_percentages(each, due=due) for each in totals)} |"


def _cell(shares: Shares, kind: Kind) -> str:
    if not shares.made:
        return "no place"
    fixed = str(shares.fixed) if kind.fix else "–"
    return f"{shares.reported}, {shares.named}, {fixed} of {shares.made}"


def _percentages(shares: Shares, *, due: bool) -> str:
    if not shares.made:
        return "no place"
    parts = [100 * count / shares.made for count in (shares.reported, shares.named, shares.fixed)]
    reported, named, fixed = (f"{part:.1f}%" for part in parts)
    return f"{reported}, {named}, {fixed if due else '–'} of {shares.made}"


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.slips", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", default="1", help="(default: %(default)s)")
    parser.add_argument("--places", type=int, default=20, help="places a kind (default: %(default)s)")
    parser.add_argument("--kind", default="", help="only kinds with these words in their name")
    parser.add_argument("--slips", type=int, nargs="*", default=[1, 2, 3], help="slips in a prompt (default: 1 2 3)")
    parser.add_argument("--missed", action="store_true", help="print what was missed")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

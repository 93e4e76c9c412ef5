"""Hostile and near-valid texts through reading, all rules, and everything that shows or fixes what they report."""

from __future__ import annotations

from functools import partial

from tests.fire.attacks import Attack, Malformed, Outcome, attacked
from tests.fire.figures import Figures
from tests.fire.hostile_texts import HostileText, hostile_text
from tests.fire.text_checks import TextReader

ROUNDS = 100_000
_FIXED_ONE_IN = 10
"""Of so many texts, all fixes of one are tried and applied."""
_MOST_SECONDS = 30.0
"""Of processor time for a text with all its fixes, each step of which has a limit of its own."""


def run(seed: int, rounds: int) -> Figures:
    """Read `rounds` texts."""
    with TextReader() as reader:

        def read(made: HostileText) -> Outcome:
            if objections := list(reader.objections(made)):
                raise Malformed("; ".join(objections))
            return Outcome(made.kind)

        checked = Attack("a text", hostile_text, read)
        fixed = Attack("a text with its fixes", partial(hostile_text, has_fixes=True), read)
        order = [fixed, *[checked] * (_FIXED_ONE_IN - 1)]
        return attacked("texts", order, seed, rounds, seconds=_MOST_SECONDS)

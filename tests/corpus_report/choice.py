"""Which examples the page shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tests.corpus_report.effects import Effect

EXAMPLES = 10


@dataclass(frozen=True, slots=True)
class Example:
    """The prompt on which a kind of problem changes the score most, and in how many prompts it changes it at all."""

    effect: Effect
    prompts: int


def examples(effects: Iterable[Effect], most: int = EXAMPLES) -> list[Example]:
    """One example a rule, those with the largest change first; equal changes by the number of prompts, then by name.

    Within a rule, the first prompt in the order of files of those with the largest change. Rules that change no score
    are left out.
    """
    by_rule: dict[str, list[Effect]] = {}
    for one in effects:
        if one.change > 0:
            by_rule.setdefault(one.slug, []).append(one)
    chosen = [Example(max(here, key=lambda one: one.change), len(here)) for here in by_rule.values()]
    chosen.sort(key=lambda one: (-one.effect.change, -one.prompts, one.effect.slug))
    return chosen[:most]

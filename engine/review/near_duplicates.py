"""Prompts of a file that ask almost the same."""

from __future__ import annotations

from collections.abc import Sequence

from engine.blueprint import ABSENT, Prompt
from engine.record import Record
from engine.study.pairing import Trigrams, likeness, trigrams

ALIKE = 0.85
"""The likeness from which two prompts count as near-duplicates: the Dice coefficient of their groups of three
characters."""


class DuplicateGroup(Record):
    """Prompts that ask almost the same, each alike to another one of the group. `least` is the least such likeness."""

    prompts: tuple[Prompt, ...]
    least: float

    @property
    def is_exact(self) -> bool:
        """Whether they differ at most in case and white space."""
        return self.least >= 1


def near_duplicates(prompts: Sequence[Prompt]) -> tuple[DuplicateGroup, ...]:
    """The groups of prompts that ask almost the same, in the order of the file."""
    grams = [trigrams(_asked(prompt)) for prompt in prompts]
    groups = list(range(len(prompts)))
    best = [0.0] * len(prompts)
    for number, one in enumerate(grams):
        for other_number in range(number):
            value = _likeness(one, grams[other_number])
            if value >= ALIKE:
                best[number] = max(best[number], value)
                best[other_number] = max(best[other_number], value)
                _join(groups, number, other_number)
    members: dict[int, list[int]] = {}
    for number in range(len(prompts)):
        members.setdefault(_root(groups, number), []).append(number)
    return tuple(
        DuplicateGroup(tuple(prompts[number] for number in group), min(best[number] for number in group))
        for group in members.values()
        if len(group) > 1
    )


def _asked(prompt: Prompt) -> str:
    system = prompt.system if isinstance(prompt.system, str) and prompt.system is not ABSENT else ""
    return "\n".join([system, *(f"{message.role}: {message.content or ''}" for message in prompt.messages)])


def _likeness(one: Trigrams, other: Trigrams) -> float:
    if 2 * min(len(one), len(other)) < ALIKE * (len(one) + len(other)):
        return 0.0
    return likeness(one, other)


def _root(groups: list[int], number: int) -> int:
    while groups[number] != number:
        groups[number] = groups[groups[number]]
        number = groups[number]
    return number


def _join(groups: list[int], one: int, other: int) -> None:
    first, second = sorted((_root(groups, one), _root(groups, other)))
    groups[second] = first

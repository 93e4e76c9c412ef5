"""Which prompt of the old version is which of the new one.

Prompts are paired step by step, each step among those that are left: the same written id (and, where several prompts
share one, the same messages first); the same id that Weval makes of the whole prompt; the same messages, system prompt
and rubric; the same messages; then those whose messages and points are most alike, if they are more like each other
than like any other prompt of their versions. So one prompt that takes the place of another is told from a prompt that
was changed, in files with a template too.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from zlib import crc32

from engine.blueprint import Absent, Prompt
from engine.blueprint_changes.pairing import Pairing, moved
from engine.blueprint_changes.point_matching import content
from engine.blueprint_changes.text_likeness import Trigrams, closest_pairs, likeness, trigrams
from engine.functions import point_text
from engine.scoring.placement import place

ALIKE = 0.5
"""How alike the messages and points of two prompts must be, 0–1, to be taken for one that was changed."""
_STEP = 1 << 40


def match_prompts(old: Sequence[Prompt], new: Sequence[Prompt]) -> Pairing:
    """The pairs of prompts, by their places in `old` and `new`."""
    pairing = Pairing(len(old), len(new))
    messages, new_messages = list(map(messages_of, old)), list(map(messages_of, new))
    ids, new_ids = list(map(_written_id, old)), list(map(_written_id, new))
    asked = [(name, each) if name is not None else None for name, each in zip(ids, messages, strict=True)]
    new_asked = [(name, each) if name is not None else None for name, each in zip(new_ids, new_messages, strict=True)]
    pairing.pair_equal(asked, new_asked)
    pairing.pair_equal(ids, new_ids)
    pairing.pair_equal(list(map(_made_id, old)), list(map(_made_id, new)))
    pairing.pair_equal(
        [_whole(prompt) if each else None for prompt, each in zip(old, messages, strict=True)],
        [_whole(prompt) if each else None for prompt, each in zip(new, new_messages, strict=True)],
    )
    pairing.pair_equal([each or None for each in messages], [each or None for each in new_messages])
    pairing.add(_alike(old, new, pairing))
    return pairing


def _alike(old: Sequence[Prompt], new: Sequence[Prompt], pairing: Pairing) -> list[tuple[int, int]]:
    if not pairing.old_left or not pairing.new_left:
        return []
    texts, new_texts = [trigrams(_text_of(each)) for each in old], [trigrams(_text_of(each)) for each in new]
    left = [(place, texts[place]) for place in pairing.old_left]
    new_left = [(place, new_texts[place]) for place in pairing.new_left]
    return [
        (one, other)
        for one, other in closest_pairs(left, new_left, ALIKE)
        if likeness(texts[one], new_texts[other]) > max(_closest(one, texts), _closest(other, new_texts))
    ]


def _closest(at: int, texts: Sequence[Trigrams]) -> float:
    """The likeness of a prompt to the most similar other prompt of its version."""
    return max((likeness(texts[at], each) for place, each in enumerate(texts) if place != at), default=0.0)


def moved_pairs(pairing: Pairing, old: Sequence[Prompt], new: Sequence[Prompt]) -> frozenset[tuple[int, int]]:
    """The pairs that stand elsewhere among all pairs: as few as possible, and the same in both directions."""
    pairs = pairing.pairs
    if all(one < other for (_, one), (_, other) in pairwise(pairs)):
        return frozenset()
    steadiness = [_digest(old[one], new[other]) - _STEP * abs(one - other) for one, other in pairs]
    return moved(pairs, steadiness)


def _digest(one: Prompt, other: Prompt) -> int:
    """32 bits of what two prompts ask, for a choice that does not depend on which of them is the old one."""
    both = sorted(repr((each.id, messages_of(each), rubric_of(each))) for each in (one, other))
    return crc32("".join(both).encode("utf-8", "surrogatepass"))


def messages_of(prompt: Prompt) -> tuple[tuple[str, str | None], ...]:
    """What the prompt asks: the role and the content of each message."""
    return tuple((message.role.value, message.content) for message in prompt.messages)


def rubric_of(prompt: Prompt) -> Hashable:
    """The content, weight, citation and place of each point."""
    return tuple(
        (placed.rubric.block, placed.path_id, content(placed.point), placed.point.multiplier, placed.point.citation)
        for placed in place(prompt)
    )


def _written_id(prompt: Prompt) -> str | None:
    return prompt.id if prompt.id_written else None


def _made_id(prompt: Prompt) -> str | None:
    return None if prompt.id_written else prompt.id


def _whole(prompt: Prompt) -> Hashable:
    system = prompt.system
    return messages_of(prompt), ("absent",) if isinstance(system, Absent) else system, rubric_of(prompt)


def _text_of(prompt: Prompt) -> str:
    return "\n".join([*(message.content or "" for message in prompt.messages), *map(point_text, prompt.points())])

"""Criteria of the corpus, beside the ideal of their own prompt and beside ideals of others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from zlib import crc32

from engine.blueprint import Prompt, Role
from engine.estimating import Encoder, sentences
from engine.estimating.encoder import Vector, closeness
from engine.estimating.estimate import to_ideal
from engine.parsing import parse
from tests.world import CORPUS, corpus_files

PROMPTS_A_FILE = 6
"""So that a file with hundreds of prompts does not drown the others."""
MOST_CRITERIA = 8
SEED = 20261122


@dataclass(frozen=True, slots=True)
class Asked:
    """One prompt with an ideal: what its `should` asks for in words, and the ideal, which its author wrote to meet
    it; `question` is what the model is asked."""

    file: str
    criteria: tuple[str, ...]
    ideal: str
    question: str

    @property
    def held_out(self) -> bool:
        """Whether its file belongs to the half by which the mapping is tested, not made."""
        return crc32(self.file.encode("utf-8")) % 2 == 1


@dataclass(frozen=True, slots=True)
class Closest:
    """How near the closest sentence of three ideals comes to one criterion: that of its own prompt, of another prompt
    of the same file (None where it has one only), and of another file; and that of its own question, repeated as an
    answer."""

    own: float
    same_file: float | None
    elsewhere: float
    repeated: float
    held_out: bool


def asked() -> list[Asked]:
    """A spread sample of the corpus."""
    chance = random.Random(SEED)
    found: list[Asked] = []
    for path in corpus_files():
        prompts = [
            Asked(path.relative_to(CORPUS).as_posix(), criteria, prompt.ideal, _question(prompt))
            for prompt in parse(path.read_text("utf-8"), path).blueprint.prompts
            if prompt.ideal and prompt.should is not None
            for criteria in [tuple(point.text for point in prompt.should.points() if point.text)[:MOST_CRITERIA]]
            if criteria
        ]
        found += chance.sample(prompts, min(PROMPTS_A_FILE, len(prompts)))
    return found


def _question(prompt: Prompt) -> str:
    return "\n\n".join(each.content for each in prompt.messages if each.role is Role.USER and each.content)


def measured(prompts: Sequence[Asked], encoder: Encoder) -> list[Closest]:
    """Every criterion of `prompts` against the three ideals and the question."""
    chance = random.Random(SEED)
    ideals = [encoder.encode([each.text for each in sentences(prompt.ideal)]) for prompt in prompts]
    questions = [encoder.encode([each.text for each in sentences(prompt.question)]) for prompt in prompts]
    found: list[Closest] = []
    for place, prompt in enumerate(prompts):
        same = [each for each, other in enumerate(prompts) if other.file == prompt.file and each != place]
        others = [each for each, other in enumerate(prompts) if other.file != prompt.file]
        near, far = chance.choice(same) if same else None, chance.choice(others)
        for criterion in encoder.encode(prompt.criteria):
            own, elsewhere = _best(criterion, ideals[place]), _best(criterion, ideals[far])
            same_file = None if near is None else _best(criterion, ideals[near])
            found.append(Closest(own, same_file, elsewhere, _best(criterion, questions[place]), prompt.held_out))
    return found


def _best(criterion: Vector, ideal: Sequence[Vector]) -> float:
    return max((closeness(criterion, sentence) for sentence in ideal), default=0.0)


def ideals_apart(prompts: Sequence[Asked], encoder: Encoder) -> dict[str, list[float]]:
    """How near whole ideals of different prompts come to each other, neighbours of the sample taken as pairs."""
    found: dict[str, list[float]] = {"of one file": [], "of two files": []}
    for one, other in pairwise(prompts):
        near = to_ideal(one.ideal, other.ideal, encoder)
        found["of one file" if one.file == other.file else "of two files"].append(near)
    return found


def auc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """How often a random one of `right` lies above a random one of `wrong`: 1 always, 0.5 as by chance."""
    ranked = sorted([(each, 0) for each in wrong] + [(each, 1) for each in right])
    total, place = 0.0, 0
    while place < len(ranked):
        end = place
        while end < len(ranked) and ranked[end][0] == ranked[place][0]:
            end += 1
        middle = (place + 1 + end) / 2
        total += middle * sum(kind for _, kind in ranked[place:end])
        place = end
    return (total - len(right) * (len(right) + 1) / 2) / (len(right) * len(wrong))

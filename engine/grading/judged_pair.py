"""Judged pairs: an answer and a criterion on which judges gave a verdict that is about the present text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from engine.blueprint import Blueprint, Prompt, Role
from engine.conversation import ThreadTurn
from engine.digests import data_digest
from engine.judging.consensus import Consensus, changed_since
from engine.judging.judge_prompt import questions
from engine.record import Record
from engine.scoring.assessment import Criterion, Grade
from engine.scoring.placement import place
from engine.store.database import PromptPlace
from engine.store.run_records import JudgedAnswer, PairId

_HALF = 0.5
_NOISE = 1e-9
"""What the rounding of binary fractions can take from a mean of extents."""
_KEY_DIGITS = 12


class JudgeWord(Record):
    """One judge's verdict on a pair: `extent` is 0–1 before inversion, `label` is it in words."""

    judge: str
    extent: float
    label: str
    reflection: str


class JudgedPair(Record):
    """An answer, a criterion, and the judges' verdicts on them, none of which is carried over.

    `prompt` is the place of the prompt in the blueprint, from 0; `source` is where the answer came from, in words.
    `extent` is the consensus before inversion, 0–1; `inverted` is whether meeting the criterion is a fault.
    """

    id: PairId
    prompt: int
    thread: tuple[ThreadTurn, ...]
    source: str
    inverted: bool
    extent: float
    words: tuple[JudgeWord, ...]

    @property
    def criterion(self) -> Criterion:
        """The criterion."""
        return self.id.criterion

    @property
    def answer(self) -> tuple[str, str]:
        """What identifies the answer: its prompt, and the digest of its text."""
        return self.id.prompt, self.id.subject

    @property
    def before(self) -> tuple[ThreadTurn, ...]:
        """The turns before the first one that is graded."""
        return self.thread[: self._first]

    @property
    def answer_turns(self) -> tuple[ThreadTurn, ...]:
        """The turns from the first one that is graded."""
        return self.thread[self._first :]

    @property
    def _first(self) -> int:
        return next((index for index, turn in enumerate(self.thread) if turn.generated), len(self.thread) - 1)

    @property
    def is_passed(self) -> bool:
        """Whether the judges pass the answer on this point: from 0.5 on, after inversion."""
        return is_passed(self.extent, inverted=self.inverted)

    def passed_by(self, grade: Grade) -> bool:
        """Whether a person's grade passes the answer on this point."""
        return is_passed(grade.extent, inverted=self.inverted)


def is_passed(extent: float, *, inverted: bool) -> bool:
    """Whether an extent (0–1, before inversion) passes a point: 0.5 or more of 1 after inversion."""
    return (1 - extent if inverted else extent) >= _HALF - _NOISE


def pair_key(pair: PairId) -> str:
    """The key of a pair in a grading sheet. It begins with a letter, so that no spreadsheet takes it for a number."""
    parts = [pair.prompt, pair.subject, pair.criterion.block.value, pair.criterion.text]
    return "k" + data_digest(parts)[:_KEY_DIGITS]


def judged_pairs(
    blueprint: Blueprint, path: Path | None, answers: Mapping[str, Iterable[JudgedAnswer]]
) -> tuple[JudgedPair, ...]:
    """All judged pairs of a blueprint. `answers` are the stored ones, by `PromptPlace.prompt`.

    Each criterion counts once for an answer. Verdicts that are carried over are left out, as are those on criteria that
    the prompt no longer has.
    """
    description = blueprint.header.description
    found: dict[PairId, JudgedPair] = {}
    for prompt in blueprint.prompts:
        key = PromptPlace.of(path, prompt).prompt
        for answer in answers.get(key, ()):
            for pair in _pairs(prompt, key, description, answer):
                found.setdefault(pair.id, pair)
    return tuple(found.values())


def _pairs(prompt: Prompt, key: str, description: str | None, answer: JudgedAnswer) -> Iterator[JudgedPair]:
    if _user_turns(answer) != [each.content for each in prompt.messages if each.role is Role.USER and each.content]:
        return  # an answer to another question
    asked = questions(prompt, answer.thread, description)
    for index, placed in enumerate(place(prompt)):
        text = placed.point.text
        judgements = None if text is None else answer.judgements.get(text)
        if text is None or not judgements:
            continue
        consensus = Consensus(judgements)
        if consensus.extent is None or changed_since(consensus, asked[index]):
            continue
        pair = PairId(key, answer.subject_digest, Criterion(placed.rubric.block, text))
        words = tuple(
            JudgeWord(each.judge.id, verdict.extent, verdict.label, verdict.reflection)
            for each, verdict in consensus.verdicts
        )
        yield JudgedPair(pair, prompt.index, answer.thread, answer.source, placed.inverted, consensus.extent, words)


def _user_turns(answer: JudgedAnswer) -> list[str]:
    return [turn.content for turn in answer.thread if turn.role is Role.USER and not turn.generated and turn.content]

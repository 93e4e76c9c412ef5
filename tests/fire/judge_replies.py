"""Hostile and near-valid replies of judges, from the reply to the verdict, the consensus, the score and what is shown.

The replies are those of `SEEDS` and, where `../shared` is, of the platform's own rows, changed at random. Most are read
as the cache and the history read them; one in twenty arrives piece by piece from a judge that is asked.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from engine.blueprint import Header, Role
from engine.blueprint.conversation import StopReason, ThreadTurn
from engine.evaluation.events import Response, Scored
from engine.evaluation.headline import headline
from engine.evaluation.result_json import Entry, dumps, result_json
from engine.evaluation.verdicts import Judges, KnownVerdicts, consensus_assessment, judge_answer, open_points
from engine.judging.judge_runner import MAX_POINT_LENGTH, MAX_POINTS, DraftFailure, read_points
from engine.judging.judgement import (
    Attempt,
    Consensus,
    Judgement,
    agreement_of,
    judgement_of,
    judgement_text,
    word_for_word,
)
from engine.judging.panel import ALL_SCALES, FIVE_STEPS, TEN_STEPS, Approach, Panel, PanelJudge
from engine.judging.verdict import MAX_REPLY_LENGTH, Verdict, read_verdict
from engine.models.chat import ChatEvent, ChatRequest, Finished, Provider, TextDelta, Turn, Usage
from engine.models.wires import TextJoiner
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from studio.cli.output import arithmetic, as_text, score
from tests.engine.builders import blueprint, check, prompt, text
from tests.fire import mutations
from tests.fire.attacks import Attack, Outcome, attacked, seed_text
from tests.fire.figures import Figures
from tests.world import golden

ROUNDS = 100_000
_ASKED_ONE_IN = 20

_CLASSES = tuple(step.name for scale in ALL_SCALES for step in scale.steps)
_PARTLY = "CLASS_PARTIALLY_PRESENT"
SEEDS: tuple[str, ...] = tuple(json.loads(seed_text("judge_replies.json")))
"""Replies in each form that judges are known to use."""

_RUBRIC = prompt([text("the Moon"), check("contains", "Sun"), [text("the Sun", 2.0)]], [text("a joke")], id="p")
_PLACED = place(_RUBRIC)
_OPEN = tuple(index for index, placed in enumerate(_PLACED) if placed.point.text is not None)
_THREAD = (
    ThreadTurn(Role.USER, "Why are there tides?", generated=False),
    ThreadTurn(Role.ASSISTANT, "The Moon pulls.", generated=True),
)
_RESPONSE = Response("The Moon pulls.", _THREAD, "here:model")
_REQUEST = ChatRequest("judge", (Turn(Role.SYSTEM, "Judge."), Turn(Role.USER, "Is the Moon named?")))
_JUDGES = (
    PanelJudge("one", "here:one", Approach.STANDARD),
    PanelJudge("two", "here:two", Approach.HOLISTIC),
    PanelJudge("one", "here:three", Approach.PROMPT_AWARE),
)
_BLUEPRINT = blueprint(_RUBRIC)
_STOPS = (StopReason.STOP, StopReason.STOP, *StopReason)


@dataclass(frozen=True, slots=True)
class Replies:
    """What the judges of one panel reply to all points: their replies in pieces, and why each ended."""

    pieces: tuple[tuple[str, ...], ...]
    stops: tuple[StopReason, ...]
    experimental: bool


def run(seed: int, rounds: int) -> Figures:
    """Read `rounds` replies, each seven times as a judge's and then as drafted points."""
    seeds = (*SEEDS, *(str(row["reply"]) for row in golden("judge_replies")))
    with asyncio.Runner() as runner:
        saved = Attack("a reply", lambda chance: _replies(chance, seeds), _read_saved)
        drafted = Attack("drafted points", lambda chance: _replies(chance, seeds), _read_points)
        asked = Attack(
            "a judge that is asked", lambda chance: _replies(chance, seeds), lambda made: runner.run(_asked(made))
        )
        order = [saved if number % 4 else drafted for number in range(_ASKED_ONE_IN - 1)]
        return attacked("judge_replies", [*order, asked], seed, rounds)


def _replies(chance: Random, seeds: Sequence[str]) -> Replies:
    count = chance.choice((1, 1, 2, 3))
    made = [_reply(chance, seeds) for _ in range(count)]
    stops = tuple(chance.choice(_STOPS) for _ in made)
    return Replies(tuple(_pieces(chance, each) for each in made), stops, chance.random() < 0.5)


def _reply(chance: Random, seeds: Sequence[str]) -> str:
    written = chance.choice(seeds)
    if chance.random() < 0.3:
        written = written.replace(_PARTLY, chance.choice(_CLASSES))
    if chance.random() < 0.2:
        written = _as_json(chance)
    return mutations.mutated_text(chance, written, seeds) if chance.random() < 0.9 else written


def _as_json(chance: Random) -> str:
    """A reply in JSON with values of any type."""
    key = chance.choice(("classification", "score", "coverage_extent", "verdict", "Class", "reflection"))
    fields = {"reflection": mutations.hostile_value(chance), key: mutations.hostile_value(chance)}
    return json.dumps(fields, ensure_ascii=False)


def _pieces(chance: Random, text: str) -> tuple[str, ...]:
    cuts = sorted(chance.randint(0, len(text)) for _ in range(chance.randint(0, 4)))
    return tuple(text[one:other] for one, other in zip([0, *cuts], [*cuts, len(text)], strict=True))


def _received(pieces: Sequence[str]) -> str:
    """The text as a stream delivers it: without half characters."""
    joiner = TextJoiner()
    return "".join((*map(joiner.feed, pieces), joiner.flush()))


def _read_saved(made: Replies) -> Outcome:
    panel = Panel(_JUDGES[: len(made.pieces)], TEN_STEPS if made.experimental else FIVE_STEPS, custom=True)
    given = tuple(
        _judgement(judge, _received(pieces), stop, panel)
        for judge, pieces, stop in zip(panel.judges, made.pieces, made.stops, strict=True)
    )
    restored = tuple(judgement_of(judgement_text(each)) for each in given)
    if restored != given:
        raise ValueError("a judgement is saved as another one")
    consensus = Consensus(given)
    verdicts = dict.fromkeys(_OPEN, consensus)
    assessments = tuple(
        consensus_assessment(placed, consensus) if index in _OPEN else Assessment(placed)
        for index, placed in enumerate(_PLACED)
    )
    explanation, agreed = explain(_RUBRIC, assessments), agreement_of([consensus])
    return _shown(Scored(_RESPONSE, assessments, explanation, verdicts, agreed, judged=True))


def _judgement(judge: PanelJudge, reply: str, stop: StopReason, panel: Panel) -> Judgement:
    reading = read_verdict(reply, panel.scale, stop)
    if isinstance(reading, Verdict) and not 0 <= reading.extent <= 1:
        raise ValueError(f"an extent of {reading.extent}")
    return Judgement(judge, "the Moon", (Attempt(_REQUEST, reply, reading, "m", Usage(3, 4), 5),), "here", key="k")


def _shown(scored: Scored) -> Outcome:
    """All that an author sees and saves of a judged answer."""
    verdicts = scored.verdicts
    explanation = scored.explanation
    _check_bounds(explanation)
    words = [word_for_word(each) for consensus in verdicts.values() for each in consensus.judgements]
    shown = as_text([score("p", headline(explanation, scored.response), arithmetic(explanation))])
    entry = Entry(_RUBRIC, "p", "here:model", scored)
    saved = dumps(result_json(_BLUEPRINT, None, [entry], path=Path("p.yml")))
    count = sum(bool(each.verdicts) for each in verdicts.values())
    return Outcome("judged" if count else "not judged", (shown, saved, words))


def _check_bounds(explanation: Explanation) -> None:
    score, bounds = explanation.score, explanation.bounds
    if not 0 <= bounds.low <= bounds.high <= 1 or (score is not None and not 0 <= score <= 1):
        raise ValueError(f"a score of {score} between {bounds}")


def _read_points(made: Replies) -> Outcome:
    received = _received(made.pieces[0])
    found = read_points(received, made.stops[0])
    if isinstance(found, DraftFailure):
        return Outcome("no criteria", found.message)
    if len(found) > MAX_POINTS or any(len(each) > MAX_POINT_LENGTH or "\n" in each for each in found):
        raise ValueError(f"points past their bounds: {found}")
    return Outcome("points", found)


# --- A judge that is asked


@dataclass(frozen=True, slots=True)
class _Judge:
    """A judge that replies to every question alike."""

    pieces: Sequence[str]
    stop: StopReason
    recipient: str = "this machine"

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        del request
        joiner = TextJoiner()
        for piece in self.pieces:
            yield TextDelta(joiner.feed(piece))
        yield TextDelta(joiner.flush())
        yield Finished(self.stop, Usage(1, 2), "m")


async def _asked(made: Replies) -> Outcome:
    panel = Panel(_JUDGES[: len(made.pieces)], FIVE_STEPS, custom=True)
    replies = {judge.model: place for place, judge in enumerate(panel.judges)}

    def resolve(model: str, _base_url: str | None) -> tuple[Provider, str]:
        place = replies[model]
        return _Judge(made.pieces[place], made.stops[place]), model

    untouched = tuple(map(Assessment, _PLACED))
    before = Scored(_RESPONSE, untouched, explain(_RUBRIC, untouched))
    known = KnownVerdicts.on(_RUBRIC, Header(_RUBRIC.span), _RESPONSE, panel)
    places, explained = open_points(untouched), partial(explain, _RUBRIC)
    async for event in judge_answer(before, known, Judges(panel, resolve), places, explained):
        if isinstance(event, Scored) and event.judged:
            _check_whole(event, made)
            return _shown(event)
    raise ValueError("judging ended without an end")


def _check_whole(judged: Scored, made: Replies) -> None:
    """A reply is saved whole, up to the bound at which a stream is broken off."""
    for consensus in judged.verdicts.values():
        for judgement, pieces in zip(consensus.judgements, made.pieces, strict=True):
            whole = _received(pieces)
            if not whole.startswith(judgement.last.reply) or len(judgement.last.reply) < min(
                len(whole), MAX_REPLY_LENGTH
            ):
                raise ValueError("a reply was saved in part")

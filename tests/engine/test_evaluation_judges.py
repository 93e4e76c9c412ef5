"""A run with judges: one stream from the answer to the last verdict. What the author graded is never asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from engine.blueprint import Header
from engine.evaluation.events import (
    Assessed,
    Event,
    Failed,
    JudgingBegan,
    Responded,
    Response,
    Scored,
)
from engine.evaluation.prompt_evaluation import evaluate, rescore
from engine.evaluation.sources import IdealSource, WrittenSource
from engine.evaluation.verdicts import Judges
from engine.functions.v8 import JavaScript
from engine.judging.judge_runner import JudgeAnswered
from engine.judging.panel import FIVE_STEPS, Approach, Panel, PanelJudge
from engine.models.chat import ChatEvent, ChatRequest, Provider, TextDelta
from engine.text.record import replace
from engine.text.spans import NOWHERE
from tests.engine.builders import blueprint, check, prompt, text
from tests.engine.test_evaluation import ASKED
from tests.engine.test_judging_evaluation import ONE, TWO, Says

CAPITAL = prompt([check("contains", "Paris"), text("the Seine")], [text("a joke")], messages=ASKED, ideal="Paris")


def judges(says: Says, panel: Panel = ONE, **more: Any) -> Judges:
    return Judges(panel, says.resolve, **more)


async def events_of(says: Says, javascript: JavaScript, panel: Panel = ONE, **more: Any) -> list[Event]:
    asked = judges(says, panel)
    run = evaluate(CAPITAL, blueprint(CAPITAL), IdealSource(), javascript=javascript, judges=asked, **more)
    return [event async for event in run]


async def all_judged(says: Says, javascript: JavaScript, panel: Panel = ONE, **more: Any) -> Scored:
    last = (await events_of(says, javascript, panel, **more))[-1]
    assert isinstance(last, Scored)
    return last


async def test_verdicts_come_after_the_checks_and_end_the_run(javascript: JavaScript) -> None:
    kinds = [type(event) for event in await events_of(Says(), javascript)]
    assert kinds[:3] == [Responded, Assessed, JudgingBegan]
    assert kinds[-1] is Scored
    assert (kinds.count(JudgeAnswered), kinds.count(Assessed), len(kinds)) == (2, 3, 8)


async def test_before_the_first_verdict_the_bounds_are_as_without_judges(javascript: JavaScript) -> None:
    began = next(event for event in await events_of(Says(), javascript) if isinstance(event, JudgingBegan))
    assert began.waiting == (1, 2)
    bounds = began.scored.explanation.bounds
    assert (bounds.low, bounds.high) == (pytest.approx(1 / 3), 1)


async def test_an_ideal_that_judges_find_wanting_is_still_known_as_the_ideal(javascript: JavaScript) -> None:
    done = await all_judged(Says(), javascript)
    assert done.explanation.against_ideal == "evidence: look at the rubric, as this is your ideal"


async def test_an_answer_that_is_there_is_judged_without_asking_a_model(javascript: JavaScript) -> None:
    says = Says()
    response = Response("Paris", ())
    run = rescore(
        CAPITAL,
        WrittenSource("Paris"),
        response,
        javascript=javascript,
        header=Header(NOWHERE),
        judges=judges(says, TWO),
    )
    events = [event async for event in run]
    assert isinstance(events[-1], Scored)
    assert len(says.requests) == 4


async def test_without_an_answer_nobody_is_asked(javascript: JavaScript) -> None:
    says = Says()
    silent = replace(CAPITAL, ideal=None)
    run = evaluate(silent, blueprint(silent), IdealSource(), javascript=javascript, judges=judges(says))
    assert [type(event) async for event in run] == [Failed]
    assert says.requests == []


class OneIsSlow(Says):
    """As `Says`, but asked about the joke it never comes to an end."""

    ended = False

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatEvent]:
        if "a joke" in request.turns[1].content:
            try:
                yield TextDelta("Well")
                await asyncio.sleep(3600)
            finally:
                self.ended = True
        async for event in super().stream(request):
            yield event

    def resolve(self, model: str, base_url: str | None) -> tuple[Provider, str]:
        return self, model  # pyright: ignore[reportReturnType]


async def test_a_stop_ends_what_judges_have_not_said_and_keeps_what_they_have(javascript: JavaScript) -> None:
    says, stop = OneIsSlow(the_Seine="CLASS_FULLY_PRESENT"), asyncio.Event()
    own = Panel((PanelJudge("one", "here:one", Approach.STANDARD),), FIVE_STEPS, custom=True)
    run = evaluate(
        CAPITAL, blueprint(CAPITAL), IdealSource(), javascript=javascript, judges=judges(says, own), stop=stop
    )
    last: Event | None = None
    async for event in run:
        last = event
        if isinstance(event, Assessed) and event.scored is not None:
            stop.set()
    assert isinstance(last, Scored)
    assert [each.extent for each in last.assessments] == [1, 1, None]
    assert (says.ended, last.explanation.bounds.closed) == (True, False)

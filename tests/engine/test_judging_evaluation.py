"""From verdicts to a score: open criteria are judged as verdicts come, and the bounds close around the score."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Block, Header, Prompt, Role
from engine.blueprint.conversation import StopReason, ThreadTurn
from engine.evaluation.events import Assessed, Event, Failed, JudgingBegan, Responded, Response, Scored
from engine.evaluation.prompt_evaluation import evaluate, rescore
from engine.evaluation.result_json import point_assessment
from engine.evaluation.sources import IdealSource, WrittenSource
from engine.evaluation.verdicts import Judges, KnownVerdicts, judge_answer, open_points
from engine.functions.v8 import JavaScript
from engine.judging.judge_runner import JudgeAnswered
from engine.judging.judgement import (
    Attempt,
    Consensus,
    Judgement,
    agreement,
    judgement_of,
    judgement_text,
    word_for_word,
)
from engine.judging.panel import FIVE_STEPS, Approach, Panel, PanelJudge
from engine.judging.verdict import NoVerdict, Reason, Verdict, read_verdict
from engine.models.chat import ChatEvent, ChatRequest, Finished, Provider, Resolve, TextDelta, Turn, Usage
from engine.scoring.assessment import AssessedBy, Assessment, Bounds
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.text.record import as_json, replace
from engine.text.spans import NOWHERE
from tests.engine.builders import blueprint, check, prompt, text
from tests.engine.test_evaluation import ASKED
from tests.expected import of_kind
from tests.many_cases import every
from tests.world import golden, needs_shared

THREAD = (
    ThreadTurn(Role.USER, "Why are there tides?", generated=False),
    ThreadTurn(Role.ASSISTANT, "The Moon pulls.", generated=True),
)
HEADER = Header(NOWHERE, description="On the sea.")
ONE = Panel((PanelJudge("one", "here:one", Approach.STANDARD),), FIVE_STEPS, custom=True)
TWO = Panel((*ONE.judges, PanelJudge("two", "here:two", Approach.HOLISTIC)), FIVE_STEPS, custom=True)
RUBRIC = prompt([text("the Moon"), check("contains", "Sun"), text("the Sun")], [text("a joke")])


class Says:
    """A judge that says of each criterion what is given for it, and "CLASS_ABSENT" of all others."""

    recipient = "this machine"

    def __init__(self, at_once: int = 100, **replies: str) -> None:
        """It answers `at_once` questions, and each further one when `more` is released."""
        self.replies = {name.replace("_", " "): reply for name, reply in replies.items()}
        self.requests: list[ChatRequest] = []
        self.more = asyncio.Semaphore(at_once)

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatEvent]:
        self.requests.append(request)
        asked = request.turns[1].content.rpartition("<criterion-")[2].partition(">\n")[2].partition("\n</")[0]
        await self.more.acquire()
        yield TextDelta(self.replies.get(asked, "CLASS_ABSENT"))
        yield Finished(StopReason.STOP, Usage())

    def resolve(self, model: str, base_url: str | None) -> tuple[Provider, str]:
        return self, model  # pyright: ignore[reportReturnType]


def before(rubric: Prompt, *assessments: Assessment) -> Scored:
    """The end of an evaluation without judges: these assessments, everything else open."""
    known = {each.placed: each for each in assessments}
    everything = tuple(known.get(placed, Assessment(placed, detail="not judged")) for placed in place(rubric))
    return Scored(Response("The Moon pulls.", THREAD), everything, explain(rubric, everything))


def checked(rubric: Prompt, index: int, extent: float) -> Assessment:
    return Assessment(place(rubric)[index], extent, AssessedBy.FUNCTION)


def judging(
    resolve: Resolve,
    scored: Scored,
    panel: Panel = ONE,
    rubric: Prompt = RUBRIC,
    explained: Callable[[tuple[Assessment, ...]], Explanation] | None = None,
) -> AsyncGenerator[JudgeAnswered | Assessed | Scored]:
    """What `panel` says of the open points of an answer on which nobody has judged yet."""
    known = KnownVerdicts.on(rubric, HEADER, scored.response, panel)
    explained = explained or partial(explain, rubric)
    return judge_answer(scored, known, Judges(panel, resolve), open_points(scored.assessments), explained)


async def events_of(
    says: Says, scored: Scored, panel: Panel = ONE, rubric: Prompt = RUBRIC
) -> list[JudgeAnswered | Assessed | Scored]:
    async with aclosing(judging(says.resolve, scored, panel, rubric)) as events:
        return [event async for event in events]


async def all_judged(says: Says, scored: Scored, panel: Panel = ONE, rubric: Prompt = RUBRIC) -> Scored:
    return of_kind(Scored, (await events_of(says, scored, panel, rubric))[-1])


async def test_judges_close_what_checks_left_open() -> None:
    says = Says(the_Moon="CLASS_FULLY_PRESENT", the_Sun="CLASS_PARTIALLY_PRESENT", a_joke="CLASS_FULLY_PRESENT")
    done = await all_judged(says, before(RUBRIC, checked(RUBRIC, 1, 0.0)))
    assert [each.extent for each in done.assessments] == [1, 0, 0.5, 0]
    assert [each.by for each in done.assessments] == [
        AssessedBy.JUDGE,
        AssessedBy.FUNCTION,
        AssessedBy.JUDGE,
        AssessedBy.JUDGE,
    ]
    assert done.explanation.score == pytest.approx(1.5 / 4)
    assert done.explanation.bounds.low == done.explanation.bounds.high


async def test_the_bounds_close_with_every_verdict_and_hold_the_score_at_the_end() -> None:
    says = Says(1, the_Moon="CLASS_FULLY_PRESENT", the_Sun="CLASS_PARTIALLY_PRESENT")
    bounds: list[Bounds] = []
    last: JudgeAnswered | Assessed | Scored | None = None
    async with aclosing(judging(says.resolve, before(RUBRIC, checked(RUBRIC, 1, 0.0)))) as events:
        async for last in events:
            if isinstance(last, Assessed) and last.scored is not None:
                bounds.append(last.scored.explanation.bounds)
                says.more.release()
    assert [each.high - each.low for each in bounds] == pytest.approx([0.5, 0.25, 0])
    assert isinstance(last, Scored)
    assert all(each.low <= (last.explanation.score or 0) <= each.high for each in bounds)


async def test_verdicts_that_come_together_are_explained_together() -> None:
    explained: list[Explanation] = []

    def noted(assessments: tuple[Assessment, ...]) -> Explanation:
        explained.append(explain(RUBRIC, assessments))
        return explained[-1]

    async with aclosing(judging(Says().resolve, before(RUBRIC), explained=noted)) as events:
        told = [event.scored.explanation async for event in events if isinstance(event, Assessed) and event.scored]
    assert (len(told), len(explained)) == (3, 1)
    assert {id(each) for each in told} == {id(explained[0])}


async def test_every_judge_is_reported_before_its_point() -> None:
    events = await events_of(Says(), before(RUBRIC), TWO)
    told: dict[int, int] = {}
    for event in events:
        match event:
            case JudgeAnswered(index, _):
                told[index] = told.get(index, 0) + 1
            case Assessed(index, _):
                assert told[index] == 2
            case Scored():
                assert told == {0: 2, 2: 2, 3: 2}


async def test_what_the_author_graded_is_not_asked() -> None:
    says = Says()
    own = Assessment(place(RUBRIC)[0], 1.0, AssessedBy.HUMAN)
    done = await all_judged(says, before(RUBRIC, own))
    assert done.assessments[0] is own
    assert sorted(done.verdicts) == [2, 3]
    assert len(says.requests) == 2


async def test_an_unwanted_point_says_what_its_verdict_counts() -> None:
    done = await all_judged(Says(a_joke="CLASS_FULLY_PRESENT"), before(RUBRIC))
    joke = done.assessments[3]
    assert joke.placed.rubric.block is Block.SHOULD_NOT
    assert (joke.extent, joke.detail) == (0, "one: fully present (Weval reads no verdict), so it counts 0 here")


async def test_who_did_not_judge_is_reported_behind_what_the_verdicts_count() -> None:
    says = Says(a_joke="CLASS_FULLY_PRESENT")
    declining = Says(a_joke="I'm sorry, but I can't help with that.")

    def resolve(model: str, base_url: str | None) -> tuple[Provider, str]:
        return (says if model == "here:one" else declining).resolve(model, base_url)

    async with aclosing(judging(resolve, before(RUBRIC), TWO)) as events:
        last = [event async for event in events][-1]
    assert isinstance(last, Scored)
    assert last.assessments[3].detail == (
        "one: fully present (Weval reads no verdict), so it counts 0 here; two declined to judge"
    )


async def test_a_point_that_no_judge_could_judge_is_left_out_and_keeps_the_bounds_open() -> None:
    done = await all_judged(Says(the_Moon="I'm sorry, but I can't help with that."), before(RUBRIC))
    moon = done.assessments[0]
    assert (moon.extent, moon.assessed, moon.error) == (None, False, "one declined to judge")
    assert done.explanation.bounds.low < done.explanation.bounds.high
    assert "No judge could judge 1 of 4 criteria: 1 is left out." in done.explanation.notes
    assert (moon.by, moon.failed, moon.open) == (AssessedBy.JUDGE, True, False)


async def test_a_point_that_nobody_judged_can_be_judged_again() -> None:
    failed = await all_judged(Says(the_Moon="Sorry."), before(RUBRIC))
    says = Says(the_Moon="CLASS_FULLY_PRESENT")
    again = await all_judged(says, failed)
    assert (len(says.requests), again.assessments[0].extent) == (1, 1)


async def test_judges_agree_in_the_order_of_the_points() -> None:
    done = await all_judged(Says(the_Moon="CLASS_FULLY_PRESENT"), before(RUBRIC), TWO)
    assert done.agreement is not None
    assert (done.agreement.alpha, done.agreement.items) == (1, 3)


async def test_with_nothing_open_nobody_is_asked() -> None:
    says = Says()
    rubric = prompt([check("contains", "Moon")])
    done = await all_judged(says, before(rubric, checked(rubric, 0, 1.0)), rubric=rubric)
    assert (says.requests, dict(done.verdicts), done.agreement) == ([], {}, None)
    assert done.explanation.score == 1


# In result JSON


def judgement(reply: str, *earlier: str) -> Judgement:
    request = ChatRequest("m", (Turn(Role.SYSTEM, "s"), Turn(Role.USER, "u")), seconds=45.0)
    attempts = [
        Attempt(request, each, read_verdict(each, FIVE_STEPS), "m-1", Usage(3, None), 12) for each in (*earlier, reply)
    ]
    return Judgement(ONE.judges[0], "the Moon", tuple(attempts), "this machine")


def test_result_json_has_the_verdicts_and_no_failure() -> None:
    said = "<reflection>Yes.</reflection><classification>CLASS_MAJORLY_PRESENT</classification>"
    [placed] = place(prompt([text("the Moon")]))
    written = point_assessment(Assessment(placed), Consensus((judgement(said), judgement("no idea"))))
    assert written["individualJudgements"] == [
        {"judgeModelId": "one(here:one)", "coverageExtent": 0.75, "reflection": "Yes."}
    ]


@needs_shared
@every("row", golden("agreement"), ids=lambda row: row["id"])
def test_agreement_is_written_as_on_the_platform(row: dict[str, Any]) -> None:
    from tests.engine.test_judging_replies import judges_of, points_of

    found = agreement(points_of(row), judges_of(row))
    assert (None if found is None else as_json(found)) == row["result"]


# Word for word


def test_a_judgement_is_shown_with_every_request_and_reply() -> None:
    said = "<reflection>Yes.</reflection><classification>CLASS_MAJORLY_PRESENT</classification>"
    assert word_for_word(judgement(said, "no idea")) == (
        "one: here:one, standard; sent to this machine\n"
        "Criterion: the Moon\n\n"
        "=== Request 1 of 2 to m, temperature 0, at most 1500 tokens\n\n"
        "[system]\ns\n\n[user]\nu\n\n"
        "=== Reply of m-1 after 12 ms, 3 tokens read\nno idea\n\n"
        "=== Read as: no verdict, as it named no class of the scale. "
        "Its reply is saved word for word. Judge again, or choose another judge.\n\n"
        "=== Request 2 of 2 to m, temperature 0, at most 1500 tokens\n\n"
        "[system]\ns\n\n[user]\nu\n\n"
        f"=== Reply of m-1 after 12 ms, 3 tokens read\n{said}\n\n"
        "=== Read as: majorly present (0.75)\n"
    )


def test_what_was_not_sent_is_shown_as_such_and_a_cached_one_as_cached() -> None:
    unsent = replace(judgement("CLASS_ABSENT"), recipient="")
    assert "nothing was sent" in word_for_word(unsent)
    assert ", cached" in word_for_word(replace(unsent, reused=True))


def test_a_reply_steers_no_terminal() -> None:
    shown = word_for_word(judgement("\x1b[31mCLASS_ABSENT\x07\u202e"))
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


# Kept


@every(
    "replies",
    [
        ["<reflection>Yes.</reflection><classification>CLASS_MAJORLY_PRESENT</classification>"],
        ["0.8"],
        ["no idea", "I can't help with that."],
        ["\ud800 \x00 CLASS_ABSENT"],
    ],
)
def test_a_judgement_comes_back_as_it_was_saved(replies: Sequence[str]) -> None:
    *earlier, last = replies
    kept = judgement(last, *earlier)
    assert judgement_of(judgement_text(kept)) == kept


@given(st.text(), st.floats(0, 1), st.sampled_from(list(Reason)))
def test_every_reading_comes_back_as_it_was_saved(reply: str, extent: float, reason: Reason) -> None:
    request = ChatRequest("m", (Turn(Role.USER, reply),))
    readings = (Verdict(extent, None, reply), NoVerdict(reason, reply, reply))
    kept = Judgement(ONE.judges[0], reply, tuple(Attempt(request, reply, each) for each in readings))
    assert judgement_of(judgement_text(kept)) == kept


@every("text", ["", "{}", "[]", '{"judge": 3}', json.dumps({"judge": {"id": "a"}}), "[" * 9_999])
def test_another_text_than_a_judgement_is_asked_again(text: str) -> None:
    assert judgement_of(text) is None


# A run with judges: one stream from the answer to the last verdict. What the author graded is never asked


CAPITAL = prompt([check("contains", "Paris"), text("the Seine")], [text("a joke")], messages=ASKED, ideal="Paris")


def judges(says: Says, panel: Panel = ONE, **more: Any) -> Judges:
    return Judges(panel, says.resolve, **more)


async def run_of(says: Says, javascript: JavaScript, panel: Panel = ONE, **more: Any) -> list[Event]:
    asked = judges(says, panel)
    run = evaluate(CAPITAL, blueprint(CAPITAL), IdealSource(), javascript=javascript, judges=asked, **more)
    return [event async for event in run]


async def end_of(says: Says, javascript: JavaScript, panel: Panel = ONE, **more: Any) -> Scored:
    return of_kind(Scored, (await run_of(says, javascript, panel, **more))[-1])


async def test_verdicts_come_after_the_checks_and_end_the_run(javascript: JavaScript) -> None:
    kinds = [type(event) for event in await run_of(Says(), javascript)]
    assert kinds[:3] == [Responded, Assessed, JudgingBegan]
    assert kinds[-1] is Scored
    assert (kinds.count(JudgeAnswered), kinds.count(Assessed), len(kinds)) == (2, 3, 8)


async def test_before_the_first_verdict_the_bounds_are_as_without_judges(javascript: JavaScript) -> None:
    began = next(event for event in await run_of(Says(), javascript) if isinstance(event, JudgingBegan))
    assert began.waiting == (1, 2)
    bounds = began.scored.explanation.bounds
    assert (bounds.low, bounds.high) == (pytest.approx(1 / 3), 1)


async def test_an_ideal_that_judges_find_wanting_is_still_known_as_the_ideal(javascript: JavaScript) -> None:
    done = await end_of(Says(), javascript)
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

"""A cut answer stays cut and a withheld one is never scored, from a real server through cache and history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response as HttpResponse

from engine.blueprint import Role
from engine.blueprint.conversation import Stop, StopReason, ThreadTurn, variants
from engine.evaluation.answer_stream import AnswerCache
from engine.evaluation.events import Event, Failed, Response, Scored
from engine.evaluation.prompt_evaluation import evaluate, rescore
from engine.evaluation.sources import Candidate, ModelSource
from engine.functions.v8 import JavaScript
from engine.models.provider_registry import resolve
from engine.parsing import parse
from engine.store import PastRun, PromptPlace, RunState, Store, recorded
from tests.engine.provider_server import answers, sse, streamed

pytestmark = pytest.mark.usefixtures("own_connections")

ONE = """\
- id: one
  prompt: What is the notice period?
  should:
    - $contains: days
"""
TWO_TURNS = """\
- id: two
  messages:
    - user: First?
    - assistant: null
    - user: Second?
  should:
    - $contains: second
"""
PLACE = PromptPlace("a.yml", "one")
CUT = Stop(StopReason.LENGTH, "length")
WITHHELD = Stop(StopReason.WITHHELD, "content_filter")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "studio.sqlite3")) as opened:
        yield opened


def says(text: str, finish: str = "stop") -> HttpResponse:
    end = {"choices": [{"delta": {}, "finish_reason": finish}]}
    return streamed(*[sse({"choices": [{"delta": {"content": text}}]})] * bool(text), sse(end))


async def run(text: str, httpserver: HTTPServer, store: Store, javascript: JavaScript, **more: Any) -> list[Event]:
    """The events of a run of the first prompt, its answers and the run itself kept."""
    blueprint = parse(text).blueprint
    prompt, source = blueprint.prompts[0], ModelSource("tiny", httpserver.url_for("/v1"))
    providers = AnswerCache(store).wrap(resolve)
    variant = variants(blueprint.header)[0]
    events = evaluate(prompt, blueprint, source, javascript=javascript, providers=providers, variant=variant, **more)
    kept = recorded(events, store, PLACE, prompt, Candidate(source), on_error=_raise)
    return [event async for event in kept]


def _raise(error: Exception) -> None:
    raise error


def scored(events: list[Event]) -> Scored:
    assert isinstance(events[-1], Scored), events[-1]
    return events[-1]


def failed(events: list[Event]) -> Failed:
    assert isinstance(events[-1], Failed), events[-1]
    return events[-1]


def newest(store: Store) -> PastRun:
    return store.past_runs(PLACE)[0]


# A cut answer is scored, and marked


async def test_a_cut_answer_is_scored_with_a_note(httpserver: HTTPServer, store: Store, javascript: JavaScript) -> None:
    answers(httpserver, says("30 days, un", "length"))
    end = scored(await run(ONE, httpserver, store, javascript))
    assert (end.explanation.score, end.response.stop) == (1.0, CUT)
    assert end.explanation.notes[0].startswith("The answer was cut off at the token limit")


async def test_a_cut_answer_from_the_cache_is_still_cut(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("30 days, un", "length"))
    await run(ONE, httpserver, store, javascript)
    end = scored(await run(ONE, httpserver, store, javascript))
    assert (len(requests), end.response.reused, end.response.stop) == (1, True, CUT)


async def test_a_cut_answer_in_the_history_is_still_cut(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    answers(httpserver, says("30 days, un", "length"))
    await run(ONE, httpserver, store, javascript)
    past = newest(store)
    kept = store.past_response(past.number)
    assert (past.state, past.stop, past.cut) == (RunState.SCORED, CUT, True)
    assert kept is not None
    assert kept.stop == CUT


async def test_the_worst_turn_makes_the_answer_cut(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    answers(httpserver, says("the fir", "length"), says("the second"))
    end = scored(await run(TWO_TURNS, httpserver, store, javascript))
    assert end.response.stop == CUT
    assert [turn.stop for turn in end.response.thread if turn.generated] == [CUT, Stop(StopReason.STOP, "stop")]


async def test_a_turn_that_stood_before_keeps_its_end(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    answers(httpserver, says("the second"))
    events = await run(TWO_TURNS, httpserver, store, javascript, prefilled=["the fir"], prefilled_stops=[CUT])
    assert scored(events).response.stop == CUT


# A withheld answer is a failed request


async def test_a_withheld_answer_is_not_scored_and_what_came_of_it_stays(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    answers(httpserver, says("30 days, un", "content_filter"))
    end = failed(await run(ONE, httpserver, store, javascript))
    assert "withheld by the provider's safety filter" in end.title
    assert (end.stop, end.withheld) == (WITHHELD, True)
    assert end.partial is not None
    assert (end.partial.subject, end.partial.stop) == ("30 days, un", WITHHELD)


async def test_a_withheld_answer_is_requested_again(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("30 days, un", "content_filter"), says("30 days."))
    failed(await run(ONE, httpserver, store, javascript))
    assert scored(await run(ONE, httpserver, store, javascript)).response.subject == "30 days."
    assert len(requests) == 2


async def test_an_answer_that_the_server_broke_off_is_requested_again(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("30 days, un", "abort"), says("30 days."))
    scored(await run(ONE, httpserver, store, javascript))
    assert scored(await run(ONE, httpserver, store, javascript)).response.cut == ""
    assert len(requests) == 2


@pytest.mark.parametrize("text", ["30 days, un", ""], ids=["after some text", "as a whole"])
async def test_the_history_tells_a_withheld_answer(
    httpserver: HTTPServer, store: Store, javascript: JavaScript, text: str
) -> None:
    answers(httpserver, says(text, "content_filter"))
    await run(ONE, httpserver, store, javascript)
    past = newest(store)
    assert (past.state, past.score, past.stop, past.withheld) == (RunState.FAILED, None, WITHHELD, True)


async def test_a_conversation_ends_at_the_turn_that_was_withheld(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("the fir", "content_filter"), says("the second"))
    end = failed(await run(TWO_TURNS, httpserver, store, javascript))
    assert (len(requests), end.stop) == (1, WITHHELD)


async def test_no_rubric_of_today_scores_a_withheld_answer_of_before(javascript: JavaScript) -> None:
    blueprint = parse(ONE).blueprint
    response = Response("30 days", (ThreadTurn(Role.ASSISTANT, "30 days", generated=True, stop=WITHHELD),))
    events = rescore(
        blueprint.prompts[0], ModelSource("tiny"), response, header=blueprint.header, javascript=javascript
    )
    *_, end = [event async for event in events]
    assert isinstance(end, Failed)
    assert (end.partial, end.stop) == (response, WITHHELD)


# The model's own refusal is an answer


async def test_a_refusal_in_the_model_s_own_words_is_scored(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    refusal = sse({"choices": [{"delta": {"refusal": "I can't say."}}]})
    answers(httpserver, streamed(refusal, sse({"choices": [{"delta": {}, "finish_reason": "stop"}]})))
    end = scored(await run(ONE, httpserver, store, javascript))
    assert (end.response.subject, end.explanation.score) == ("I can't say.", 0.0)
    assert (end.response.stop, end.response.cut) == (Stop(StopReason.REFUSAL, "stop"), "")


# A think block


async def test_what_rests_on_a_think_block_alone_is_named(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    answers(httpserver, says("<think>30 days, I guess.</think> A month."))
    end = scored(await run(ONE, httpserver, store, javascript))
    assert end.explanation.score == 1.0
    assert end.explanation.notes[0].startswith("The answer thinks aloud in a <think> block (4 words")
    assert end.explanation.notes[1] == "$contains: days rests on what is thought aloud alone."


async def test_what_stands_outside_of_a_think_block_too_is_not_named(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    answers(httpserver, says("<think>A month.</think> 30 days."))
    assert len(scored(await run(ONE, httpserver, store, javascript)).explanation.notes) == 1

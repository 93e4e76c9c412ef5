"""The same request is not paid twice, against a real server and a real database."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import aclosing, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Response as HttpResponse

from engine.blueprint import Role
from engine.blueprint.conversation import Stop, StopReason, ThreadTurn, variants
from engine.evaluation.answer_stream import AnswerCache, CachedAnswer
from engine.evaluation.events import Event, Failed, Responded, Response, Scored
from engine.evaluation.prompt_evaluation import evaluate, rescore
from engine.evaluation.sources import Candidate, ModelSource
from engine.functions.v8 import JavaScript
from engine.models.chat import ChatRequest, Finished, Turn, Usage, request_key
from engine.models.provider_registry import answering_place, resolve
from engine.parsing import parse
from engine.store import PastRun, PromptPlace, RunState, Store, recorded
from tests.engine.provider_server import answers, body_of, said, sse, streamed

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
ASKED = ChatRequest("tiny", (Turn(Role.USER, "Hello"),))


pytestmark = pytest.mark.usefixtures("own_connections")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "studio.sqlite3")) as opened:
        yield opened


def says(*pieces: str, finish: str = "stop", pause: float = 0.0) -> Any:
    """A streamed answer in these pieces, with its tokens counted."""
    deltas = [sse({"choices": [{"delta": {"content": piece}}]}) for piece in pieces]
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    return streamed(*deltas, sse({"choices": [{"delta": {}, "finish_reason": finish}], "usage": usage}), pause=pause)


async def run(
    text: str, source: ModelSource, store: Store, javascript: JavaScript, *, fresh: bool = False, **more: Any
) -> list[Event]:
    """The events of a run of the first prompt of `text`, its answers kept in `store`."""
    blueprint = parse(text).blueprint
    custom = blueprint.header.models
    providers = AnswerCache(store).wrap(partial(resolve, custom=custom), custom, fresh=fresh)
    events = evaluate(
        blueprint.prompts[0],
        blueprint,
        source,
        javascript=javascript,
        providers=providers,
        variant=variants(blueprint.header)[0],
        **more,
    )
    return [event async for event in events]


def response_of(events: list[Event]) -> Response:
    [responded] = [event for event in events if isinstance(event, Responded)]
    return responded.response


async def test_the_same_request_is_answered_from_before(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("30 ", "days"), says("another"))
    source = ModelSource("tiny", httpserver.url_for("/v1"))
    first = response_of(await run(ONE, source, store, javascript))
    second = response_of(await run(ONE, source, store, javascript))
    assert len(requests) == 1
    assert (first.reused, second.reused) == (False, True)
    assert (second.subject, second.usage, second.seconds) == ("30 days", Usage(10, 2), None)


async def test_a_fresh_answer_is_requested_and_cached(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("old"), says("new"))
    source = ModelSource("tiny", httpserver.url_for("/v1"))
    await run(ONE, source, store, javascript)
    await run(ONE, source, store, javascript, fresh=True)
    last = response_of(await run(ONE, source, store, javascript))
    assert len(requests) == 2
    assert (last.subject, last.reused) == ("new", True)


async def test_a_run_that_failed_goes_on_at_the_turn_that_it_lacked(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    refused = said({"error": {"message": "no such thing"}}, status=400)
    requests = answers(httpserver, says("the first"), refused, says("the second"))
    source = ModelSource("tiny", httpserver.url_for("/v1"))
    assert isinstance((await run(TWO_TURNS, source, store, javascript))[-1], Failed)
    response = response_of(await run(TWO_TURNS, source, store, javascript))
    assert response.subject == "the first\n\nthe second"
    assert not response.reused
    assert [len(body_of(request)["messages"]) for request in requests] == [1, 3, 3]


async def test_a_turn_that_was_stopped_is_requested_again(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("half ", "of it", pause=0.2), says("the whole"))
    source = ModelSource("tiny", httpserver.url_for("/v1"))
    blueprint, stop = parse(ONE).blueprint, asyncio.Event()
    providers = AnswerCache(store).wrap(resolve)
    stopped: Event | None = None
    async for event in evaluate(
        blueprint.prompts[0], blueprint, source, javascript=javascript, providers=providers, stop=stop
    ):
        stop.set()
        stopped = event
    assert isinstance(stopped, Failed)
    assert stopped.partial is not None
    assert stopped.partial.subject == "half "
    assert response_of(await run(ONE, source, store, javascript)).subject == "the whole"
    assert len(requests) == 2


async def test_an_empty_answer_is_requested_again(httpserver: HTTPServer, store: Store, javascript: JavaScript) -> None:
    requests = answers(httpserver, says(" \n"), says("30 days"))
    source = ModelSource("tiny", httpserver.url_for("/v1"))
    assert isinstance((await run(ONE, source, store, javascript))[-1], Failed)
    assert isinstance((await run(ONE, source, store, javascript))[-1], Scored)
    assert len(requests) == 2


async def test_an_answer_that_ended_by_its_token_limit_is_still_told_as_cut_off(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    answers(httpserver, says("30 da", finish="length"))
    source = ModelSource("tiny", httpserver.url_for("/v1"))
    await run(ONE, source, store, javascript)
    assert response_of(await run(ONE, source, store, javascript)).stop == Stop(StopReason.LENGTH, "length")


async def test_two_runs_that_ask_the_same_at_once_send_one_request(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    requests = answers(httpserver, says("30 ", "days", pause=0.05))
    blueprint = parse(ONE).blueprint
    providers = AnswerCache(store).wrap(resolve)
    source = ModelSource("tiny", httpserver.url_for("/v1"))

    async def one() -> Response:
        events = evaluate(blueprint.prompts[0], blueprint, source, javascript=javascript, providers=providers)
        return response_of([event async for event in events])

    both = await asyncio.gather(one(), one())
    assert [each.subject for each in both] == ["30 days", "30 days"]
    assert len(requests) == 1


async def test_who_waits_for_the_same_answer_asks_itself_where_the_other_gave_up(
    httpserver: HTTPServer, store: Store
) -> None:
    requests = answers(httpserver, says("30 ", "days", pause=0.2), says("31 days"))
    provider, name = AnswerCache(store).wrap(resolve)("tiny", httpserver.url_for("/v1"))
    request = ChatRequest(name, ASKED.turns)
    async with aclosing(provider.stream(request)) as first:
        await anext(first)
        second = asyncio.create_task(anext(provider.stream(request)))
        await asyncio.sleep(0.05)
    await second
    assert len(requests) == 2


# Which requests are the same


def test_how_long_an_answer_may_take_does_not_count() -> None:
    assert request_key("p", ASKED) == request_key("p", ChatRequest("tiny", ASKED.turns, seconds=3))


def test_a_slip_in_a_model_id_is_the_same_model() -> None:
    assert answering_place(" OpenAI :gpt-4o") == answering_place("openai:gpt-4o")


def test_a_provider_that_was_moved_is_another_place(monkeypatch: pytest.MonkeyPatch) -> None:
    before = answering_place("openai:gpt-4o")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert answering_place("openai:gpt-4o") != before


def test_a_password_in_an_address_is_no_part_of_the_place() -> None:
    assert answering_place("m", "https://me:pass@host/v1") == answering_place("m", "https://host/v1")


def test_a_query_in_an_address_counts_and_cannot_be_read() -> None:
    place = answering_place("m", "https://host/v1?key=secret")
    assert place != answering_place("m", "https://host/v1?key=another")
    assert "secret" not in str(place)


# What is kept


async def test_no_value_of_a_variable_enters_the_database(
    httpserver: HTTPServer, store: Store, tmp_path: Path, javascript: JavaScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_KEY", "very-secret-4711")
    requests = answers(httpserver, says("the key is very-secret-4711, 30 days"))
    text = f"""\
models:
  - id: custom:mine
    url: {httpserver.url_for("/v1/chat/completions")}
    modelName: tiny
    inherit: openai
    headers:
      Authorization: Bearer ${{THE_KEY}}
---
{ONE}"""
    await run(text, ModelSource("custom:mine"), store, javascript)
    await run(text, ModelSource("custom:mine"), store, javascript)
    assert [request.headers["Authorization"] for request in requests] == ["Bearer very-secret-4711"]
    store.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"30 days" in kept
    assert b"4711" not in kept


@given(
    st.text(st.characters(exclude_categories=())),
    st.sampled_from(StopReason),
    st.none() | st.integers(0, 2**40),
    st.none() | st.text(st.characters(exclude_categories=())),
)
def test_every_answer_comes_back_as_it_was(
    text: str, stop_reason: StopReason, tokens: int | None, model: str | None
) -> None:
    answer = CachedAnswer(text, Finished(stop_reason, Usage(tokens, None), model))
    IN_MEMORY.save_answer("k", answer)
    assert IN_MEMORY.answer("k") == answer


def test_a_long_answer_comes_back_whole(store: Store) -> None:
    answer = CachedAnswer("ä\0" * 2_000_000, Finished(StopReason.STOP, Usage()))
    store.save_answer("k", answer)
    assert store.answer("k") == answer


def test_the_answer_is_on_disk_when_it_is_saved(store: Store, tmp_path: Path) -> None:
    store.save_answer("k", CachedAnswer("kept", Finished(StopReason.STOP, Usage())))
    with closing(sqlite3.connect(tmp_path / "studio.sqlite3")) as connection:
        assert connection.execute("SELECT text FROM answer").fetchall() == [("kept",)]


IN_MEMORY = Store(Path(":memory:"))


# A cut answer stays cut and a withheld one is never scored, from a real server through cache and history


PLACE = PromptPlace("a.yml", "one")
CUT = Stop(StopReason.LENGTH, "length")
WITHHELD = Stop(StopReason.WITHHELD, "content_filter")


def ends(text: str, finish: str = "stop") -> HttpResponse:
    end = {"choices": [{"delta": {}, "finish_reason": finish}]}
    return streamed(*[sse({"choices": [{"delta": {"content": text}}]})] * bool(text), sse(end))


async def kept_run(text: str, httpserver: HTTPServer, store: Store, javascript: JavaScript, **more: Any) -> list[Event]:
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


def scored_end(events: list[Event]) -> Scored:
    assert isinstance(events[-1], Scored), events[-1]
    return events[-1]


def failed(events: list[Event]) -> Failed:
    assert isinstance(events[-1], Failed), events[-1]
    return events[-1]


def newest(store: Store) -> PastRun:
    return store.past_runs(PLACE)[0]


# A cut answer is scored, and marked


async def test_a_cut_answer_is_scored_with_a_note(httpserver: HTTPServer, store: Store, javascript: JavaScript) -> None:
    answers(httpserver, ends("30 days, un", "length"))
    end = scored_end(await kept_run(ONE, httpserver, store, javascript))
    assert (end.explanation.score, end.response.stop) == (1.0, CUT)
    assert end.explanation.notes[0].startswith("The answer was cut off at the token limit")


async def test_a_cut_answer_from_the_cache_is_still_cut(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    requests = answers(httpserver, ends("30 days, un", "length"))
    await kept_run(ONE, httpserver, store, javascript)
    end = scored_end(await kept_run(ONE, httpserver, store, javascript))
    assert (len(requests), end.response.reused, end.response.stop) == (1, True, CUT)


async def test_a_cut_answer_in_the_history_is_still_cut(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    answers(httpserver, ends("30 days, un", "length"))
    await kept_run(ONE, httpserver, store, javascript)
    past = newest(store)
    kept = store.past_response(past.number)
    assert (past.state, past.stop, past.cut) == (RunState.SCORED, CUT, True)
    assert kept is not None
    assert kept.stop == CUT


async def test_the_worst_turn_makes_the_answer_cut(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    answers(httpserver, ends("the fir", "length"), ends("the second"))
    end = scored_end(await kept_run(TWO_TURNS, httpserver, store, javascript))
    assert end.response.stop == CUT
    assert [turn.stop for turn in end.response.thread if turn.generated] == [CUT, Stop(StopReason.STOP, "stop")]


async def test_a_turn_that_stood_before_keeps_its_end(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    answers(httpserver, ends("the second"))
    events = await kept_run(TWO_TURNS, httpserver, store, javascript, prefilled=["the fir"], prefilled_stops=[CUT])
    assert scored_end(events).response.stop == CUT


# A withheld answer is a failed request


async def test_a_withheld_answer_is_not_scored_and_what_came_of_it_stays(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    answers(httpserver, ends("30 days, un", "content_filter"))
    end = failed(await kept_run(ONE, httpserver, store, javascript))
    assert "withheld by the provider's safety filter" in end.title
    assert (end.stop, end.withheld) == (WITHHELD, True)
    assert end.partial is not None
    assert (end.partial.subject, end.partial.stop) == ("30 days, un", WITHHELD)


async def test_a_withheld_answer_is_requested_again(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    requests = answers(httpserver, ends("30 days, un", "content_filter"), ends("30 days."))
    failed(await kept_run(ONE, httpserver, store, javascript))
    assert scored_end(await kept_run(ONE, httpserver, store, javascript)).response.subject == "30 days."
    assert len(requests) == 2


async def test_an_answer_that_the_server_broke_off_is_requested_again(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    requests = answers(httpserver, ends("30 days, un", "abort"), ends("30 days."))
    scored_end(await kept_run(ONE, httpserver, store, javascript))
    assert scored_end(await kept_run(ONE, httpserver, store, javascript)).response.cut == ""
    assert len(requests) == 2


@pytest.mark.parametrize("text", ["30 days, un", ""], ids=["after some text", "as a whole"])
async def test_the_history_tells_a_withheld_answer(
    httpserver: HTTPServer, store: Store, javascript: JavaScript, text: str
) -> None:
    answers(httpserver, ends(text, "content_filter"))
    await kept_run(ONE, httpserver, store, javascript)
    past = newest(store)
    assert (past.state, past.score, past.stop, past.withheld) == (RunState.FAILED, None, WITHHELD, True)


async def test_a_conversation_ends_at_the_turn_that_was_withheld(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    requests = answers(httpserver, ends("the fir", "content_filter"), ends("the second"))
    end = failed(await kept_run(TWO_TURNS, httpserver, store, javascript))
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
    end = scored_end(await kept_run(ONE, httpserver, store, javascript))
    assert (end.response.subject, end.explanation.score) == ("I can't say.", 0.0)
    assert (end.response.stop, end.response.cut) == (Stop(StopReason.REFUSAL, "stop"), "")


# A think block


async def test_what_rests_on_a_think_block_alone_is_named(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    answers(httpserver, ends("<think>30 days, I guess.</think> A month."))
    end = scored_end(await kept_run(ONE, httpserver, store, javascript))
    assert end.explanation.score == 1.0
    assert end.explanation.notes[0].startswith("The answer thinks aloud in a <think> block (4 words")
    assert end.explanation.notes[1] == "$contains: days rests on what is thought aloud alone."


async def test_what_stands_outside_of_a_think_block_too_is_not_named(
    httpserver: HTTPServer, store: Store, javascript: JavaScript
) -> None:
    answers(httpserver, ends("<think>A month.</think> 30 days."))
    assert len(scored_end(await kept_run(ONE, httpserver, store, javascript)).explanation.notes) == 1

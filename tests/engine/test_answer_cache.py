"""The same request is not paid twice, against a real server and a real database."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request

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


def says(*pieces: str, finish: str = "stop", pause: float = 0.0) -> Any:
    """A streamed answer in these pieces, with its tokens counted."""
    deltas = [sse({"choices": [{"delta": {"content": piece}}]}) for piece in pieces]
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    return streamed(*deltas, sse({"choices": [{"delta": {}, "finish_reason": finish}], "usage": usage}), pause=pause)


PLACE = PromptPlace("a.yml", "one")


@dataclass
class Runs:
    """Runs of prompts with a model at a server here, whose answers, and which themselves, are kept in a database."""

    server: HTTPServer
    store: Store
    javascript: JavaScript

    def answers(self, *responses: Any) -> list[Request]:
        """The requests that are answered so."""
        return answers(self.server, *responses)

    @property
    def source(self) -> ModelSource:
        """The model."""
        return ModelSource("tiny", self.server.url_for("/v1"))

    def events(self, text: str = ONE, *, of: str = "", fresh: bool = False, **more: Any) -> AsyncGenerator[Event]:
        """What happens with the first prompt of `text`, asked of this model, or of the one `of` the blueprint."""
        blueprint = parse(text).blueprint
        custom = blueprint.header.models
        prompt, source = blueprint.prompts[0], ModelSource(of) if of else self.source
        providers = AnswerCache(self.store).wrap(partial(resolve, custom=custom), custom, fresh=fresh)
        more = {"providers": providers, "variant": variants(blueprint.header)[0], **more}
        events = evaluate(prompt, blueprint, source, javascript=self.javascript, **more)
        return recorded(events, self.store, PLACE, prompt, Candidate(source), on_error=_raise)

    async def run(self, text: str = ONE, **more: Any) -> list[Event]:
        """All events of a run."""
        return [event async for event in self.events(text, **more)]


def _raise(error: Exception) -> None:
    raise error


@pytest.fixture
def runs(httpserver: HTTPServer, javascript: JavaScript, tmp_path: Path) -> Iterator[Runs]:
    with closing(Store(tmp_path / "studio.sqlite3")) as store:
        yield Runs(httpserver, store, javascript)


def response_of(events: list[Event]) -> Response:
    [responded] = [event for event in events if isinstance(event, Responded)]
    return responded.response


async def test_the_same_request_is_answered_from_before(runs: Runs) -> None:
    requests = runs.answers(says("30 ", "days"), says("another"))
    first = response_of(await runs.run())
    second = response_of(await runs.run())
    assert len(requests) == 1
    assert (first.reused, second.reused) == (False, True)
    assert (second.subject, second.usage, second.seconds) == ("30 days", Usage(10, 2), None)


async def test_a_fresh_answer_is_requested_and_cached(runs: Runs) -> None:
    requests = runs.answers(says("old"), says("new"))
    await runs.run()
    await runs.run(fresh=True)
    last = response_of(await runs.run())
    assert len(requests) == 2
    assert (last.subject, last.reused) == ("new", True)


async def test_a_run_that_failed_goes_on_at_the_turn_that_it_lacked(runs: Runs) -> None:
    refused = said({"error": {"message": "no such thing"}}, status=400)
    requests = runs.answers(says("the first"), refused, says("the second"))
    assert isinstance((await runs.run(TWO_TURNS))[-1], Failed)
    response = response_of(await runs.run(TWO_TURNS))
    assert response.subject == "the first\n\nthe second"
    assert not response.reused
    assert [len(body_of(request)["messages"]) for request in requests] == [1, 3, 3]


async def test_a_turn_that_was_stopped_is_requested_again(runs: Runs) -> None:
    requests = runs.answers(says("half ", "of it", pause=0.2), says("the whole"))
    stop = asyncio.Event()
    stopped: Event | None = None
    async for event in runs.events(stop=stop):
        stop.set()
        stopped = event
    assert isinstance(stopped, Failed)
    assert stopped.partial is not None
    assert stopped.partial.subject == "half "
    assert response_of(await runs.run()).subject == "the whole"
    assert len(requests) == 2


async def test_an_empty_answer_is_requested_again(runs: Runs) -> None:
    requests = runs.answers(says(" \n"), says("30 days"))
    assert isinstance((await runs.run())[-1], Failed)
    assert isinstance((await runs.run())[-1], Scored)
    assert len(requests) == 2


async def test_two_runs_that_ask_the_same_at_once_send_one_request(runs: Runs) -> None:
    requests = runs.answers(says("30 ", "days", pause=0.05))
    providers = AnswerCache(runs.store).wrap(resolve)
    both = [response_of(each) for each in await asyncio.gather(*(runs.run(providers=providers) for _ in range(2)))]
    assert [each.subject for each in both] == ["30 days", "30 days"]
    assert len(requests) == 1


async def test_who_waits_for_the_same_answer_asks_itself_where_the_other_gave_up(runs: Runs) -> None:
    requests = runs.answers(says("30 ", "days", pause=0.2), says("31 days"))
    provider, name = AnswerCache(runs.store).wrap(resolve)("tiny", runs.server.url_for("/v1"))
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
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_KEY", "very-secret-4711")
    requests = runs.answers(says("the key is very-secret-4711, 30 days"))
    text = f"""\
models:
  - id: custom:mine
    url: {runs.server.url_for("/v1/chat/completions")}
    modelName: tiny
    inherit: openai
    headers:
      Authorization: Bearer ${{THE_KEY}}
---
{ONE}"""
    await runs.run(text, of="custom:mine")
    await runs.run(text, of="custom:mine")
    assert [request.headers["Authorization"] for request in requests] == ["Bearer very-secret-4711"]
    runs.store.close()
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


def test_a_long_answer_comes_back_whole(runs: Runs) -> None:
    answer = CachedAnswer("ä\0" * 2_000_000, Finished(StopReason.STOP, Usage()))
    runs.store.save_answer("k", answer)
    assert runs.store.answer("k") == answer


def test_the_answer_is_on_disk_when_it_is_saved(runs: Runs, tmp_path: Path) -> None:
    runs.store.save_answer("k", CachedAnswer("kept", Finished(StopReason.STOP, Usage())))
    with closing(sqlite3.connect(tmp_path / "studio.sqlite3")) as connection:
        assert connection.execute("SELECT text FROM answer").fetchall() == [("kept",)]


IN_MEMORY = Store(Path(":memory:"))


# A cut answer stays cut and a withheld one is never scored, from a real server through cache and history


CUT = Stop(StopReason.LENGTH, "length")
WITHHELD = Stop(StopReason.WITHHELD, "content_filter")


def scored_end(events: list[Event]) -> Scored:
    assert isinstance(events[-1], Scored), events[-1]
    return events[-1]


def failed(events: list[Event]) -> Failed:
    assert isinstance(events[-1], Failed), events[-1]
    return events[-1]


def newest(store: Store) -> PastRun:
    return store.past_runs(PLACE)[0]


# A cut answer is scored, and marked


async def test_a_cut_answer_is_scored_with_a_note(runs: Runs) -> None:
    runs.answers(says("30 days, un", finish="length"))
    end = scored_end(await runs.run())
    assert (end.explanation.score, end.response.stop) == (1.0, CUT)
    assert end.explanation.notes[0].startswith("The answer was cut off at the token limit")


async def test_a_cut_answer_from_the_cache_is_still_cut(runs: Runs) -> None:
    requests = runs.answers(says("30 days, un", finish="length"))
    await runs.run()
    end = scored_end(await runs.run())
    assert (len(requests), end.response.reused, end.response.stop) == (1, True, CUT)


async def test_a_cut_answer_in_the_history_is_still_cut(runs: Runs) -> None:
    runs.answers(says("30 days, un", finish="length"))
    await runs.run()
    past = newest(runs.store)
    kept = runs.store.past_response(past.number)
    assert (past.state, past.stop, past.cut) == (RunState.SCORED, CUT, True)
    assert kept is not None
    assert kept.stop == CUT


async def test_the_worst_turn_makes_the_answer_cut(runs: Runs) -> None:
    runs.answers(says("the fir", finish="length"), says("the second"))
    end = scored_end(await runs.run(TWO_TURNS))
    assert end.response.stop == CUT
    assert [turn.stop for turn in end.response.thread if turn.generated] == [CUT, Stop(StopReason.STOP, "stop")]


async def test_a_turn_that_stood_before_keeps_its_end(runs: Runs) -> None:
    runs.answers(says("the second"))
    events = await runs.run(TWO_TURNS, prefilled=["the fir"], prefilled_stops=[CUT])
    assert scored_end(events).response.stop == CUT


# A withheld answer is a failed request


async def test_a_withheld_answer_is_not_scored_and_what_came_of_it_stays(runs: Runs) -> None:
    runs.answers(says("30 days, un", finish="content_filter"))
    end = failed(await runs.run())
    assert "withheld by the provider's safety filter" in end.title
    assert (end.stop, end.withheld) == (WITHHELD, True)
    assert end.partial is not None
    assert (end.partial.subject, end.partial.stop) == ("30 days, un", WITHHELD)


async def test_a_withheld_answer_is_requested_again(runs: Runs) -> None:
    requests = runs.answers(says("30 days, un", finish="content_filter"), says("30 days."))
    failed(await runs.run())
    assert scored_end(await runs.run()).response.subject == "30 days."
    assert len(requests) == 2


async def test_an_answer_that_the_server_broke_off_is_requested_again(runs: Runs) -> None:
    requests = runs.answers(says("30 days, un", finish="abort"), says("30 days."))
    scored_end(await runs.run())
    assert scored_end(await runs.run()).response.cut == ""
    assert len(requests) == 2


@pytest.mark.parametrize("text", ["30 days, un", ""], ids=["after some text", "as a whole"])
async def test_the_history_tells_a_withheld_answer(runs: Runs, text: str) -> None:
    runs.answers(says(text, finish="content_filter"))
    await runs.run()
    past = newest(runs.store)
    assert (past.state, past.score, past.stop, past.withheld) == (RunState.FAILED, None, WITHHELD, True)


async def test_a_conversation_ends_at_the_turn_that_was_withheld(runs: Runs) -> None:
    requests = runs.answers(says("the fir", finish="content_filter"), says("the second"))
    end = failed(await runs.run(TWO_TURNS))
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


async def test_a_refusal_in_the_model_s_own_words_is_scored(runs: Runs) -> None:
    refusal = sse({"choices": [{"delta": {"refusal": "I can't say."}}]})
    runs.answers(streamed(refusal, sse({"choices": [{"delta": {}, "finish_reason": "stop"}]})))
    end = scored_end(await runs.run())
    assert (end.response.subject, end.explanation.score) == ("I can't say.", 0.0)
    assert (end.response.stop, end.response.cut) == (Stop(StopReason.REFUSAL, "stop"), "")


# A think block


async def test_what_rests_on_a_think_block_alone_is_named(runs: Runs) -> None:
    runs.answers(says("<think>30 days, I guess.</think> A month."))
    end = scored_end(await runs.run())
    assert end.explanation.score == 1.0
    assert end.explanation.notes[0].startswith("The answer thinks aloud in a <think> block (4 words")
    assert end.explanation.notes[1] == "$contains: days rests on what is thought aloud alone."


async def test_what_stands_outside_of_a_think_block_too_is_not_named(runs: Runs) -> None:
    runs.answers(says("<think>A month.</think> 30 days."))
    assert len(scored_end(await runs.run()).explanation.notes) == 1

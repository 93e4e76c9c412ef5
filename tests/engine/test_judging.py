"""Judges asked over real connections: all at once, once more where it helps, and not one request after the end."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from httpx import AsyncClient
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.blueprint import Header, Role
from engine.blueprint.conversation import StopReason, ThreadTurn
from engine.judging import judge_prompt
from engine.judging.judge_prompt import questions
from engine.judging.judge_runner import TRIES, JudgeAnswered, JudgingEvent, PointJudged, judge_points
from engine.judging.judgement import Judgement, judgement_of, judgement_text
from engine.judging.panel import FIVE_STEPS, Approach, JudgesAs, Panel, PanelJudge, panel
from engine.judging.verdict import Reason
from engine.models import http
from engine.models.chat import ChatEvent, ChatRequest, Failure, Finished, Provider, ProviderError, TextDelta, Usage
from engine.text.spans import NOWHERE
from tests.engine.builders import prompt, text
from tests.engine.openai_server import chat_server
from tests.still_clock import standing_still

THREAD = (
    ThreadTurn(Role.USER, "Why are there tides?", generated=False),
    ThreadTurn(Role.ASSISTANT, "The Moon pulls.", generated=True),
)
SLOW = PanelJudge("slow", "here:slow", Approach.HOLISTIC)
QUICK = PanelJudge("quick", "here:quick", Approach.STANDARD)
BACKUP = PanelJudge("backup", "here:backup", Approach.HOLISTIC)
BOTH = Panel((SLOW, QUICK), FIVE_STEPS, custom=True)
BOTH_BACKED = Panel((SLOW, QUICK), FIVE_STEPS, backup=BACKUP)

Answer = Callable[[dict[str, Any]], Response]


def says(content: str, after: float = 0.0, finish: str = "stop") -> Answer:
    """A judge that says this, after so many seconds."""

    def answer(body: dict[str, Any]) -> Response:
        time.sleep(after)
        choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}
        usage = {"prompt_tokens": 300, "completion_tokens": 20}
        return Response(
            json.dumps({"model": f"{body['model']}-2026", "choices": [choice], "usage": usage}),
            content_type="application/json",
        )

    return answer


def grades(name: str, after: float = 0.0) -> Answer:
    """A judge that names this class."""
    return says(f"<reflection>Because.</reflection><classification>CLASS_{name}</classification>", after)


def after(event: Callable[[], object], name: str) -> Answer:
    """A judge that names this class once `event` has come to pass."""
    return lambda body: (event(), grades(name)(body))[1]


class AtOnce:
    """A judge that names a class without any server, so that no time limit can reach it."""

    recipient = "here"

    def __init__(self, name: str) -> None:
        self.name = name

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent]:
        yield TextDelta(f"<reflection>Because.</reflection><classification>CLASS_{self.name}</classification>")
        yield Finished(StopReason.STOP, Usage())


def refuses(status: int, **headers: str) -> Answer:
    """A server that answers with this status."""
    return lambda _: Response('{"error": {"message": "no"}}', status=status, headers=headers)


def in_turn(*answers: Answer) -> Answer:
    """Each request gets the next answer, the last one again and again."""
    waiting = list(answers)
    return lambda body: (waiting.pop(0) if len(waiting) > 1 else waiting[0])(body)


DECLINES = says("I'm sorry, but I can't help with that.")
RAMBLES = says("What a fine answer.")


@dataclass
class Judges:
    """A server with a judge for each model name, and what each was sent."""

    server: HTTPServer
    answers: dict[str, Answer] = field(default_factory=dict)
    sent: list[dict[str, Any]] = field(default_factory=list)
    running_at_once: int | None = None

    def handle(self, request: Request) -> Response:
        body = json.loads(request.get_data())
        self.sent.append(body)
        return self.answers[body["model"]](body)

    def resolve(self, model: str, base_url: str | None) -> tuple[Provider, str]:
        address = self.server.url_for("/v1")
        return chat_server(address, at_once=self.running_at_once), model.partition(":")[2]

    def asked(self, model: str) -> int:
        return sum(body["model"] == model for body in self.sent)


@pytest.fixture
def judges() -> Iterator[Judges]:
    with HTTPServer(threaded=True) as server:
        bench = Judges(server)
        server.expect_request("/v1/chat/completions").respond_with_handler(bench.handle)
        yield bench


pytestmark = pytest.mark.usefixtures("own_connections")


def points(count: int) -> dict[int, Any]:
    return dict(questions(prompt([text(f"criterion {number}") for number in range(count)]), THREAD))


async def run(judges: Judges, panel: Panel, count: int = 1, **options: Any) -> list[JudgingEvent]:
    options = {"providers": judges.resolve} | options
    async with aclosing(judge_points(points(count), panel, **options)) as events:
        return [event async for event in events]


def judgements(events: list[JudgingEvent]) -> dict[str, Judgement]:
    return {each.judgement.judge.id: each.judgement for each in events if isinstance(each, JudgeAnswered)}


def judged(events: list[JudgingEvent]) -> PointJudged:
    (point,) = [event for event in events if isinstance(event, PointJudged)]
    return point


# All at once


async def test_twenty_points_are_put_to_both_judges_at_once(judges: Judges) -> None:
    all_here = threading.Barrier(40, timeout=60)
    judges.answers = {"slow": after(all_here.wait, "FULLY_PRESENT"), "quick": after(all_here.wait, "ABSENT")}
    events = await run(judges, BOTH, 20)
    assert len(events) == 60
    assert {event.consensus.extent for event in events if isinstance(event, PointJudged)} == {0.5}


async def test_verdicts_are_reported_in_the_order_in_which_they_come(judges: Judges) -> None:
    release = threading.Event()
    judges.answers = {"slow": after(lambda: release.wait(60), "FULLY_PRESENT"), "quick": grades("ABSENT")}
    async with aclosing(judge_points(points(3), BOTH, providers=judges.resolve)) as running:
        events = [await anext(running) for _ in range(3)]
        release.set()
        events += [event async for event in running]
    who = [event.judgement.judge.id for event in events if isinstance(event, JudgeAnswered)]
    assert who == ["quick"] * 3 + ["slow"] * 3
    assert next(index for index, event in enumerate(events) if isinstance(event, PointJudged)) > 3
    assert {event.index for event in events} == {0, 1, 2}


async def test_the_first_verdict_is_reported_while_others_are_awaited(judges: Judges) -> None:
    release = threading.Event()
    judges.answers = {"slow": after(lambda: release.wait(60), "ABSENT"), "quick": grades("ABSENT")}
    async with aclosing(judge_points(points(1), BOTH, providers=judges.resolve)) as events:
        first = await anext(events)
        assert isinstance(first, JudgeAnswered)
        assert first.judgement.judge is QUICK
        release.set()


async def test_waiting_for_a_turn_does_not_count_against_the_time_of_a_request(
    judges: Judges, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge_prompt, "SECONDS", 2.2)
    judges.answers = {"quick": grades("ABSENT", 0.5)}
    judges.running_at_once = 1
    events = await run(judges, Panel((QUICK,), FIVE_STEPS), 5)
    assert [event.consensus.extent for event in events if isinstance(event, PointJudged)] == [0] * 5


# What is kept of each


async def test_a_judgement_holds_the_exact_request_and_the_raw_reply(judges: Judges) -> None:
    judges.answers = {"quick": grades("FULLY_PRESENT", 0.05)}
    judgement = judgements(await run(judges, Panel((QUICK,), FIVE_STEPS)))["quick"]
    (sent,) = judges.sent
    assert sent["messages"] == [{"role": t.role.value, "content": t.content} for t in judgement.last.request.turns]
    assert (sent["temperature"], sent["max_tokens"]) == (0.0, 500)
    assert judgement.last.reply == (
        "<reflection>Because.</reflection><classification>CLASS_FULLY_PRESENT</classification>"
    )
    assert (judgement.last.model, judgement.criterion) == ("quick-2026", "criterion 0")
    assert (judgement.last.usage.input_tokens, judgement.last.usage.output_tokens) == (300, 20)
    assert 50 <= judgement.last.milliseconds < 60_000
    assert judgement.recipient.startswith("this machine")


async def test_a_cached_judgement_is_not_requested_again(judges: Judges) -> None:
    judges.answers = {"quick": grades("FULLY_PRESENT")}
    alone = Panel((QUICK,), FIVE_STEPS)
    before = judgements(await run(judges, alone))["quick"]
    kept = {before.key: before}
    again = judgements(await run(judges, alone, cached=kept.get))["quick"]
    assert (again.reused, again.attempts) == (True, before.attempts)
    assert judges.asked("quick") == 1


async def test_a_cached_refusal_is_asked_again(judges: Judges) -> None:
    judges.answers = {"quick": in_turn(DECLINES, DECLINES, grades("ABSENT"))}
    alone = Panel((QUICK,), FIVE_STEPS)
    before = judgements(await run(judges, alone))["quick"]
    again = judgements(await run(judges, alone, cached={before.key: before}.get))["quick"]
    assert again.verdict is not None


# Judges that fail


async def test_a_judge_that_declines_is_asked_twice_and_left_out(judges: Judges) -> None:
    judges.answers = {"slow": DECLINES, "quick": grades("FULLY_PRESENT")}
    events = await run(judges, BOTH)
    assert judges.asked("slow") == 2
    assert judged(events).consensus.extent == 1
    assert judged(events).consensus.summary == "quick: fully present; slow declined to judge"


async def test_a_judge_off_form_is_shown_its_reply_and_asked_for_the_form(judges: Judges) -> None:
    judges.answers = {"quick": in_turn(RAMBLES, grades("ABSENT"))}
    judgement = judgements(await run(judges, Panel((QUICK,), FIVE_STEPS)))["quick"]
    assert [attempt.reply[:12] for attempt in judgement.attempts] == ["What a fine ", "<reflection>"]
    assert judges.sent[1]["messages"][2] == {"role": "assistant", "content": "What a fine answer."}
    assert judgement.verdict is not None


async def test_a_judge_that_stays_off_form_gives_no_verdict(judges: Judges) -> None:
    judges.answers = {"slow": RAMBLES, "quick": grades("FULLY_PRESENT")}
    failure = judgements(await run(judges, BOTH))["slow"].failure
    assert failure is not None
    assert (failure.reason, judges.asked("slow")) == (Reason.OFF_FORM, 2)


async def test_a_judge_that_ran_out_of_tokens_gets_more(judges: Judges) -> None:
    judges.answers = {"quick": in_turn(says("<reflection>Let me", finish="length"), grades("ABSENT"))}
    judgement = judgements(await run(judges, Panel((QUICK,), FIVE_STEPS)))["quick"]
    assert [body["max_tokens"] for body in judges.sent] == [500, 1500]
    assert judgement.verdict is not None


async def test_a_judge_with_too_many_requests_is_left_out_at_once(judges: Judges) -> None:
    judges.answers = {"slow": refuses(429, **{"Retry-After": "90"}), "quick": grades("FULLY_PRESENT")}
    events = await run(judges, BOTH)
    failure = judgements(events)["slow"].failure
    assert failure is not None
    assert "too many requests" in failure.message
    assert "in 90 seconds" in failure.advice
    assert (judges.asked("slow"), judged(events).consensus.extent) == (1, 1)


async def test_a_429_that_passes_is_no_failure(judges: Judges) -> None:
    judges.answers = {"quick": in_turn(refuses(429, **{"Retry-After": "0"}), grades("ABSENT"))}
    judgement = judgements(await run(judges, Panel((QUICK,), FIVE_STEPS)))["quick"]
    assert judgement.verdict is not None


async def test_a_judge_that_is_too_slow_has_not_judged(judges: Judges, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_prompt, "SECONDS", 0.3)
    release = threading.Event()
    judges.answers = {"slow": after(lambda: release.wait(60), "ABSENT")}

    def resolve(model: str, base_url: str | None) -> tuple[Provider, str]:
        return (AtOnce("FULLY_PRESENT"), model) if model == QUICK.model else judges.resolve(model, base_url)

    events = await run(judges, BOTH, providers=resolve)
    release.set()
    failure = judgements(events)["slow"].failure
    assert failure is not None
    assert failure.reason is Reason.TIMED_OUT
    assert "no whole answer within 0.3 seconds" in failure.message
    assert judged(events).consensus.extent == 1


async def test_a_server_s_failure_is_tried_again(judges: Judges) -> None:
    judges.answers = {"quick": in_turn(refuses(500), refuses(500), grades("ABSENT"))}
    judgement = judgements(await run(judges, Panel((QUICK,), FIVE_STEPS)))["quick"]
    assert judgement.verdict is not None
    assert len(judgement.attempts) == 2


async def test_a_key_that_is_refused_is_not_offered_twice(judges: Judges) -> None:
    judges.answers = {"quick": refuses(401)}
    failure = judgements(await run(judges, Panel((QUICK,), FIVE_STEPS)))["quick"].failure
    assert failure is not None
    assert (failure.reason, judges.asked("quick")) == (Reason.FAILED, 1)


VERDICT = "<classification>CLASS_FULLY_PRESENT</classification>"


UNDECIDED = (
    "<reflection>Nichts.</reflection><classification>CLASS_ABSENT</classification> "
    "(Mit dem Namen wäre es <classification>CLASS_FULLY_PRESENT</classification>.)"
)


async def test_a_judge_that_names_two_classes_is_asked_once_more_for_one(judges: Judges) -> None:
    judges.answers = {"quick": in_turn(says(UNDECIDED), grades("ABSENT"))}
    judgement = judgements(await run(judges, Panel((QUICK,), FIVE_STEPS)))["quick"]
    assert judgement.verdict is not None
    assert judgement.verdict.extent == 0
    asked, *_ = (turn for turn in judgement.last.request.turns[-2:] if turn.role is Role.USER)
    assert "reply with exactly one classification" in asked.content
    assert judgement.last.request.turns[-2].content == UNDECIDED


async def test_where_both_classes_stay_the_point_is_open_beside_another_verdict(judges: Judges) -> None:
    judges.answers = {"quick": says(UNDECIDED), "slow": grades("FULLY_PRESENT")}
    events = await run(judges, BOTH)
    assert judges.asked("quick") == TRIES
    consensus = judged(events).consensus
    assert (consensus.extent, consensus.is_undecided) == (None, True)
    assert consensus.summary == (
        "slow: fully present; quick named several classes and chose none: absent and fully present (Weval reads 0)"
    )
    assert UNDECIDED in (consensus.reflection or "")
    failure = judgements(events)["quick"].failure
    assert failure is not None
    assert [each.label for each in failure.named] == ["absent", "fully present"]
    assert judgement_of(judgement_text(judgements(events)["quick"])) == judgements(events)["quick"]


async def test_a_class_in_a_sentence_is_asked_about_and_counts_if_it_stays(judges: Judges) -> None:
    judges.answers = {"quick": says("Das ist nicht CLASS_FULLY_PRESENT."), "slow": says("So CLASS_ABSENT it is.")}
    judges.answers["quick"] = in_turn(judges.answers["quick"], grades("PARTIALLY_PRESENT"))
    found = judgements(await run(judges, BOTH))
    extents = {name: each.verdict.extent for name, each in found.items() if each.verdict is not None}
    assert extents == {"quick": 0.5, "slow": 0}
    assert judges.asked("quick") == judges.asked("slow") == TRIES


@pytest.mark.parametrize("text", ["", "<reflection>It", VERDICT], ids=["as a whole", "midway", "after its verdict"])
async def test_a_reply_that_the_provider_s_filter_withheld_is_declined(judges: Judges, text: str) -> None:
    judges.answers = {"quick": says(text, finish="content_filter")}
    judgement = judgements(await run(judges, Panel((QUICK,), FIVE_STEPS)))["quick"]
    assert judgement.failure is not None
    assert judgement.failure.reason is Reason.DECLINED
    assert (judgement.last.reply, judgement.last.usage) == (text, Usage(300, 20))


@pytest.mark.parametrize("finish", ["length", "abort", "tool_calls"])
async def test_a_reply_that_was_cut_before_its_class_is_no_verdict(judges: Judges, finish: str) -> None:
    judges.answers = {"quick": says("<reflection>It names the Moon, and", finish=finish)}
    failure = judgements(await run(judges, Panel((QUICK,), FIVE_STEPS)))["quick"].failure
    assert failure is not None
    assert failure.reason is Reason.CUT_OFF


async def test_a_model_that_cannot_be_asked_is_reported_with_what_it_would_have_been_sent(judges: Judges) -> None:
    def no_key(model: str, base_url: str | None) -> tuple[Provider, str]:
        raise ProviderError(Failure.MISSING_KEY, f"{model}: no key", advice="Set the variable HERE_API_KEY.")

    events = await run(judges, Panel((QUICK,), FIVE_STEPS), providers=no_key)
    judgement = judgements(events)["quick"]
    assert judgement.failure is not None
    assert judgement.failure.message == "gave no verdict (here:quick: no key)"
    assert judgement.failure.advice == "Set the variable HERE_API_KEY."
    assert (judgement.recipient, judgement.last.request.model, judges.sent) == ("", "quick", [])
    assert judged(events).consensus.error == "quick gave no verdict (here:quick: no key)"


# The backup


async def test_where_all_fail_the_backup_judges(judges: Judges) -> None:
    judges.answers = {"slow": DECLINES, "quick": RAMBLES, "backup": grades("MAJORLY_PRESENT")}
    events = await run(judges, BOTH_BACKED)
    assert judged(events).consensus.extent == 0.75
    assert [each.judge.id for each in judged(events).consensus.judgements] == ["slow", "quick", "backup"]


async def test_where_one_judges_the_documented_backup_is_not_asked(judges: Judges) -> None:
    judges.answers = {"slow": DECLINES, "quick": grades("FULLY_PRESENT"), "backup": grades("ABSENT")}
    assert judged(await run(judges, BOTH_BACKED)).consensus.extent == 1
    assert judges.asked("backup") == 0


async def test_as_weval_today_the_backup_joins_where_one_fails(judges: Judges) -> None:
    judges.answers = {
        "google/gemini-2.5-flash": DECLINES,
        "openai/gpt-4.1-mini": says("<classification>CLASS_EXACT</classification>"),
        "anthropic/claude-haiku-4.5": says("<classification>CLASS_UNMET</classification>"),
    }
    consensus = judged(await run(judges, panel(Header(NOWHERE), JudgesAs.WEVAL_TODAY))).consensus
    assert [verdict.extent for _, verdict in consensus.verdicts] == [1.0, 0.001, 0.001]
    assert consensus.extent == 0.33


async def test_where_the_backup_fails_too_the_point_is_not_judged(judges: Judges) -> None:
    judges.answers = {"slow": DECLINES, "quick": RAMBLES, "backup": DECLINES}
    consensus = judged(await run(judges, BOTH_BACKED)).consensus
    assert consensus.extent is None
    assert consensus.error == ("slow declined to judge; quick named no class of the scale; backup declined to judge")


async def test_an_empty_panel_says_that_there_is_nobody(judges: Judges) -> None:
    events = await run(judges, Panel((), FIVE_STEPS, custom=True), 2)
    assert [event.consensus.error for event in events if isinstance(event, PointJudged)] == [
        "there is no judge to ask"
    ] * 2


# The end


async def test_requests_that_come_at_once_make_one_client(judges: Judges, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bool] = []

    def counted(direct: bool) -> AsyncClient:
        made.append(direct)
        return make(direct)

    make = http._new_client  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(http, "_new_client", counted)
    judges.answers = {"slow": grades("ABSENT"), "quick": grades("ABSENT")}
    await run(judges, BOTH, 4)
    assert made == [True]


@dataclass
class Silent:
    """A server that takes requests and never answers; `open` counts those whose asker is still there."""

    open: int = 0
    port: int = 0

    async def hold(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await reader.read(65536)
            self.open += 1
            while await reader.read(65536):
                pass
        self.open -= 1
        writer.close()

    def resolve(self, model: str, base_url: str | None) -> tuple[Provider, str]:
        return chat_server(f"http://127.0.0.1:{self.port}/v1"), model


@pytest.fixture
async def silent() -> AsyncIterator[Silent]:
    holding = Silent()
    server = await asyncio.start_server(holding.hold, "127.0.0.1", 0)
    holding.port = server.sockets[0].getsockname()[1]
    yield holding
    server.close()


async def until(condition: Callable[[], bool], seconds: float) -> None:
    """Wait until the condition holds; fails after `seconds`."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "it did not come to pass"
        await asyncio.sleep(0.005)


async def consume(silent: Silent) -> None:
    async with aclosing(judge_points(points(10), BOTH, providers=silent.resolve)) as events:
        async for _ in events:
            pass


async def test_a_cancelled_run_leaves_no_request_behind(silent: Silent) -> None:
    others = asyncio.all_tasks()
    running = asyncio.create_task(consume(silent))
    await until(lambda: silent.open == 20, 30)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await until(lambda: silent.open == 0, 30)
    assert {task for task in asyncio.all_tasks() - others if "hold" not in repr(task)} == set()


async def test_a_closed_stream_leaves_no_request_behind(silent: Silent) -> None:
    events = judge_points(points(10), BOTH, providers=silent.resolve)
    first = asyncio.ensure_future(anext(events))
    await until(lambda: silent.open == 20, 30)
    with standing_still():
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await events.aclose()
    await until(lambda: silent.open == 0, 30)


async def test_a_fault_of_our_own_is_not_taken_for_a_judge_s() -> None:
    class Broken:
        recipient = "nobody"

        async def stream(self, request: ChatRequest) -> AsyncIterator[ChatEvent]:
            raise RuntimeError("broken")
            yield  # makes it a stream

    events = judge_points(points(1), BOTH, providers=lambda *_: (Broken(), "m"))  # pyright: ignore[reportArgumentType]
    with pytest.raises(ExceptionGroup):
        await anext(events)

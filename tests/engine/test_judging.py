"""Judges asked over real connections: all at once, once more where it helps, and not one request after the end."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine.blueprint import Header, Role
from engine.blueprint.conversation import StopReason, ThreadTurn
from engine.judging import judge_prompt
from engine.judging.judge_prompt import questions
from engine.judging.judge_runner import JudgeAnswered, JudgingEvent, PointJudged, judge_points
from engine.judging.judgement import Judgement, judgement_of, judgement_text
from engine.judging.panel import FIVE_STEPS, Approach, JudgesAs, Panel, PanelJudge, panel
from engine.judging.verdict import NoVerdict, Reason, Verdict
from engine.models import http
from engine.models.chat import ChatEvent, ChatRequest, Failure, Finished, Provider, ProviderError, TextDelta, Usage
from engine.models.server import ChatServer
from engine.text.spans import NOWHERE
from tests.engine.builders import prompt, text
from tests.engine.openai_server import chat_server
from tests.engine.short_cases import assert_says, data_of
from tests.engine.test_providers_connections import CountingServer, asked
from tests.engine.wire_line import Connect, connect
from tests.expected import present
from tests.still_clock import standing_still

__all__ = ["connect"]

THREAD = (
    ThreadTurn(Role.USER, "Why are there tides?", generated=False),
    ThreadTurn(Role.ASSISTANT, "The Moon pulls.", generated=True),
)
SLOW = PanelJudge("slow", "here:slow", Approach.HOLISTIC)
QUICK = PanelJudge("quick", "here:quick", Approach.STANDARD)
BACKUP = PanelJudge("backup", "here:backup", Approach.HOLISTIC)
BOTH = Panel((SLOW, QUICK), FIVE_STEPS, custom=True)

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
    return await all_of(judge_points(points(count), panel, **options))


async def all_of(asked: AsyncGenerator[JudgingEvent]) -> list[JudgingEvent]:
    async with aclosing(asked) as events:
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


# Judges that fail, and the backup

PANELS = {
    "quick": Panel((QUICK,), FIVE_STEPS),
    "both": BOTH,
    "backed": Panel((SLOW, QUICK), FIVE_STEPS, backup=BACKUP),
    "weval": panel(Header(NOWHERE), JudgesAs.WEVAL_TODAY),
    "nobody": Panel((), FIVE_STEPS, custom=True),
}


def replied(written: Any) -> httpx.Response:
    """A reply as a case has it: a class, a text, how it ended, or the status of a server that refuses."""
    fields = written if isinstance(written, dict) else {"says": written}
    if "status" in fields:
        return httpx.Response(fields["status"], headers={"Retry-After": str(fields.get("wait", 1))}, text="no")
    said = re.sub(
        r"^([A-Z_]+)$", r"<reflection>Because.</reflection><classification>CLASS_\1</classification>", fields["says"]
    )
    choice = {"message": {"content": said}, "finish_reason": fields.get("finish", "stop")}
    return httpx.Response(200, json={"choices": [choice], "usage": {"prompt_tokens": 300, "completion_tokens": 20}})


def told(connect: Connect, mark: str, text: str) -> Iterator[str]:
    """What comes of judges that reply so, each in turn, the last reply again and again."""
    waiting = {name: list(replies) for name, replies in data_of(text).items()}

    def answer(request: httpx.Request) -> httpx.Response:
        replies = waiting[json.loads(request.content)["model"]]
        return replied(replies.pop(0) if len(replies) > 1 else replies[0])

    def resolve(model: str, base_url: str | None) -> tuple[Provider, str]:
        return chat_server("https://judges.example/v1"), model.partition(":")[2]

    line = connect(answer)
    consensus = judged(asyncio.run(all_of(judge_points(points(1), PANELS[mark], providers=resolve)))).consensus
    for judgement in consensus.judgements:
        assert judgement_of(judgement_text(judgement)) == judgement
        yield from asked_and_read(judgement, [json.loads(request.content) for request in line.requests])
    yield f"{consensus.extent}{', undecided' * consensus.is_undecided}; {consensus.summary or consensus.error}"
    yield from [f"  {consensus.reflection}"] if consensus.reflection else []


def asked_and_read(judgement: Judgement, requests: Sequence[dict[str, Any]]) -> Iterator[str]:
    sent = [each for each in requests if each["model"] == judgement.judge.model.partition(":")[2]]
    most = ", then ".join(str(each["max_tokens"]) for each in sent)
    usage = f"{judgement.last.usage.input_tokens} in, {judgement.last.usage.output_tokens} out"
    match judgement.last.reading:
        case Verdict(extent) as verdict:
            yield f"{judgement.judge.id}: {extent:g}, {verdict.label}; at most {most} tokens, at last {usage}"
        case NoVerdict(reason, message, advice, named=named):
            classes = f" [{', '.join(each.label for each in named)}]" if named else ""
            yield f"{judgement.judge.id}: {reason.value}{classes}; at most {most} tokens, at last {usage}"
            yield f"  {message}. {advice}"
    if len(sent[-1]["messages"]) > 2:
        yield f"  shown its reply: {sent[-1]['messages'][2]['content']}"


def test_judges_are_asked_and_read_as_the_file_says(connect: Connect, pytestconfig: pytest.Config) -> None:
    cases = Path(__file__).with_name("judging_cases.txt")
    assert_says(cases, lambda mark, text: told(connect, mark, text), pytestconfig)


async def test_a_judge_that_is_too_slow_has_not_judged(judges: Judges, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_prompt, "SECONDS", 0.3)
    release = threading.Event()
    judges.answers = {"slow": after(lambda: release.wait(60), "ABSENT")}

    def resolve(model: str, base_url: str | None) -> tuple[Provider, str]:
        return (AtOnce("FULLY_PRESENT"), model) if model == QUICK.model else judges.resolve(model, base_url)

    events = await run(judges, BOTH, providers=resolve)
    release.set()
    failure = present(judgements(events)["slow"].failure)
    assert failure.reason is Reason.TIMED_OUT
    assert "no whole answer within 0.3 seconds" in failure.message
    assert judged(events).consensus.extent == 1


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


# The end


async def test_requests_that_come_at_once_make_one_client(judges: Judges, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bool] = []

    def counted(direct: bool) -> httpx.AsyncClient:
        made.append(direct)
        return make(direct)

    make = http._new_client  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(http, "_new_client", counted)
    judges.answers = {"slow": grades("ABSENT"), "quick": grades("ABSENT")}
    await run(judges, BOTH, 4)
    assert made == [True]


def judging_ten(provider: ChatServer) -> AsyncGenerator[JudgingEvent]:
    return judge_points(points(10), BOTH, providers=lambda model, _: (provider, model))


async def test_a_cancelled_run_leaves_no_request_behind() -> None:
    silent, others = CountingServer(silent=True), asyncio.all_tasks()
    async with asked(silent) as provider:
        running = asyncio.create_task(all_of(judging_ten(provider)))
        await silent.until(lambda server: server.requests == 20)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await silent.until(lambda server: server.open == 0)
        assert {task for task in asyncio.all_tasks() - others if "connected" not in repr(task)} == set()


async def test_a_closed_stream_leaves_no_request_behind() -> None:
    silent = CountingServer(silent=True)
    async with asked(silent) as provider:
        events = judging_ten(provider)
        first = asyncio.ensure_future(anext(events))
        await silent.until(lambda server: server.requests == 20)
        with standing_still():
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            await events.aclose()
        await silent.until(lambda server: server.open == 0)


async def test_a_fault_of_our_own_is_not_taken_for_a_judge_s() -> None:
    class Broken:
        recipient = "nobody"

        async def stream(self, request: ChatRequest) -> AsyncIterator[ChatEvent]:
            raise RuntimeError("broken")
            yield  # makes it a stream

    events = judge_points(points(1), BOTH, providers=lambda *_: (Broken(), "m"))  # pyright: ignore[reportArgumentType]
    with pytest.raises(ExceptionGroup):
        await anext(events)

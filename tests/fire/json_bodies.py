"""Hostile JSON from servers, services and our own files.

Whole answers, refusals, lists of models, verdicts of services, tool calls in answers, stop reasons, prices, and what is
saved of models' parameters.

Each reader may raise only what it documents. One answer in 200 comes from a real server on this machine.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import httpx

from engine.blueprint import Role
from engine.blueprint.conversation import ThreadTurn, Variant, conversation
from engine.evaluation.events import Response, Scored
from engine.evaluation.point_assessment import assess
from engine.evaluation.result_json import Entry, dumps, result_json
from engine.evaluation.tool_use import tool_use
from engine.files.own_files import Damaged, parse_settings
from engine.functions.function_text import written
from engine.functions.v8 import JavaScript
from engine.models import failures, limits
from engine.models.chat import ChatRequest, Failure, Finished, ProviderError, Resent, TextDelta, Turn, Usage
from engine.models.failures import read_refusal, refused_fields
from engine.models.prices import cost, read_prices
from engine.models.provider_registry import model_names
from engine.models.secret import Secret
from engine.models.server import ChatServer
from engine.models.service_client import NoAnswerError, read_answer
from engine.models.wires import normalised, stop_of, withheld
from engine.parsing import Parsed, parse
from engine.scoring.explanation_builder import explain
from engine.text.spans import visible
from studio.cli.output import as_text, tools
from tests.engine.openai_server import chat_server
from tests.fire import mutations
from tests.fire.attacks import Attack, Outcome, attacked, seed_text
from tests.fire.echo_server import running
from tests.fire.figures import Figures
from tests.fire.provider_replies import ERRORS, KEY, NAMED, SENT, SHAPES, Shape, answer_of, response_of
from tests.world import own_home

ROUNDS = 100_000
_SERVED_ONE_IN = 200
_STATUSES = (400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 503, 529, 302, 307, 418, 599)
_WAITS = ("5", "-1", "1e999", "NaN", "٣", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "x GMT", "")
_PLACES = ("https://other.example/x?key=1", "//", "http://[", "/v2", "\x00", "https://u:p@h:99999/", "data:1", "é")
_BODIES: dict[str, Any] = json.loads(seed_text("bodies.json"))


def run(seed: int, rounds: int) -> Figures:
    """Read `rounds` bodies, of each kind as many."""
    replies = [b""]
    serving = running(lambda _: replies[-1], Random(seed))
    with own_home(), asyncio.Runner() as runner, JavaScript() as javascript, serving as host:
        parsed = parse(seed_text("tools.yml"))
        provider = chat_server(f"http://{host}/v1", key=Secret(KEY), read_seconds=5.0)

        def ask(reply: bytes) -> Outcome:
            replies[:] = [reply]
            return runner.run(_answered(provider))

        every = [
            Attack("a whole answer", _answer, lambda made: runner.run(_read_answer(made))),
            Attack("a refusal", _refusal, lambda made: runner.run(_read_refusal(made))),
            Attack("a list of models", lambda chance: _json(chance, _BODIES["models"]), _read_models),
            Attack(
                "a verdict of a service",
                lambda chance: _json(chance, chance.choice(_BODIES["verdicts"])),
                _read_verdict,
            ),
            Attack("tool calls", _calls, lambda made: _read_calls(made, parsed, javascript)),
            Attack("a stop reason", _words, _read_words),
            Attack("prices", lambda chance: _json(chance, _BODIES["prices"]), _read_prices),
            Attack("parameters of models", lambda chance: _json(chance, _BODIES["parameters"]), _read_support),
        ]
        order = [*every * (_SERVED_ONE_IN // len(every)), Attack("a real server", _served, ask)]
        return attacked("json_bodies", order, seed, rounds)


def _json(chance: Random, data: Any) -> bytes:
    return mutations.json_bytes(chance, mutations.mutated_data(chance, data, ERRORS))


# --- Answers and refusals


@dataclass(frozen=True, slots=True)
class Body:
    """A response: its shape, status, headers, and its bytes as they arrive."""

    shape: Shape
    blocks: Sequence[bytes]
    headers: dict[str, str]
    status: int = 200


def _answer(chance: Random) -> Body:
    shape = chance.choice(SHAPES)
    donors = [body for each in SHAPES for body in each.bodies]
    content = mutations.json_bytes(chance, mutations.mutated_data(chance, chance.choice(shape.bodies), donors))
    kind = chance.choice(("application/json", "application/json; charset=utf-16", "text/html", "application/hal+json"))
    return Body(shape, mutations.chunks_of(chance, content), {"content-type": kind})


async def _read_answer(made: Body) -> Outcome:
    whole = await answer_of(made.shape.wire, response_of([b"".join(made.blocks)], made.headers))
    cut = await answer_of(made.shape.wire, response_of(made.blocks, made.headers))
    if cut != whole:
        raise ValueError(f"cut otherwise, it reads otherwise: {cut} instead of {whole}")
    return whole


def _refusal(chance: Random) -> Body:
    content = _json(chance, chance.choice(ERRORS))
    if chance.random() < 0.1:
        content = f"<html><script>{'x' * chance.choice((3, 3_000))}</script><p>{chance.choice(ERRORS)}".encode()
    headers = {"content-type": chance.choice(("application/json", "text/html", ""))}
    if chance.random() < 0.3:
        headers["retry-after"] = chance.choice(_WAITS)
    if chance.random() < 0.3:
        headers["location"] = chance.choice(_PLACES)
    return Body(SHAPES[0], mutations.chunks_of(chance, content), headers, chance.choice(_STATUSES))


async def _read_refusal(made: Body) -> Outcome:
    response = response_of(made.blocks, made.headers, made.status)
    try:
        refusal = await read_refusal(response, NAMED)
    except httpx.HTTPError as broken:
        return Outcome("broken off", failures.from_transport(NAMED, broken).title)
    finally:
        await response.aclose()
    error = refusal.as_failure(NAMED)
    refused = refused_fields(refusal.body, SENT)
    if not refused <= set(SENT):
        raise ValueError(f"fields that were not sent: {refused}")
    found = (error.title, error.detail, error.advice, refusal.message)
    if any(KEY in text for text in found):
        raise ValueError("a key came back")
    if refusal.retry_after is not None and not 0 <= refusal.retry_after < math.inf:
        raise ValueError(f"a wait of {refusal.retry_after}")
    return Outcome("refused", (*found[:3], refusal.retry_after, sorted(refused)))


# --- Lists, verdicts, prices, parameters


def _read_models(content: bytes) -> Outcome:
    names = model_names(content)
    return Outcome("no list" if names is None else "models", names)


def _read_verdict(content: bytes) -> Outcome:
    try:
        answer = read_answer(content.decode("utf-8", "replace"))
    except NoAnswerError as error:
        failed = NAMED.failure(Failure.NONSENSE, error.what, error.server_message)
        return Outcome("no verdict", (failed.title, failed.detail))
    if not 0 <= answer.score <= 1 or read_answer(answer.as_text()) != answer:
        raise ValueError(f"{answer} is read back as another")
    return Outcome("verdict", (written(answer.score), visible(answer.explanation or "")))


def _read_prices(content: bytes) -> Outcome:
    try:
        prices = read_prices(parse_settings(content).get("prices"))
    except (Damaged, ValueError, RecursionError):
        return Outcome("settings that are set aside")
    most = Usage(10**12, 10**12)
    return Outcome("prices", ([cost(most, price) for price in prices.prices.values()], visible(str(prices.problems))))


def _read_support(content: bytes) -> Outcome:
    try:
        known = limits.parse_support(content)
    except (Damaged, ValueError, RecursionError):
        return Outcome("parameters that are set aside")
    body = {"temperature": 0, "max_tokens": 5, "generationConfig": {"topK": 1}}
    adaptable = {"temperature": None, "max_tokens": None, "generationConfig.topK": None}
    applied = [entry.support.applied(body, adaptable) for entry in known.values() if entry.support]
    return Outcome("parameters", applied)


# --- Tool calls and stop reasons


def _calls(chance: Random) -> str:
    text = chance.choice(_BODIES["tool calls"])
    if chance.random() < 0.5:
        made = mutations.nested if chance.random() < 0.1 else mutations.hostile_value
        call = {"name": mutations.hostile_value(chance), "arguments": made(chance)}
        name = "find" if chance.random() < 0.5 else call["name"]
        text = f"TOOL_CALL {json.dumps({**call, 'name': name}, ensure_ascii=chance.random() < 0.5)}\n{text}"
    if chance.random() < 0.7:
        text = mutations.mutated_text(chance, text, _BODIES["tool calls"])
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # as an answer arrives


def _read_calls(text: str, parsed: Parsed, javascript: JavaScript) -> Outcome:
    header, (prompt,) = parsed.blueprint.header, parsed.blueprint.prompts
    thread: tuple[ThreadTurn, ...] = conversation(prompt, header, Variant()).answered([text])
    assessments = assess(prompt, text, javascript, thread=thread)
    used = tool_use(prompt, header, text, assessments)
    scored = Scored(Response(text, thread), assessments, explain(prompt, assessments))
    saved = dumps(result_json(parsed.blueprint, None, [Entry(prompt, "a", "m", scored)], path=Path("a.yml")))
    shown = as_text(tools(used))
    kind = "no calls" if used is None or not used.trace.calls else "calls"
    return Outcome(kind, (shown, saved))


def _words(chance: Random) -> tuple[str, str]:
    known = ("stop", "end_turn", "MAX_TOKENS", "tool_calls", "content_filter", "error", "SAFETY", "")
    return mutations.mutated_text(chance, chance.choice(known)), mutations.text_piece(chance)


def _read_words(words: tuple[str, str]) -> Outcome:
    word, native = words
    stops = (stop_of(word), normalised(word, native), withheld(word, native))
    labels = [stop.label for stop in stops if stop is not None]
    if any(len(stop.word) > 100 for stop in stops if stop is not None):
        raise ValueError("a word without a bound")
    return Outcome("stop reasons", labels)


# --- A real server


def _served(chance: Random) -> bytes:
    """The bytes of a whole response, of HTTP too, as they are sent."""
    shape = SHAPES[0]
    body = json.dumps(chance.choice(shape.bodies)).encode()
    status = chance.choice((b"200 OK", b"200 OK", b"400 Bad Request", b"404 Not Found"))
    length = chance.choice((len(body), len(body), len(body) + 5, len(body) - 5, 0))
    head = b"HTTP/1.1 " + status + b"\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % length
    raw = head + mutations.mutated_bytes(chance, body)
    return mutations.mutated_bytes(chance, raw) if chance.random() < 0.5 else raw


async def _answered(provider: ChatServer) -> Outcome:
    """What an author gets of the server's answer."""
    request = ChatRequest("tiny", (Turn(Role.USER, "Hello"),), seconds=5.0)
    pieces: list[str] = []
    try:
        async for event in provider.stream(request):
            match event:
                case TextDelta(text):
                    pieces.append(text)
                case Finished():
                    return Outcome("answered by a server", ("".join(pieces), event))
                case Resent():
                    continue
    except ProviderError as error:
        return Outcome("failed at a server", ("".join(pieces), error.title, error.detail, error.advice))
    raise ValueError("an answer ended without an end")

"""Drafting points from an ideal answer with a judge's model, for the author to accept or reject (platform.md, A33).

Where a prompt has an ideal and no points, Weval has a model draft new points for each run, without showing them. Here
the author sees them and decides which go into the blueprint: no point that nobody has read affects a score.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from engine.blueprint import Message, Prompt, Role
from engine.blueprint.conversation import StopReason
from engine.judging.judge_prompt import PROMPTS, block, unused_sign
from engine.judging.judge_runner import StreamedReply
from engine.judging.verdict import Part, refuses, spans
from engine.models.chat import ChatRequest, Provider, ProviderError, Resolve, Turn
from engine.text.record import Record, replace
from engine.yaml.nodes import Data

MAX_POINTS = 12
"""The upper bound of drafted points."""
MAX_POINT_LENGTH = 500
"""The upper bound of a point's length in code points; a longer text is not a single criterion."""
MAX_TOKENS = 1500
SECONDS = 60.0
_MAX_REPLY_LENGTH = 40_000


class DraftedPoints(Record):
    """Text points, best first, each on one line, up to `MAX_POINTS`, without duplicates. Untrusted text."""

    points: tuple[str, ...]
    request: ChatRequest
    reply: str


class DraftFailure(Record):
    """Why there are no points: `message` follows the model's name, `advice` says what to do."""

    message: str
    advice: str
    reply: str = ""


_TEXTS = PROMPTS["draft"]
_TAGGED = re.compile(r"<\s*point\b[^<>]{0,80}>(.*?)(?:<\s*/\s*point\s*>|(?=<\s*point\b))", re.I | re.S)
_ITEM = re.compile(r"^[ \t]*(?:[-*•–]|\(?\d{1,2}[.)])[ \t]+(\S.*)$", re.M)
_EDGES = ' \t\r\n*_`"“”'


def draft_request(prompt: Prompt, model: str, system: str | None = None) -> ChatRequest:
    """The request to a model: the written conversation, the `system` prompt in force, and the ideal. Temperature 0.

    `model` is its name at the provider.
    """
    turns = [*([("system", system)] if system else []), *_turns(prompt.messages)]
    ideal = prompt.ideal or ""
    texts = [*(text for _, text in turns), ideal]
    sign = unused_sign(texts, texts)
    written = "\n".join(block("turn", sign, text, f' speaker="{role}"') for role, text in turns)
    parts = (block("conversation", sign, written), block("ideal", sign, ideal), _TEXTS["task"].format(most=MAX_POINTS))
    request_turns = (Turn(Role.SYSTEM, _TEXTS["system"].format(sign=sign)), Turn(Role.USER, "\n\n".join(parts)))
    return ChatRequest(model, request_turns, 0.0, MAX_TOKENS, seconds=SECONDS)


def _turns(messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    for message in messages:
        yield message.role.value, "(to be generated)" if message.content is None else message.content


async def draft_points(
    prompt: Prompt, model: str, *, providers: Resolve, system: str | None = None
) -> DraftedPoints | DraftFailure:
    """Ask `model` for points by which answers to `prompt`, which has an ideal, can be judged.

    After a reply without points, a second request is sent. Provider errors are not raised: they are a `DraftFailure`.
    """
    try:
        provider, name = providers(model, None)
        request = draft_request(prompt, name, system)
        found, reply = await _ask(provider, request)
        if isinstance(found, DraftFailure) and reply.strip():
            reminder = (Turn(Role.ASSISTANT, reply), Turn(Role.USER, _TEXTS["again"]))
            request = replace(request, turns=(*request.turns, *reminder))
            found, reply = await _ask(provider, request)
    except ProviderError as error:
        return DraftFailure(f"gave no points ({' '.join(filter(None, (error.title, error.detail)))})", error.advice)
    return found if isinstance(found, DraftFailure) else DraftedPoints(found, request, reply)


async def _ask(provider: Provider, request: ChatRequest) -> tuple[tuple[str, ...] | DraftFailure, str]:
    reply = StreamedReply()
    await reply.receive(provider, request, _MAX_REPLY_LENGTH)
    return read_points(reply.text, reply.stop), reply.text


def read_points(reply: str, stop: StopReason = StopReason.STOP) -> tuple[str, ...] | DraftFailure:
    """The points in `reply`, read leniently: between tags, as a JSON list, or as the items of a list.

    A point that was cut off by the end of the reply is left out.
    """
    text = " ".join(span.text for span in spans(reply) if span.part is not Part.THOUGHT)
    for read in (_tagged, _of_json, _items):
        found = tuple(_cleaned(read(text)))
        if found and read is _items and stop is StopReason.LENGTH:
            found = found[:-1]
        if found:
            return found[:MAX_POINTS]
    if stop is StopReason.REFUSAL or refuses(text):
        return DraftFailure("declined to draft points", "Choose another judge for this text.", reply)
    if stop is StopReason.LENGTH:
        return DraftFailure("was cut off before its first point", "Choose a judge that thinks less.", reply)
    return DraftFailure("answered without points", "Ask again, or choose another judge.", reply)


def _tagged(text: str) -> list[str]:
    return [match[1] for match in _TAGGED.finditer(text)]


def _of_json(text: str) -> list[str]:
    start, end = text.find("["), text.rfind("]")
    try:
        data: Data = json.loads(text[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return []
    if not isinstance(data, list):
        return []
    values = [next(iter(each.values()), None) if isinstance(each, dict) else each for each in data]
    return [value for value in values if isinstance(value, str)]


def _items(text: str) -> list[str]:
    return [match[1] for match in _ITEM.finditer(text)]


def _cleaned(found: Sequence[str]) -> Iterator[str]:
    """Each point on one line, without decoration or duplicates, and no longer than `MAX_POINT_LENGTH`."""
    seen: set[str] = set()
    for text in found:
        line = " ".join(text.strip(_EDGES).split())
        if line.startswith("$"):
            line = f"Says {line}"
        if line and len(line) <= MAX_POINT_LENGTH and line.casefold() not in seen:
            seen.add(line.casefold())
            yield line

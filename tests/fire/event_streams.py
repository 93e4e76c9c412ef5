"""Hostile streams of every wire format: damaged events, blocks cut anywhere, lines and bytes that are no stream.

Each stream is read twice, in one block and cut anywhere (within a character, between CR and LF, within gzip): both
readings are the same. A stream that is only dressed otherwise (line ends, comments, other fields) is read as before.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.fire import mutations
from tests.fire.attacks import Attack, Outcome, attacked
from tests.fire.figures import Figures
from tests.fire.provider_replies import KEY, SHAPES, Shape, answer_of, response_of

ROUNDS = 100_000
_DRESSINGS = ("\ufeff", ": keep-alive\n\n", "retry: 5\n", "id: 7\n", "event: x\n\n", "\n\n", "unknown: y\n", "data\n\n")
_KINDS = ("", "text/plain; charset=utf-16", "application/x-ndjson", "text/event-stream; charset=latin-1", "x", "a/b;c")


@dataclass(frozen=True, slots=True)
class Stream:
    """A body of one format. `blocks` are the same bytes cut anywhere; `plain` is the stream it was made from,
    where both must read alike."""

    shape: Shape
    content: bytes
    blocks: Sequence[bytes]
    headers: dict[str, str]
    plain: bytes | None = None


def run(seed: int, rounds: int) -> Figures:
    """Read `rounds` streams: three of four damaged, the others only dressed."""
    with asyncio.Runner() as runner:
        read: Callable[[Stream], Outcome] = lambda made: runner.run(_read(made))  # noqa: E731
        damaged = Attack("a damaged stream", _damaged, read)
        dressed = Attack("a dressed stream", _dressed, read)
        return attacked("event_streams", [damaged, damaged, damaged, dressed], seed, rounds)


def _written(shape: Shape, events: Sequence[Any], write: Callable[[Any], bytes]) -> bytes:
    lines: list[bytes] = []
    for event in events:
        name = event.get("type") if shape.named_events and isinstance(event, dict) else None
        named = f"event: {name}\n".encode() if isinstance(name, str) and name.isascii() and name.isalpha() else b""
        lines.append(named + b"data: " + write(event) + b"\n\n")
    return b"".join(lines) + (b"data: [DONE]\n\n" if shape.ends_with_done else b"")


def _plain(event: Any) -> bytes:
    return json.dumps(event, ensure_ascii=False).encode()


def _escaped(event: Any) -> bytes:
    return json.dumps(event).encode()


def _damaged(chance: Random) -> Stream:
    shape = chance.choice(SHAPES)
    events: list[Any] = list(chance.choice(shape.streams))
    donors = [event for each in SHAPES for stream in each.streams for event in stream]
    kind = chance.randrange(8)
    if kind < 5:
        at = chance.randrange(len(events))
        events[at] = mutations.mutated_data(chance, events[at], donors)
    if kind == 5:
        events = [chance.choice(donors) for _ in range(chance.randint(1, 6))]
    content = _written(shape, events, (lambda event: mutations.json_bytes(chance, event)) if kind == 4 else _escaped)
    if kind == 6:
        text = content.decode("utf-8", "replace")
        content = mutations.mutated_text(chance, text, [KEY, text]).encode("utf-8", "replace")
    if kind == 7:
        content = mutations.mutated_bytes(chance, content)
    headers = {"content-type": "text/event-stream"}
    if chance.random() < 0.1:
        headers["content-type"] = chance.choice(_KINDS)
    if chance.random() < 0.1:
        content, headers = _coded(chance, content, headers)
    return Stream(shape, content, mutations.chunks_of(chance, content), headers)


def _coded(chance: Random, content: bytes, headers: dict[str, str]) -> tuple[bytes, dict[str, str]]:
    """Compressed, and sometimes damaged after that, or called something else."""
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    packed = packer.compress(content) + packer.flush()
    if chance.random() < 0.3:
        packed = mutations.mutated_bytes(chance, packed)
    coding = chance.choice(("gzip", "gzip", "gzip", "x-gzip", "GZIP ", "br", "deflate", "gzip, gzip"))
    return packed, {**headers, "content-encoding": coding}


def _dressed(chance: Random) -> Stream:
    shape = chance.choice(SHAPES)
    plain = _written(shape, chance.choice(shape.streams), _plain)
    dressed: list[str] = [chance.choice(("", "\ufeff"))]
    for event in plain.decode().split("\n\n")[:-1]:
        if chance.random() < 0.3:
            dressed.append(chance.choice(_DRESSINGS[1:]))
        dressed.append(f"{event}\n\n")
    end = chance.choice(("\n", "\r\n", "\r"))
    content = "".join(dressed).replace("\n", end).encode()
    return Stream(shape, content, mutations.chunks_of(chance, content), {"content-type": "text/event-stream"}, plain)


async def _read(made: Stream) -> Outcome:
    whole = await answer_of(made.shape.wire, response_of([made.content], made.headers))
    cut = await answer_of(made.shape.wire, response_of(made.blocks, made.headers))
    if cut != whole and "content-encoding" not in made.headers:  # damaged gzip fails early or late
        raise ValueError(f"cut otherwise, it reads otherwise: {cut} instead of {whole}")
    if made.plain is not None:
        plain = await answer_of(made.shape.wire, response_of([made.plain], made.headers))
        if plain != whole:
            raise ValueError(f"dressed otherwise, it reads otherwise: {whole} instead of {plain}")
    return whole

"""A model server in a process of its own: `python -m tests.benchmarks.model_server ANSWER JUDGE PACE WORDS`.

It answers after ANSWER seconds, judges after JUDGE seconds, and streams WORDS words with PACE seconds between two. It
answers a GET with the number of answers that it streams at that time.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_VERDICT = "<reflection>It is there.</reflection>\n<classification>CLASS_FULLY_PRESENT</classification>"
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds to an answer, to a verdict, and between two words; how many words an answer has."""

    answer: float
    judge: float
    between: float = 0.0
    words: int = 100


@contextmanager
def running(pace: Pace) -> Iterator[str]:
    """The address of a server, up to `/v1`."""
    numbers = [str(each) for each in (pace.answer, pace.judge, pace.between, pace.words)]
    command = [sys.executable, "-m", "tests.benchmarks.model_server", *numbers]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        finally:
            server.kill()


def model(name: str, url: str) -> dict[str, str]:
    """The model `own:NAME` of a blueprint, which the server at `url` answers."""
    return {"id": f"own:{name}", "url": f"{url}/chat/completions", "modelName": name, "inherit": "openai"}


def choose(home: Path, file: Path, *names: str) -> None:
    """Have the models `own:NAME` chosen for `file`, as if they had been before."""
    first, *more = ({"kind": "model", "value": f"own:{name}"} for name in names)
    settings = home / "config" / "settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"answers": {str(file): {**first, "more": more}}}), "utf-8")


def streaming(url: str) -> int:
    """How many answers the server at `url` streams now."""
    with urllib.request.urlopen(url) as response:
        return int(response.read())


async def _serve(pace: Pace) -> None:
    answers = 0

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal answers
        try:
            while (body := await _request(reader)) is not None:
                if not body:
                    text = str(answers).encode()
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(text), text))
                    continue
                answers += 1
                try:
                    await _answer(writer, body, pace)
                finally:
                    answers -= 1
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the other side left, as one does who cancels
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def _request(reader: asyncio.StreamReader) -> bytes | None:
    """The body of the next request, None after the last."""
    if not await reader.readline():
        return None
    length = 0
    while line := (await reader.readline()).strip().lower():
        name, _, value = line.partition(b":")
        if name == b"content-length":
            length = int(value)
    return await reader.readexactly(length)


async def _answer(writer: asyncio.StreamWriter, body: bytes, pace: Pace) -> None:
    judges = b"examiner" in body
    await asyncio.sleep(pace.judge if judges else pace.answer)
    writer.write(_HEAD)
    for word in [_VERDICT] if judges else _words(pace.words):
        if pace.between and not judges:
            await asyncio.sleep(pace.between)
        _chunk(writer, {"choices": [{"delta": {"content": word}}]})
        await writer.drain()
    _chunk(writer, {"choices": [{"delta": {}, "finish_reason": "stop"}]})
    writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
    await writer.drain()


def _words(count: int) -> list[str]:
    return [f"word{number} " if number % 12 else f"word{number}.\n" for number in range(count)]


def _chunk(writer: asyncio.StreamWriter, data: object) -> None:
    line = b"data: " + json.dumps(data).encode() + b"\n\n"
    writer.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")


if __name__ == "__main__":
    answer, judge, between, words = sys.argv[1:]
    asyncio.run(_serve(Pace(float(answer), float(judge), float(between), int(words))))

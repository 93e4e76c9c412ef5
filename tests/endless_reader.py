"""Reads endless answers in this process, one after another, and prints as JSON how each failed and what it took.

`python -m tests.endless_reader (model|service) URL…`: a list of `failure`, `megabytes` and `seconds`. Linux only.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

from engine.blueprint import FunctionCall, Header
from engine.functions.point_function import Subject
from engine.models.chat import ProviderError
from engine.models.definitions import service_call
from engine.models.service_client import ask, prepare
from engine.text.spans import NOWHERE
from tests.engine.openai_server import chat_server
from tests.engine.provider_server import ASK

_RESET_PEAK = "5"
"""For `/proc/self/clear_refs`: the peak becomes what is taken now."""


def peak(*, reset: bool = False) -> float:
    """The most memory that this process has taken since the last `reset`, in MB."""
    if reset:
        Path("/proc/self/clear_refs").write_text(_RESET_PEAK)
    status = Path("/proc/self/status").read_text()  # not `ru_maxrss`, which a process takes over from its parent
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


async def ask_model(url: str) -> None:
    async for _ in chat_server(url, read_seconds=30.0).stream(ASK):
        pass


async def ask_service(url: str) -> None:
    args = {"url": url, "retries": 0, "timeout_ms": 60_000}
    call = prepare(service_call(FunctionCall("call", args), Header(NOWHERE)), Subject("Paris."))
    await ask(call, private_too=True)


async def failure_of(who: str, url: str) -> str:
    try:
        await (ask_model if who == "model" else ask_service)(url)
    except ProviderError as error:
        return f"{error.title} | {error.detail}"
    return "it was answered"


async def reading(who: str, url: str) -> dict[str, str | float]:
    before, begun = peak(reset=True), time.monotonic()
    failure = await failure_of(who, url)
    return {"failure": failure, "megabytes": peak() - before, "seconds": time.monotonic() - begun}


async def main() -> None:
    who, *urls = sys.argv[1:]
    await failure_of(who, "http://127.0.0.1:9/none")  # what is imported and made at the first request
    print(json.dumps([await reading(who, url) for url in urls]))


if __name__ == "__main__":
    asyncio.run(main())

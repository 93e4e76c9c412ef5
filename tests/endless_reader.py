"""Reads one endless answer in this process, and prints as JSON how it failed and what it took.

`python -m tests.endless_reader (model|service) URL`
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

from engine.blueprint import FunctionCall, Header
from engine.functions.point_function import Subject
from engine.providers.chat import ProviderError
from engine.providers.openai import OpenAIShaped
from engine.services.calls import service_call
from engine.services.service_client import ask, prepare
from tests.engine.builders import NOWHERE
from tests.engine.provider_server import ASK


def peak() -> float:
    """The most memory that this process has taken so far, in MB."""
    status = Path("/proc/self/status").read_text()  # not `ru_maxrss`, which a process takes over from its parent
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


async def ask_model(url: str) -> None:
    async for _ in OpenAIShaped(url, read_seconds=30.0).stream(ASK):
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


async def main() -> None:
    who, url = sys.argv[1:]
    await failure_of(who, "http://127.0.0.1:9/none")  # what is imported and made at the first request
    before, begun = peak(), time.monotonic()
    failure = await failure_of(who, url)
    print(json.dumps({"failure": failure, "megabytes": peak() - before, "seconds": time.monotonic() - begun}))


if __name__ == "__main__":
    asyncio.run(main())

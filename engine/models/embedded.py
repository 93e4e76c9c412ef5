"""The embedded model: SmolLM2 behind llama.cpp's HTTP server in a child process, used like any other server.

The child starts with the first request, ends with the program, and is restarted after a crash. It has a random key of
its own.
"""

from __future__ import annotations

import asyncio
import atexit
import importlib.util
import json
import secrets
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

from engine.files.processes import Child, child_environment
from engine.models.chat import ChatEvent, ChatRequest, Failure, ProviderError
from engine.models.secret import Secret
from engine.models.weights import INSTALL_LOCAL, SMOLLM2, Weights
from engine.text.record import Record
from engine.text.spans import visible

INSTALL = "Run `studio models install`."
CONTEXT_TOKENS = 8192
_START_SECONDS = 60.0
_READ_SECONDS = 600.0
_AT_ONCE = 2  # it answers one; the next is at hand, and all others wait without a clock running
_MODELS: dict[str, Weights] = {SMOLLM2.name: SMOLLM2}


class _Child(Record):
    """A running server."""

    process: subprocess.Popen[str]
    address: str
    key: Secret


class EmbeddedServer:
    """The child process of one model. Safe to use from several threads; `close` may be called at any time."""

    def __init__(self, weights: Weights) -> None:
        """Start nothing yet."""
        self._weights = weights
        self._lock = threading.Lock()
        self._child: _Child | None = None

    def start(self) -> tuple[str, Secret]:
        """The server's address and key; starts it if it does not run. Blocks for about a second.

        Raises `ProviderError` if it is not installed or does not start.
        """
        with self._lock:
            if self._child is None or self._child.process.poll() is not None:
                missing = what_is_missing(self._weights, with_content=True)
                if missing is not None:
                    raise missing
                self._end()
                self._child = _launch(self._weights)
            return self._child.address, self._child.key

    def pid(self) -> int | None:
        """The process id while it runs."""
        child = self._child
        return child.process.pid if child and child.process.poll() is None else None

    def died(self) -> bool:
        """Whether it was started and has ended on its own."""
        child = self._child
        return child is not None and child.process.poll() is not None

    def close(self) -> None:
        """End the process; the next `start` restarts it."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            _stop(child.process)


_servers = {name: EmbeddedServer(weights) for name, weights in _MODELS.items()}


@atexit.register
def close() -> None:
    """End every embedded server; the next request restarts it."""
    for server in _servers.values():
        server.close()


def running_pids() -> list[int]:
    """The process ids of the embedded servers that run."""
    return [pid for server in _servers.values() if (pid := server.pid()) is not None]


class Embedded:
    """An embedded model by name, `smollm2`. Raises `ProviderError` for any other."""

    def __init__(self, name: str) -> None:
        if name not in _MODELS:
            raise ProviderError(
                Failure.NO_SUCH_MODEL,
                f"There is no embedded model {visible(name)}",
                advice=f"Embedded models: {', '.join(_MODELS)}.",
            )
        self._server = _servers[name]

    @property
    def recipient(self) -> str:
        """`this machine`: the text stays here."""
        return "this machine"

    @property
    def at_once(self) -> int:
        """1: requests are answered one after the other."""
        return 1

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """The answer as it arrives, ended by one `Finished`. Raises `ProviderError`; closing the iterator cancels."""
        from engine.models.server import OpenAIShaped

        address, key = await asyncio.to_thread(self._server.start)
        server = OpenAIShaped(
            f"{address}/v1", key=key, recipient=self.recipient, read_seconds=_READ_SECONDS, at_once=_AT_ONCE
        )
        try:
            async with aclosing(server.stream(request)) as events:
                async for event in events:
                    yield event
        except ProviderError as error:
            if error.failure is Failure.UNREACHABLE and await asyncio.to_thread(self._died_just_now):
                raise ProviderError(
                    Failure.UNREACHABLE,
                    f"{request.model}: the embedded model's process ended",
                    error.detail,
                    "Your work is safe. Try again: it restarts.",
                ) from None
            raise

    def _died_just_now(self) -> bool:
        """Whether the server has ended; its connection may break a moment before its process is gone."""
        child = self._server
        if not child.died():
            threading.Event().wait(0.2)
        return child.died()


def runnable() -> bool:
    """Whether the extra `local`, which runs the weights, is installed."""
    return importlib.util.find_spec("xllamacpp") is not None


def what_is_missing(weights: Weights = SMOLLM2, *, with_content: bool = False) -> ProviderError | None:
    """Why an embedded model cannot answer, with what to do in `advice`; None if it can. Blocks.

    Damaged weights are set aside. `with_content` compares all of them with what they should be, which takes 0.2 s.
    """
    if not runnable():
        return ProviderError(
            Failure.NOT_INSTALLED,
            "The part that runs embedded models is not installed",
            advice=f"{INSTALL_LOCAL}, and start again.",
        )
    if not weights.usable(with_content=with_content):
        return ProviderError(Failure.NOT_INSTALLED, f"The weights of {weights.label} are not installed", advice=INSTALL)
    return None


def _launch(weights: Weights) -> _Child:
    key = Secret(secrets.token_urlsafe(32))
    process = subprocess.Popen(
        [sys.executable, "-P", str(Path(__file__).with_name("embedded_server.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env=child_environment(Child.PYTHON),
        start_new_session=True,
    )
    order = {
        "model": str(weights.path(weights.files[0].name)),
        "alias": weights.name,
        "key": key.reveal(),
        "context": CONTEXT_TOKENS,
    }
    overdue = threading.Timer(_START_SECONDS, process.kill)
    overdue.start()
    try:
        answer = _exchange(process, order)
    finally:
        overdue.cancel()
    if "address" not in answer:
        _stop(process)
        raise ProviderError(
            Failure.NOT_INSTALLED,
            f"{weights.label} could not be started",
            key.scrub(answer.get("error", f"its process ended with {process.returncode}")),
            f"Try again. If it stays so, delete {weights.folder} and run `studio models install`.",
        )
    return _Child(process, answer["address"], key)


def _stop(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def _exchange(process: subprocess.Popen[str], order: dict[str, Any]) -> dict[str, str]:
    """The child's one reply; {} if it ended without one."""
    if process.stdin is None or process.stdout is None:
        raise AssertionError("the pipes were asked for")
    try:
        process.stdin.write(json.dumps(order) + "\n")
        process.stdin.flush()
        return cast("dict[str, str]", json.loads(process.stdout.readline()))
    except (BrokenPipeError, ValueError):
        return {}

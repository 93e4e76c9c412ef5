"""A service that is asked over a real line: what it answers, or what goes wrong."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.blueprint import FunctionCall, Header
from engine.functions.point_function import Subject
from engine.models.chat import ProviderError
from engine.models.definitions import service_call
from engine.models.service_client import Answer, ask, prepare
from engine.text.spans import NOWHERE
from engine.yaml.nodes import Data

SUBJECT = Subject("Paris.", model_id="openai:gpt-4o-mini", prompt_id="capital")
SECRET = "sk-test-7Hq2+/xyz"
GOOD = {"score": 0.75, "explain": "Mostly so."}
NO_PAUSE: dict[str, Data] = {"retry_backoff_ms": 0}


def url_of(server: HTTPServer, path: str = "/check") -> str:
    return server.url_for(path).replace("localhost", "127.0.0.1")


async def verdict(url: str, *, private_too: bool = True, **written: Data) -> Answer:
    args: dict[str, Data] = {"url": url, **NO_PAUSE, **written}
    call = prepare(service_call(FunctionCall("call", args), Header(NOWHERE)), SUBJECT)
    return await ask(call, private_too=private_too)


async def trouble(url: str, *, private_too: bool = True, **written: Data) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await verdict(url, private_too=private_too, **written)
    return caught.value


def words(error: ProviderError) -> str:
    return f"{error.title} | {error.detail} | {error.advice}"


Lookup = Callable[..., list[Any]]


def found_at(*addresses: str) -> Lookup:
    """A look-up that finds these addresses for every name."""

    def look_up(_host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        return [
            (socket.AF_INET6 if ":" in each else socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port))
            for each in addresses
        ]

    return look_up

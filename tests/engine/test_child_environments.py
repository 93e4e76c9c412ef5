"""No child process is told a key in its environment or its command, where all of this account can read it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from engine.files import processes
from engine.functions.v8 import JavaScript
from engine.models import embedded
from engine.models.embedded import SMOLLM2

KEY = "sk-7Hq2Zk40vW9pLmT1"
KEYS = ("OPENAI_API_KEY", "MY_TOKEN", "HTTPS_PROXY", "DATABASE_URL")


class Started(Exception):
    """Instead of a process."""


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands and environments of the processes that are not started."""
    told: list[str] = []

    def start(command: list[str], *, env: dict[str, str] | None = None, **_: Any) -> None:
        assert env is not None, "the whole environment is passed on"
        told.extend([*command, *(f"{name}={value}" for name, value in env.items())])
        raise Started

    monkeypatch.setattr(subprocess, "Popen", start)
    for name in KEYS:
        monkeypatch.setenv(name, KEY)
    return told


def start_of_ps() -> None:
    processes._start_of(-1)


@pytest.mark.parametrize(
    "start",
    [
        lambda: embedded._launch(SMOLLM2),
        lambda: JavaScript().warm_up(),
        start_of_ps,
    ],
    ids=["the embedded model", "V8", "ps"],
)
def test_no_key_is_in_what_a_child_process_is_told(start: Callable[[], object], started: list[str]) -> None:
    with pytest.raises(Started):
        start()
    assert started
    assert not [told for told in started if KEY in told]

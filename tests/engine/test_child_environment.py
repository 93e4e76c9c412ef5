"""No child process gets a key: every one is started with a reduced environment."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import engine
import studio
from engine.files import processes
from engine.files.processes import Child, child_environment
from engine.functions.v8 import JavaScript
from engine.models import embedded
from engine.models.embedded import SMOLLM2
from engine.study.file_places import Publication, publication

# No child process gets a key: every one is started with a reduced environment


STARTS = frozenset(
    ("Popen", "run", "call", "check_call", "check_output", "create_subprocess_exec", "create_subprocess_shell")
)
SYSTEM_STARTS = frozenset(("system", "popen", "execv", "execve", "execvp", "spawnv", "posix_spawn", "fork"))
SECRETS = {"OPENAI_API_KEY": "sk-one", "MY_SERVER": "sk-two", "HOMEBREW_TOKEN": "three", "PIP_NOTHING": "four"}


@cache
def calls() -> tuple[tuple[str, ast.Call], ...]:
    return tuple(_calls())


def _calls() -> Iterator[tuple[str, ast.Call]]:
    for package in (engine, studio):
        for path in sorted(Path(package.__path__[0]).rglob("*.py")):
            text = path.read_text("utf-8")
            named = any(f"import {module}" in text for module in ("asyncio", "os", "subprocess"))
            for node in ast.walk(ast.parse(text if named else "")):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    yield f"{path.name}:{node.lineno}", node


def starts_of(module: str, names: frozenset[str]) -> list[tuple[str, ast.Call]]:
    return [
        (place, call)
        for place, call in calls()
        if isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and (call.func.value.id, call.func.attr in names) == (module, True)
    ]


def test_every_child_is_started_with_an_environment_of_its_own() -> None:
    started = starts_of("subprocess", STARTS) + starts_of("asyncio", STARTS - {"run"})
    given = {
        place: ast.unparse(next((each.value for each in call.keywords if each.arg == "env"), call.func))
        for place, call in started
    }
    assert given
    assert {place: env for place, env in given.items() if not env.startswith("child_environment(Child.")} == {}


def test_no_child_is_started_in_another_way() -> None:
    assert starts_of("os", SYSTEM_STARTS) == []


@pytest.mark.parametrize("child", Child, ids=lambda child: child.name)
def test_no_program_is_passed_what_it_does_not_need(child: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    passed = child_environment(child)
    assert set(SECRETS) & set(passed) == ({"PIP_NOTHING"} if child is Child.PIP else set())


def test_git_is_run_without_the_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git, told = tmp_path / "bin" / "git", tmp_path / "told"
    git.parent.mkdir()
    git.write_text(f'#!/bin/sh\nenv > "{told}"\nexit 1\n')
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{git.parent}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    assert publication(tmp_path / "x.cases.yml") is Publication.PUBLISHED
    seen = told.read_text()
    assert f"HOME={tmp_path}" in seen
    assert [value for value in SECRETS.values() if value in seen] == []


# No child process is told a key in its environment or its command, where all of this account can read it


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

"""A database that cannot be used is reported once for each cause, whatever needs it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from engine.evaluation.sources import ModelSource
from engine.scoring.assessment import Grade
from engine.store import Store, StoreUnavailable
from studio.session.resources import Resources
from tests.session.faces import Face

TEXT = "- id: a\n  prompt: x\n  ideal: y\n  should:\n    - Names it\n"


class Broken(Resources):
    """Resources whose database fails for the reason `why`, as long as there is one."""

    why = "It is damaged."

    def store(self) -> Store:
        if self.why:
            raise StoreUnavailable(self.why)
        return super().store()


@pytest.fixture
async def face(tmp_path: Path) -> Face:
    path = tmp_path / "x.yml"
    path.write_text(TEXT, "utf-8")
    face = Face(path, resources=Broken())
    await face.settled()
    face.cursor_at("prompt")
    await run(face)
    return face


async def run(face: Face) -> None:
    await face.f5()


async def grade(face: Face) -> None:
    await face.grade(0, Grade.FULLY_PRESENT)


async def look_back(face: Face) -> None:
    await face.runs.history.view()


async def restore(face: Face) -> None:
    await face.choose(ModelSource("tiny", "http://127.0.0.1:9/v1"))
    await face.settled()


@pytest.mark.parametrize("act", [run, grade, look_back, restore])
async def test_a_cause_is_reported_once(face: Face, act: Callable[[Face], Awaitable[None]]) -> None:
    await act(face)
    await act(face)
    await face.until(lambda: "It is damaged." in face.author.messages)  # it comes from another thread
    await asyncio.sleep(0.01)
    assert face.author.messages.count("It is damaged.") == 1


@pytest.mark.parametrize("act", [run, grade, look_back, restore])
async def test_another_cause_is_reported_too(face: Face, act: Callable[[Face], Awaitable[None]]) -> None:
    assert isinstance(face.resources, Broken)
    face.resources.why = "It is locked."
    await act(face)
    await face.until(lambda: "It is locked." in face.author.messages)


async def test_a_cause_that_returns_is_reported_again(face: Face) -> None:
    assert isinstance(face.resources, Broken)
    face.resources.why = ""
    await grade(face)
    face.resources.why = "It is damaged."
    await grade(face)
    await face.until(lambda: face.author.messages.count("It is damaged.") == 2)

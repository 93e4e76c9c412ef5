"""Work on other threads waits while a key is answered, and goes on by itself if nobody says that it was."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from engine.parsing import parse
from engine.rules import check
from engine.text import pacing

TEXT = "- id: a\n  prompt: b\n  should:\n    - c\n    - d\n"


@pytest.fixture(autouse=True)
def _released() -> Iterator[None]:
    yield
    pacing.release()


def started(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("work", [pacing.give_way, lambda: parse(TEXT), lambda: check(parse(TEXT))])
def test_work_of_another_thread_waits_until_the_key_is_answered(
    work: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pacing, "_LONGEST", 60.0)
    pacing.hold()
    thread = started(work)
    thread.join(0.05)
    assert thread.is_alive()
    pacing.release()
    thread.join(30)
    assert not thread.is_alive()


def test_work_of_the_same_thread_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "_LONGEST", 60.0)
    pacing.hold()
    began = time.monotonic()
    assert len(parse(TEXT).blueprint.prompts) == 1
    assert time.monotonic() - began < 30


def test_work_waits_no_longer_than_is_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "_LONGEST", 0.02)
    pacing.hold()
    thread = started(lambda: [pacing.give_way() for _ in range(1000)])
    thread.join(30)
    assert not thread.is_alive()


def test_keys_one_after_the_other_do_not_stop_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "_LONGEST", 0.02)
    pacing.hold()
    thread = started(pacing.give_way)
    until = time.monotonic() + 30
    while thread.is_alive() and time.monotonic() < until:
        pacing.hold()
        time.sleep(0.001)
    assert not thread.is_alive()

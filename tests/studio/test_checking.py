"""Background checking: the newest text only, in order, on a thread that a bad text cannot end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

import pytest

from engine import parsing
from engine.functions.v8 import JavaScript
from engine.parsing import Parsed
from studio.session.analysis import Analysis, CheckingThread, Tally

PATH = Path("x.yml")
GOOD = "- id: a\n  prompt: b\n  should:\n    - Says it\n"
BAD = '- id: a\n  prompt: b\n  should:\n    - "$icontains: x"\n'


@contextmanager
def _checking(failed: threading.Event | None = None) -> Iterator[tuple[CheckingThread, Queue[Analysis]]]:
    told: Queue[Analysis] = Queue()
    with JavaScript() as javascript:
        checking = CheckingThread(told.put, (failed or threading.Event()).set, lambda: javascript)
        try:
            yield checking, told
        finally:
            checking.close()


def _complete(told: Queue[Analysis]) -> Analysis:
    while not (analysis := told.get(timeout=60)).complete:
        pass
    return analysis


def test_problems_are_counted_by_prompt_the_header_first() -> None:
    with _checking() as (checking, told):
        checking.submit(1, GOOD + BAD.replace("id: a", "id: c").replace("prompt: ", "prompt: And "), PATH)
        checking.start()
        tallies = _complete(told).tallies
    assert tallies == (Tally(), Tally(), Tally(errors=1))


def test_of_texts_that_wait_only_the_newest_is_checked() -> None:
    with _checking() as (checking, told):
        for revision in range(1, 50):
            checking.submit(revision, GOOD, PATH)
        checking.start()
        assert _complete(told).revision == 49
    assert told.empty()


def test_what_is_told_never_goes_back_to_an_older_text() -> None:
    with _checking() as (checking, told):
        checking.start()
        for revision in range(1, 30):
            checking.submit(revision, GOOD + f"# {revision}\n", PATH)
        revisions: list[int] = []
        while not revisions or revisions[-1] < 29:
            revisions.append(told.get(timeout=60).revision)
    assert revisions == sorted(revisions)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_after_a_text_that_brings_the_checking_down_the_next_one_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    parse = parsing.parse

    def faulty(text: str, path: Path | None = None) -> Parsed:
        if "fault" in text:
            raise RuntimeError(text)
        return parse(text, path)

    monkeypatch.setattr(parsing, "parse", faulty)
    failed = threading.Event()
    with _checking(failed) as (checking, told):
        checking.start()
        checking.submit(1, "fault", PATH)
        assert failed.wait(60)
        checking.submit(2, BAD, PATH)
        assert _complete(told).revision == 2


def test_a_check_that_v8_is_closed_under_ends_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    faults: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", faults.append)
    endless = '- prompt: b\n  ideal: c\n  should:\n    - $js: "while (true) {}"\n'
    before = {*threading.enumerate()}
    with _checking() as (checking, told):
        checking.start()
        checking.submit(1, endless * 3, PATH)
        while not told.get(timeout=60).positions:
            pass
    [thread] = [each for each in threading.enumerate() if each.name == "checking" and each not in before]
    thread.join(60)
    assert faults == []

"""A text that was checked is freed with its successor: a long one must not wait for the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse
from engine.rules import Checker
from engine.rules.rule import FileView

TEXT = "- id: a\n  prompt: Say it {}\n  should:\n    - $contains: x\n    - Says it\n- id: b\n  prompt: [\n"


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    yield
    if was_enabled:
        gc.enable()


def texts() -> set[int]:
    """The texts and the views of texts that are alive."""
    return {id(each) for each in gc.get_objects() if isinstance(each, Parsed | FileView)}


def checked_twice(checker: Checker, parsed: Parsed, javascript: JavaScript) -> None:
    checker.check(parsed)
    checker.check(parsed, javascript)


def test_a_checked_text_is_freed_without_the_collector() -> None:
    checker = Checker()
    checker.check(parse(TEXT.format(0)))
    before = texts()
    with JavaScript() as javascript:
        for number in range(3):
            checked_twice(checker, parse(TEXT.format(number)), javascript)
    checker.check(parse(TEXT.format(0)))
    assert len(texts()) <= len(before)

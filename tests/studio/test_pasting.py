"""A paste is text, whatever stands in it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.message import Message

from studio.tui.terminal import PasteSafeParser
from tests.processor_time import costs_less_than
from tests.studio.driving import opened

START, END = "\x1b[200~", "\x1b[201~"


def parsed(*pieces: str) -> list[Message]:
    parser = PasteSafeParser()
    return [message for piece in pieces for message in parser.feed(piece)]


@pytest.mark.parametrize("text", ["plain", "ab \x1b]0;T\x07c", "\x11", "\x1b[A\x1b", "two\nlines"])
def test_a_paste_is_one_paste_and_no_key(text: str) -> None:
    (paste,) = parsed(START + text + END)
    assert isinstance(paste, events.Paste)
    assert paste.text == text.replace("\x1b", "␛")


@pytest.mark.parametrize("before", ["\x1b", "a", "\x1b[A", "\x1bO", "\x1b["])
def test_a_paste_after_an_unfinished_sequence_is_a_paste(before: str) -> None:
    messages = parsed(f"{before}{START}one{END}", f"{START}two{END}")
    assert [message.text for message in messages if isinstance(message, events.Paste)] == ["one", "two"]


def test_a_long_paste_takes_the_parser_no_time() -> None:
    pieces = [START, *(["one line of a long text\n" * 40] * 500), END]
    with costs_less_than(0.1):
        (paste,) = parsed(*pieces)
    assert isinstance(paste, events.Paste)
    assert len(paste.text) == 480_000


def test_keys_around_a_paste_stay_keys() -> None:
    messages = parsed(f"a{START}\x1bb{END}c")
    assert [type(message) for message in messages] == [events.Key, events.Paste, events.Key]


@given(st.sets(st.integers(1, 24)))
def test_a_paste_may_come_in_pieces(cuts: set[int]) -> None:
    whole = f"{START}ab\x1b[201x\x1bcd{END}e"
    places = [0, *sorted(cut for cut in cuts if cut < len(whole)), len(whole)]
    messages = parsed(*(whole[start:end] for start, end in pairwise(places)))
    assert [message.text for message in messages if isinstance(message, events.Paste)] == ["ab␛[201x␛cd"]
    assert [message.key for message in messages if isinstance(message, events.Key)] == ["e"]


@pytest.mark.parametrize("character", ["\u00a0", "\u3000", "\u200c", "\u200d", "\u200e", "\u00ad", "\ue000"], ids=ascii)
async def test_a_typed_space_or_joiner_of_another_script_reaches_the_text(tmp_path: Path, character: str) -> None:
    async with opened(tmp_path / "own.yml", "title: ab\n") as page:
        driver = page.app._driver
        assert driver is not None
        for message in parsed(character):
            driver.process_message(message)
        await page.settle()
        assert page.text == f"{character}title: ab\n"


@pytest.mark.parametrize("character", ["\x00", "\x1c", "\x7f", "\x85"], ids=ascii)
def test_a_control_character_stays_a_key(character: str) -> None:
    assert [type(message) for message in parsed(character)] == [events.Key]

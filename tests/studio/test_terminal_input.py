"""Whatever bytes a terminal sends, the keyboard goes on working and the text is kept."""

from __future__ import annotations

import codecs
import os
import pty
import re
import threading
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textual import events
from textual.drivers import linux_driver
from textual.message import Message

import studio.tui.terminal
from studio.tui.app import Studio
from studio.tui.terminal import NotUtf8, TerminalParser, read_terminal_safely
from tests.terminal import STUDIO, Terminal, needs_tmux

START, END = b"\x1b[200~", b"\x1b[201~"


def parsed(*pieces: bytes) -> list[Message]:
    parser = TerminalParser()
    return [message for piece in (*pieces, b"") for message in parser.feed(piece.decode("latin-1"))]


def typed(*pieces: bytes) -> str:
    """What keys type. A character that Python calls unprintable arrives as a paste of its own."""
    return "".join(
        (each.character if isinstance(each, events.Key) else each.text) or ""
        for each in parsed(*pieces)
        if isinstance(each, events.Key) or (isinstance(each, events.Paste) and len(each.text) == 1)
    )


@pytest.fixture
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studio.tui.terminal, "HELD_SECONDS", 0.0)


@pytest.fixture
def drivers_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Textual's driver gets back its parser and its decoder after the test."""
    monkeypatch.setattr(linux_driver, "XTermParser", linux_driver.XTermParser)  # pyright: ignore[reportPrivateImportUsage]
    monkeypatch.setattr(linux_driver, "getincrementaldecoder", codecs.getincrementaldecoder)


# --- Keys


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        (b"a\xe9b", "a\ufffdb"),
        (b"\xff", "\ufffd"),
        (b"caf\xe9", "caf\ufffd"),
        (b"\xc3\xa9", "é"),
        (b"\x80\x80", "\ufffd" * 2),
    ],
)
def test_a_byte_that_is_not_utf8_is_typed_as_the_replacement_character(sent: bytes, text: str) -> None:
    assert typed(sent) == text


@given(st.text(st.characters(min_codepoint=0x20, exclude_characters="\x7f", exclude_categories=["Cs", "Cc"])))
def test_utf8_is_typed_as_it_is_even_byte_by_byte(text: str) -> None:
    assert typed(*(bytes([byte]) for byte in text.encode())) == text


@pytest.mark.usefixtures("no_wait")
def test_the_start_of_a_character_does_not_wait_for_the_next_key() -> None:
    parser = TerminalParser()
    fed = list(parser.feed("\xe9"))
    assert (fed, [type(each) for each in parser.tick()]) == ([], [events.Key, NotUtf8])


@pytest.mark.usefixtures("no_wait")
def test_a_key_after_the_wait_is_that_key() -> None:
    parser = TerminalParser()
    messages = [*parser.feed("\xe9"), *parser.tick(), *parser.feed("\xc3\xa9")]
    assert [each.character for each in messages if isinstance(each, events.Key)] == ["\ufffd", "é"]


def test_a_character_in_two_pieces_is_not_torn_by_a_tick() -> None:
    parser = TerminalParser()
    messages = [*parser.feed("\xc3"), *parser.tick(), *parser.feed("\xa9")]
    assert [each.character for each in messages if isinstance(each, events.Key)] == ["é"]


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_no_bytes_end_the_reading(pieces: list[bytes]) -> None:
    parser = TerminalParser()
    for piece in filter(None, pieces):
        list(parser.feed(piece.decode("latin-1")))
        list(parser.tick())
    list(parser.feed(f"{END.decode()}\x1b[A"))
    keys = [each.key for each in parser.feed("zz") if isinstance(each, events.Key)]
    assert keys[-1] == "z"


# --- Pastes


@given(st.binary(max_size=60).filter(lambda pasted: b"\x1b" not in pasted))
def test_a_paste_of_any_bytes_is_one_paste(pasted: bytes) -> None:
    (paste,) = [each for each in parsed(START + pasted + END) if not isinstance(each, NotUtf8)]
    assert isinstance(paste, events.Paste)
    text = re.sub("[\udc80-\udcff]", "\ufffd", pasted.decode("utf-8", "surrogateescape"))
    assert paste.text == text.replace("\0", "")  # Textual drops NUL


# --- Once


def test_it_is_reported_once() -> None:
    assert sum(isinstance(each, NotUtf8) for each in parsed(b"\xe9a", b"\xff\xfe", START + b"\xe9" + END)) == 1


def test_utf8_is_not_reported() -> None:
    assert not [each for each in parsed("é € 😀".encode()) if isinstance(each, NotUtf8)]


async def test_the_author_reads_what_to_do() -> None:
    app = Studio()
    async with app.run_test(notifications=True) as pilot:
        app.post_message(NotUtf8())
        await pilot.pause()
        assert ["Set the terminal to UTF-8" in each.message for each in app._notifications] == [True]


# --- The driver


@pytest.mark.usefixtures("drivers_own")
def test_the_driver_reads_bytes_that_are_not_utf8_from_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = pty.openpty()
    read_terminal_safely()
    driver = linux_driver.LinuxDriver.__new__(linux_driver.LinuxDriver)
    read: list[Message] = []
    driver.fileno, driver._debug, driver.exit_event = slave, False, threading.Event()
    monkeypatch.setattr(driver, "process_message", read.append)
    tty.setraw(slave)
    thread = threading.Thread(target=driver.run_input_thread)
    thread.start()
    os.write(master, b"\xe9\xff" + START + b"\xfc" + END + b"z")
    deadline = time.monotonic() + 60
    while "z" not in [getattr(each, "key", "") for each in read] and time.monotonic() < deadline:
        time.sleep(0.01)
    driver.exit_event.set()
    thread.join(60)
    os.close(master)
    os.close(slave)
    texts = [getattr(each, "text", None) or getattr(each, "character", None) for each in read]
    assert [each for each in texts if each] == ["\ufffd", "\ufffd", "\ufffd", "z"]


# --- A real terminal


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    path = tmp_path / "own.yml"
    path.write_text("title: Own\n---\n- id: one\n  prompt: Hi\n  should:\n    - Says hi\n")
    return path


@pytest.fixture
def terminal(blueprint: Path, tmp_path: Path) -> Iterator[Terminal]:
    with Terminal([STUDIO, str(blueprint)], home=tmp_path / "home") as opened:
        opened.wait_for("Says hi")
        yield opened


@needs_tmux
def test_a_latin1_terminal_goes_on_typing(terminal: Terminal, blueprint: Path) -> None:
    terminal.press("C-End")
    terminal.send_bytes(b"# caf\xe9")
    terminal.wait_for("not UTF-8")
    terminal.type(" olé")
    terminal.send_bytes(START + b"p\xfct" + END)
    terminal.press("C-s")
    terminal.wait_until(lambda: blueprint.read_text().endswith("# caf\ufffd olép\ufffdt"))


# --- Sequences that no terminal sends

WRONG = (
    b"\x1b[97;1:3u",
    b"\x1b[97:65:97;2:1;97u",
    b"\x1b[1114112u",
    b"\x1b[99999999999999999999u",
    b"\x1b[97;;1114112u",
    b"\x1b[97;;55296u",
    b"\x1b[55296u",
    b"\x1b[:;:u",
    b"\x1b[48;0;0;0;0t\x1b[<0;5;5M",
    b"\x1b[48;24;80;0;0t\x1b[<0;5;5M",
    b"\x1b[48;99999999;99999999;1;1t\x1b[<0;5;5M",
    b"\x1b[<99999999999;99999999999;99999999999M",
    b"\x1b[" + b"1;" * 5000 + b"A",
    b"\x1b]52;c;" + b"A" * 20_000 + b"\x07",
    b"\x1b[?2026;99999$y\x1b[99999;99999R",
)


@pytest.mark.parametrize("sent", WRONG, ids=[str(each[:24]) for each in WRONG])
def test_the_keys_after_a_wrong_sequence_are_read(sent: bytes) -> None:
    assert typed(sent, b"after").endswith("after")


@pytest.mark.parametrize("sent", WRONG, ids=[str(each[:24]) for each in WRONG])
def test_no_half_character_is_typed(sent: bytes) -> None:
    typed(sent).encode()


@given(st.binary(max_size=40).map(lambda ending: b"\x1b[" + ending))
@example(b"\x1b[1:1u")
def test_no_sequence_ends_the_reading(sent: bytes) -> None:
    parser = TerminalParser()
    for piece in (sent, b"\x1b[201~", b"\r", b"after"):
        list(parser.feed(piece.decode("latin-1")))


@given(
    st.lists(
        st.sampled_from(["0", "1", "48", "97", "2026", "55296", "1114112", "9" * 25, ":", ";", "<", "?", "-", " "])
    ),
    st.sampled_from("utRMmyABCDEFHPQS~$c"),
)
def test_no_report_ends_the_reading(parts: list[str], final: str) -> None:
    assert typed(f"\x1b[{''.join(parts)}{final}".encode(), b"xyz", b"after").endswith("after")


@pytest.mark.parametrize("size", [(0, 0), (0, 24), (80, 0), (99_999, 24), (80, 99_999)])
def test_a_window_that_no_screen_can_show_is_ignored(size: tuple[int, int]) -> None:
    columns, rows = size
    sent = f"\x1b[48;{rows};{columns};800;600t".encode()
    assert not [message for message in parsed(sent) if isinstance(message, events.Resize)]


def test_a_window_that_a_screen_can_show_is_taken() -> None:
    [message] = [each for each in parsed(b"\x1b[48;24;80;480;800t") if isinstance(each, events.Resize)]
    assert message.size == (80, 24)


def test_a_paste_that_never_ends_ends_when_the_terminal_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = TerminalParser()
    assert list(parser.feed((START + b"half").decode("latin-1"))) == []
    assert list(parser.tick()) == []
    monkeypatch.setattr(studio.tui.terminal, "PASTE_SECONDS", 0.0)
    [paste] = parser.tick()
    assert isinstance(paste, events.Paste)
    assert paste.text == "half"
    [key] = parser.feed("x")
    assert isinstance(key, events.Key)
    assert key.character == "x"

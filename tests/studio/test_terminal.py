"""An author's day in a real terminal: the installed program, driven by keys, read by capturing the screen."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

import pytest
from textual.drivers._writer_thread import MAX_QUEUED_WRITES
from textual.drivers.linux_driver import LinuxDriver

from engine.files.journal import Journal
from studio.tui.terminal import TerminalDriver, TerminalWriter
from tests.studio.text_files import text_file
from tests.terminal import STUDIO, Terminal, needs_tmux
from tests.thoroughness import one_in
from tests.world import CORPUS, needs_corpus

pytestmark = needs_tmux


BLUEPRINT = text_file("terminal.yml")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    path = tmp_path / "deposits.yml"
    path.write_text(BLUEPRINT)
    return path


@pytest.fixture
def terminal(blueprint: Path, home: Path) -> Iterator[Terminal]:
    with Terminal([STUDIO, str(blueprint)], home=home) as opened:
        opened.wait_for("1 error")
        yield opened


def test_a_quoted_function_is_flagged_and_mended_by_one_key(terminal: Terminal, blueprint: Path) -> None:
    terminal.press("F8")
    terminal.press("F4")
    terminal.wait_until_gone("1 error")
    terminal.press("C-s")
    mended = BLUEPRINT.replace("\"$icontains: '30 days'\"", "$icontains: '30 days'")
    terminal.wait_until(lambda: blueprint.read_text() == mended)


def test_ctrl_space_lists_the_keys_of_a_prompt(terminal: Terminal, blueprint: Path) -> None:
    terminal.press("C-End")
    terminal.type("  ")
    terminal.press("C-Space")
    terminal.wait_for("What this prompt is about.")
    terminal.type("rend")
    terminal.wait_until_gone("What this prompt is about.")
    terminal.press("Enter")
    terminal.press("C-Space")
    terminal.wait_for("plaintext")
    terminal.press("Down", "Enter", "C-s")
    terminal.wait_until(lambda: blueprint.read_text() == f"{BLUEPRINT}  render_as: html")


def test_the_ideal_is_run_and_its_score_explained(terminal: Terminal) -> None:
    terminal.press("C-End", "F5")
    assert "100.0" in terminal.wait_for("way 1 counts")
    terminal.press("C-r", "Home", "Enter")
    terminal.wait_for("their mean")


def test_what_was_typed_survives_a_kill(blueprint: Path, home: Path) -> None:
    with Terminal([STUDIO, str(blueprint)], home=home) as killed:
        killed.wait_for("1 error")
        killed.type("# typed before the kill")
        killed.wait_for("# typed before the kill")
        journal = home / "state" / "journal"
        killed.wait_until(lambda: any("typed before" in each.read_text() for each in journal.glob("*.json")))
    with Terminal([STUDIO, str(blueprint)], home=home) as again:
        again.wait_for("Take them up")
        again.press("Enter")
        again.wait_for("# typed before the kill")


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"\x7fELF\0\0", "binary"), (b"a: &a [*a]\n", "")],
    ids=["binary", "a cyclic anchor"],
)
def test_odd_files_open_with_a_word_and_never_with_a_traceback(
    tmp_path: Path, home: Path, content: bytes, told: str
) -> None:
    path = tmp_path / "odd.yml"
    path.write_bytes(content)
    with Terminal([STUDIO, str(path)], home=home) as opened:
        screen = opened.wait_for("F1 help")
        assert told in screen
        assert "Traceback" not in screen
        opened.press("C-q")
        assert opened.wait_for_exit() == 0


@needs_corpus
def test_a_corpus_file_opens_on_a_small_screen(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "geography.yml"
    path.write_bytes((CORPUS / "factual-recall" / "geography-sample.yml").read_bytes())
    with Terminal([STUDIO, str(path)], home=home, columns=80, rows=24) as opened:
        opened.wait_for("F3")
        screen = opened.screen()
        assert 'title: "Factual Recall' in screen
        assert len(screen.splitlines()) == 24


def test_an_escape_in_a_paste_presses_no_key(terminal: Terminal, blueprint: Path) -> None:
    terminal.paste("# pasted \x1b\x11 text")
    terminal.wait_for("# pasted ␛")
    assert terminal.running
    assert "Save and leave" not in terminal.screen()
    assert blueprint.read_text() == BLUEPRINT


# --- Lines of very many signs, opened and pasted, in a real terminal: keys are answered, and a signal ends the studio


DEEP = {
    "brackets": "[" * 100_000,
    "closed brackets": "[" * 50_000 + "]" * 50_000,
    "braces": "{a: " * 25_000,
    "dashes": "- " * 50_000,
    "questions": "? " * 50_000,
    "quotes": '"' * 100_001,
    "lines of brackets": "\n".join(["[" * 1000] * 100),
    "nested keys": "\n".join(f"{' ' * depth}a:" for depth in range(400)),
}


def opened(home: Path, text: str) -> Terminal:
    path = home.with_name("x.yml")
    path.write_text(text)
    return Terminal([STUDIO, str(path)], home=home)


def answers_and_ends(terminal: Terminal, home: Path) -> None:
    journal, path = Journal(home / "state" / "journal"), home.with_name("x.yml")
    terminal.wait_until(lambda: bool(journal.state(path).owners))
    terminal.press("C-Home")
    terminal.type("Zebra")
    terminal.wait_for("Zebra")
    os.kill(journal.state(path).owners[0].pid, signal.SIGTERM)
    assert terminal.wait_for_exit() == 128 + signal.SIGTERM


@pytest.mark.parametrize("name", one_in(3, list(DEEP)))
def test_a_deep_line_that_is_opened_holds_no_key_and_no_signal_up(tmp_path: Path, name: str) -> None:
    with opened(tmp_path / "home", DEEP[name]) as terminal:
        terminal.wait_for("prompt")
        answers_and_ends(terminal, tmp_path / "home")


@pytest.mark.parametrize("name", one_in(3, list(DEEP)))
def test_a_deep_line_that_is_pasted_holds_no_key_and_no_signal_up(tmp_path: Path, name: str) -> None:
    with opened(tmp_path / "home", "- id: a\n") as terminal:
        terminal.wait_for("- id: a")
        terminal.paste(DEEP[name])
        answers_and_ends(terminal, tmp_path / "home")


# --- Signals and a lost terminal: what was typed is in the journal, and the terminal is as before


TEXT = "- id: a\n  prompt: b\n"
BUSY = """
import sys, time
from pathlib import Path
from engine.files.open_files import open_file
from studio.tui.app import Studio
from studio.tui.end_signals import end_on_signals
from studio.tui.screens.blueprint_screen import BlueprintScreen
def busy(self, name):
    Path(sys.argv[1] + ".busy").touch()
    while True:
        time.sleep(0.01)
BlueprintScreen.action_do = busy
app = Studio(open_file(Path(sys.argv[1])))
end_on_signals(app)
app.run()
sys.exit(app.return_code)
"""

DEAF = BUSY.replace(
    "while True:\n        time.sleep(0.01)", "__import__('hashlib').pbkdf2_hmac('sha256', b'', b'', 10**9)"
)
"""A loop that is busy in C, where no handler of signals runs."""

SILENT_DISK = """
import sys, time
from pathlib import Path
from engine.files.open_files import open_file
from studio.session import blueprint_file
from studio.tui import end_signals
from studio.tui.app import Studio
def save(*_, **__):
    time.sleep(3600)
blueprint_file.save = save
blueprint_file.SECONDS_FOR_A_SAVE = end_signals._SECONDS_TO_QUIT = 0.5
app = Studio(open_file(Path(sys.argv[1])))
end_signals.end_on_signals(app)
app.run()
sys.exit(app.return_code)
"""


class Gone(StringIO):
    """A terminal that is gone."""

    def write(self, _text: str) -> int:
        raise OSError(errno.EIO, "Input/output error")


class FakeThread:
    """A thread that runs."""

    def is_alive(self) -> bool:
        return True


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "x.yml"
    path.write_text(TEXT)
    return path


def journal(home: Path) -> Journal:
    return Journal(home / "state" / "journal")


def owner_of(terminal: Terminal, home: Path, path: Path) -> int:
    """The process that has the file open."""
    terminal.wait_until(lambda: bool(journal(home).state(path).owners))
    return journal(home).state(path).owners[0].pid


def left(home: Path, path: Path) -> str | None:
    found = journal(home).pending(path)
    return None if found is None else found.text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT], ids=lambda number: number.name)
def test_a_signal_writes_the_journal_restores_the_terminal_and_ends(
    path: Path, home: Path, number: signal.Signals
) -> None:
    with Terminal(
        ["sh", "-c", f'{STUDIO} "{path}"; code=$?; stty -a; echo "code $code"; sleep 60'], home=home
    ) as shell:
        shell.wait_for("id: a")
        pid = owner_of(shell, home, path)
        shell.type("# typed")
        shell.wait_for("# typed")
        os.kill(pid, number)
        screen = shell.wait_for(f"code {128 + number}")
        assert " icanon" in screen
        assert " echo " in screen
        assert left(home, path) == "# typed" + TEXT


@pytest.mark.parametrize("code", [BUSY, DEAF], ids=["python", "c"])
def test_a_signal_ends_a_studio_whose_event_loop_is_busy(path: Path, home: Path, code: str) -> None:
    python = shutil.which("python", path=str(Path(sys.executable).parent)) or sys.executable
    with Terminal([python, "-c", code, str(path)], home=home) as terminal:
        terminal.wait_for("id: a")
        pid = owner_of(terminal, home, path)
        terminal.type("# typed")
        terminal.wait_for("# typed")
        terminal.press("F5")
        terminal.wait_until(path.with_name("x.yml.busy").exists)
        os.kill(pid, signal.SIGTERM)
        assert terminal.wait_for_exit() == 128 + signal.SIGTERM
        assert left(home, path) == "# typed" + TEXT


def test_a_disk_that_does_not_answer_keeps_nobody_from_quitting(path: Path, home: Path) -> None:
    python = shutil.which("python", path=str(Path(sys.executable).parent)) or sys.executable
    with Terminal([python, "-c", SILENT_DISK, str(path)], home=home) as terminal:
        terminal.wait_for("id: a")
        owner_of(terminal, home, path)
        terminal.type("# typed")
        terminal.wait_for("# typed")
        terminal.press("C-s")
        terminal.press("C-q")
        terminal.wait_for("Leave without waiting")
        terminal.press("Down", "Enter")
        assert terminal.wait_for_exit() == 0
        assert left(home, path) == "# typed" + TEXT


def test_a_terminal_that_is_gone_ends_the_studio_and_the_text_is_in_the_journal(path: Path, home: Path) -> None:
    with Terminal([STUDIO, str(path)], home=home) as terminal:
        terminal.wait_for("id: a")
        pid = owner_of(terminal, home, path)
        terminal.type("# typed")
        terminal.wait_for("# typed")
    _wait_until(lambda: not _runs(pid))
    assert left(home, path) == "# typed" + TEXT


def test_a_terminal_that_is_gone_is_written_to_without_waiting() -> None:
    writer = TerminalWriter(Gone())
    writer.start()
    for _ in range(3 * MAX_QUEUED_WRITES):
        writer.write("x")
    writer.stop()
    assert not writer.is_alive()


@pytest.mark.parametrize("is_taken", [False, True])
def test_the_terminal_is_given_back_before_it_is_taken_again(is_taken: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for name in ("start_application_mode", "suspend_application_mode"):
        monkeypatch.setattr(LinuxDriver, name, lambda _, name=name: done.append(name))
    driver = TerminalDriver.__new__(TerminalDriver)
    monkeypatch.setattr(driver, "_writer_thread", FakeThread() if is_taken else None, raising=False)
    driver.start_application_mode()
    assert done == ["suspend_application_mode"] * is_taken + ["start_application_mode"]


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()


def _wait_until(done: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.05)

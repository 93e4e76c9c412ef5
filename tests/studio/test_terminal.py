"""An author's day in a real terminal: the installed program, driven by keys, read by capturing the screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.studio.text_files import text_file
from tests.terminal import STUDIO, Terminal, needs_tmux
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

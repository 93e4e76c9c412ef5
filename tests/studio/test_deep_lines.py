"""Lines of very many signs, opened and pasted, in a real terminal: keys are answered, and a signal ends the studio."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from engine.files.journal import Journal
from tests.terminal import STUDIO, Terminal, needs_tmux
from tests.thoroughness import one_in

pytestmark = needs_tmux

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

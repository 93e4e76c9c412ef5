"""A fault of the studio's own: told in words, without anything that might be secret, and nothing typed is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.terminal import Terminal, needs_tmux

FAULTY = """
import os, sys
from pathlib import Path
from engine.files.open_files import open_file
from studio.tui.app import Studio
from studio.tui.screens.blueprint_screen import BlueprintScreen
def broken(self, name):
    key = os.environ["OPENAI_API_KEY"]
    raise RuntimeError("\\x1b[31mbroken " + key)
BlueprintScreen.action_do = broken
app = Studio(open_file(Path(sys.argv[1])))
app.run()
sys.exit(app.return_code)
"""


@needs_tmux
def test_a_fault_is_told_in_words_and_holds_no_key(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    path.write_text("- id: a\n  prompt: b\n")
    command = [shutil.which("python", path=str(Path(sys.executable).parent)) or sys.executable, "-c", FAULTY, str(path)]
    with Terminal(command, home=tmp_path / "home", environment={"OPENAI_API_KEY": "sk-very-secret"}) as terminal:
        terminal.wait_for("id: a")
        terminal.press("F5")
        screen = terminal.wait_for("internal error")
        assert "Open the file again to recover what you typed" in " ".join(screen.split())
        assert "RuntimeError: ␛[31mbroken ***" in screen
        assert "sk-very-secret" not in screen
        assert terminal.wait_for_exit() == 1


UNCAUGHT = """
import asyncio, gc, os, sys, threading
from studio.faults import mask_faults
mask_faults()
key = os.environ["OPENAI_API_KEY"]
def fail():
    raise ValueError(f"Illegal header value {key!r}")
async def unnoticed():
    async def late():
        fail()
    task = asyncio.create_task(late())
    await asyncio.sleep(0)
    del task
    gc.collect()
match sys.argv[1]:
    case "here": fail()
    case "in a thread": threading.Thread(target=fail).start()
    case "in a task": asyncio.run(unnoticed())
"""


@pytest.mark.parametrize("where", ["here", "in a thread", "in a task"])
def test_an_exception_that_nobody_catches_is_printed_without_keys(where: str) -> None:
    environment = {**os.environ, "OPENAI_API_KEY": "sk-very-secret"}
    command = [sys.executable, "-c", UNCAUGHT, where]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "ValueError: Illegal header value '***'" in done.stderr
    assert "sk-very-secret" not in done.stderr

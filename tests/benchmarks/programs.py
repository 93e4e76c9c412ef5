"""What is measured against what: each is a command that shows a file, its cursor on a given line."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

os.environ["TEXTUAL_FPS"] = "120"  # read when Textual is imported


def command(program: str, file: Path, row: int = 0) -> list[str]:
    """The command that runs one of the programs below on `file`, its cursor on `row` (from 0)."""
    return [sys.executable, "-m", "tests.benchmarks.programs", program, str(file), str(row)]


def studio(file: Path) -> list[str]:
    """The command of the studio itself."""
    return [str(Path(sys.executable).with_name("studio")), str(file)]


def seconds_of(command: Sequence[str], codes: Sequence[int] = (0,)) -> float:
    """From start to exit with one of these codes, byte code kept from one run to the next as in any installation."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    if done.returncode not in codes:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.decode(errors='replace')}")
    return time.perf_counter() - began


def vim(file: Path, row: int) -> list[str]:
    """Vim, inserting at the end of `row`, with syntax colours and line numbers and nothing of its user's."""
    options = ["--clean", "-n", "-c", "syntax on", "-c", "set number noswapfile", f"+{row + 1}", "-c", "startinsert!"]
    return ["vim", *options, str(file)]


def echo(file: Path) -> None:
    """No editor at all: a full screen of text, and below it each key as it comes."""
    import termios
    import tty

    lines = file.read_text("utf-8").split("\n")[:34]
    sys.stdout.write("\x1b[2J\x1b[H" + "\r\n".join(line[:119] for line in lines) + "\r\n")
    sys.stdout.flush()
    before = termios.tcgetattr(0)
    tty.setraw(0)
    try:
        while key := os.read(0, 64):
            os.write(1, key.replace(b"\x7f", b"\b \b"))
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def stock(file: Path, row: int) -> None:
    """An app with one `TextArea(language="yaml")`."""
    from textual.app import App, ComposeResult
    from textual.widgets import TextArea

    class Stock(App[None]):
        def compose(self) -> ComposeResult:
            yield TextArea(file.read_text("utf-8"), language="yaml", soft_wrap=False, show_line_numbers=True)

        def on_mount(self) -> None:
            area = self.query_one(TextArea)
            area.focus()
            if row:
                area.move_cursor((row, len(area.document[row])), center=True)

    Stock().run()


def editor(file: Path, row: int) -> None:
    """An app with one `BlueprintEditor`."""
    from textual.app import App, ComposeResult

    from studio.tui.editor import BlueprintEditor

    class Alone(App[None]):
        def compose(self) -> ComposeResult:
            yield BlueprintEditor()

        def on_mount(self) -> None:
            area = self.query_one(BlueprintEditor)
            area.load(file.read_text("utf-8"))
            area.focus()
            if row:
                area.move_cursor((row, len(area.document[row])), center=True)

    Alone().run()


def many_runs(file: Path, at_once: int) -> None:
    """The studio, which runs so many prompts or variants at the same time."""
    from studio.main import main
    from studio.session import evaluator

    evaluator.AT_ONCE = at_once
    sys.argv = ["studio", str(file)]
    main()


if __name__ == "__main__":
    name, path, line = sys.argv[1:]
    match name:
        case "echo":
            echo(Path(path))
        case "stock":
            stock(Path(path), int(line))
        case "editor":
            editor(Path(path), int(line))
        case "many runs":
            many_runs(Path(path), int(line))
        case _:
            raise SystemExit(f"no program {name}")

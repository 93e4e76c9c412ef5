"""What the application shows, copies and sends to a terminal, and what it tells its child processes."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.selection import SELECT_ALL
from textual.widgets import Static

from engine.evaluation.sources import ModelSource
from engine.files.open_files import open_file
from engine.judging.panel import JudgesAs
from studio.session.run_configuration import AnswerChoice
from studio.tui.actions import ACTIONS
from studio.tui.app import Studio
from studio.tui.dialogs.ask import Ask
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.window import Pane
from tests.fire.canaries import MODELS, Found, Planted
from tests.fire.killed_window import descendants
from tests.studio.driving import blueprint_screen, runs_of, screen_lines, settle, wait_until
from tests.terminal import Terminal

SIZES = ((160, 48), (80, 24))
_SHOWN = (MODELS[0], MODELS[1], MODELS[4])
"""A model with keys in headers, one with keys in its address, and one of another format."""
_OF_A_RESULT = ("ctrl+r ? down ? down ? down ? down ? x ?", "ctrl+r ctrl+r ?", "ctrl+k ?", "f2 ?", "f3 ?", "escape ?")
"""Keys that lead through every row of a result and through every pane; at `?` the screen is searched."""
_ELSEWHERE = (
    "ctrl+r g ok ? d ? d ? d ? down ? tab ? down ? c ?",
    "ctrl+r ctrl+r r down c ok ? pagedown ? space ?",
    *("f9 ?", "f1 ?", "ctrl+p ?", "ctrl+e ?"),
)
"""Through the screens that compare, and the dialogs."""
_ACTIONS = ("plan_all", "plan", "choose_judges", "draft_points", "export_results", "report")
"""Actions that ask, name recipients, or write: the drafted points into the text, the results beside it."""
_MOST_QUESTIONS = 8
PLACES = (
    ("studio.tui.screens.blueprint_screen", "BlueprintScreen", "action_do"),
    ("engine.models.http", "Keyed", "auth_flow"),
    ("engine.models.server", "ChatServer", "stream"),
    ("studio.session.evaluator", "RunQueue", "start"),
    ("engine.models.failures", "Request", "failure"),
)
"""Where a fault is seeded: a module, a class and its method, which F6 calls."""

_FAULTY = """
import importlib, os, sys
module, owner, method = sys.argv[1:4]
def broken(self, *given, **named):
    keys = {name: value for name, value in os.environ.items()}
    raise RuntimeError(f"seeded: {keys} {given} {named}")
setattr(getattr(importlib.import_module(module), owner), method, broken)
sys.argv = ["studio", sys.argv[4]]
from studio.main import main
main()
"""


# --- Without a terminal


async def walk(file: Path, keys: Planted, what: str, pictures: Found, copied: Found) -> None:
    """Run every model with judges and services, and look at every pane and dialog, at two sizes."""
    app = Studio(open_file(file))
    copies: list[str] = []
    app.copy_to_clipboard = copies.append  # pyright: ignore[reportAttributeAccessIssue]
    async with app.run_test(size=SIZES[0]) as pilot:
        await settle(pilot)
        walker = Walker(pilot, keys, what, pictures)
        for model in _SHOWN:
            await walker.run(model)
            for looked in _OF_A_RESULT:
                await walker.look(model, looked)
        for looked in _ELSEWHERE:
            await walker.look("all", looked)
        await walker.copy()
        for action in _ACTIONS:
            await walker.act(action)
        await pilot.press("ctrl+s")
        await settle(pilot)
        titles = f"{app.title} {app.sub_title}"
    copied.search(keys.canaries, titles, f"{what}: the title")
    copied.search(keys.canaries, "\n".join(copies), f"{what}: copied")


@dataclass(frozen=True, slots=True)
class Walker:
    """Goes through the application, and searches what it shows."""

    pilot: Pilot[Any]
    keys: Planted
    what: str
    pictures: Found

    @property
    def screen(self) -> BlueprintScreen:
        """The screen of the file."""
        return blueprint_screen(self.pilot.app)  # pyright: ignore[reportArgumentType]

    def search(self, what: str) -> None:
        """Search what is on the screen, and what may be scrolled to."""
        app, where = self.pilot.app, f"{self.what}: {what}"
        hidden = (str(each.render()) for each in app.screen.query(Static))
        self.pictures.search(self.keys.canaries, app.export_screenshot(), f"{where}: the picture")
        self.pictures.search(self.keys.canaries, "\n".join(screen_lines(app)), f"{where}: the text")  # pyright: ignore[reportArgumentType]
        self.pictures.search(self.keys.canaries, "\n".join(hidden), f"{where}: what may be scrolled to")

    async def look(self, what: str, keys: str) -> None:
        """Press keys, and search the screen at both sizes at each `?`; `ok` takes the first choice where one is asked.

        Without answers a screen does not open.
        """
        pilot = self.pilot
        for key in keys.split():
            match key:
                case "?":
                    for size in reversed(SIZES):
                        await pilot.resize_terminal(*size)
                        await pilot.pause()
                        self.search(f"{what}, {keys}, {size}")
                case "ok":
                    if isinstance(pilot.app.screen, Ask):
                        await pilot.press("enter")
                        await wait_until(pilot, lambda: not isinstance(pilot.app.screen, Ask))
                case _:
                    await pilot.press(key)
                    await settle(pilot)
        while pilot.app.screen is not self.screen:
            await pilot.press("escape")
            await pilot.pause()
        await pilot.press("ctrl+r", "escape")  # with all answers on the screen, F5 runs a criterion
        await settle(pilot)

    async def _go_to(self, written: str) -> None:
        await self.pilot.press("escape")
        self.screen.editor.go_to(self.screen.editor.text_out().index(written))
        await settle(self.pilot)

    async def run(self, model: str) -> None:
        """Run the prompt, search each question, and allow what is asked."""
        pilot, screen, runs = self.pilot, self.screen, runs_of(self.screen)
        runs.configuration.set(judges_as=JudgesAs.DOCUMENTED)
        await runs.configuration.choose(AnswerChoice((ModelSource(model),)))
        await self._go_to("prompt: Say it")
        before = runs.selection.run
        await pilot.press("f5")
        await wait_until(
            pilot, lambda: pilot.app.screen is not screen or runs.queue.is_running or runs.selection.run is not before
        )
        while pilot.app.screen is not screen:
            self.search(f"before {model}")
            await pilot.press("enter")
            await pilot.pause(0.05)
        await settle(pilot)

    async def act(self, action: str) -> None:
        """Do what an action does, with the cursor in a prompt without points; accept and search what it asks."""
        pilot, screen = self.pilot, self.screen
        await self._go_to("prompt: Say more")
        screen.do(next(each for each in ACTIONS if each.id == action and each.does))
        for _ in range(_MOST_QUESTIONS):
            await settle(pilot)
            self.search(action)
            if pilot.app.screen is screen:
                return
            await pilot.press("enter")
        await pilot.press("escape")
        await wait_until(pilot, lambda: pilot.app.screen is screen)

    async def copy(self) -> None:
        """Copy all of the text, and all that can be selected in each pane."""
        await self.pilot.press("escape", "ctrl+a", "ctrl+c")
        for pane in Pane:
            self.screen.open_pane(pane)
            await settle(self.pilot)
            screen = self.pilot.app.screen
            screen.selections = {each: SELECT_ALL for each in screen.query("*") if each.allow_select}
            screen.action_copy_text()
            screen.clear_selection()
        await self.pilot.press("ctrl+r", "escape")


# --- In a real terminal


def in_terminal(file: Path, home: Path, keys: Planted, sent: Found, told: Found) -> None:
    """Run a model in a real terminal; search all bytes that it is sent, and what the child processes were told."""
    _choose(file, home, MODELS[0])
    raw = home.parent / "sent.bytes"
    command = [str(Path(sys.executable).with_name("studio")), str(file)]
    with Terminal(command, home=home, environment=keys.variables) as terminal:
        terminal.record(raw)
        terminal.wait_for("Ctrl+S")
        terminal.press("F6")
        _answer_questions(terminal)
        for key in ("C-r", "C-r", "C-k", "F2"):
            terminal.press(key)
            time.sleep(0.2)
        _search_processes(terminal.pid(), keys, told)
        terminal.press("C-q")
        terminal.wait_for_exit(30)
    sent.search(keys.canaries, raw.read_bytes(), "the bytes for the terminal")
    raw.unlink()


def fail(place: tuple[str, str, str], file: Path, folder: Path, keys: Planted, sent: Found) -> None:
    """Let the studio fail at `place` with an exception that quotes the whole environment; search what it prints."""
    home = folder / "home without answers"
    _choose(file, home, MODELS[0])
    raw = folder / "sent.bytes"
    command = [sys.executable, "-c", _FAULTY, *place, str(file)]
    with Terminal(command, home=home, environment=keys.variables) as terminal:
        terminal.record(raw)
        terminal.wait_for("Ctrl+S")
        terminal.press("F6")
        terminal.wait_until(lambda: not terminal.running or _answered(terminal), 60)
    sent.search(keys.canaries, raw.read_bytes(), f"the report of a fault in {place[1]}.{place[2]}")
    raw.unlink()


def _search_processes(shell: int, keys: Planted, told: Found) -> None:
    """Search the command of the studio, and commands and environments of the processes that it started.

    Its own environment is where it gets the keys from. Raises `RuntimeError` if it started none, as V8 should run.
    """
    studio, *children = descendants(shell)
    told.search(keys.canaries, Path(f"/proc/{studio}/cmdline").read_bytes(), "the command of the studio")
    if not children:
        raise RuntimeError("the studio has no child process")
    for child in children:
        for name in ("cmdline", "environ"):
            told.search(keys.canaries, Path(f"/proc/{child}/{name}").read_bytes(), f"{name} of a child process")


def _answered(terminal: Terminal) -> bool:
    """Accept a question if there is one; never true."""
    if "Esc " in terminal.screen():
        terminal.press("Enter")
    time.sleep(0.3)
    return False


def _answer_questions(terminal: Terminal) -> None:
    """Allow what is asked, until the run has ended."""
    terminal.wait_until(lambda: "of 2 prompts" in terminal.screen() or _answered(terminal), 60)


def _choose(file: Path, home: Path, model: str) -> None:
    settings = home / "config" / "settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    chosen = {"kind": "model", "value": model, "judges": JudgesAs.DOCUMENTED.value}
    settings.write_text(json.dumps({"answers": {str(file): chosen}}), "utf-8")

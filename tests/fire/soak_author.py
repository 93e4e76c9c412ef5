"""What an author does in about a minute, done by keys in the real application: `Author.minute`."""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from engine.evaluation.sources import AnswerSource, ControlKind, ControlSource, IdealSource, ModelSource
from engine.judging.panel import JudgesAs
from studio.session.run_configuration import AnswerChoice
from studio.tui.app import Studio
from studio.tui.dialogs.ask import Ask, AskText
from studio.tui.dialogs.fix_dialog import AskWithDifference
from studio.tui.dialogs.history import EarlierRuns
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.start_screen import StartScreen
from studio.tui.window import Pane
from tests.benchmarks.model_server import model
from tests.studio.driving import WIDE, blueprint_screen, runs_of, settle, wait_until

PROMPTS = 6
SIZES = ((80, 24), (40, 12), (200, 60), (1, 1), (100, 30))
_LINES_PASTED = 200


@dataclass(frozen=True, slots=True)
class Servers:
    """Addresses of model servers: one that answers at once, one word by word for half a minute, one where nothing
    listens."""

    quick: str
    slow: str
    absent: str


def blueprint(title: str, servers: Servers) -> str:
    """A file with models of all three kinds, a judge, and `PROMPTS` prompts, one of them with a problem to fix."""
    models = [model("quick", servers.quick), model("slow", servers.slow), model("absent", servers.absent)]
    judges = {"llm-coverage": {"judges": [{"model": "own:quick", "approach": "standard", "id": "first"}]}}
    header = f"title: {title}\nmodels: {json.dumps(models)}\nevaluationConfig: {json.dumps(judges)}\n---\n"
    return header + "".join(_prompt(number) for number in range(PROMPTS))


def _prompt(number: int) -> str:
    quoted = '    - "$icontains: word1"\n' if number == 0 else "    - $icontains: word1\n"
    return (
        f"- id: p{number}\n  prompt: Say word {number}, please.\n  ideal: It is word{number}, and word1.\n  should:\n"
        f"{quoted}    - $matches: word[0-9]+\n    - Names word {number}\n    - Is friendly\n"
    )


_QUICK = ModelSource("own:quick")
_SOURCES: dict[str, tuple[AnswerSource, ...]] = {
    "ideal": (IdealSource(),),
    "all": (IdealSource(), *(ControlSource(kind) for kind in ControlKind), _QUICK),
    "quick": (_QUICK,),
    "judged": (_QUICK,),
    "slow": (ModelSource("own:slow"),),
    "absent": (ModelSource("own:absent"),),
}
"""Where answers come from, by the names that steps use."""


def _steps() -> list[list[str]]:
    """The name of each step of the file, where answers come from, where the keys are pressed, and the keys."""
    lines = Path(__file__).with_name("soak_steps.txt").read_text("utf-8").splitlines()
    return [[part.strip() for part in line.split("⇐")] for line in lines if line[0] != "#"]


class Author:
    """One author, several files. All waits are for states, so that no step overtakes another."""

    def __init__(self, pilot: Pilot[Any], files: tuple[Path, ...], texts: tuple[str, ...], seed: int) -> None:
        self._pilot = pilot
        self._files = files
        self._texts = texts
        self._chance = random.Random(seed)
        self.actions = 0
        """Keys pressed and choices made so far."""

    @property
    def _app(self) -> Studio:
        assert isinstance(self._pilot.app, Studio)
        return self._pilot.app

    @property
    def _screen(self) -> BlueprintScreen:
        return blueprint_screen(self._app)

    async def minute(self) -> None:
        """Every step once, in an order of chance; at the end the first file is open with its first text, saved."""
        steps: list[tuple[str, Callable[[], Awaitable[None]]]] = [
            *((name, partial(self._do, *given)) for name, *given in _steps()),
            ("pastes", self._pastes),
            ("stops", self._stops),
            ("looks back", self._looks_back),
            ("opens dialogs", self._opens_dialogs),
            ("resizes", self._resizes),
            ("restyles", self._restyles),
            ("exports", self._exports),
            ("meets a conflict", self._meets_a_conflict),
            ("loses focus", self._loses_focus),
        ]
        self._chance.shuffle(steps)
        for name, step in steps:
            try:
                await step()
            except AssertionError as error:
                raise AssertionError(f"{name}: {error}") from error
        await self.rest()

    async def rest(self) -> None:
        """Put the first text back into every file, and open the first file anew."""
        for number in reversed(range(len(self._files))):
            await self._reopen(number)

    # --- Keys

    async def _press(self, *keys: str) -> None:
        self.actions += len(keys)
        await self._pilot.press(*keys)

    async def _settled(self) -> BlueprintScreen:
        return await settle(self._pilot)

    async def _until(self, done: Callable[[], object]) -> None:
        await wait_until(self._pilot, done)

    async def _go_to(self, written: str) -> None:
        await self._settled()
        await self._press("escape")
        self._screen.open_pane(Pane.TEXT)
        editor = self._screen.editor
        editor.go_to(editor.text_out().index(written) + len(written))
        await self._settled()

    async def _answered_by(self, answers: str) -> None:
        self.actions += 1
        runs = runs_of(self._screen)
        runs.configuration.set(judges_as=JudgesAs.DOCUMENTED if answers == "judged" else None)
        await runs.configuration.choose(AnswerChoice(_SOURCES[answers]))
        await self._settled()

    async def _do(self, answers: str, at: str, keys: str) -> None:
        """A step of `soak_steps.txt`: keys, pressed behind a text, with answers chosen."""
        await self._settled()
        number = str(self._chance.randrange(1, PROMPTS))
        if answers:
            await self._answered_by(answers)
        if at:
            await self._go_to(at.replace("{n}", number))
        for key in shlex.split(keys):
            match key:
                case "settled":
                    await self._settled()
                case "pause":
                    await self._pilot.pause()
                case _ if key.startswith("~"):
                    await self._press(*key[1:].replace("{n}", str(self._chance.randrange(10**6))))
                case _:
                    await self._press(key)
        await self._settled()

    # --- What takes more than keys

    async def _pastes(self) -> None:
        screen = await self._settled()
        await self._press("escape", "ctrl+end")
        screen.editor.insert("".join(f"# a line of {number} notes\n" for number in range(_LINES_PASTED)))
        await self._settled()
        await self._press("ctrl+z")
        await self._settled()

    async def _stops(self) -> None:
        await self._answered_by("slow")
        await self._go_to("Say word 3, please.")
        self.actions += 1
        self._screen.action_do("blueprint.run_fresh")
        await self._until(lambda: self._screen.session.state.arriving)
        await self._press("f5")
        await self._settled()

    async def _looks_back(self) -> None:
        await self._go_to("Say word 5, please.")
        await self._press("f5")
        await self._settled()
        await self._press("ctrl+r", "r")
        await self._until(lambda: isinstance(self._app.screen, EarlierRuns))
        await self._press("home", "enter")
        await self._settled()
        await self._press("escape")
        await self._settled()

    async def _opens_dialogs(self) -> None:
        await self._settled()
        for key in ("f9", "f1", "ctrl+p", "ctrl+e"):
            await self._press("escape", key)
            await self._pilot.pause()
            await self._press("down", "escape")
            await self._until(lambda: self._app.screen is self._screen)
        await self._answered_by("absent")
        self.actions += 1
        self._screen.action_do("blueprint.plan_all")
        await self._until(lambda: self._app.screen is not self._screen)
        await self._press("escape")
        await self._settled()

    async def _resizes(self) -> None:
        for size in (*SIZES, WIDE):
            self.actions += 1
            await self._pilot.resize_terminal(*size)
            await self._press("down")
        await self._settled()

    async def _restyles(self) -> None:
        await self._settled()
        for _ in range(2):
            self.actions += 1
            await self._app.action_theme()
            await self._press("escape", "f10")
            await self._settled()

    async def _exports(self) -> None:
        await self._answered_by("ideal")
        await self._press("f6")
        await self._settled()
        self.actions += 1
        self._screen.action_do("blueprint.export_results")
        await self._until(lambda: isinstance(self._app.screen, AskText))
        await self._press("enter")
        await self._until(lambda: not isinstance(self._app.screen, AskText))
        if isinstance(self._app.screen, Ask):  # it is there already
            await self._press("enter")
        await self._until(lambda: self._app.screen is self._screen)
        await self._settled()

    # --- Files

    async def _meets_a_conflict(self) -> None:
        """Another program writes the open file; the studio asks by itself or when saving, and the author overwrites."""
        screen = await self._settled()
        path = screen.session.state.path
        await self._go_to("Is friendly")
        await self._press("x")
        path.write_text(path.read_text("utf-8") + "# by another program\n", "utf-8")
        await self._press("ctrl+s")
        await self._until(lambda: isinstance(self._app.screen, AskWithDifference))
        self.actions += 1
        self._app.screen.dismiss("overwrite")
        await self._settled()

    async def _loses_focus(self) -> None:
        await self._press("escape", "x")
        self._app.on_app_blur()
        await self._settled()

    async def _reopen(self, number: int) -> None:
        """Write the file's first text as the author would, save it, and open it anew from the start screen."""
        await self._save()
        await self._press("escape", "ctrl+o")
        await self._until(lambda: isinstance(self._app.screen, StartScreen))
        path, text = self._files[number], self._texts[number]
        path.write_text(text, "utf-8")
        start = self._app.screen
        assert isinstance(start, StartScreen)
        self.actions += 1
        await start._open(path)
        await self._until(lambda: any(isinstance(each, BlueprintScreen) for each in self._app.screen_stack))
        await self._settled()

    async def _save(self) -> None:
        await self._settled()
        await self._press("escape", "ctrl+s")
        await self._settled()
        assert not self._screen.session.state.unsaved, "what was saved counts as unsaved"

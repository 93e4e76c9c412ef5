"""What an author does in about a minute, done by keys in the real application: `Author.minute`."""

from __future__ import annotations

import json
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
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

Step = Callable[[], Awaitable[None]]


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


class Author:
    """One author, several files. All waits are for states, so that no step overtakes another."""

    def __init__(self, pilot: Pilot[Any], files: tuple[Path, ...], texts: tuple[str, ...], seed: int) -> None:
        self._pilot = pilot
        self._files = files
        self._texts = texts
        self._chance = random.Random(seed)
        self._seed = seed
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
        steps: list[Step] = [
            self._types, self._completes, self._takes_back, self._pastes, self._fixes, self._finds, self._loops,
            self._runs_ideal, self._compares, self._runs_judged, self._stops, self._fails, self._grades,
            self._edits_answer, self._looks_back, self._opens_dialogs, self._turns_tabs, self._resizes, self._restyles,
            self._exports, self._meets_a_conflict, self._loses_focus,
        ]  # fmt: skip
        self._chance.shuffle(steps)
        for step in steps:
            try:
                await step()
            except AssertionError as error:
                raise AssertionError(f"{step.__name__}: {error}") from error
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

    async def _answered_by(self, *sources: AnswerSource, judged: bool = False) -> None:
        self.actions += 1
        runs = runs_of(self._screen)
        runs.configuration.set(judges_as=JudgesAs.DOCUMENTED if judged else None)
        await runs.configuration.choose(AnswerChoice(sources))
        await self._settled()

    # --- Writing

    async def _types(self) -> None:
        await self._go_to(f"Names word {self._chance.randrange(1, PROMPTS)}")
        await self._press("enter", *f"Says {self._chance.randrange(10**6)}, not late")
        await self._settled()

    async def _completes(self) -> None:
        await self._go_to("Is friendly")
        await self._press("enter", *"$ico", "tab", *"lease")
        await self._settled()

    async def _takes_back(self) -> None:
        await self._settled()
        await self._press("escape", *("ctrl+z",) * 5, *("ctrl+y",) * 3)
        await self._settled()

    async def _pastes(self) -> None:
        screen = await self._settled()
        await self._press("escape", "ctrl+end")
        screen.editor.insert("".join(f"# a line of {number} notes\n" for number in range(_LINES_PASTED)))
        await self._settled()
        await self._press("ctrl+z")
        await self._settled()

    async def _fixes(self) -> None:
        await self._settled()
        await self._press("escape", "f8", "f4")
        await self._pilot.pause()
        await self._press("escape")
        await self._settled()

    async def _finds(self) -> None:
        await self._settled()
        await self._press("escape", "ctrl+f", *"word", "enter", "enter", "escape", "ctrl+g", "3", "enter")
        await self._settled()

    async def _loops(self) -> None:
        """A script that never ends: V8's process is killed and started again."""
        await self._go_to("ideal: It is word1, and word1.")
        await self._press("enter", *"should:", "enter", *"- $js: 'for (;;) {}'")
        await self._settled()
        await self._press(*("ctrl+z",) * 8)
        await self._settled()

    # --- Running

    async def _runs_ideal(self) -> None:
        await self._answered_by(IdealSource())
        await self._press("f6")
        await self._settled()

    async def _compares(self) -> None:
        await self._answered_by(IdealSource(), *(ControlSource(kind) for kind in ControlKind), ModelSource("own:quick"))
        await self._go_to("Say word 2, please.")
        await self._press("f5")
        await self._settled()
        await self._press("ctrl+r", "v", "v", "v", "escape")
        await self._settled()

    async def _runs_judged(self) -> None:
        await self._answered_by(ModelSource("own:quick"), judged=True)
        self.actions += 1
        self._screen.action_do("blueprint.run_fresh")
        await self._settled()
        await self._press("f6")
        await self._settled()

    async def _stops(self) -> None:
        await self._answered_by(ModelSource("own:slow"))
        await self._go_to("Say word 3, please.")
        self.actions += 1
        self._screen.action_do("blueprint.run_fresh")
        await self._until(lambda: self._screen.session.state.arriving)
        await self._press("f5")
        await self._settled()

    async def _fails(self) -> None:
        await self._answered_by(ModelSource("own:absent"))
        await self._go_to("Say word 4, please.")
        await self._press("f5")
        await self._settled()

    async def _grades(self) -> None:
        await self._answered_by(IdealSource())
        await self._go_to("Say word 5, please.")
        await self._press("f5")
        await self._settled()
        await self._press("ctrl+r", "down", "down", "down", "4", "down", "2", "0", "escape")
        await self._settled()

    async def _edits_answer(self) -> None:
        await self._answered_by(IdealSource())
        await self._go_to("Say word 1, please.")
        await self._press("f5")
        await self._settled()
        await self._press("ctrl+r", "ctrl+r", "e")
        await self._pilot.pause()
        await self._press("escape", "escape")
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

    # --- Looking

    async def _opens_dialogs(self) -> None:
        await self._settled()
        for key in ("f9", "f1", "ctrl+p", "ctrl+e"):
            await self._press("escape", key)
            await self._pilot.pause()
            await self._press("down", "escape")
            await self._until(lambda: self._app.screen is self._screen)
        await self._answered_by(ModelSource("own:absent"))
        self.actions += 1
        self._screen.action_do("blueprint.plan_all")
        await self._until(lambda: self._app.screen is not self._screen)
        await self._press("escape")
        await self._settled()

    async def _turns_tabs(self) -> None:
        await self._settled()
        await self._press("escape", "ctrl+r", "ctrl+r", "ctrl+k", "escape", "f2", "down", "down", "enter", "f3", "down")
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
        await self._answered_by(IdealSource())
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

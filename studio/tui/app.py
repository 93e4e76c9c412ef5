"""The application: what all screens share, and which screen comes first."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import App
from textual.binding import BindingType

from engine.places import config_dir
from engine.text import visible
from engine.workspace import CannotOpen, OpenedFile
from studio.session.resources import Resources
from studio.tui.action import Place
from studio.tui.dialogs.dialog_host import DialogHost
from studio.tui.key_bindings import bindings
from studio.tui.navigation import OpenFile
from studio.tui.theme import DARK, LIGHT, THEMES

if TYPE_CHECKING:
    from pathlib import Path

    from textual.worker import Worker

    from studio.tui.screens.blueprint_screen import BlueprintScreen


_STARTED_SECONDS = 1.5

_COLLECT_AFTER = (50_000, 10, 1000)
"""How many new objects, and collections of them, there may be before older ones are looked through. A parsed text is
one large acyclic tree: looking through all of it for cycles stops every thread for 45 ms (10,000 dense lines), and
finds nothing."""

_SWITCH_SECONDS = 0.0005
"""How long the checking thread may keep the interpreter while a key waits for its echo: Python's own 5 ms, several
times over in one painted frame, would be felt."""


@dataclass(frozen=True, slots=True)
class Look:
    """What the first frame needs to know of the author's choices: the theme, and whether long lines wrap."""

    theme: str = DARK
    wrap: bool = True


class Studio(App[None]):
    """Blueprint Studio. Opens `file`, or the start screen, which then shows `problem`.

    `collections` is the folder of the model collections, where it is not any `models` above a file. `published` is a
    result file to show with `file`.
    """

    TITLE = "Blueprint Studio"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.APP)]
    CSS = """
    Toast { border-left: outer $line-focus; padding: 0 1; }
    """

    def __init__(
        self,
        file: OpenedFile | None = None,
        *,
        problem: CannotOpen | None = None,
        collections: Path | None = None,
        published: Path | None = None,
    ) -> None:
        super().__init__()
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._file = file
        self._collections = collections
        self._problem = problem
        self._published = published
        for theme in THEMES:
            self.register_theme(theme)
        self._leaving: Worker[None] | None = None
        self.resources = Resources()
        """V8, the database and the settings, shared by all files that are opened."""
        self.look = chosen_look()
        """How the author wants things to look, as of the start and of what they changed since."""
        self.theme = self.look.theme

    def on_mount(self) -> None:
        """Show the first screen: the blueprint where one is open, else the start screen."""
        if self._file is not None:
            self.push_screen(self._blueprint_screen(self._file, self._published))
        else:
            from studio.tui.screens.start_screen import StartScreen

            self.push_screen(StartScreen(self._problem))
        self.set_timer(_STARTED_SECONDS, self._started)

    def _blueprint_screen(self, file: OpenedFile, published: Path | None = None) -> BlueprintScreen:
        from studio.tui.screens.blueprint_screen import BlueprintScreen

        known = self.resources.settings.known
        wrap = self.look.wrap if known is None else known.wrap
        return BlueprintScreen(file, self.resources, wrap=wrap, collections=self._collections, published=published)

    def action_start_screen(self) -> None:
        """Show the start screen in the place of the present one, which has agreed to be left."""
        from studio.tui.screens.start_screen import StartScreen

        self.switch_screen(StartScreen())

    def _started(self) -> None:
        """What is there by now stays: leave it out of every later garbage collection."""
        gc.freeze()
        gc.set_threshold(*_COLLECT_AFTER)
        gc.enable()

    @on(OpenFile)
    def _open_file(self, event: OpenFile) -> None:
        """Open a file in the place of the present screen."""
        self.switch_screen(self._blueprint_screen(event.file))

    async def action_theme(self) -> None:
        """Switch between dark and light."""
        theme = self.theme = LIGHT if self.theme == DARK else DARK
        host = DialogHost(self)
        await self.resources.settings.change(lambda settings: setattr(settings, "theme", theme), host)

    def action_palette(self) -> None:
        """Every action by name."""
        from studio.tui.palette import Actions, Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(providers=[Actions], placeholder="What would you like to do?"))

    def action_help(self) -> None:
        """Explain the focused pane."""
        from studio.tui.palette import help_on

        self.push_screen(help_on(self.screen))

    async def action_quit(self) -> None:
        """Leave, unless a screen or a dialog has a reason to ask. While one asks, this does nothing more."""
        if self._leaving is None or self._leaving.is_finished:
            self._leaving = self.run_worker(self._leave())

    async def _leave(self) -> None:
        from studio.tui.dialogs.ask import Dialog, may_drop

        for screen in reversed(self.screen_stack):
            if isinstance(screen, Dialog) and screen.is_unfinished and not await may_drop(self, screen):
                return
            may_leave = getattr(screen, "may_leave", None)
            if may_leave is not None and not await may_leave():
                return
        self.exit()

    def _fatal_error(self) -> None:
        """A fault of the studio's own: say what it means for the author. No variables, which might hold a secret."""
        import traceback

        from rich.text import Text

        message = "The studio stopped because of a fault of its own. Open the file again to recover what you typed."
        self._exit_renderables.append(Text(f"{visible(traceback.format_exc())}\n{message}"))
        self._close_messages_no_wait()

    async def on_unmount(self) -> None:
        """Let go of what was opened."""
        await asyncio.to_thread(self.resources.close)


def chosen_look() -> Look:
    """The look of the settings file, read without the settings model: the first frame needs it and nothing else."""
    try:
        saved = json.loads((config_dir() / "settings.json").read_bytes())
    except (OSError, ValueError):
        return Look()
    if not isinstance(saved, dict):
        return Look()
    theme, wrap = saved.get("theme"), saved.get("wrap")
    return Look(theme if theme in (DARK, LIGHT) else DARK, wrap if isinstance(wrap, bool) else True)

"""The application: what all screens share, and the first screen."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on, work
from textual.app import App
from textual.binding import BindingType

from engine.files.open_files import CannotOpen, OpenedFile, clear_all_temporaries
from engine.files.own_files import listen, read_settings_json
from engine.files.user_settings import recalled_cursor
from engine.text.record import Record
from engine.text.spans import Span, visible
from studio.session.host import Severity
from studio.session.resources import Resources
from studio.tui.action import Place
from studio.tui.closing import is_built, keep_no_paintings
from studio.tui.dialogs.dialog_host import DialogHost
from studio.tui.field_limit import refused_paste
from studio.tui.key_bindings import bindings
from studio.tui.messages import remove_toast, repeated
from studio.tui.old_garbage import LOOK_SECONDS, OldGarbage
from studio.tui.terminal import NotUtf8
from studio.tui.theme import DARK, LIGHT, THEMES
from studio.tui.type_ahead import TypeAhead, is_input

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.message import Message
    from textual.notifications import Notify
    from textual.screen import Screen
    from textual.worker import Worker

    from studio.tui.screens.blueprint_screen import BlueprintScreen


_STARTED_SECONDS = 1.5
_REPORT_SECONDS = 20.0
_BUILT_SECONDS = 3.0
_MOMENT = 0.01

_COLLECT_AFTER = (50_000, 10, 1000)
"""The thresholds of the garbage collector, for its three generations. A parsed text is one large acyclic tree:
searching all of it for cycles stops every thread for 45 ms (10,000 dense lines) and finds nothing. What grew old is
collected while the author pauses."""

_SWITCH_SECONDS = 0.0005
"""How long the checking thread may hold the interpreter while a key waits for its echo. Python's default of 5 ms would
be felt: one painted frame waits several times."""


class Look(Record):
    """The settings that the first frame needs: the theme, and whether long lines wrap."""

    theme: str = DARK
    wrap: bool = True


class Studio(App[None]):
    """Blueprint Studio. Opens `file`; without it, the start screen, which shows `problem`.

    `collections` is the folder of the model collections; without it, they are in a `models` folder above the file.
    `published` is a result file to show with `file`.
    """

    TITLE = "Blueprint Studio"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.APP)]
    CSS = """
    Toast { border-left: outer $line-focus; padding: 0 1; max-width: 80%; }
    ToastRack { dock: top; align: right top; margin-bottom: 0; }
    OptionList, CommandList { min-width: 12; }
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
        self.type_ahead = TypeAhead(self, super().post_message)
        self._old_garbage = OldGarbage()
        keep_no_paintings()
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._file = file
        self._cursor = 0 if file is None else recalled_cursor(file.path, file.text)
        """The offset of the cursor in `file`, read before the event loop runs."""
        self._collections = collections
        self._problem = problem
        self._published = published
        for theme in THEMES:
            self.register_theme(theme)
        self._leaving: Worker[None] | None = None
        self.quits: Callable[[], None] = lambda: None
        """Called when the author has quit and nothing keeps the application but its own end."""
        self.resources = Resources()
        """V8, the database and the settings, shared by all files that are opened."""
        self.look = chosen_look()
        """The look at the start. `resources.settings` has it once it is loaded, with later changes."""
        self.theme = self.look.theme

    def post_message(self, message: Message) -> bool:
        """Handle `message`; input of the terminal only once what came before it is done."""
        if not is_input(message):
            return super().post_message(message)
        self.type_ahead.add(message)
        return True

    async def on_event(self, event: events.Event) -> None:
        """Handle `event`; no key that comes while the application ends and its screens are gone, and no paste that is
        too long for its field."""
        if is_input(event):
            self._old_garbage.note_input()
        if not self.screen_stack and is_input(event):
            return
        refusal = refused_paste(event, self.focused, self.clipboard) if self.screen_stack else ""
        if refusal:
            self._warn(refusal)
        else:
            await super().on_event(event)

    def on_notify(self, event: Notify) -> None:
        """Show a message anew that is still on the screen, instead of a second time below it."""
        for each in repeated(self._notifications, event.notification):
            self._unnotify(each, refresh=False)
            if self.screen_stack:
                remove_toast(self.screen, each)

    def on_mount(self) -> None:
        """Show the first screen: the blueprint where one is open, else the start screen."""
        loop = asyncio.get_running_loop()
        listen(lambda message: loop.call_soon_threadsafe(self._warn, visible(message), _REPORT_SECONDS))
        if self._file is not None:
            at = Span(self._cursor, self._cursor)
            self.push_screen(self._blueprint_screen(self._file, at, self._published))
        else:
            from studio.tui.screens.start_screen import StartScreen

            self.push_screen(StartScreen(self._problem))
        self.set_timer(_STARTED_SECONDS, self._started)

    def _blueprint_screen(self, file: OpenedFile, selected: Span, published: Path | None = None) -> BlueprintScreen:
        from studio.tui.screens.blueprint_screen import BlueprintScreen

        known = self.resources.settings.known
        wrap = self.look.wrap if known is None else known.wrap
        return BlueprintScreen(
            file,
            self.resources,
            wrap=wrap,
            collections=self._collections,
            published=published,
            selected=selected,
        )

    def action_start_screen(self) -> None:
        """Replace the present screen by the start screen, without asking about unsaved changes."""
        from studio.tui.screens.start_screen import StartScreen

        self._replace_screen_by(StartScreen())

    @work
    async def _replace_screen_by(self, screen: Screen[None]) -> None:
        await self._built()
        self.switch_screen(screen)

    async def _built(self) -> None:
        """Wait until no screen is being built: one that is removed then would look for widgets that are gone.

        Waits for `_BUILT_SECONDS` at most, so that nothing keeps the author from leaving.
        """
        until = time.monotonic() + _BUILT_SECONDS
        while time.monotonic() < until and not all(is_built(screen) for screen in self.screen_stack):
            await asyncio.sleep(_MOMENT)

    def _warn(self, message: str, seconds: float = 5) -> None:
        DialogHost(self).notify(message, Severity.WARNING, seconds=seconds)

    def _started(self) -> None:
        """Enable garbage collection, without the objects made so far: nearly all of them stay. Clear leftovers."""
        gc.freeze()
        gc.set_threshold(*_COLLECT_AFTER)
        gc.enable()
        self.set_interval(LOOK_SECONDS, self._old_garbage.collect)
        threading.Thread(target=_clear_leftovers, name="leftovers", daemon=True).start()

    @work
    async def open_file(self, file: OpenedFile, selected: Span | None = None) -> None:
        """Replace the present screen by one with the file, with this text selected, or where it was left last."""
        if selected is None:
            cursor = await asyncio.to_thread(recalled_cursor, file.path, file.text)
            selected = Span(cursor, cursor)
        self._replace_screen_by(self._blueprint_screen(file, selected))

    @on(NotUtf8)
    def _not_utf8(self) -> None:
        """Report a terminal that does not send UTF-8: some of what is typed is lost."""
        text = "The terminal sent a byte that is not UTF-8. Each such byte becomes \ufffd. Set the terminal to UTF-8."
        self._warn(text, 15)

    async def action_theme(self) -> None:
        """Switch between dark and light."""
        theme = self.theme = LIGHT if self.theme == DARK else DARK
        await self.resources.settings.change(lambda settings: setattr(settings, "theme", theme))

    @work(group="author name", exclusive=True)
    async def action_author_name(self) -> None:
        """Ask for the author's name in cases."""
        from studio.session.resources import ask_author_name

        await ask_author_name(DialogHost(self), self.resources.settings)

    def action_palette(self) -> None:
        """Show the palette."""
        from studio.tui.palette import Actions, Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette(providers=[Actions], placeholder="What would you like to do?"))

    def action_help(self) -> None:
        """Explain the focused pane."""
        from studio.tui.footer import place_of, screen_place
        from studio.tui.palette import help_at

        self.push_screen(help_at(place_of(self.screen), screen_place(self.screen)))

    async def action_quit(self) -> None:
        """Quit, after asking where something would be lost. Does nothing while such a question is open."""
        if self._leaving is None or self._leaving.is_finished:
            self._leaving = self.run_worker(self._leave())

    async def _leave(self) -> None:
        from studio.tui.dialogs.ask import Dialog, may_drop

        given_up: list[Dialog[Any]] = []
        for screen in reversed(self.screen_stack):
            if isinstance(screen, Dialog) and screen.is_unfinished:
                if not await may_drop(self, screen):
                    return
                given_up.append(screen)
            may_leave = getattr(screen, "may_leave", None)
            if may_leave is not None and not await may_leave():
                return
        await self._built()
        for dialog in given_up:
            dialog.give_up()
        self.quits()
        self.exit()

    def end(self, code: int) -> None:
        """Write the journal and exit with `code`, without a question. Call it on the event loop."""
        self.run_worker(self._end(code), exit_on_error=False)

    async def _end(self, code: int) -> None:
        from studio.tui.session_screen import SessionScreen

        try:
            for screen in self.screen_stack:
                if isinstance(screen, SessionScreen):
                    await screen.write_journal()
            await self._built()
        finally:
            self.exit(return_code=code)

    def on_app_blur(self) -> None:
        """The terminal lost the focus: write the journal at once."""
        from studio.tui.session_screen import SessionScreen

        for screen in self.screen_stack:
            if isinstance(screen, SessionScreen):
                screen.journal_soon()

    def _fatal_error(self) -> None:
        """Print the traceback and what it means for the author, without keys. Variables are left out: they might hold
        other secrets."""
        import traceback

        from rich.text import Text

        from studio.faults import masked

        message = "The studio stopped because of an internal error. Open the file again to recover what you typed."
        self._exit_renderables.append(Text(f"{masked(traceback.format_exc())}\n{message}"))
        self._close_messages_no_wait()

    async def on_unmount(self) -> None:
        """Close V8, the database, the settings and the connections to models."""
        listen(None)
        if "engine.models.http" in sys.modules:
            from engine.models.http import close_clients

            await close_clients()
        await asyncio.to_thread(self.resources.close)


def _clear_leftovers() -> None:
    """Remove what killed processes left. Called in a thread for which nothing waits: a folder may not answer."""
    from engine.models.embedded import clear_abandoned

    clear_all_temporaries()
    clear_abandoned()


def chosen_look() -> Look:
    """The look saved in the settings file. Read without the settings model, which is imported later."""
    saved = read_settings_json()
    theme, wrap = saved.get("theme"), saved.get("wrap")
    return Look(theme if theme in (DARK, LIGHT) else DARK, wrap if isinstance(wrap, bool) else True)

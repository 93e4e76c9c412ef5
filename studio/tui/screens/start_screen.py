"""The start screen: recent files, the bundled example, new from template, and what is ready."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from engine.files.open_files import CannotOpen, OpenedFile, new_file, open_to_show
from engine.files.user_settings import recent_files
from engine.text.record import Record
from engine.text.spans import visible
from studio.example import EXAMPLE, TEMPLATES, read
from studio.session.views.outline_view import FooterView
from studio.tui.action import Place
from studio.tui.footer import entries
from studio.tui.key_bindings import bindings
from studio.tui.navigation import OpenFile
from studio.tui.panes.status import Footer
from studio.tui.paragraphs import Line, paragraph
from studio.tui.tall_list import DIM, TallList


class StartRow(Record):
    """Something to open: its name, a detail, and the file or template that its text comes from. `about` stands below
    the list."""

    name: str
    detail: str
    path: Path | None = None
    template: str | None = None
    about: str = ""


class StartList(TallList[StartRow]):
    """One of the lists. Enter opens the selected row."""

    place = Place.START
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(Place.START),
        Binding("left", "app.focus_previous", "List to the left", show=False),
        Binding("right", "app.focus_next", "List to the right", show=False),
    ]

    def draw(self, row: StartRow, width: int, most: int | None) -> Sequence[Line]:
        """`article-19.yml  ~/evaluations`."""
        return paragraph(((f"{row.name}  ", ""), (row.detail, DIM)), width, most=most)

    def facets(self, row: StartRow) -> str:
        return f"{row.name} {row.detail}"

    def foot(self, row: StartRow, width: int) -> Sequence[Line]:
        """What an example teaches."""
        return [(), *paragraph(row.about, width, ink=DIM)] if row.about else ()

    def action_open_row(self) -> None:
        """Open the selected row."""
        self.choose()


class StartScreen(Screen[None]):
    """The screen without an open file."""

    place = Place.START
    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS: ClassVar[list[tuple[int, str]] | None] = [(0, "-narrow"), (100, "-wide")]  # pyright: ignore[reportIncompatibleVariableOverride]
    DEFAULT_CSS = """
    StartScreen {
        layout: vertical;
        #start-head { height: auto; padding: 2 3 1 3; }
        #start-problem { height: auto; padding: 0 3 1 3; color: $ink-error; }
        #start-lists { height: 1fr; padding: 0 2; }
        .start-list { width: 1fr; height: 100%; padding: 0 1; }
        .start-list > .pane-title { height: 2; color: $ink-dim; border-bottom: solid $line; }
        .start-list:focus-within > .pane-title {
            color: $foreground; text-style: bold; border-bottom: solid $line-focus;
        }
        StartList:blur > .list--selected { background: $background; }
        StartList:blur > .list--focus { color: $background; }
        #start-ready { height: auto; padding: 0 3 1 3; color: $ink-dim; }
        &.-narrow #start-head { padding: 1 2; }
        &.-narrow #start-ready { padding: 0 2 1 2; }
        &.-narrow #start-lists { layout: vertical; padding: 0 1; }
        &.-narrow .start-list { width: 100%; height: 1fr; }
        &.-narrow .start-list > .pane-title { height: 1; border: none; }
    }
    """

    def __init__(self, problem: CannotOpen | None = None) -> None:
        super().__init__()
        self._problem = problem
        self._lists = {
            "Recent files": StartList("None yet: studio FILE opens one.", id="recent"),
            "The example": StartList(id="example"),
            "New from template": StartList(id="templates"),
        }

    def compose(self) -> ComposeResult:
        sentence = (
            "Write Weval evaluation blueprints, see what is wrong as you type, try a prompt, and understand its score."
        )
        yield Static(
            Content.assemble(("Blueprint Studio", "bold"), "\n", (sentence, "$ink-dim")), id="start-head", markup=False
        )
        if self._problem is not None:
            text = f"{self._problem.path}\n{self._problem.title} {self._problem.advice}".strip()
            yield Static(Content(visible(text)), id="start-problem", markup=False)
        with Horizontal(id="start-lists"):
            for title, list in self._lists.items():
                with Vertical(classes="start-list"):
                    yield Static(title, classes="pane-title", markup=False)
                    yield list
        yield Static(id="start-ready", markup=False)
        yield Footer()

    async def on_mount(self) -> None:
        """Fill the lists."""
        recent = [StartRow(path.name, _short(path.parent), path) for path in await asyncio.to_thread(recent_files)]
        example = [StartRow(EXAMPLE.title, EXAMPLE.file, template=EXAMPLE.file, about=EXAMPLE.teaches)]
        templates = [StartRow(template.title, template.teaches, template=template.file) for template in TEMPLATES]
        for list, rows in zip(self._lists.values(), (recent, example, templates), strict=True):
            list.show(rows)
        self.set_focus(next(list for list in self._lists.values() if list.rows))
        self.query_one(Footer).show(entries(self, FooterView(), narrow=False))
        self._show_model_status()
        if self._problem is not None and self._problem.missing:
            self._offer_to_create(self._problem.path)

    @work
    async def _offer_to_create(self, path: Path) -> None:
        from studio.tui.dialogs.ask import Ask, Choice

        choices = [
            Choice("create", "Start a new blueprint there", "Nothing is written until you save."),
            Choice("stay", "Choose another file"),
        ]
        text = f"There is no file {path.name} in {path.parent}."
        if await self.app.push_screen_wait(Ask(path.name, text, choices)) == "create":
            await self._open_new(path, TEMPLATES[0].file)

    @work
    async def _show_model_status(self) -> None:
        from studio.session import model_status

        status = self.query_one("#start-ready", Static)  # before the wait: the screen may be left meanwhile
        status.update(Content(visible(await model_status.status_text())))

    @on(StartList.Chosen)
    async def _chosen(self, event: StartList.Chosen) -> None:
        row = event.list.row
        if not isinstance(row, StartRow):
            return
        if row.path is not None:
            await self._open(row.path)
        elif row.template == EXAMPLE.file:
            await self._open_new(Path(EXAMPLE.file), EXAMPLE.file)
        elif row.template is not None:
            self._start_new(row.template)

    def _open_file(self, file: OpenedFile) -> None:
        self.app.post_message(OpenFile(file))

    async def _open_new(self, path: Path, template: str) -> None:
        """Open a file that is not on disk yet, with the text of one of the bundled ones."""
        self._open_file(new_file(path, await asyncio.to_thread(read, template)))

    async def _open(self, path: Path) -> None:
        try:
            self._open_file(await asyncio.to_thread(open_to_show, path))
        except CannotOpen as problem:
            self.notify(f"{problem.title} {problem.advice}", severity="error", markup=False)

    @work
    async def _start_new(self, template: str) -> None:
        from studio.session.host import EnterText
        from studio.tui.dialogs.ask import AskText

        text, name = "The path of the new file. Nothing is written until you save.", await asyncio.to_thread(_free_name)
        answer = await self.app.push_screen_wait(AskText(EnterText("New blueprint", text, name)))
        if answer is None:
            return
        path = Path(answer).expanduser()
        if await asyncio.to_thread(path.exists):
            self.notify("A file with this name exists: choose another name.", severity="warning", markup=False)
            return
        await self._open_new(path, template)


def _short(folder: Path) -> str:
    home = Path.home()
    return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) else str(folder)


def _free_name() -> str:
    names = ["my-blueprint.yml", *(f"my-blueprint-{number}.yml" for number in range(2, 100))]
    return next((name for name in names if not Path(name).exists()), names[0])

"""The start screen: recent files, the bundled example, new from template, and what is ready."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from rich.cells import cell_len
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
from studio.tui.row_list import Piece, Rows, fit


class StartRow(Record):
    """Something to open: its name, a detail, and the file or template that its text comes from."""

    name: str
    detail: str
    path: Path | None = None
    template: str | None = None


class StartList(Rows[StartRow]):
    """One of the lists. Enter opens the selected row."""

    place = Place.START
    BLURRED_BAR = " "
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(Place.START),
        Binding("left", "app.focus_previous", "List to the left", show=False),
        Binding("right", "app.focus_next", "List to the right", show=False),
    ]

    def draw(self, row: StartRow, width: int) -> list[Piece]:
        """`article-19.yml  ~/evaluations`."""
        name = fit(row.name, width - 1)
        room = width - cell_len(name) - 3
        return [(f"{name}  ", ""), (fit(row.detail, room) if room > 6 else "", "rows--dim")]

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
        .start-list > .start-hint { height: auto; padding: 1 1 0 1; color: $ink-dim; }
        .start-list > StartList { height: auto; max-height: 14; }
        StartList:blur > .rows--selected { background: $background; }
        #start-ready { height: auto; padding: 0 3 1 3; color: $ink-dim; }
        &.-narrow #start-head { padding: 1 2; }
        &.-narrow #start-ready { padding: 0 2 1 2; }
        &.-narrow #start-lists { layout: vertical; overflow-y: auto; padding: 0 1; }
        &.-narrow .start-list { width: 100%; height: auto; margin: 0 0 1 0; }
        &.-narrow .start-list > .pane-title { height: 1; border: none; }
        &.-narrow .start-list > StartList { max-height: 5; }
        &.-narrow .start-list > .start-hint { display: none; }
    }
    """

    def __init__(self, problem: CannotOpen | None = None) -> None:
        super().__init__()
        self._problem = problem

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
            yield from self._list("Recent files", "recent", "None yet: studio FILE opens one.", "")
            yield from self._list("The example", "example", "", EXAMPLE.teaches)
            yield from self._list("New from template", "templates", "", "")
        yield Static(id="start-ready", markup=False)
        yield Footer()

    def _list(self, title: str, id: str, empty: str, text: str) -> ComposeResult:
        with Vertical(classes="start-list"):
            yield Static(title, classes="pane-title", markup=False)
            yield StartList(empty, id=id)
            if text:
                yield Static(Content(text), classes="start-hint", markup=False)

    async def on_mount(self) -> None:
        """Fill the lists."""
        recent = [StartRow(path.name, _short(path.parent), path) for path in await asyncio.to_thread(recent_files)]
        self.query_one("#recent", StartList).show_rows(recent)
        example = [StartRow(EXAMPLE.title, EXAMPLE.file, template=EXAMPLE.file)]
        self.query_one("#example", StartList).show_rows(example)
        templates = [StartRow(template.title, template.teaches, template=template.file) for template in TEMPLATES]
        self.query_one("#templates", StartList).show_rows(templates)
        self.set_focus(self.query_one("#recent" if recent else "#example", StartList))
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

    @on(Rows.Chosen)
    async def _chosen(self, event: Rows.Chosen) -> None:
        row = event.rows.row
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

"""The start screen: recent files, the example and templates, what is in the selected one, and what is ready."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from engine.files.open_files import CannotOpen, OpenedFile, new_file, open_to_show
from engine.files.user_settings import Settings, recent_files
from engine.text.record import Record
from engine.text.spans import Span, visible
from studio.example import EXAMPLE, TEMPLATES, Sample, read
from studio.session.host import Choice, Choose, EnterText
from studio.session.views.outline_view import FooterView
from studio.tui.action import Place
from studio.tui.dialogs.hanging import Hanging
from studio.tui.footer import entries
from studio.tui.panes.status import Footer
from studio.tui.paragraphs import Line, paragraph
from studio.tui.tall_list import DIM, STRONG, TallList, rule

if TYPE_CHECKING:
    from studio.tui.app import Studio

_LEAST_PREVIEW = 4
_LONGEST_PREVIEW = 8000
"""Characters of the selected file that are shown at most."""


class StartRow(Record):
    """Something to open: its name, what is said of it, and the file or the sample that its text comes from."""

    name: str
    detail: str
    source: Path | Sample


class StartList(TallList[StartRow], place=Place.START):
    """One of the lists. Enter opens the selected row."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "app.focus_previous", "List to the left", show=False),
        Binding("right", "app.focus_next", "List to the right", show=False),
    ]
    ORDERS: ClassVar = {"as they were": None, "by name": lambda row: row.name.casefold()}
    DEFAULT_CSS = "StartList:blur > .list--selected { background: $background; }"

    def __init__(self, title: str, rows: Sequence[StartRow] = (), *, id: str) -> None:
        super().__init__("None yet: `studio FILE` opens one.", id=id)
        self._title = title
        self.show(rows)

    def head(self, width: int) -> Sequence[Line]:
        return ((self._title, STRONG),), rule(width)

    def draw(self, row: StartRow, width: int, most: int | None) -> Sequence[Line]:
        """`article-19.yml`, and below it what is said of it."""
        return [*paragraph(row.name, width), *paragraph(row.detail, width, ink=DIM)]

    def facets(self, row: StartRow) -> str:
        return f"{row.name} {row.detail}"


class StartScreen(Screen[None]):
    """The screen without an open file."""

    place = Place.START
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    StartScreen {
        layout: vertical;
        #start-head { height: auto; padding: 1 2; }
        #start-problem { height: auto; padding: 0 2 1 2; color: $ink-error; }
        #start-lists { height: 12; padding: 0 1; }
        #start-lists > StartList { width: 3fr; height: 100%; margin: 0 1 0 0; }
        #start-lists > #example { width: 4fr; }
        #start-preview {
            height: 1fr; padding: 0 2; margin: 1 1 0 1; border-top: solid $line; color: $ink-dim;
            border-title-color: $foreground; border-title-background: $background;
        }
        #start-ready { height: auto; padding: 1 2 0 2; }
    }
    """

    def __init__(self, problem: CannotOpen | None = None) -> None:
        super().__init__()
        self._problem = problem
        example, *templates = (StartRow(each.title, each.teaches, each) for each in (EXAMPLE, *TEMPLATES))
        self._lists = (
            StartList("Recent files", id="recent"),
            StartList("The example", [example], id="example"),
            StartList("New from template", templates, id="templates"),
        )
        self._preview = Static(id="start-preview", markup=False)
        self._ready = Static("Looking for models …", id="start-ready", markup=False)
        self._footer = Footer()

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
        yield Horizontal(*self._lists, id="start-lists")
        yield self._preview
        yield self._ready
        yield self._footer

    async def on_mount(self) -> None:
        """Fill the list of recent files."""
        recent = [StartRow(path.name, _short(path.parent), path) for path in await asyncio.to_thread(recent_files)]
        self._lists[0].show(recent)
        self.set_focus(self._lists[0 if recent else 1])
        self._footer.entries = entries(self, FooterView(), narrow=False)
        self._show_readiness()
        if self._problem is not None and self._problem.missing:
            self._offer_to_create(self._problem.path)

    def on_resize(self) -> None:
        """Give the lists the rows that they need, and the beginning of the selected file the rest."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        body = self.query_one("#start-lists")
        others = (each for each in self.displayed_children if each not in (body, self._preview))
        room = self.size.height - sum(each.outer_size.height for each in others)
        rows = max(each.virtual_size.height for each in self._lists)
        self._preview.display = room - rows >= _LEAST_PREVIEW
        body.styles.height = rows if self._preview.display else max(room, 1)

    @on(events.DescendantFocus)
    @on(TallList.Selected)
    def _row_selected(self) -> None:
        """Show how the file begins that is selected in the list with the keys."""
        if self._row is not None:
            self._show_beginning(self._row)

    @property
    def _row(self) -> StartRow | None:
        """The selected row of the list with the keys."""
        return self.focused.row if isinstance(self.focused, StartList) else None

    @work(group="beginning", exclusive=True)
    async def _show_beginning(self, row: StartRow) -> None:
        text = await asyncio.to_thread(_beginning, row.source)
        self._preview.border_title = Content(visible(row.name))
        lines = (visible(line) for line in text.splitlines())
        self._preview.update(Hanging(*((len(line) - len(line.lstrip()), Content(line.lstrip())) for line in lines)))

    @work
    async def _show_readiness(self) -> None:
        from studio.session import run_configuration

        settings = await asyncio.to_thread(Settings.load)
        found = await run_configuration.readiness(settings.servers)
        groups = (("Ready", found.ready, ""), ("Not ready", found.missing, "$ink-dim"))
        lines = [
            (Content.styled(f"{name:<11}", "$ink-dim"), Content.styled(visible(" · ".join(items)), style))
            for name, items, style in groups
            if items
        ]
        self._ready.update(Hanging(*lines))
        self.call_after_refresh(self._fit)

    # --- Opening

    @on(TallList.Chosen)
    async def _chosen(self) -> None:
        match self._row:
            case StartRow(source=Path() as path):
                await self._open(path)
            case StartRow(source=Sample(placeholder="") as example):
                await self._open_new(Path(example.file), example)
            case StartRow(source=Sample() as template):
                self._start_new(template)
            case _:
                pass

    async def _open(self, path: Path) -> None:
        try:
            self._open_file(await asyncio.to_thread(open_to_show, path))
        except CannotOpen as problem:
            self.notify(f"{problem.title} {problem.advice}", severity="error", markup=False)

    async def _open_new(self, path: Path, sample: Sample) -> None:
        """Open a file that is not on disk yet, with the text of a sample, whose first placeholder is selected."""
        text = await asyncio.to_thread(read, sample.file)
        start = text.index(sample.placeholder)
        selected = Span(start, start + len(sample.placeholder)) if sample.placeholder else None
        self._open_file(new_file(path, text), selected)

    def _open_file(self, file: OpenedFile, selected: Span | None = None) -> None:
        cast("Studio", self.app).open_file(file, selected)

    @work
    async def _offer_to_create(self, path: Path) -> None:
        from studio.tui.dialogs.ask import Ask

        choices = [
            Choice("create", "Start a new blueprint there", "Nothing is written until you save."),
            Choice("stay", "Choose another file"),
        ]
        text = f"There is no file {path.name} in {path.parent}."
        if await self.app.push_screen_wait(Ask(Choose(path.name, text, choices))) == "create":
            await self._open_new(path, TEMPLATES[0])

    @work
    async def _start_new(self, template: Sample) -> None:
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


def _beginning(source: Path | Sample) -> str:
    """The first lines of a file, or why it cannot be opened. Blocks."""
    try:
        return (read(source.file) if isinstance(source, Sample) else open_to_show(source).text)[:_LONGEST_PREVIEW]
    except CannotOpen as problem:
        return f"{problem.title} {problem.advice}"


def _short(folder: Path) -> str:
    home = Path.home()
    return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) else str(folder)


def _free_name() -> str:
    names = ["my-blueprint.yml", *(f"my-blueprint-{number}.yml" for number in range(2, 100))]
    return next((name for name in names if not Path(name).exists()), names[0])

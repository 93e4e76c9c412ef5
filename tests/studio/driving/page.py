"""The app as an author sees and drives it: the only place in the tests that knows which widget shows what."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.geometry import Region
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static

from engine.files.open_files import open_file
from studio.session.session import Session
from studio.tui.action import Place
from studio.tui.actions import ACTIONS
from studio.tui.app import Studio
from studio.tui.dialogs.history import EarlierRuns
from studio.tui.footer import place_of
from studio.tui.panes.all_answers import AllAnswers
from studio.tui.panes.answer import AnswerThread
from studio.tui.panes.criteria import Criteria
from studio.tui.paragraphs import Line
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.window import Pane
from tests.session.seen import Seen
from tests.studio.driving.waiting import blueprint_screen, screen_lines, see, settle, wait_until

WIDE = (120, 36)
NARROW = (80, 24)
LARGE = (160, 48)


def words(text: object) -> str:
    """`text` on one line, its words one blank apart."""
    return " ".join(str(text).replace("\xa0", " ").split())


def studio_on(path: Path, text: str | None = None) -> Studio:
    """The app with the file at `path` open, after `text` was written to it where given."""
    if text is not None:
        path.write_text(text, "utf-8")
    return Studio(open_file(path))


@asynccontextmanager
async def opened(
    path: Path,
    text: str | None = None,
    *,
    at: str = "",
    keys: Sequence[str] = (),
    size: tuple[int, int] = WIDE,
    messages: bool = False,
) -> AsyncIterator[Page]:
    """The app on the file at `path`, or on `x.yml` in that folder, with the cursor at `at`, after these keys.

    `messages` are shown at the edge of the screen only if they are wanted.
    """
    app = studio_on(path / "x.yml" if path.is_dir() else path, text)
    async with running(app, at=at, keys=keys, size=size, messages=messages) as page:
        yield page


@asynccontextmanager
async def running(
    app: Studio, *, at: str = "", keys: Sequence[str] = (), size: tuple[int, int] = WIDE, messages: bool = False
) -> AsyncIterator[Page]:
    """The same of an app that was made otherwise."""
    async with app.run_test(size=size, notifications=messages) as pilot:
        page = Page(app, pilot)
        await page.settle()
        if at:
            await page.at(at)
        await page.press(*keys)
        yield page


class Page(Seen):
    """The app with one blueprint open. What it knows of the session it has from `Seen`."""

    def __init__(self, app: Any, pilot: Pilot[Any]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> BlueprintScreen:
        """The blueprint screen, dialogs above it or not."""
        return blueprint_screen(self.app)

    def _seen(self) -> Session:
        return self.screen.session

    @property
    def has_file(self) -> bool:
        """Whether a blueprint is open."""
        return any(isinstance(screen, BlueprintScreen) for screen in self.app.screen_stack)

    # --- What an author does

    async def settle(self) -> None:
        """Wait until nothing goes on that ends by itself."""
        await settle(self.pilot)

    async def press(self, *keys: str) -> None:
        """Press keys, waiting after each until the app has settled."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def hit(self, *keys: str, until: Callable[[], Any] | None = None, asks: str | None = None) -> None:
        """Press keys, waiting for nothing but that they are taken; or `until` this is true; or for a question that
        says what it `asks`."""
        await self.pilot.press(*keys)
        await self.pilot.pause()
        if until is not None:
            await self.until(until)
        if asks is not None:
            await self.asked(asks)

    async def reply(self, *keys: str) -> None:
        """Press keys that answer the question, and wait until all that follows is done."""
        await self.hit(*keys)
        await self.answered()

    async def do(self, action: str) -> None:
        """What has no key, by the name of its action."""
        self.screen.do(next(each for each in ACTIONS if each.id == action and each.does))

    async def at(self, written: str, *, behind: bool = False) -> None:
        """Put the cursor where `written` stands first in the text, or behind it."""
        editor = self.screen.editor
        editor.go_to(editor.text_out().index(written) + len(written) * behind)
        await self.settle()

    async def show(self, pane: str) -> None:
        """Give the keys to a pane, by its name."""
        self.screen.open_pane(Pane(pane))
        await self.settle()

    async def write(self, text: str, at: tuple[int, int] = (0, 0)) -> None:
        """Insert `text` at a line and a column of the text, both from 0."""
        self.screen.editor.insert(text, at)
        await self.settle()

    async def replace(self, old: str, new: str) -> None:
        """Write `new` in the place of `old`."""
        await self.rewrite(self.text.replace(old, new))

    async def rewrite(self, text: str) -> None:
        """Let the text be another."""
        self.screen.editor.replace_text(text)
        self.screen.submit_text()
        await self.settle()

    async def resize(self, *size: int) -> None:
        """Give the terminal another size."""
        await self.pilot.resize_terminal(*size)
        await self.settle()

    async def click(self, widget: str, offset: tuple[int, int]) -> None:
        """Click on a widget of the blueprint screen."""
        await self.pilot.click(self.screen.query_one(widget), offset=offset)
        await self.settle()

    async def click_footer(self, label: str) -> None:
        """Click on an entry of the footer."""
        await self.pilot.click(self.screen.query_one("Footer"), offset=(self.footer().index(label), 0))

    async def point_at(self, written: str) -> None:
        """Rest the mouse where `written` stands in the text."""
        editor = self.screen.editor
        row, column = editor.location_of(self.text.index(written))
        await self.pilot.hover(editor, offset=(editor.gutter_width + column + 1, row - editor.scroll_offset.y))
        await self.pilot.pause()

    # --- Waiting

    async def until(self, done: Callable[[], Any]) -> None:
        """Wait until `done` is true."""
        await wait_until(self.pilot, done)

    async def see(self, *texts: str) -> None:
        """Wait until all of `texts` are on the screen, each within a row, and it stands still."""
        await see(self.pilot, *texts)

    async def asked(self, *texts: str) -> Asked:
        """The question that says all of `texts`, once it is there."""
        await self.until(lambda: (asked := self.question) is not None and all(each in asked.text for each in texts))
        await self.pilot.pause()
        assert self.question is not None
        return self.question

    async def answered(self) -> None:
        """Wait until no question is on the screen, and all that follows is done."""
        await self.until(lambda: self.question is None)
        await self.settle()

    @property
    def question(self) -> Asked | None:
        """The question or the page that is on top of the screen."""
        top = self.app.screen
        return Asked(self, top) if isinstance(top, ModalScreen) and top.query("*") else None

    # --- The whole screen

    @property
    def lines(self) -> list[str]:
        """The rows of the screen as text, without the blanks at their ends."""
        return screen_lines(self.app)

    @property
    def seen(self) -> str:
        """The screen as text."""
        return "\n".join(self.lines)

    def row(self, label: str) -> list[str]:
        """The words of the first row of the screen that has `label`; a mark belongs to the figure behind it."""
        line = next(line for line in self.lines if label in line).replace("▸", "")
        return line.replace("▴ ", "▴").replace("▾ ", "▾").split()

    @property
    def place(self) -> Place:
        """The place that has the focus."""
        return place_of(self.app.screen)

    @property
    def told(self) -> list[str]:
        """The messages that are there."""
        return [each.message for each in self.app._notifications]

    def toasts(self) -> list[str]:
        """The messages that are on the screen."""
        return [str(each.render()) for each in self.screen.query("Toast")]

    @property
    def has_left(self) -> bool:
        """Whether the author has left the studio."""
        return self.app._exit or not self.app.is_running

    def static(self, selector: str) -> str:
        """What a text of the blueprint screen says."""
        return str(self.screen.query_one(selector, Static).render())

    def panes(self) -> list[str]:
        """The panes that are seen, each with its width."""
        return [f"{each.pane} {each.width}" for each in self.screen.halves.seen]

    @property
    def has_problems_open(self) -> bool:
        """Whether the list of problems is open."""
        return self.screen.problems.display

    def region(self, selector: str) -> Region:
        """Where a widget of the blueprint screen is."""
        return self.screen.query_one(selector).region

    def tooltip(self) -> str:
        """What is told of the text under the mouse."""
        return str(self.screen.editor.tooltip)

    # --- The text

    @property
    def text(self) -> str:
        """The text of the editor."""
        return self.screen.editor.text_out()

    @property
    def cursor(self) -> int:
        """The offset of the cursor in the text."""
        return self.screen.editor.cursor_offset

    @property
    def number(self) -> int:
        """The number of the cursor's line, from 1."""
        return self.screen.editor.cursor_location[0] + 1

    @property
    def line(self) -> str:
        """The cursor's line."""
        return self.text.splitlines()[self.number - 1]

    @property
    def cursor_row(self) -> int:
        """The row of the editor on which the cursor is drawn."""
        editor = self.screen.editor
        return editor.row_layout.location_to_offset(editor.cursor_location).y - editor.scroll_offset.y

    @property
    def selected(self) -> str:
        """The text that is selected."""
        return self.screen.editor.selected_text

    @property
    def read_only(self) -> bool:
        return self.screen.editor.read_only

    @property
    def path(self) -> Path:
        """The file that is open."""
        return self.screen.session.state.path

    # --- Around the text

    def status(self) -> str:
        """The strip at the top."""
        return str(self.screen.query_one("PaneStrip").render())

    def footer(self) -> str:
        """The keys at the lower edge."""
        return str(self.screen.query_one("Footer").render())

    def banner(self) -> str:
        """Why the file is read-only, or what is wrong in the settings; "" where there is none."""
        return self.static("#banner") if self.screen.query_one("#banner").display else ""

    def cursor_line(self) -> str:
        """What is wrong at the cursor, and how many problems there are."""
        return str(self.screen.query_one("CursorLine").render())

    def outline(self, width: int = 40) -> list[str]:
        """The rows of the outline as they are drawn, the words of each on one line."""
        outline = self.screen.outline
        return [
            words("".join(text for line in outline.draw(row, width, None) for text, _ in line)) for row in outline.rows
        ]

    def prompt(self) -> str:
        """The id of the prompt that is selected in the outline."""
        row = self.screen.outline.row
        return "" if row is None else row.id

    # --- The problems

    def problems(self) -> list[str]:
        """The rows of the problems as they are drawn, without the blanks between their parts."""
        listed = self.screen.problems
        drawn = (listed.draw(row, 118, None) for row in listed.rows)
        return [words("".join(text for line in lines for text, _ in line)) for lines in drawn]

    def problem(self) -> str:
        """The row of the problem that is selected."""
        return self.problems()[self.screen.problems.at]

    def why(self) -> list[str]:
        """What is said below the list of the selected problem."""
        listed = self.screen.problems
        assert listed.row is not None
        return ["".join(text for text, _ in line).strip() for line in listed.foot(listed.row, 118)]

    # --- Criteria and answers

    @property
    def pane(self) -> str:
        """The pane that has the keys."""
        return self.screen.halves.focused.value

    @property
    def _criteria(self) -> Criteria:
        criteria = self.screen.panes.criteria
        assert criteria is not None
        return criteria

    def head(self, width: int = 60) -> str:
        """The score above the criteria, as it is wrapped."""
        return self.criterion_row("head", width)

    def detail(self, width: int = 110) -> str:
        """What stands below the criteria of the selected one."""
        row = self._criteria.row
        return "" if row is None else drawn(self._criteria.foot(row, width))

    def criterion_row(self, key: str, width: int = 110) -> str:
        """A row of the criteria, as it is drawn, by its key."""
        row = next(row for row in self._criteria.rows if row.key == key)
        return drawn(self._criteria.draw(row, width, None))

    def criteria(self) -> dict[str, str]:
        """The rows of the criteria by their keys, each in one line."""
        return {row.key: words(self.criterion_row(row.key)) for row in self._criteria.rows if row.key != "head"}

    def texts(self, prefix: str) -> list[str]:
        """The rows of the criteria whose keys begin so, each in one line."""
        return [text for key, text in self.criteria().items() if key.startswith(prefix)]

    def fixable(self) -> list[str]:
        """The keys of the rows of the criteria that can be fixed."""
        return [row.key for row in self._criteria.rows if row.can_fix]

    def criterion(self) -> str:
        """The key of the selected row of the criteria."""
        return "" if self._criteria.row is None else self._criteria.row.key

    async def select(self, key: str) -> None:
        """Select a row of the criteria by its key, and give the list the focus."""
        self.screen.set_focus(self._criteria)
        assert self._criteria.select(key)
        await self.settle()

    def answer(self) -> str:
        """What is said above the answer: who gave it, how long it is, how it ended."""
        return words("".join(text for line in self._texts.head(200) for text, _ in line))

    def lit(self) -> list[str]:
        """The passages of the answer that are lit up."""
        return [span.of(each.text) for each in self._texts.rows for span in each.evidence]

    def is_closest(self) -> bool:
        """Whether what is lit up is a place to look, and no evidence."""
        return self._texts.has_class("-closest")

    @property
    def _texts(self) -> AnswerThread:
        assert self.screen.panes.answer is not None
        return self.screen.panes.answer.thread

    def turn_texts(self) -> list[tuple[str, str]]:
        """What is shown of each turn of the conversation: its words, and how it came about."""
        return [(turn.text, turn.ended or (turn.origin or turn.state).value) for turn in self.turns]

    async def turn(self, number: int) -> None:
        """Select a turn, from 0."""
        self._texts.select(self._texts.rows[number].key)

    def selected_turn(self) -> int:
        """The number of the selected turn, from 0."""
        return self._texts.at

    def scroll_turns(self, y: int) -> None:
        """Let this row of the conversation be the first one that is seen."""
        self._texts.scroll_to(y=y, animate=False, immediate=True)

    def turns_at(self, *, end: bool = False) -> int:
        """The first row of the conversation that is seen, or that would be seen at its end."""
        return self._texts.max_scroll_y if end else self._texts.scroll_offset.y

    def history(self) -> list[str]:
        """The earlier runs that are listed, by the keys of their candidates, the newest first."""
        top = self.app.screen
        return [run.candidate.key for run in top.list.rows] if isinstance(top, EarlierRuns) else []

    async def open_history(self) -> None:
        """List the earlier runs."""
        await self.do("history")
        await self.until(self.history)

    async def open_run(self) -> None:
        """Open the earlier run that is selected."""
        await self.pilot.press("enter")
        await self.until(lambda: self.pane == "Criteria")
        await self.settle()

    def wordings(self) -> list[tuple[str, Any]]:
        """The answers to the criterion that is followed, and what they score with the wording of now."""
        answers: Any = self.screen.panes.answers
        return [(row.answer.label, row.now) for row in answers.rows[1:]]

    @property
    def _answers(self) -> AllAnswers:
        assert self.screen.panes.answers is not None
        return self.screen.panes.answers

    def all_answers(self, width: int = 60) -> list[str]:
        """The rows of all answers as they are drawn, each in one line."""
        return [words(drawn(self._answers.draw(row, width, None))) for row in self._answers.rows[1:]]

    def of_all_answers(self, width: int = 200) -> str:
        """What is said above all answers."""
        return words(drawn(self._answers.draw(self._answers.rows[0], width, None)))

    def of_answer(self, width: int = 110) -> str:
        """What stands below all answers of the selected one."""
        row = self._answers.row
        return "" if row is None else words(drawn(self._answers.foot(row, width)))

    def selected_answer(self) -> str:
        """The name of the selected one of all answers."""
        return "" if self._answers.answer is None else self._answers.answer.answer.label

    def beside(self) -> list[tuple[str, list[str]]]:
        """The answers that are read beside each other: what is said above each, and what is lit up in it."""
        pane = self.screen.panes.answer
        threads = [each for each in (pane.thread, pane.second) if each.display] if pane is not None else []
        return [
            (words(drawn(each.head(200))), [span.of(row.text) for row in each.rows for span in row.evidence])
            for each in threads
        ]


def drawn(lines: Iterable[Line]) -> str:
    """Lines of a list as text."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


class Asked:
    """A question, or a page, on top of the screen."""

    def __init__(self, page: Page, screen: ModalScreen[Any]) -> None:
        self._page = page
        self.screen = screen

    @property
    def is_unfinished(self) -> bool:
        """Whether something was written that a quit would lose."""
        dialog: Any = self.screen
        return dialog.is_unfinished

    @property
    def title(self) -> str:
        return " ".join(str(each.border_title) for each in self.screen.query(".dialog"))

    @property
    def keys(self) -> str:
        """What the frame says of the keys."""
        return " ".join(str(each.border_subtitle) for each in self.screen.query(".dialog"))

    @property
    def text(self) -> str:
        """All that is said: the title, the texts and the choices."""
        texts = [str(each.render()) for each in self.screen.query(Static)]
        return words(" ".join([self.title, *texts, *self.choices]))

    @property
    def diff(self) -> str:
        """The difference that is shown."""
        return str(self.screen.query_one("#lines", Static).render())

    @property
    def _options(self) -> OptionList:
        return self.screen.query_one(OptionList)

    @property
    def choices(self) -> list[str]:
        """What can be chosen, as it is written."""
        return [str(each.prompt) for found in self.screen.query(OptionList) for each in found.options]

    @property
    def ids(self) -> list[str | None]:
        """The choices by their ids."""
        return [each.id for each in self._options.options]

    def highlight(self, choice: str) -> None:
        """Highlight the choice with this id, or the first that says so."""
        found = [choice in (each.id, *str(each.prompt).splitlines()) for each in self._options.options]
        said = [choice in str(each.prompt) for each in self._options.options]
        self._options.focus()
        self._options.highlighted = (found if any(found) else said).index(True)

    async def choose(self, choice: str) -> None:
        """Take the choice with this id, or the first that says so."""
        self.highlight(choice)
        await self._page.hit("enter")

    @property
    def has_field(self) -> bool:
        """Whether something is to be written."""
        return bool(self.screen.query(Input))

    def field(self, name: str = "Input") -> Input:
        """The field to write in."""
        return self.screen.query_one(name, Input)

    async def fill(self, value: str, name: str = "Input") -> None:
        """Write `value` into the field, and accept it."""
        self.field(name).value = value
        await self._page.hit("enter")

    def is_idle(self, said: str) -> bool:
        """Whether the choice that says so cannot be taken now."""
        (found,) = [each.disabled for each in self._options.options if said in str(each.prompt)]
        return found

    @property
    def wrong(self) -> str:
        """What is wrong in what was filled in; "" where nothing is said to be."""
        return " ".join(str(each.render()) for each in self.screen.query(".wrong").results(Static) if each.display)

    def scrolled(self, part: str) -> int:
        """How far a part is scrolled."""
        return self.screen.query_one(part).scroll_offset.y

    @property
    def is_there(self) -> bool:
        """Whether it is still on top of the screen."""
        return self._page.app.screen is self.screen

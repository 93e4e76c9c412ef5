"""The base of all dialogs, and the questions with choices or with a line of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Mount
from textual.widgets import Input, Static
from textual.widgets.option_list import Option

from engine.text.spans import visible
from studio.session.host import (
    Choice,
    Choose,
    EnterText,
    FirstCase,
    FirstCaseQuestion,
    Host,
    MarkQuestion,
    Question,
)
from studio.tui.closing import ClosesOnce
from studio.tui.dialogs.hanging import Hanging
from studio.tui.option_lists import Options

if TYPE_CHECKING:
    from textual.app import App

Answer = TypeVar("Answer")

_INDENT = 2
_LEAST_ROWS = 3
_CHOOSES = "Enter chooses · Esc changes nothing"
ASKED_BY: dict[type[Question[Any]], Callable[[Any], Dialog[Any]]] = {}
"""The dialogs by their questions: `class EditAnswer(Dialog[str], asks=EditQuestion)`."""


class Dialog(ClosesOnce[Answer | None]):
    """A dialog in a thin frame over the screen. Escape answers None: nothing is done.

    A subclass says in `content` what is in the frame. The parts of the class `fits` scroll where the terminal, which
    may become smaller, leaves them too few rows; the first is the last to.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Stay", show=False)]
    DEFAULT_CSS = """
    Dialog { align: center middle; background: $background 60%; }
    Dialog > .dialog {
        width: 76; max-width: 96%; height: auto; max-height: 90%;
        border: solid $line-focus; background: $surface; padding: 0 1;
        border-title-color: $foreground; border-title-style: bold; border-title-background: $surface;
        border-subtitle-color: $ink-dim; border-subtitle-background: $surface;
    }
    Dialog .dialog-text { padding: 1 1 0 1; height: auto; }
    Dialog .fits { height: auto; max-height: 60vh; scrollbar-size-vertical: 1; }
    Dialog OptionList { border: none; padding: 0; margin: 1 0; background: $surface; }
    Dialog OptionList > .option-list--option { padding: 0 1; }
    Dialog OptionList:focus { border: none; background-tint: transparent; }
    Dialog OptionList:focus > .option-list--option-highlighted { text-style: bold; }
    Dialog Input { margin: 1 0; border: solid $line; background: $surface; padding: 0 1; height: 3; }
    Dialog Input:focus { border: solid $line-focus; }
    """

    host: Host
    """Asks further questions."""

    def __init_subclass__(cls, asks: type[Question[Any]] | None = None, **options: Any) -> None:
        if asks is not None:
            ASKED_BY[asks] = cls
        super().__init_subclass__(**options)

    def __init__(self, title: str, keys: str = "Esc closes") -> None:
        super().__init__()
        self.frame = Vertical(classes="dialog")
        self._began: list[str] = []
        self.entitle(title, keys)

    def entitle(self, title: str, keys: str) -> None:
        """Change the title, and what the frame says of the keys."""
        self.frame.border_title = Content(visible(title))
        self.frame.border_subtitle = Content(keys)

    def compose(self) -> ComposeResult:
        with self.frame:
            yield from self.content()

    def content(self) -> ComposeResult:
        """What is in the frame."""
        raise NotImplementedError

    def on_resize(self) -> None:
        """Lay out what scrolls."""
        self.call_after_refresh(self.fit)

    def fit(self) -> None:
        """Give the parts that scroll the rows that all others leave. Call it again once one of them has other rows."""
        parts = list(self.query(".fits"))
        others = sum(each.outer_size.height for each in self.frame.displayed_children if each not in parts)
        margins = sum(each.styles.margin.height for each in self.frame.displayed_children)
        left = self.size.height * 9 // 10 - self.frame.gutter.height - others - margins
        self.frame.styles.overflow_y = "auto" if left < _LEAST_ROWS * len(parts) else "hidden"
        for number, part in enumerate(parts, 1):
            wanted = part.virtual_size.height + part.gutter.height
            rows = max(min(wanted, left - _LEAST_ROWS * (len(parts) - number)), _LEAST_ROWS)
            part.styles.max_height = rows
            left -= rows

    @on(Mount)
    def _note_fields(self) -> None:
        self._began = self._fields

    @property
    def _fields(self) -> list[str]:
        return [field.value for field in self.query(Input)]

    @property
    def is_unfinished(self) -> bool:
        """Whether quitting the studio would lose something typed here."""
        return self._fields != self._began

    def give_up(self) -> None:
        """Called when the author leaves the studio and gives up what is typed here."""


def said(text: str) -> Static:
    """A paragraph of a dialog."""
    return Static(Content(visible(text)), classes="dialog-text", markup=False)


def choice_prompt(label: str, detail: str = "", *, warning: str = "") -> Hanging:
    """An option's label, with a warning and its dimmed detail on the lines below, which keep their indent."""
    lines = [(0, Content(visible(label)))]
    if warning:
        lines.append((_INDENT, Content.styled(f"▲ {visible(warning)}", "$ink-warning")))
    if detail:
        lines.append((_INDENT, Content.styled(visible(detail), "$ink-dim")))
    return Hanging(*lines)


def column_prompt(choice: Choice, column: int, *, is_marked: bool) -> Hanging:
    """An option's mark and label, with its dimmed detail from `column` on, or below a label that is longer."""
    label = visible(choice.label), "" if choice.is_ready else "$ink-dim"
    name = Content.assemble(("✓ " if is_marked else "  ", "bold"), label)
    text = Content.styled(visible(choice.detail), "$ink-dim")
    if name.cell_length >= column:
        return Hanging((0, name), (2 * _INDENT, text))
    return Hanging((Content.assemble(name, " " * (column - name.cell_length)), text))


class Choices(Dialog[Answer]):
    """A question with choices, which Enter answers."""

    def __init__(self, title: str, text: str, choices: Sequence[Choice], keys: str = _CHOOSES) -> None:
        super().__init__(title, keys)
        self._text = text
        self.text = said(text)
        self.choices = {each.id: each for each in choices}

    def content(self) -> ComposeResult:
        if self._text:
            yield self.text
        yield self.options()

    def options(self) -> Options:
        """The list of the choices."""
        return Options(*(Option(self.prompt(each), id=each.id) for each in self.choices.values()), classes="fits")

    def prompt(self, choice: Choice) -> Hanging | Content:
        """How a choice is shown."""
        return choice_prompt(choice.label, choice.detail)

    def show_again(self, id: str) -> None:
        """Show a choice anew."""
        self.query_one(Options).replace_option_prompt(id, self.prompt(self.choices[id]))
        self.call_after_refresh(self.fit)

    def on_input_submitted(self) -> None:
        """Go on from a field to the choices."""
        self.query_one(Options).focus()

    def on_option_list_option_selected(self, event: Options.OptionSelected) -> None:
        """Answer with the choice."""
        self.take(event.option_id or "")

    def take(self, id: str) -> None:
        """Answer with the choice of this id."""
        raise NotImplementedError


class Ask(Choices[str], asks=Choose):
    """Answers with the id of a choice."""

    def __init__(self, question: Choose) -> None:
        super().__init__(question.title, question.text, question.choices)

    def take(self, id: str) -> None:
        self.dismiss(id)


class MarkChoices(Choices[frozenset[str]], asks=MarkQuestion):
    """Answers with the ids of the choices that Space has marked."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "mark", "Mark", show=False)]
    DEFAULT_CSS = "MarkChoices > .dialog { width: 90; }"

    def __init__(self, question: MarkQuestion) -> None:
        keys = "Space marks · Enter takes what is marked · Esc changes nothing"
        super().__init__(question.title, question.text, question.choices, keys)
        self._before = question.marked
        self._marked = set(question.marked)

    @property
    def is_unfinished(self) -> bool:
        return self._marked != self._before

    def action_mark(self) -> None:
        """Mark the highlighted choice, or unmark it."""
        option = self.query_one(Options).highlighted_option
        if option is not None and option.id is not None:
            self._marked ^= {option.id}
            self.show_again(option.id)

    def take(self, id: str) -> None:
        self.dismiss(frozenset(self._marked))

    def prompt(self, choice: Choice) -> Hanging:
        return choice_prompt(f"{'✓' if choice.id in self._marked else ' '} {choice.label}", choice.detail)


class BeforeFirstCase(Choices[FirstCase], asks=FirstCaseQuestion):
    """Answers with the highlighted place and the name in the field, which may be empty."""

    DEFAULT_CSS = "BeforeFirstCase Input { margin: 0; }"

    def __init__(self, question: FirstCaseQuestion) -> None:
        keys = "Enter chooses · Tab to your name · Esc changes nothing"
        super().__init__(question.title, question.text, question.choices, keys)
        self._author = question.name

    def content(self) -> ComposeResult:
        yield from super().content()
        yield Static(" Your name in it, as who says so; empty for none:", markup=False)
        yield Input(self._author, select_on_focus=False)

    def take(self, id: str) -> None:
        self.dismiss(FirstCase(id, self.query_one(Input).value.strip()))


class AskText(Dialog[str], asks=EnterText):
    """A question answered by one line of text, or by one of the choices that what is typed finds."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", "Next", show=False),
        Binding("up", "move(-1)", "Previous", show=False),
    ]
    DEFAULT_CSS = "AskText Options { margin: 0 0 1 0; }"

    def __init__(self, question: EnterText) -> None:
        super().__init__(question.title, "Enter accepts · Esc changes nothing")
        self._question = question
        self._names = tuple(dict.fromkeys(question.choices))

    def content(self) -> ComposeResult:
        yield said(self._question.text)
        yield Input(self._question.value, placeholder=self._question.placeholder, select_on_focus=False)
        if self._names:
            yield Options(*self._found(), classes="fits")

    @on(Input.Changed)
    def _typed(self) -> None:
        for options in self.query(Options):
            options.set_options(self._found())
            options.highlighted = 0
            self.call_after_refresh(self.fit)

    def _found(self) -> Iterator[Option]:
        """The choices that have all words that are typed, and what is typed where it is none of them."""
        written = self.query_one(Input).value.strip() if self.is_mounted else self._question.value
        if not written:
            yield from (Option(Content(visible(name)), id=name) for name in self._names)
            return
        parts = written.lower().split()
        names = [name for name in self._names if all(part in name.lower() for part in parts)]
        yield from (Option(Content(visible(name)), id=name) for name in names)
        if written not in names:
            yield Option(Content.assemble(visible(written), ("  as written", "$ink-dim")), id=written)

    def action_move(self, by: int) -> None:
        """Highlight another choice."""
        for options in self.query(Options):
            options.action_cursor_down() if by > 0 else options.action_cursor_up()

    @on(Input.Submitted)
    def _accept(self, event: Input.Submitted) -> None:
        chosen = next((each.highlighted_option for each in self.query(Options)), None)
        written = event.value.strip() if chosen is None else chosen.id or ""
        if written or self._question.optional:
            self.dismiss(written)

    @on(Options.OptionSelected)
    def _chosen(self, event: Options.OptionSelected) -> None:
        self.dismiss(event.option_id)


async def may_drop(app: App[Any], dialog: Dialog[Any]) -> bool:
    """Ask whether what was typed in `dialog` may be lost. Call it from a worker."""
    choices = [Choice("stay", "Stay here"), Choice("leave", "Leave the studio", "It is discarded.")]
    text = "What you typed here has not been accepted yet."
    return await app.push_screen_wait(Ask(Choose(str(dialog.frame.border_title or ""), text, choices))) == "leave"

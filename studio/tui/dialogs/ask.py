"""The base of all dialogs, a question with choices, and a question answered by a line of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static
from textual.widgets.option_list import Option

from engine.text.spans import visible
from studio.session.host import Choice
from studio.tui.closing import ClosesOnce
from studio.tui.dialogs.hanging import Hanging
from studio.tui.option_lists import Options

if TYPE_CHECKING:
    from textual.app import App

Answer = TypeVar("Answer")

_INDENT = 2


class Dialog(ClosesOnce[Answer | None]):
    """A dialog in a thin frame over the screen. Escape answers None: nothing is done."""

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
    Dialog OptionList {
        height: auto; max-height: 16; border: none; padding: 0; margin: 1 0; background: $surface;
        scrollbar-size-vertical: 1;
    }
    Dialog OptionList > .option-list--option { padding: 0 1; }
    Dialog OptionList:focus { border: none; background-tint: transparent; }
    Dialog OptionList:focus > .option-list--option-highlighted { text-style: bold; }
    Dialog Input { margin: 1 0; border: solid $line; background: $surface; padding: 0 1; height: 3; }
    Dialog Input:focus { border: solid $line-focus; }
    """

    @property
    def is_unfinished(self) -> bool:
        """Whether quitting the studio would lose something typed here."""
        return False

    def give_up(self) -> None:
        """Called when the author leaves the studio and gives up what is typed here."""


def choice_prompt(label: str, detail: str = "", *, ready: bool = True, warning: str = "") -> Hanging:
    """An option's label, with a warning and its dimmed detail on the lines below; all is dimmed unless it is `ready`.

    Lines that are wrapped keep their indent, to which the blanks before the detail add.
    """
    lines = [(0, Content.styled(visible(label), "" if ready else "$ink-dim"))]
    if warning:
        lines.append((_INDENT, Content.styled(f"▲ {visible(warning)}", "$ink-warning")))
    if detail:
        text = visible(detail)
        more = len(text) - len(text.lstrip())
        lines.append((_INDENT + more, Content.styled(text.lstrip(), "$ink-dim")))
    return Hanging(*lines)


class Ask(Dialog[str]):
    """A question with choices. Enter answers with the id of the highlighted one, Escape with None."""

    def __init__(self, title: str, text: str, choices: Sequence[Choice]) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._choices = choices

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(visible(self._title))
            dialog.border_subtitle = Content("Enter chooses · Esc changes nothing")
            yield Static(Content(visible(self._text)), classes="dialog-text", markup=False)
            yield Options(
                *(Option(choice_prompt(choice.label, choice.detail), id=choice.id) for choice in self._choices),
                markup=False,
            )
            yield from self.compose_below()

    def compose_below(self) -> ComposeResult:
        """What is below the choices."""
        yield from ()

    def on_option_list_option_selected(self, event: Options.OptionSelected) -> None:
        """Answer with the choice."""
        self.dismiss(event.option_id)


class AskText(Dialog[str]):
    """A question answered by one line of text. Escape answers None."""

    def __init__(
        self, title: str, text: str, value: str = "", placeholder: str = "", *, optional: bool = False
    ) -> None:
        """`optional`: the line may be empty."""
        super().__init__()
        self._optional = optional
        self._title = title
        self._text = text
        self._value = value
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(visible(self._title))
            dialog.border_subtitle = Content("Enter accepts · Esc changes nothing")
            yield Static(Content(visible(self._text)), classes="dialog-text", markup=False)
            yield Input(self._value, placeholder=self._placeholder, select_on_focus=False)

    @property
    def is_unfinished(self) -> bool:
        return self.query_one(Input).value != self._value

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answer with the line, unless it is blank and must not be."""
        if event.value.strip() or self._optional:
            self.dismiss(event.value.strip())


async def may_drop(app: App[Any], dialog: Dialog[Any]) -> bool:
    """Ask whether what was typed in `dialog` may be lost. Call it from a worker."""
    title = dialog.query_one(".dialog").border_title
    choices = [Choice("stay", "Stay here"), Choice("leave", "Leave the studio", "It is discarded.")]
    text = "What you typed here has not been accepted yet."
    return await app.push_screen_wait(Ask(str(title or ""), text, choices)) == "leave"

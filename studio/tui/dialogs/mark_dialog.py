"""A question with several answers at once: Space marks, Enter answers with all that is marked."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static
from textual.widgets.option_list import Option

from engine.text.spans import visible
from studio.session.host import Choice
from studio.session.questions import MarkQuestion
from studio.tui.dialogs.ask import Dialog, choice_prompt
from studio.tui.dialogs.hanging import Hanging
from studio.tui.option_lists import Options


class MarkChoices(Dialog[frozenset[str]]):
    """Answers with the ids of the marked choices."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "mark", "Mark", show=False)]
    DEFAULT_CSS = """
    MarkChoices > .dialog { width: 90; }
    MarkChoices OptionList { max-height: 24; }
    """

    def __init__(self, question: MarkQuestion) -> None:
        super().__init__()
        self._question = question
        self._marked = set(question.marked)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(visible(self._question.title))
            dialog.border_subtitle = Content("Space marks · Enter takes what is marked · Esc changes nothing")
            yield Static(Content(visible(self._question.text)), classes="dialog-text", markup=False)
            yield Options(*(Option(self._prompt(each), id=each.id) for each in self._question.choices), markup=False)

    @property
    def is_unfinished(self) -> bool:
        return self._marked != self._question.marked

    def action_mark(self) -> None:
        """Mark the highlighted choice, or unmark it."""
        options = self.query_one(Options)
        option = options.highlighted_option
        if option is None or option.id is None:
            return
        self._marked ^= {option.id}
        choice = next(each for each in self._question.choices if each.id == option.id)
        options.replace_option_prompt(option.id, self._prompt(choice))

    def on_option_list_option_selected(self) -> None:
        """Answer with what is marked."""
        self.dismiss(frozenset(self._marked))

    def _prompt(self, choice: Choice) -> Hanging:
        return choice_prompt(f"{'✓' if choice.id in self._marked else ' '} {choice.label}", choice.detail)

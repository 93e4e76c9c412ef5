"""Where the first case of a blueprint is written, and under which name."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static
from textual.widgets.option_list import Option

from engine.text.spans import visible
from studio.session.questions import FirstCase, FirstCaseQuestion
from studio.tui.dialogs.ask import Dialog, choice_prompt
from studio.tui.option_lists import Options


class BeforeFirstCase(Dialog[FirstCase]):
    """Answers with the highlighted place and the name in the field, which may be empty."""

    DEFAULT_CSS = """
    BeforeFirstCase > .dialog { overflow-y: auto; }
    BeforeFirstCase #name-label { padding: 0 1; height: auto; }
    BeforeFirstCase Input { margin: 0; }
    """

    def __init__(self, question: FirstCaseQuestion) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        question = self._question
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(visible(question.title))
            dialog.border_subtitle = Content("Enter chooses · Tab to your name · Esc changes nothing")
            yield Static(Content(visible(question.text)), classes="dialog-text", markup=False)
            yield Options(
                *(Option(choice_prompt(each.label, each.detail), id=each.id) for each in question.choices), markup=False
            )
            yield Static("Your name in it, as who says so; empty for none:", id="name-label", markup=False)
            yield Input(question.name, select_on_focus=False)

    @property
    def is_unfinished(self) -> bool:
        return self.query_one(Input).value != self._question.name

    def on_input_submitted(self) -> None:
        """Go on to the places."""
        self.query_one(Options).focus()

    def on_option_list_option_selected(self, event: Options.OptionSelected) -> None:
        """Answer with the place and the name."""
        self.dismiss(FirstCase(event.option_id or "", self.query_one(Input).value.strip()))

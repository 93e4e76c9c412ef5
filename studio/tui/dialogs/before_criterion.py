"""The dialog before a criterion is judged: the plan of this turn, and the amount for it and all rewordings."""

from __future__ import annotations

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static
from textual.widgets.option_list import Option

from engine.asking.run_plan import one_line
from engine.text.spans import visible
from studio.session.questions import CriterionQuestion
from studio.tui.dialogs.ask import choice_prompt
from studio.tui.dialogs.before_run import BeforeRun


class BeforeCriterion(BeforeRun):
    """Answers with the decision to send, whose cap is the amount for all turns; None sends nothing."""

    def __init__(self, question: CriterionQuestion) -> None:
        super().__init__(question)
        self._so_far = question.so_far

    @property
    def _title(self) -> str:
        return "Judge this criterion"

    @property
    def _cap_label(self) -> str:
        return "In all, up to $"

    def _before_receivers(self) -> ComposeResult:
        if self._so_far:
            yield Static(Content(visible(f"Criteria of this file: {self._so_far}.")), markup=False)

    @property
    def _later(self) -> str:
        """What the consent covers beside this turn."""
        return "Rewordings go to the same judges without a question, as long as they cost no more in all."

    def _choices(self) -> Iterator[Option]:
        yield Option(choice_prompt(f"Send: {one_line(self._plan)}", self._later), id="send")
        yield Option(choice_prompt("Do not send"), id="stay")


class BeforeClosing(BeforeCriterion):
    """The same for the verdicts that a comparison lacks."""

    @property
    def _title(self) -> str:
        return "Have the missing verdicts judged"

    @property
    def _later(self) -> str:
        return "Later comparisons go to the same judges without a question, as long as they cost no more in all."

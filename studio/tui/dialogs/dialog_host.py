"""The terminal application as the host of a session: its questions become dialogs, its messages toasts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from studio.session.host import (
    AnswerQuestion,
    Choose,
    DifferenceQuestion,
    EditQuestion,
    EnterText,
    FirstCaseQuestion,
    FixQuestion,
    Host,
    JudgeQuestion,
    MarkQuestion,
    Question,
    RepeatsQuestion,
    RunQuestion,
    Severity,
)

if TYPE_CHECKING:
    from textual.app import App

    from studio.tui.dialogs.ask import Dialog

Answer = TypeVar("Answer")


class DialogHost:
    """Shows dialogs and toasts over the present screen."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app

    async def ask(self, question: Question[Answer]) -> Answer | None:
        """The author's answer."""
        answered: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()

        def answer(given: Any) -> None:
            if not answered.done():
                answered.set_result(given)

        await self._app.push_screen(dialog_of(question, self), answer)
        return await answered

    def notify(self, message: str, severity: Severity = Severity.INFORMATION, *, seconds: float = 5) -> None:
        """Show a message that needs no answer."""
        self._app.notify(message, severity=severity.value, timeout=seconds, markup=False)

    def fail(self, error: BaseException) -> None:
        """End the application with its report of an internal error."""

        async def fault() -> None:
            raise error

        self._app.run_worker(fault())


def dialog_of(question: Question[Any], host: Host) -> Dialog[Any]:
    """The dialog for `question`. Its own further questions go through `host`."""
    from studio.session.fixes import FixReport
    from studio.session.reference import ReferencePage
    from studio.session.views.history_view import HistoryView
    from studio.tui.dialogs import (  # after first frames
        answers,
        ask,
        before_run,
        edit_answer,
        fix_dialog,
        history,
        page,
    )

    match question:
        case AnswerQuestion():
            return answers.ChooseAnswers(question, host)
        case JudgeQuestion():
            return answers.ChooseJudges(question, host)
        case RunQuestion():
            return before_run.BeforeRun(question)
        case FixQuestion():
            return fix_dialog.ChooseFix(question)
        case DifferenceQuestion():
            return fix_dialog.AskWithDifference(question)
        case EditQuestion():
            return edit_answer.EditAnswer(question)
        case MarkQuestion():
            return ask.MarkChoices(question)
        case FirstCaseQuestion():
            return ask.BeforeFirstCase(question)
        case FixReport():
            return fix_dialog.AppliedFixes(question)
        case HistoryView():
            return history.EarlierRuns(question)
        case ReferencePage():
            return page.RulePage(question)
        case RepeatsQuestion(repeats):
            return page.RepeatsPage(repeats)
        case Choose(title, text, choices):
            return ask.Ask(title, text, choices)
        case EnterText():
            return ask.AskText(question)
        case _:
            raise TypeError(f"there is no dialog for {type(question).__name__}")

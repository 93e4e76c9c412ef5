"""The terminal application as the host of a session: its questions become dialogs, its messages toasts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from studio.session.host import Question, Severity
from studio.session.questions import (
    AnswerQuestion,
    DifferenceQuestion,
    EditQuestion,
    FixQuestion,
    JudgeQuestion,
    RunQuestion,
)

if TYPE_CHECKING:
    from textual.app import App

    from studio.session.host import Host
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
    match question:
        case AnswerQuestion():
            from studio.tui.dialogs.answers import ChooseAnswers

            return ChooseAnswers(question, host)
        case JudgeQuestion():
            from studio.tui.dialogs.answers import ChooseJudges

            return ChooseJudges(question, host)
        case RunQuestion():
            from studio.tui.dialogs.before_run import BeforeRun

            return BeforeRun(question)
        case FixQuestion():
            from studio.tui.dialogs.fix_dialog import ChooseFix

            return ChooseFix(question)
        case DifferenceQuestion():
            from studio.tui.dialogs.fix_dialog import AskWithDifference

            return AskWithDifference(question)
        case EditQuestion():
            from studio.tui.dialogs.edit_answer import EditAnswer

            return EditAnswer(question)
        case _:
            from studio.tui.dialogs.ask import question_dialog

            return question_dialog(question)

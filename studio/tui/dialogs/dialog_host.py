"""The terminal application as the host of a session: its questions become dialogs, its messages toasts."""

from __future__ import annotations

import asyncio
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, TypeVar

from studio.session.host import Host, Question, Severity
from studio.tui import dialogs

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
    for module in iter_modules(dialogs.__path__):  # after first frames
        import_module(f"{dialogs.__name__}.{module.name}")
    from studio.tui.dialogs.ask import ASKED_BY

    dialog = next(ASKED_BY[kind] for kind in type(question).__mro__ if kind in ASKED_BY)(question)
    dialog.host = host
    return dialog

"""Messages on the screen: the same one stands there once, and none stands over a score that the author asks for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from textual.notifications import Notification
from textual.screen import Screen


def repeated(shown: Iterable[Notification], message: Notification) -> list[Notification]:
    """The messages that are `shown` and say the same as `message`."""
    words = (message.severity, message.title, message.message)
    return [each for each in shown if (each.severity, each.title, each.message) == words]


def remove_toast(screen: Screen[Any], message: Notification) -> None:
    """Remove a message from the screen with its row, which Textual leaves empty."""
    for holder in screen.query("ToastHolder"):
        if holder.id is not None and holder.id.endswith(message.identity):
            holder.remove()


def drop_all(screen: Screen[Any]) -> None:
    """Remove all messages from a screen, with their rows."""
    screen.query("ToastHolder").remove()
    screen.app.clear_notifications()

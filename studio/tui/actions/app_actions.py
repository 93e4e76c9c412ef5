"""The actions that work everywhere."""

from __future__ import annotations

from functools import partial

from studio.tui.action import Action, Place

_action = partial(Action, place=Place.APP)

APP_ACTIONS: tuple[Action, ...] = (
    _action(
        "help",
        "Help",
        "f1",
        "Explains the pane that has the focus, and its keys.",
        footer="help",
        synonyms=("keys", "shortcuts", "manual", "what can I do"),
    ),
    _action(
        "palette",
        "All actions",
        "ctrl+p",
        "Finds every action by its name, or by what you would call it.",
        footer="actions",
    ),
    _action(
        "theme",
        "Switch between dark and light",
        "",
        "Changes the colours; remembered.",
        synonyms=("theme", "colour", "color", "appearance", "dark mode"),
    ),
    _action(
        "author_name",
        "Your name in cases",
        "",
        "Asks for the name that stands in case files as who says so; empty for none. Remembered in the settings.",
        synonyms=("my name", "who am I"),
    ),
    _action(
        "quit",
        "Quit",
        "ctrl+q",
        "Leaves the studio; asks first when something is not saved.",
        footer="quit",
        synonyms=("exit", "close", "leave"),
    ),
)

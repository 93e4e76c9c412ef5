"""The actions that work everywhere."""

from __future__ import annotations

from studio.tui.action import Action, Place

APP_ACTIONS: tuple[Action, ...] = (
    Action(
        "help",
        "Help",
        "f1",
        "Explains the pane that has the focus, and its keys.",
        Place.APP,
        footer="help",
        synonyms=("keys", "shortcuts", "manual", "what can I do"),
    ),
    Action(
        "palette",
        "All actions",
        "ctrl+p",
        "Finds every action by its name, or by what you would call it.",
        Place.APP,
        footer="actions",
    ),
    Action(
        "theme",
        "Switch between dark and light",
        "",
        "Changes the colours; remembered.",
        Place.APP,
        synonyms=("theme", "colour", "color", "appearance", "dark mode"),
    ),
    Action(
        "author_name",
        "Your name in cases",
        "",
        "Asks for the name that stands in case files as who says so; empty for none. Remembered in the settings.",
        Place.APP,
        synonyms=("my name", "who am I"),
    ),
    Action(
        "quit",
        "Quit",
        "ctrl+q",
        "Leaves the studio; asks first when something is not saved.",
        Place.APP,
        footer="quit",
        synonyms=("exit", "close", "leave"),
    ),
)

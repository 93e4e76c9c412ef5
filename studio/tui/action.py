"""What an action is: its key, its texts, and the place where it works."""

from __future__ import annotations

from enum import StrEnum

from engine.text.record import Record


class Place(StrEnum):
    """Where an action works: everywhere, on one screen, or while one pane has the focus."""

    APP = "app"
    BLUEPRINT = "blueprint"
    START = "start"
    EDITOR = "editor"
    OUTLINE = "outline"
    PROBLEMS = "problems"
    RESULT = "result"
    ANSWER = "answer"
    MATRIX = "matrix"
    GRADING = "grading"
    ANSWERS = "answers"
    CRITERION = "criterion"


PANES = {
    Place.BLUEPRINT: (
        Place.EDITOR,
        Place.OUTLINE,
        Place.PROBLEMS,
        Place.RESULT,
        Place.ANSWER,
        Place.CRITERION,
    ),
}
"""The panes of each screen that has panes."""


class Action(Record):
    """One action. Its `id` names the method that runs it: `run` is `action_run`.

    `key` is Textual's name of the key, "" for an action that only the palette offers. `aliases` are further keys that
    other programs use for the same action; neither footer nor help shows them. `footer` is its label in the footer, ""
    to leave it out; neighbours with the same label share one entry. `in_palette` is False for an action that needs a
    selected row. `printed` replaces the printed key where one action has several, and each of the `digits` among these
    is passed to the method. With `of_screen` the method belongs to the screen, not to the pane. The `letters` are keys
    that do the same while no text is edited: a text takes them as letters. By its `synonyms`, what authors call it, the
    palette finds it too.
    """

    id: str
    label: str
    key: str
    help: str
    place: Place
    footer: str = ""
    aliases: tuple[str, ...] = ()
    in_palette: bool = True
    printed: str = ""
    digits: str = ""
    of_screen: bool = False
    letters: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()

    @property
    def handler(self) -> tuple[Place, str]:
        """The place that has its method, and its id. Two rows with one handler are one action with two keys."""
        return (Place.BLUEPRINT if self.of_screen else self.place), self.id

    @property
    def method(self) -> str:
        """The name by which Textual runs it from a widget in its place."""
        return f"screen.{self.id}" if self.of_screen else self.id

    @property
    def at_click(self) -> str:
        """What Textual runs at a click in the footer; "" where a click does not say which of its `digits` is meant."""
        if self.digits:
            return ""
        if self.place is Place.APP:
            return f"app.{self.id}"
        return f"screen.{self.id}" if self.of_screen or self.place is Place.BLUEPRINT else self.id

    @property
    def bound(self) -> dict[str, str]:
        """Each key that it is bound to, with what Textual runs for it."""
        keys = {key: self.method for key in (self.key, *self.aliases, *self.letters) if key}
        return keys | {digit: f"{self.method}({digit})" for digit in self.digits}

    @property
    def keys(self) -> str:
        """Its key as printed, "" where it has none."""
        return self.printed or (key_label(self.key) if self.key else "")


_KEY_NAMES = {"enter": "Enter", "escape": "Esc", "ctrl": "Ctrl", "space": "Space", "tab": "Tab", "shift": "Shift"}


def key_label(key: str) -> str:
    """A key as printed on the screen: `f5` is F5, `ctrl+s` is Ctrl+S, a plain letter stays as it is."""
    parts = key.split("+")
    return "+".join(
        _KEY_NAMES.get(part) or (part.upper() if len(parts) > 1 or part[1:].isdigit() else part) for part in parts
    )

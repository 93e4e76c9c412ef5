"""What an action is: its key, its texts, the place where it works, and its command."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.text.record import Record, field

if TYPE_CHECKING:
    from studio.tui.screens.blueprint_screen import BlueprintScreen


Command: TypeAlias = "Callable[[BlueprintScreen], object]"


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
    CRITERION = "criterion"


PANES = {Place.BLUEPRINT: (Place.EDITOR, Place.OUTLINE, Place.PROBLEMS, Place.RESULT, Place.ANSWER, Place.CRITERION)}
"""The panes of each screen that has panes."""


class PlaceHelp(Record):
    """What `help.toml` says of a place: its title, what it is for, and what the actions do that its widget does."""

    title: str
    text: str = ""
    actions: dict[str, str] = field(default_factory=dict)


@cache
def places() -> Mapping[Place, PlaceHelp]:
    """The help on all places; read when the author first asks for it."""
    from msgspec import convert

    written = Path(__file__).with_name("help.toml").read_text("utf-8")
    return convert(tomllib.loads(written), dict[Place, PlaceHelp])


class Action(Record):
    """One action. `does` is its command on the screen of a blueprint, which `BlueprintScreen.do` runs. Without it, the
    widget of its place does it itself, by the method `action_ID`: a text area, a list, another screen, the app.

    `key` is Textual's name of the key, "" for an action that only the palette offers. `aliases` are further keys that
    other programs use for the same action; neither footer nor help shows them. `footer` is its label in the footer, ""
    to leave it out; neighbours with the same label share one entry. `in_palette` is False for an action that needs a
    selected row. Each of the `digits` is a key too, and is passed to the method. The `letters` are keys that do the
    same while no text is edited: a text takes them as letters. By its `synonyms`, what authors call it, the palette
    finds it too.
    """

    place: Place
    id: str
    label: str
    key: str
    does: Command | None = None
    footer: str = ""
    aliases: tuple[str, ...] = ()
    in_palette: bool = True
    digits: str = ""
    letters: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()

    @property
    def command(self) -> object:
        """What it does, to be compared: two rows with one command are one action with two keys."""
        return self.does or (self.place, self.id)

    @property
    def help(self) -> str:
        """What the label does not say, on one line; "" if it says all."""
        written = places()[self.place].actions.get(self.id) if self.does is None else self.does.__doc__
        return " ".join((written or "").split())

    @property
    def runs(self) -> str:
        """What Textual runs for its key, from a widget in its place."""
        return self.id if self.does is None else f"screen.do('{self.place}.{self.id}')"

    @property
    def at_click(self) -> str:
        """What Textual runs at a click in the footer; "" where a click does not say which of its `digits` is meant."""
        return "" if self.digits else f"app.{self.id}" if self.place is Place.APP else self.runs

    @property
    def bound(self) -> dict[str, str]:
        """Each key that it is bound to, with what Textual runs for it."""
        keys = {key: self.runs for key in (self.key, *self.aliases, *self.letters) if key}
        return keys | {digit: f"{self.runs}({digit})" for digit in self.digits}

    @property
    def keys(self) -> str:
        """Its key as printed, "" where it has none."""
        if self.digits:
            return f"{self.key}…{self.digits[-1]}"
        return key_label(self.key or next(iter(self.letters), ""))


def action(place: Place, does: Command | str, label: str, key: str, **rest: Any) -> Action:
    """A row of the table. A function gives its action id by its name, and help by its docstring; a string is the id of
    an action that the widget of its place does, on which `help.toml` has the help. `rest` are further fields."""
    if isinstance(does, str):
        return Action(place, does, label, key, **rest)
    return Action(place, does.__name__, label, key, does, **rest)


_KEY_NAMES = {
    "enter": "Enter", "escape": "Esc", "ctrl": "Ctrl", "space": "Space", "tab": "Tab", "shift": "Shift", "left": "←",
    "right": "→", "slash": "/", "question_mark": "?", "plus": "+", "less_than_sign": "<", "greater_than_sign": ">",
    "@": "Space",
}  # fmt: skip


def key_label(key: str) -> str:
    """A key as printed on the screen: `f5` is F5, `ctrl+s` is Ctrl+S, a plain letter stays as it is."""
    parts = key.split("+")
    return "+".join(
        _KEY_NAMES.get(part) or (part.upper() if len(parts) > 1 or part[1:].isdigit() else part) for part in parts
    )

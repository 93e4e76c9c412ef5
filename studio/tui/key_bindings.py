"""Textual's key bindings, made from the table of actions."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from studio.tui.action import Place
from studio.tui.actions import at


def bindings(place: Place) -> list[Binding]:
    """The key bindings of one place.

    Those of the app and of whole screens take precedence over a focused widget's own: the text area binds some of the
    same keys. Escape and Enter must not, since dialogs and lists use them, nor may letters, which are typed.
    """
    takes_precedence = place in (Place.APP, Place.BLUEPRINT)
    return [
        Binding(
            key,
            runs,
            action.label,
            show=False,
            priority=takes_precedence and key not in ("escape", "enter", *action.letters),
            id=f"{place}.{action.id}" if key == action.key else None,
        )
        for action in at(place)
        for key, runs in action.bound.items()
    ]


class Placed:
    """A widget or screen where the actions of a place are done: `class Outline(Placed, Widget, place=Place.OUTLINE)`.

    It has the key bindings of the place before its own.
    """

    place: ClassVar[Place]
    BINDINGS: ClassVar[list[BindingType]]

    def __init_subclass__(cls, place: Place | None = None, **options: Any) -> None:
        if place is not None:
            cls.place = place
            cls.BINDINGS = [*bindings(place), *vars(cls).get("BINDINGS", ())]
        super().__init_subclass__(**options)

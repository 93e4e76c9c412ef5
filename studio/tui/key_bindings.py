"""Textual's key bindings, made from the table of actions."""

from __future__ import annotations

from textual.binding import Binding

from studio.tui.action import Place
from studio.tui.actions import at


def bindings(place: Place) -> list[Binding]:
    """The key bindings of one place.

    Those of the app and of whole screens take precedence over a focused widget's own: the text area binds some of the
    same keys. Escape and Enter must not, since dialogs and lists use them, nor may letters, which are typed.
    """
    whole_screen = place in (Place.APP, Place.BLUEPRINT, Place.START)
    return [
        Binding(
            key,
            runs,
            action.label,
            show=False,
            priority=whole_screen and key not in ("escape", "enter", *action.letters),
            id=f"{place}.{action.id}" if key == action.key else None,
        )
        for action in at(place)
        for key, runs in action.bound.items()
    ]

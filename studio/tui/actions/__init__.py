"""Everything a key can do: a function an action, and the table of their keys, from which bindings, palette, footer and
help are made.

To add an action: a function on the screen of a blueprint, whose name is the action's id and whose docstring its help,
and a row of the table among those of its place. What a pane or another screen does itself is its method `action_ID`,
which the row names; `help.toml` has its help. A coroutine function is for what takes a while, or asks: what is typed
next waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from studio.tui.action import Action, Place
from studio.tui.actions.table import ACTIONS as ACTIONS


def at(place: Place) -> Iterator[Action]:
    """The actions of one place, in the order of the table."""
    return (action for action in ACTIONS if action.place is place)

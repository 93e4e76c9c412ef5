"""The table of actions: everything a key can do. Bindings, palette, footer and help are made from it.

To add an action: a row among those of its place that names its command by `does`, or a method `action_ID` on the screen
or pane that the place names.
"""

from __future__ import annotations

from collections.abc import Iterator

from studio.tui.action import Action, Place
from studio.tui.actions.pane_actions import PANE_ACTIONS
from studio.tui.actions.screen_actions import SCREEN_ACTIONS

ACTIONS: tuple[Action, ...] = (*SCREEN_ACTIONS, *PANE_ACTIONS)


def at(place: Place) -> Iterator[Action]:
    """The actions of one place, in the order of the table."""
    return (action for action in ACTIONS if action.place is place)

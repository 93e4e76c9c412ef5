"""The table of actions: everything a key can do. Bindings, palette, footer and help are made from it.

To add an action: a row in the file of its place that names its command by `does`, or a method `action_ID` on the screen
or pane that the place names.
"""

from __future__ import annotations

from collections.abc import Iterator

from studio.tui.action import Action, Place
from studio.tui.actions.answer_actions import ANSWER_ACTIONS
from studio.tui.actions.app_actions import APP_ACTIONS
from studio.tui.actions.blueprint_actions import BLUEPRINT_ACTIONS
from studio.tui.actions.comparison_actions import COMPARISON_ACTIONS
from studio.tui.actions.criterion_actions import CRITERION_ACTIONS
from studio.tui.actions.editor_actions import EDITOR_ACTIONS
from studio.tui.actions.list_actions import LIST_ACTIONS
from studio.tui.actions.result_actions import RESULT_ACTIONS

ACTIONS: tuple[Action, ...] = (
    *BLUEPRINT_ACTIONS,
    *LIST_ACTIONS,
    *EDITOR_ACTIONS,
    *RESULT_ACTIONS,
    *CRITERION_ACTIONS,
    *ANSWER_ACTIONS,
    *COMPARISON_ACTIONS,
    *APP_ACTIONS,
)


def at(place: Place) -> Iterator[Action]:
    """The actions of one place, in the order of the table."""
    return (action for action in ACTIONS if action.place is place)

"""What the footer says: the actions of the focused pane, then those of the screen, in words that name what runs."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen

from studio.session.views.status_view import FooterView
from studio.tui.actions import FootEntry, Place, at, foot_entries
from studio.tui.editor import BlueprintEditor

_ONLY_NARROW = ("outline", "problems")
_ONLY_WIDE = ("previous_problem", "next_problem", "answers", "fix", "save", "quit")
_ONLY_PROMPT = ("grade", "judges")
_ONLY_HEADER = ("sort",)


def place_of(screen: Screen[Any]) -> Place:
    """Where the focus is: the place of the focused pane, or of the screen."""
    node = screen.focused
    while node is not None and node is not screen:
        place = Place.EDITOR if isinstance(node, BlueprintEditor) else getattr(node, "place", None)
        if isinstance(place, Place):
            return place
        node = node.parent
    return screen_place(screen)


def screen_place(screen: Screen[Any]) -> Place:
    """The place that the whole screen is."""
    place = getattr(screen, "place", None)
    return place if isinstance(place, Place) else Place.APP


def entries(screen: Screen[Any], view: FooterView, *, narrow: bool) -> list[FootEntry]:
    """The footer's entries for the present focus."""
    return entries_at(place_of(screen), screen_place(screen), view, narrow=narrow)


def entries_at(pane: Place, whole: Place, view: FooterView, *, narrow: bool) -> list[FootEntry]:
    """The footer's entries where the focus is in `pane` of the screen `whole`."""
    actions = [*(at(pane) if pane is not whole else ()), *at(whole), *at(Place.APP)]
    words = {
        "run": "stop" if view.is_running else f"run {view.answers}",
        "run_all": "" if view.is_running else "run all",
    }
    if pane not in (Place.EDITOR, whole):
        words["editor"] = "back"
    words |= dict.fromkeys(_ONLY_WIDE if narrow else _ONLY_NARROW, "")
    if view.of_header and not view.is_running:
        words["run"] = ""  # the header has no prompt to run; all of them can be
    if pane is Place.RESULT:
        words |= dict.fromkeys(_ONLY_PROMPT if view.of_header else _ONLY_HEADER, "")
    if narrow:
        words["palette"] = "all"
    return foot_entries(sorted(actions, key=lambda action: action.id in ("help", "palette")), words)

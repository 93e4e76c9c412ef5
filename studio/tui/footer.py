"""The footer's entries: the actions of the focused pane, then those of the screen, with labels that say what runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any

from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import TextArea

from engine.text.record import Record, replace
from studio.session.views.outline_view import FooterView
from studio.tui.action import Action, Place
from studio.tui.actions import at

_ONLY_NARROW = ("outline", "problems")
_ONLY_WIDE = ("previous_problem", "next_problem", "choose_answers", "fix", "save", "quit")
_NO_LABELS: Mapping[str, str] = {}
_BLIND_LABELS = {"next_ungraded": "next", "grade_blind": "reveal"}
"""What keys do while names and verdicts are hidden."""
RUN, _SAVE = (action.at_click for id in ("run", "save") for action in at(Place.BLUEPRINT) if action.id == id)
"""What the entries of F5 and Ctrl+S run."""


class FooterEntry(Record):
    """One entry of the footer: the keys as printed, what they do, and what Textual runs at a click ("" for nothing).

    One that `stays` is left out only where nothing else is left to leave out. `shorter` are labels for where the
    room is missing, the longest first; one that `is_priced` is not cut.
    """

    keys: str
    label: str
    action: str
    stays: bool = False
    shorter: tuple[str, ...] = ()
    is_priced: bool = False


def place_of(screen: Screen[Any]) -> Place:
    """The place that has the focus: that of the focused pane, or of the screen."""
    return _said(screen.focused or screen, "place", Place.APP)


def screen_place(screen: Screen[Any]) -> Place:
    """The place of the screen as a whole."""
    return _said(screen, "place", Place.APP)


def _said(node: DOMNode, name: str, default: Any) -> Any:
    """What a widget, or the nearest around it, says by an attribute of this name."""
    return next((getattr(each, name) for each in node.ancestors_with_self if hasattr(each, name)), default)


def entries(
    screen: Screen[Any], view: FooterView, *, narrow: bool, labels: Mapping[str, str] = _NO_LABELS
) -> list[FooterEntry]:
    """The footer's entries for the present focus. A pane names by `idle_actions` the ids of those that have nothing to
    act on, and by `footer_labels` the labels, by ids, that say more than the table, such as a price.

    `labels` are those of actions, by their ids, that depend on the layout.
    """
    said = _said(screen.focused or screen, "footer_labels", _NO_LABELS)
    place, idle = place_of(screen), _idle(screen)
    return entries_at(place, screen_place(screen), view, narrow=narrow, idle=idle, labels=labels, of_pane=said)


def _idle(screen: Screen[Any]) -> frozenset[str]:
    return _said(screen.focused or screen, "idle_actions", frozenset[str]())


def keys_here(screen: Screen[Any]) -> Mapping[str, str]:
    """The actions that work where the focus is, by their ids, with their keys as printed."""
    is_typed = isinstance(screen.focused, TextArea)
    return keys_at(place_of(screen), screen_place(screen), idle=_idle(screen), is_typed=is_typed)


@cache
def keys_at(
    pane: Place, whole: Place, *, idle: frozenset[str] = frozenset(), is_typed: bool = False
) -> Mapping[str, str]:
    """The same with the focus in `pane` of the screen `whole`; `is_typed`: letters are typed there."""
    places = (Place.APP, whole, *((pane,) if pane is not whole else ()))
    return {
        action.id: action.keys
        for place in places
        for action in at(place)
        if action.keys and action.bound and action.id not in idle and not (is_typed and _is_text(action.key))
    }


def _is_text(key: str) -> bool:
    """Whether a text takes the key: all but `f5`, `ctrl+s` and `escape`."""
    return not ("+" in key or key[1:].isdigit() or key == "escape")


def entries_at(
    pane: Place,
    whole: Place,
    view: FooterView,
    *,
    narrow: bool,
    idle: Collection[str] = (),
    labels: Mapping[str, str] = _NO_LABELS,
    of_pane: Mapping[str, str] = _NO_LABELS,
) -> list[FooterEntry]:
    """The footer's entries with the focus in `pane` of the screen `whole`, without the `idle` actions of the pane, with
    its labels `of_pane`."""
    actions = [action for action in at(pane) if action.id not in idle] if pane is not whole else []
    by_layout = labels
    labels = {
        "zoom": "",
        "run": "stop" if view.is_running else f"run {view.answers[0]}",
        "run_all": "" if view.is_running else "run all",
    }
    if pane not in (Place.EDITOR, whole):
        labels["back_to_text"] = "back"
    labels |= dict.fromkeys(_ONLY_WIDE if narrow else _ONLY_NARROW, "")
    if view.unsaved:
        labels.pop("save", None)
    if pane is not Place.ANSWER:  # in lists, the outline has them
        labels |= {"previous_prompt": "", "next_prompt": ""}
    if view.of_header and not view.is_running:
        labels["run"] = ""  # the header has no prompt to run, but all prompts can be run
    if narrow:
        labels["palette"] = "all"
    labels |= by_layout
    around = sorted((*at(whole), *at(Place.APP)), key=lambda action: action.id in ("help", "palette"))
    labelled = ((action, labels.get(action.id, action.footer)) for action in around)
    blind = _BLIND_LABELS if view.is_blind else _NO_LABELS
    of_pane = {"choose_judges": f"judges: {view.judges}", **({"sort": ""} if narrow else {}), **blind, **of_pane}
    said = ((action, of_pane.get(action.id, action.footer)) for action in actions)
    found = footer_entries([*said, *labelled])
    staying = {RUN, _SAVE} if view.unsaved else {RUN}
    shorter = () if view.is_running else tuple(f"run {answers}" for answers in view.answers[1:])
    found = [replace(entry, stays=entry.action in staying) for entry in found]
    return [replace(each, shorter=shorter, is_priced=view.is_priced) if each.action == RUN else each for each in found]


def footer_entries(labelled: Iterable[tuple[Action, str]]) -> list[FooterEntry]:
    """The footer for actions with their labels; those with an empty label are left out.

    A label that an earlier entry has is not repeated: in the problems `f` fixes, and `F4` fixes everywhere else.
    Neighbours with one label share an entry.
    """
    found: list[FooterEntry] = []
    for action, label in labelled:
        if not label or label in [entry.label for entry in found[:-1]]:
            continue
        if found and found[-1].label == label:
            divider = " " if len(action.keys) == 1 else "/"
            found[-1] = FooterEntry(f"{found[-1].keys}{divider}{action.keys}", label, action.at_click)
        else:
            found.append(FooterEntry(action.keys, label, action.at_click))
    return found

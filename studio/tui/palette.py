"""The palette (Ctrl+P) and the help (F1), both made from the table of actions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from textual.await_complete import AwaitComplete
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widgets import Input

from studio.tui.action import PANES, Action, Place
from studio.tui.actions import at
from studio.tui.dialogs.help import Help
from studio.tui.editor import BlueprintEditor
from studio.tui.footer import place_of, screen_place

_TITLES = {
    Place.BLUEPRINT: "A blueprint",
    Place.START: "Blueprint Studio",
    Place.EDITOR: "The blueprint's text",
    Place.OUTLINE: "The outline",
    Place.PROBLEMS: "The problems",
    Place.RESULT: "The result",
    Place.RESPONSE: "The response",
    Place.HISTORY: "The history",
    Place.CONVERSATION: "The conversation",
    Place.APP: "Blueprint Studio",
}

_EXPLAINED = {
    Place.EDITOR: (
        "The blueprint as it is on disk, YAML. Marks in the margin and underlines follow as you type: ● an error, ▲ a "
        "warning, · a hint. After $ the point functions are listed: Tab takes one, Esc closes the list. "
        "Ctrl+Z and Ctrl+Y undo and redo, Tab and Shift+Tab indent, Ctrl+/ makes comments of lines. "
        "Enter behind a point begins the next one; on a dash alone it ends the list. A dash that you type behind that "
        "one is taken as it: for a path, type one more."
    ),
    Place.OUTLINE: (
        "The header and every prompt of the file, by its id. ● counts errors and ▲ warnings in it; the number on the "
        "right is its last score as Weval would store it, 0 to 100. With ¦ behind it, the answer was cut short; with * "
        "verdicts in it are carried over; ! stands for a run that failed, or an answer that was withheld. The selected "
        "row follows the cursor in the text."
    ),
    Place.PROBLEMS: (
        "Everything that is wrong or very likely not meant, in the order of the text. ● is an error: the point cannot "
        "work, or Weval refuses the file. ▲ is a warning: it works, but hardly as meant. · is a hint. The selected one "
        "is explained below the list."
    ),
    Place.RESULT: (
        "The score of the prompt under the cursor and how it came about: every point with its weight and what it "
        "costs, every path, and the arithmetic in its order. With the cursor in the header: what the blueprint says of "
        "itself, its score, and its prompts by what they cost it."
    ),
    Place.RESPONSE: (
        "The answer that was judged, with the evidence of the selected point in ⟦brackets⟧; or the place to type or "
        "paste an answer of your own."
    ),
    Place.CONVERSATION: (
        "The prompt's messages, and between them what is generated; each turn says which it is. While a model answers, "
        "the thread grows, and follows its end only while that is in view. An edited turn is yours: it is scored "
        "at once, nothing is sent, and it never counts as the model's."
    ),
    Place.HISTORY: (
        "Every run of the prompt under the cursor, the newest first, with the score it had; above, each source's score "
        "over time. Enter opens one: its answer is scored against the present rubric, and nothing is sent. ? means "
        "that points were not judged then, ≠ that the rubric was different."
    ),
    Place.BLUEPRINT: "Write, see what is wrong, try a prompt with F5, and read why its score is what it is.",
    Place.START: "Write, check, try and understand Weval evaluation blueprints. Enter opens the selected row.",
    Place.APP: "",
}


class Palette(CommandPalette):
    """The stock palette in the dress of our dialogs."""

    DEFAULT_CSS = """
    Palette {
        align: center top;
        background: $background 60%;
        & > Vertical { width: 76; max-width: 96%; margin-top: 2; height: 80%; background: $surface; }
        SearchIcon { display: none; }
        #--input, #--input.--list-visible {
            height: 3; border: solid $line-focus; border-bottom: solid $line; background: $surface; padding: 0 1;
        }
        CommandInput, CommandInput:focus { border: none; height: 1; padding: 0; background: $surface; }
        #--results { border: solid $line-focus; border-top: none; background: $surface; }
        CommandList { border: none; background: $surface; padding: 0; scrollbar-size-vertical: 1; }
        CommandList:focus { border: none; }
    }
    """

    def on_mount(self) -> None:
        """The cursor stands still here as everywhere."""
        self.query_one(Input).cursor_blink = False

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close, and nothing below it where it is closed already (see `studio.tui.closing`)."""
        return super().dismiss(result) if self.is_active else AwaitComplete.nothing()


def help_on(screen: Screen[Any]) -> Help:
    """The help on the focused pane of `screen`."""
    return help_at(place_of(screen), screen_place(screen))


def help_at(pane: Place, whole: Place) -> Help:
    """The help on `pane` of the screen `whole`: each action once, where it is nearest."""
    places = {pane: f"In {_named(pane)}", whole: "Everywhere on this screen", Place.APP: "Always"}
    listed: set[tuple[Place, str]] = set()
    groups: list[tuple[str, list[Action]]] = []
    for place, title in places.items():
        actions = [action for action in at(place) if action.handler not in listed]
        listed |= {action.handler for action in actions}
        groups.append((title, actions))
    return Help(_TITLES[pane], _EXPLAINED[pane], groups)


def _named(place: Place) -> str:
    """The name of a place within a sentence."""
    return f"{_TITLES[place][0].lower()}{_TITLES[place][1:]}"


class Actions(Provider):
    """Every action that the screen below has, by name."""

    def _actions(self) -> Iterator[Action]:
        whole = screen_place(self.screen)
        for place in dict.fromkeys((whole, *PANES.get(whole, ()), Place.APP)):
            yield from (action for action in at(place) if action.in_palette)

    @property
    def _targets(self) -> dict[Place, DOMNode]:
        """What does the actions of a place; all others are the screen's."""
        targets: dict[Place, DOMNode] = {Place.APP: self.app}
        if editors := self.screen.query(BlueprintEditor):
            targets[Place.EDITOR] = editors.first()
        return targets

    def _label(self, action: Action) -> str:
        if not action.keys:
            return action.label
        there = f" in {_named(action.place)}" if action.of_screen else ""
        return f"{action.label}  ({action.keys}{there})"

    async def discover(self) -> Hits:
        """All of them."""
        for action in self._actions():
            yield DiscoveryHit(self._label(action), partial(self._do, action), action.label, action.help)

    async def search(self, query: str) -> Hits:
        """Those whose name matches."""
        matcher = self.matcher(query)
        for action in self._actions():
            if (score := matcher.match(action.label)) > 0:
                yield Hit(
                    score, matcher.highlight(self._label(action)), partial(self._do, action), action.label, action.help
                )

    async def _do(self, action: Action) -> None:
        await self.app.run_action(action.id, self._targets.get(action.place, self.screen))

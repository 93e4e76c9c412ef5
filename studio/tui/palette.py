"""The palette (Ctrl+P) and the help (F1), both made from the table of actions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.fuzzy import Matcher
from textual.widgets import Input

from engine.text.glossary import glossary
from studio.tui.action import PANES, Action, Place, places
from studio.tui.actions import at
from studio.tui.closing import hand_over_callbacks
from studio.tui.dialogs.page import Help
from studio.tui.editor import BlueprintEditor
from studio.tui.footer import screen_place
from studio.tui.option_lists import Commands


class Palette(CommandPalette):
    """Textual's command palette, styled like the dialogs."""

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
        CommandList, CommandList.--visible {
            border: solid $line-focus; border-top: none; background: $surface; padding: 0; scrollbar-size-vertical: 1;
        }
    }
    """

    def compose(self) -> ComposeResult:
        """Textual's own parts, with our list."""
        for widget in super().compose():
            yield Commands() if isinstance(widget, CommandList) else widget

    def on_mount(self) -> None:
        """Stop the cursor from blinking, as in every other field."""
        self.query_one(Input).cursor_blink = False

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close, unless already closed (see `studio.tui.closing`)."""
        if not self.is_active:
            return AwaitComplete.nothing()
        closed = super().dismiss(result)
        hand_over_callbacks(self)
        return closed


def help_at(pane: Place, whole: Place) -> Help:
    """The help on `pane` of the screen `whole`: each action once, where it is nearest."""
    titles = {pane: f"In {_named(pane)}", whole: "Everywhere on this screen", Place.APP: "Always"}
    listed: set[object] = set()
    groups: list[tuple[str, list[Action]]] = []
    for place, title in titles.items():
        actions = [action for action in at(place) if action.command not in listed]
        listed |= {action.command for action in actions}
        groups.append((title, actions))
    said = places()[pane]
    return Help(said.title, " ".join(said.text.split()), groups, () if whole is Place.START else glossary())


def _named(place: Place) -> str:
    """The name of a place within a sentence."""
    title = places()[place].title
    return f"{title[0].lower()}{title[1:]}"


def match(matcher: Matcher, action: Action) -> float:
    """How well the label of an action, or one of its synonyms, matches; 0 if none does."""
    return max(map(matcher.match, (action.label, *action.synonyms)))


class Actions(Provider):
    """The actions of the screen below the palette, by name and synonym."""

    def _actions(self) -> Iterator[Action]:
        whole = screen_place(self.screen)
        for place in dict.fromkeys((whole, *PANES.get(whole, ()), Place.APP)):
            yield from (action for action in at(place) if action.in_palette)

    def _label(self, action: Action) -> str:
        if not action.keys:
            return action.label
        there = f" in {_named(action.place)}" if action.does and action.place is not Place.BLUEPRINT else ""
        return f"{action.label}  ({action.keys}{there})"

    async def discover(self) -> Hits:
        """All actions."""
        for action in self._actions():
            yield DiscoveryHit(self._label(action), partial(self._do, action), action.label, action.help)

    async def search(self, query: str) -> Hits:
        """The actions that match `query`. A label is lit up only where it is what matches."""
        matcher = self.matcher(query)
        for action in self._actions():
            if score := match(matcher, action):
                is_named = matcher.match(action.label) == score
                label = matcher.highlight(self._label(action)) if is_named else self._label(action)
                yield Hit(score, label, partial(self._do, action), action.label, action.help)

    async def _do(self, action: Action) -> None:
        node = self.screen.query_one(BlueprintEditor) if action.place is Place.EDITOR else self.screen
        await self.app.run_action(action.at_click, node)

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
from studio.tui.action import PANES, Action, Place
from studio.tui.actions import at
from studio.tui.closing import hand_over_callbacks
from studio.tui.dialogs.page import Help
from studio.tui.editor import BlueprintEditor
from studio.tui.footer import screen_place
from studio.tui.option_lists import Commands

_TITLES = {
    Place.BLUEPRINT: "A blueprint",
    Place.START: "Blueprint Studio",
    Place.EDITOR: "The blueprint's text",
    Place.OUTLINE: "The outline",
    Place.PROBLEMS: "The problems",
    Place.RESULT: "The criteria",
    Place.ANSWER: "The answer",
    Place.MATRIX: "The matrix",
    Place.CRITERION: "All answers",
    Place.APP: "Blueprint Studio",
}

_TEXTS = {
    Place.EDITOR: (
        "The blueprint as it is on disk, YAML. Marks in the margin and underlines follow as you type: ● an error, ▲ a "
        "warning, · a hint. Tab and Shift+Tab indent. End goes to the end of the line, however many rows it takes. "
        "Enter after a criterion starts the next one; on a lone dash it ends the list. If you type the dash that "
        "Enter has already written, it counts once: for a path, type another. Backspace before a line's text goes "
        "back one level. Under a rubric, pasted bullets become criteria."
    ),
    Place.OUTLINE: (
        "The file as a whole, and every prompt in its own words; of a conversation, the last ones of the user. A "
        "phrase that many prompts share stands in the first row, and is … below. The number on the right is the last "
        "score as Weval would store it, 0 to 100; ¦ after it means that the answer was cut short, * that verdicts are "
        "carried over. ! marks a run that failed or an answer that was withheld. Below it, ● counts errors, ▲ "
        "warnings. What is left to do for the selected prompt stands below the list. The text follows the selection."
    ),
    Place.PROBLEMS: (
        "Everything that is wrong or probably not meant, in the order of the text. ● is an error: the criterion cannot "
        "work, or Weval rejects the file. ▲ is a warning: it works, but probably not as you meant. · is a hint. A row "
        "with a count, such as ×23, is a problem that the file repeats. The selected one is explained below the list, "
        "with its places."
    ),
    Place.RESULT: (
        "The score of the answer, and the criteria of the prompt under the cursor, the dearest first: what each earned "
        "and what it costs. Below them, what belongs to the selected one: its weight and source, each judge with "
        "verdict and reason, and your grade. In the header: the dearest criteria of all prompts, then the open ones."
    ),
    Place.ANSWER: (
        "The answer that was judged, with the evidence of the selected criterion in ⟦brackets⟧; or a place to type or "
        "paste your own. A conversation has all its turns, each with how it came about; ↑ and ↓ select one. While a "
        "model answers, the view follows the end of the text if the end is visible. An edited turn is yours: it is "
        "scored at once, nothing is sent, and it never counts as the model's."
    ),
    Place.MATRIX: (
        "The score of each prompt with each model, 0 to 100 as Weval stores it, or the extent of each criterion of one "
        "prompt, and in a word how much that is. The means above are unrounded. A range is a score with open criteria; "
        "cut is an answer that was cut short, earlier has verdicts from before an edit. ▴ is the best of the models in "
        "a row, ▾ the worst. Spread is the greatest difference in a row, cost what the row takes from the mean of all. "
        "Neither is ever significant by itself: each cell is one answer. Above a second result (c), the "
        "difference of a criterion is what it cost the old answer less what it costs the new one. Below the criteria, "
        "the answers by words: [-…-] was removed and {+…+} was added."
    ),
    Place.CRITERION: (
        "One criterion on the ideal, the cases and the answers that you choose. Each row has the mean of the judges "
        "from 0 to 100 as it counts in the score, and that under the wording before; answers whose verdict flipped "
        "stand on top. Below: what each judge says of the selected answer, and your grade; ? marks one of an earlier "
        "wording, which counts once y confirms it. The last line above the list says what the criterion is good for: "
        "it catches a bad answer, or fails a good one, if the answer meets less than half of it."
    ),
    Place.BLUEPRINT: "Write, see what is wrong, try a prompt with F5, and read why its score is what it is.",
    Place.START: "Write, check, try and understand Weval evaluation blueprints. Enter opens the selected row.",
}


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
    places = {pane: f"In {_named(pane)}", whole: "Everywhere on this screen", Place.APP: "Always"}
    listed: set[object] = set()
    groups: list[tuple[str, list[Action]]] = []
    for place, title in places.items():
        actions = [action for action in at(place) if action.command not in listed]
        listed |= {action.command for action in actions}
        groups.append((title, actions))
    return Help(_TITLES[pane], _TEXTS.get(pane, ""), groups, () if whole is Place.START else glossary())


def _named(place: Place) -> str:
    """The name of a place within a sentence."""
    return f"{_TITLES[place][0].lower()}{_TITLES[place][1:]}"


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

"""The conversation of one prompt, turn by turn, each marked as written, to be generated, generated or edited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer

from engine.blueprint import RenderAs, Role
from studio.session.views.conversation_view import ConversationView, ShownTurn, TurnState
from studio.tui.action import Place
from studio.tui.key_bindings import bindings
from studio.tui.panes.passages import Passage, Passages

_REDRAWS_PER_SECOND = 12
_SPEAKERS = {Role.SYSTEM: "system prompt", Role.USER: "user", Role.ASSISTANT: "assistant"}
_INKS = {
    TurnState.WRITTEN: "dim",
    TurnState.GENERATED: "name",
    TurnState.EDITED: "yours",
    TurnState.TO_GENERATE: "dim emphasis",
    TurnState.GENERATING: "name strong",
    TurnState.STOPPED: "number",
}


def passages(id: str | None, turns: Sequence[ShownTurn], render_as: RenderAs) -> tuple[Passage, ...]:
    """`turns` as passages. Answers are formatted by `render_as`; the blueprint's own text is not."""
    return tuple(_passage(f"{id} {number}", turn, render_as) for number, turn in enumerate(turns))


def _passage(key: str, turn: ShownTurn, render_as: RenderAs) -> Passage:
    state = turn.state.value if turn.origin is None else turn.origin.value
    ink = _INKS[turn.state]
    if turn.ended:
        state, ink = turn.ended, _INKS[TurnState.STOPPED]
    is_answer = turn.state in (TurnState.GENERATED, TurnState.EDITED, TurnState.GENERATING, TurnState.STOPPED)
    return Passage(
        key=key,
        text=turn.text.rstrip("\n"),
        head=((_SPEAKERS[turn.role], "strong"), (f"  {state}", ink)),
        render_as=render_as if is_answer else RenderAs.PLAINTEXT,
    )


class ConversationPane(Vertical):
    """Shows one conversation as it grows; posts the author's requests about a turn."""

    place = Place.CONVERSATION
    DEFAULT_CSS = """
    ConversationPane { height: 1fr; padding: 0 1 0 0; }
    ConversationPane > Passages { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.CONVERSATION)]

    class TurnWanted(Message):
        """A request about the selected turn."""

        def __init__(self, turn: ShownTurn) -> None:
            super().__init__()
            self.turn = turn

    class GenerateWanted(TurnWanted):
        """Generate the turn and those after it again."""

    class EditWanted(TurnWanted):
        """Edit the text of the turn."""

    class PlaceWanted(TurnWanted):
        """Go to the turn in the blueprint."""

    class OriginalWanted(Message):
        """Restore the model's text of the edited turns."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._view: ConversationView | None = None
        self._shown_id: str | None = None
        self._turns: tuple[ShownTurn, ...] = ()
        self._render_as = RenderAs.PLAINTEXT
        self._redraw: Timer | None = None

    def compose(self) -> ComposeResult:
        """The turns."""
        yield Passages(id="conversation-turns")

    @property
    def turns(self) -> tuple[ShownTurn, ...]:
        """The turns that are shown."""
        return self._turns

    @property
    def list(self) -> Passages:
        """The list of turns."""
        return self.query_one(Passages)

    @property
    def turn(self) -> ShownTurn | None:
        """The selected turn."""
        index = self.list.selected
        return self._turns[index] if index < len(self._turns) else None

    def show(self, view: ConversationView | None) -> None:
        """Show the turns. Selection and scroll position stay, unless it is another conversation.

        A growing conversation is drawn a few times a second, however fast the text arrives.
        """
        if view is None or view is self._view:
            return
        is_other, was_growing = view.id != self._shown_id, self._grows
        self._view, self._shown_id, self._turns, self._render_as = view, view.id, view.turns, view.render_as
        if view.grows and not is_other:
            if self._redraw is None:
                self._redraw = self.set_timer(1 / _REDRAWS_PER_SECOND, self._draw_grown)
        else:
            self._stop_redrawing()
            self._draw(grows=was_growing)

    def _draw_grown(self) -> None:
        self._redraw = None
        self._draw(grows=self._grows)

    @property
    def _grows(self) -> bool:
        return any(turn.state is TurnState.GENERATING for turn in self._turns)

    def _draw(self, *, grows: bool) -> None:
        self.list.show(passages(self._shown_id, self._turns, self._render_as), grows=grows)

    def _stop_redrawing(self) -> None:
        if self._redraw is not None:
            self._redraw.stop()
            self._redraw = None

    def select_generated(self, number: int) -> None:
        """Select a generated turn by its number among the generated ones, from 0."""
        for index, turn in enumerate(self._turns):
            if turn.generated == number:
                self.list.select(index)

    def action_generate_turn(self) -> None:
        """Have the selected turn generated again, and those after it."""
        if self.turn is not None:
            self.post_message(self.GenerateWanted(self.turn))

    def action_edit_turn(self) -> None:
        """Edit the text of the selected turn."""
        if self.turn is not None:
            self.post_message(self.EditWanted(self.turn))

    def action_go_to_turn(self) -> None:
        """Go to the selected turn in the blueprint."""
        if self.turn is not None:
            self.post_message(self.PlaceWanted(self.turn))

    def action_original(self) -> None:
        """Restore the model's text."""
        self.post_message(self.OriginalWanted())

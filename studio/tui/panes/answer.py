"""The pane of the answer: what is known of it, and its text or its conversation; or an editor for the author's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from engine.blueprint import RenderAs, Role
from studio.session.views.answer_view import AnswerView, OwnAnswer, ShownTurn, TurnState
from studio.tui.action import Place
from studio.tui.actions import at
from studio.tui.editor import PlainEditor
from studio.tui.panes.passages import Passage, Passages
from studio.tui.paragraphs import Line, paragraph
from studio.tui.session_screen import studio_of
from studio.tui.tall_list import DIM, STRONG

_SPEAKERS = {Role.SYSTEM: "system", Role.USER: "user", Role.ASSISTANT: "answer"}
YOURS = "list--yours"
_INKS = {
    TurnState.WRITTEN: DIM,
    TurnState.GENERATED: "list--hint",
    TurnState.EDITED: YOURS,
    TurnState.TO_GENERATE: DIM,
    TurnState.GENERATING: "list--hint",
    TurnState.STOPPED: "list--warning",
}
_ANSWERED = (TurnState.GENERATED, TurnState.EDITED, TurnState.GENERATING, TurnState.STOPPED)
_NO_BREAK = "\u00a0"


class AnswerThread(Passages, place=Place.ANSWER):
    """The answer to read: the turns of its conversation, each with a heading and one selected, or its text alone."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,right", "other", "The answer beside this one", show=False),
    ]

    def __init__(self, *, id: str = "answer-thread") -> None:
        super().__init__(id=id)
        self.view = AnswerView("", ())

    @property
    def turn(self) -> ShownTurn | None:
        """The selected turn; without a choice the answer."""
        turns = self.view.turns
        return turns[self.at if self.view.is_thread else -1] if turns else None

    def show_view(self, view: AnswerView) -> None:
        """Show the answer. What is read stays where it is, unless it is another answer, or another row of the result
        was selected elsewhere: then the evidence comes into view."""
        before, self.view = self.view, view
        self.set_class(view.is_closest, "-closest")
        self.read(tuple(_passages(view)), grows=view.grows or before.grows, at=_first_read(view))
        self.draw_head()
        if view.key != before.key or (view.row != before.row and not self.has_focus):
            self.bring_evidence()

    def head(self, width: int) -> Sequence[Line]:
        """`gpt-4o · temp 0.5 · 95 words   v next`; what is said stays on one line if it can."""
        view = self.view
        if not view.title:
            return paragraph(" ".join(view.facts), width, ink=DIM)
        facts = "".join(f" · {fact}" for fact in (each.replace(" ", _NO_BREAK) for each in view.facts))
        more = f"   v{_NO_BREAK}next" * view.can_step
        lines = paragraph([(view.title, YOURS if view.is_edited else STRONG), (facts + more, DIM)], width)
        return [(*line[:-1], (line[-1][0].removesuffix("·").rstrip(), line[-1][1])) for line in lines]

    # --- What keys do

    @property
    def acts(self) -> dict[str, bool]:
        view = self.view
        return {
            "edit_response": any(turn.generated is not None and turn.place is not None for turn in view.turns),
            "original": view.is_edited,
            "generate_turn": bool(view.again),
            "make_case": bool(view.title),
            "grade_answer": view.can_grade,
            "next_ungraded": view.can_grade,
            "grade_blind": view.can_grade,
            "next_variant": view.can_step,
            "go_to_turn": view.is_thread,
            "filter": bool(self.rows),
        }

    @property
    def footer_labels(self) -> dict[str, str]:
        """The labels that say a price."""
        return {"generate_turn": f"generate again ({self.view.again})"}

    def action_edit_response(self) -> None:
        """Edit the selected turn, or the answer."""
        if (turn := self.turn) is not None:
            studio_of(self).begin(self._edit(turn))

    async def _edit(self, turn: ShownTurn) -> None:
        runs = await studio_of(self).session.ready()
        await runs.edits.edit(turn)

    def action_generate_turn(self) -> None:
        """Have the selected turn, or the answer, generated again, and the turns after it."""
        if (turn := self.turn) is not None:
            studio_of(self).session.with_runs(lambda runs: runs.edits.regenerate(turn))

    def on_focus(self) -> None:
        """Of all answers, select the one that is read here: keys act on that."""
        if self.view.is_of_all and (answers := studio_of(self).panes.answers) is not None:
            answers.select(self.view.key)

    def action_grade_answer(self, number: int) -> None:
        """Of all answers, grade the criterion on the one that is read here."""
        if (answers := studio_of(self).panes.answers) is not None:
            answers.action_grade_answer(number)

    def action_other(self) -> None:
        """Go to the answer beside this one."""
        others = (each for each in self.siblings if isinstance(each, AnswerThread) and each.display)
        self.screen.set_focus(next(others, self))

    def action_go_to_turn(self) -> None:
        """Go to the line of the selected turn."""
        studio, turn = studio_of(self), self.turn
        runs = studio.session.runs
        if turn is None or turn.span is None or runs is None:
            studio.tell("This turn has no line of its own in the blueprint.", seconds=5)
        else:
            studio.go_to(turn.span.start, runs.views.revision_shown())


class AnswerPane(Vertical):
    """Shows an `AnswerView`; where the author writes the answer, an editor."""

    DEFAULT_CSS = """
    AnswerPane > .own { display: none; padding: 0 0 0 1; }
    AnswerPane > Static { height: auto; color: $ink-dim; }
    AnswerPane > PlainEditor { height: 1fr; background: $surface; scrollbar-size: 0 1; }
    AnswerPane.-own > .own { display: block; }
    AnswerPane > Horizontal { height: 1fr; }
    AnswerPane #answer-beside { display: none; border-left: solid $line; }
    AnswerPane #answer-beside:focus { border-left: solid $line-focus; }
    AnswerPane.-two #answer-beside { display: block; }
    AnswerPane.-own > Horizontal { display: none; }
    """

    place = Place.ANSWER
    idle_actions = frozenset(action.id for action in at(Place.ANSWER))
    """In the editor letters are typed."""

    def __init__(self) -> None:
        super().__init__(id="answer")
        self.thread, self.second = AnswerThread(), AnswerThread(id="answer-beside")
        self.editor = PlainEditor(classes="own")
        self._view = AnswerView("", ())
        self._reported = ""

    def compose(self) -> ComposeResult:
        """The answer with the one that may stand beside it, and the editor."""
        yield Horizontal(self.thread, self.second)
        yield Static("Type or paste an answer here; F5 judges it.", classes="own")
        yield self.editor

    @property
    def target(self) -> AnswerThread | PlainEditor:
        """What gets the keys of the pane."""
        return self.thread if self._view.own is None else self.editor

    @property
    def own(self) -> str | None:
        """The author's own answer as it stands in the editor; None while there is no place for one."""
        return None if self._view.own is None else self.editor.text_out()

    def show(self, view: AnswerView, second: AnswerView | None = None) -> None:
        """Show the answer, with a second one beside it, or the editor."""
        self.set_class(second is not None, "-two")
        if second is not None and second is not self.second.view:
            self.second.show_view(second)
        before, self._view = self._view, view
        if view is before:
            return
        had_keys = self.has_focus_within
        self.set_class(view.own is not None, "-own")
        if view.own is not None:
            self._load(view.own, before.own)
        self.thread.show_view(view)
        if had_keys and (view.own is None) is not (before.own is None):
            self.screen.set_focus(self.target)

    def _load(self, own: OwnAnswer, before: OwnAnswer | None) -> None:
        is_there = before is not None and (before.place, before.loaded) == (own.place, own.loaded)
        if not is_there and self.own != own.text:
            self._reported = own.text
            self.editor.load(own.text)

    def on_source_area_edited(self, event: PlainEditor.Edited) -> None:
        """Store what the author writes, but not a text that was loaded."""
        event.stop()
        if (own := self.own) is not None and own != self._reported:
            self._reported = own
            studio_of(self).session.with_runs(lambda runs: runs.selection.write(own))


def _passages(view: AnswerView) -> Iterator[Passage]:
    """The turns with headings, where there is more than the answer; the blueprint's own text is not formatted."""
    if view.is_thread:
        for number, turn in enumerate(view.turns):
            heads = ((), _heading(turn)) if number else (_heading(turn),)
            render_as = view.render_as if turn.state in _ANSWERED else RenderAs.PLAINTEXT
            yield Passage(f"{view.key} {number}", turn.text.rstrip("\n"), heads, render_as, turn.evidence)
    elif view.turns and view.turns[-1].role is Role.ASSISTANT:
        turn = view.turns[-1]
        yield Passage(view.key, turn.text, (), view.render_as, turn.evidence)


def _heading(turn: ShownTurn) -> Line:
    """`answer  edited by you`."""
    name = (_SPEAKERS[turn.role], STRONG)
    if turn.role is Role.USER and turn.state is TurnState.WRITTEN:
        return (name,)
    if turn.ended:
        return name, (f"  {turn.ended}", _INKS[TurnState.STOPPED])
    return name, (f"  {(turn.origin or turn.state).value}", _INKS[turn.state])


def _first_read(view: AnswerView) -> int:
    """The index of the turn to read first: the last one that a model wrote or writes."""
    answers = [n for n, each in enumerate(view.turns) if each.generated is not None and each.state in _ANSWERED]
    return answers[-1] if answers and view.is_thread else 0

"""The screen of the answers to one prompt, side by side and unscored."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import ClassVar

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from engine.text.record import Record, replace
from engine.text.spans import Span, visible
from studio.session.side_by_side import BlueprintText, SideBySide
from studio.session.views.answers_view import AnswersView, AnswerView, MarkKind
from studio.tui.action import Place
from studio.tui.actions import at
from studio.tui.footer import footer_entries
from studio.tui.key_bindings import bindings
from studio.tui.panes.answer_column import AnswerColumn
from studio.tui.panes.answer_text import AnswerText
from studio.tui.panes.status import Footer

_LEAST = 36
"""Cells of a column at least, if there are several."""
_MOST = 8
_OF_A_MARK = frozenset({"unmark"})


class _Passage(Record):
    """The sentences from `anchor` to `cursor`, whichever comes first."""

    anchor: int = 0
    cursor: int = 0

    def span(self, sentences: tuple[Span, ...]) -> Span | None:
        """The passage in the answer; None if it has no sentence."""
        if not sentences:
            return None
        first, last = sorted((self.anchor, self.cursor))
        return Span(sentences[first].start, sentences[last].end)


class AnswersScreen(Screen[None]):
    """Shows what `side` has read. Escape leaves it."""

    place = Place.ANSWERS
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(Place.ANSWERS),
        Binding("left", "answer(-1)", "Answer on the left", show=False),
        Binding("right", "answer(1)", "Answer on the right", show=False),
        Binding("up", "sentence(-1)", "Sentence before", show=False),
        Binding("down", "sentence(1)", "Sentence after", show=False),
        Binding("shift+up", "sentence(-1, True)", "Extend back", show=False),
        Binding("shift+down", "sentence(1, True)", "Extend", show=False),
        Binding("home", "first", "First sentence", show=False),
        Binding("end", "last", "Last sentence", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
        Binding("ctrl+z", "undo", "Undo", show=False),
    ]
    DEFAULT_CSS = """
    AnswersScreen {
        layout: vertical;
        background: $background;
        #answers-head { height: 1; background: $panel; text-wrap: nowrap; text-overflow: ellipsis; }
        #answers-question {
            height: 1; padding: 0 1; color: $ink-dim; text-wrap: nowrap; text-overflow: ellipsis;
        }
        #answers-note { height: auto; padding: 0 1; color: $ink-warning; display: none; }
        #answers { height: 1fr; border-top: solid $line; }
    }
    """

    def __init__(self, side: SideBySide, text: BlueprintText) -> None:
        super().__init__()
        self._side = side
        self._text = text
        self._columns = tuple(AnswerColumn() for _ in range(min(_MOST, len(side.view.answers))))
        self._passages: dict[str, _Passage] = {}
        self._at = 0
        self._first = 0

    def compose(self) -> ComposeResult:
        yield Static(id="answers-head", markup=False)
        yield Static(Content(visible(self._view.question)), id="answers-question", markup=False)
        yield Static(id="answers-note", markup=False)
        with Horizontal(id="answers"):
            yield from self._columns
        yield Footer()

    def on_mount(self) -> None:
        """Show the first answers."""
        self._draw()

    def on_resize(self) -> None:
        """Show as many answers as have room now."""
        self._draw()

    # --- What is shown

    @property
    def is_preparing(self) -> bool:
        """Whether an action goes on that may open another dialog: what is typed next is meant for that."""
        return any(worker.group == "answer" and not worker.is_finished for worker in self.workers)

    @property
    def _view(self) -> AnswersView:
        return self._side.view

    @property
    def _answer(self) -> AnswerView:
        return self._view.answers[self._at]

    @property
    def _room(self) -> int:
        """How many answers are beside each other."""
        return max(1, min(len(self._columns), len(self._view.answers), self.size.width // _LEAST))

    def _column(self) -> AnswerColumn:
        """The column of the answer that keys act on."""
        return self._columns[self._at - self._first]

    def _span(self) -> Span | None:
        return self._passages.get(self._answer.key, _Passage()).span(self._answer.sentences)

    def _cursor_span(self) -> Span:
        """The sentence at the cursor of the current answer, which has one."""
        return self._answer.sentences[self._passages.get(self._answer.key, _Passage()).cursor]

    def _draw(self) -> None:
        view, room = self._view, self._room
        self._at = min(self._at, len(view.answers) - 1)
        self._first = max(min(self._first, self._at, len(view.answers) - room), self._at - room + 1, 0)
        shown = view.answers[self._first : self._first + room]
        for number, column in enumerate(self._columns):
            column.display = number < len(shown)
            if number < len(shown):
                is_current = self._first + number == self._at
                lit = self._span() if is_current else None
                column.show(shown[number], view.render_as, is_current=is_current, lit=lit)
                if lit is not None:
                    column.text.light(lit, follow=self._cursor_span())
        self._side.answers_shown(answer.key for answer in shown)
        self._draw_edges(room)

    def _draw_edges(self, room: int) -> None:
        view, width = self._view, self.size.width
        count = len(view.answers)
        which = f"{self._first + 1}–{self._first + room} of {count}" if room < count else f"{count}"
        answers = "answer" if count == 1 else "answers"
        right = f"{view.marked}   {which} {answers} "
        left = Content.assemble(" ", ("Side by side", "bold"), (f"  {visible(view.title)}", "$ink-dim"))
        left = left.truncate(max(width - cell_len(right) - 1, 0), ellipsis=True)
        gap = " " * max(1, width - left.cell_length - cell_len(right))
        self.query_one("#answers-head", Static).update(Content.assemble(left, gap, (right, "$ink-yours")))
        note = self.query_one("#answers-note", Static)
        note.update(Content(visible(view.note)))
        note.display = bool(view.note)
        idle = _OF_A_MARK if self._answer.mark is None else frozenset[str]()
        actions = [action for place in (Place.ANSWERS, Place.APP) for action in at(place) if action.id not in idle]
        actions.sort(key=lambda action: action.id in ("help", "palette"))
        found = footer_entries((action, action.footer) for action in actions)
        self.query_one(Footer).show([replace(each, stays=each.action == "leave_answers") for each in found])

    # --- Moving

    def action_answer(self, by: int) -> None:
        """Go to another answer."""
        self._at = max(0, min(self._at + by, len(self._view.answers) - 1))
        self._draw()

    def action_sentence(self, by: int, extends: bool = False) -> None:
        """Go to another sentence, or extend the passage to it."""
        passage = self._passages.get(self._answer.key, _Passage())
        self._go_to_sentence(passage.cursor + by, extends=extends)

    def _go_to_sentence(self, number: int, *, extends: bool) -> None:
        sentences = self._answer.sentences
        if not sentences:
            return
        cursor = max(0, min(number, len(sentences) - 1))
        passage = self._passages.get(self._answer.key, _Passage())
        self._passages[self._answer.key] = replace(passage, cursor=cursor) if extends else _Passage(cursor, cursor)
        self._column().text.light(self._span(), follow=sentences[cursor])

    def action_first(self) -> None:
        """Go to the first sentence."""
        self._go_to_sentence(0, extends=False)

    def action_last(self) -> None:
        """Go to the last sentence."""
        self._go_to_sentence(len(self._answer.sentences) - 1, extends=False)

    def action_page(self, by: int) -> None:
        """Scroll the answer by a page. The passage moves on if it is out of view then."""
        text = self._column().text
        text.action_page(by)
        sentences = self._answer.sentences
        cursor = self._passages.get(self._answer.key, _Passage()).cursor
        if sentences and not text.is_in_view(sentences[cursor].start):
            seen = [number for number, each in enumerate(sentences) if text.is_in_view(each.start)]
            if seen:
                self._passages[self._answer.key] = _Passage(seen[0], seen[0])
                text.light(self._span())

    @on(AnswerText.Pointed)
    def _pointed(self, event: AnswerText.Pointed) -> None:
        event.stop()
        column = next(each for each in self._columns if each.text is event.text)
        self._choose(column.key)
        self._go_to_sentence(event.sentence, extends=event.extends)

    @on(AnswerColumn.Chosen)
    def _chosen(self, event: AnswerColumn.Chosen) -> None:
        event.stop()
        self._choose(event.key)

    def _choose(self, key: str) -> None:
        keys = [answer.key for answer in self._view.answers]
        if key in keys and keys.index(key) != self._at:
            self._at = keys.index(key)
            self._draw()

    # --- What keys do with the answer and its passage

    def action_mark_good(self) -> None:
        """Mark the answer as good."""
        self._do(self._side.mark(self._answer.key, MarkKind.GOOD, self._passage(), self._text))

    def action_mark_bad(self) -> None:
        """Mark the answer as bad."""
        self._do(self._side.mark(self._answer.key, MarkKind.BAD, self._passage(), self._text))

    def action_mark_fails(self) -> None:
        """Mark the answer as bad in one way."""
        self._do(self._side.mark(self._answer.key, MarkKind.FAILS, self._passage(), self._text))

    def action_mark_test(self) -> None:
        """Say that the answer is a test answer."""
        self._do(self._side.mark_test(self._answer.key))

    def action_unmark(self) -> None:
        """Take the mark back."""
        self._do(self._side.take_back(self._answer.key))

    def action_edit_as_bad(self) -> None:
        """Make an edited copy a bad case."""
        self._do(self._side.edit_as_bad(self._answer.key))

    def action_passage_criterion(self) -> None:
        """Make a criterion of the passage."""
        if self._has_passage():
            self._do(self._side.make_criterion(self._passage(), self._text))

    def action_passage_case(self) -> None:
        """Make a case of the answer, with the passage as its quote."""
        if self._has_passage():
            self._do(self._side.make_case(self._answer.key, self._passage(), self._text))

    def action_passage_quote(self) -> None:
        """Make the passage a quote."""
        if self._has_passage():
            self._do(self._side.quote(self._answer.key, self._passage(), self._text))

    def action_undo(self) -> None:
        """Take back the last change of the text."""
        self._text.undo()

    def action_leave_answers(self) -> None:
        """Go back to the blueprint."""
        self.dismiss(None)

    def _passage(self) -> str:
        span = self._span()
        return "" if span is None else span.of(self._answer.text)

    def _has_passage(self) -> bool:
        if self._span() is None:
            self.notify("This answer has no sentence to select.", timeout=4, markup=False)
        return self._span() is not None

    @work(group="answer")
    async def _do(self, act: Awaitable[None]) -> None:
        await act
        self._draw()

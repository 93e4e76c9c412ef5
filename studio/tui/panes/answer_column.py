"""One answer among others: who wrote it, what is known of it, its mark, and its text."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from engine.blueprint import RenderAs
from engine.text.spans import Span, visible
from studio.session.views.answers_view import AnswerView, MarkKind, MarkView
from studio.tui.panes.answer_text import AnswerText
from studio.tui.panes.passages import Passage

_INKS = {MarkKind.GOOD: "bold $ink-met", MarkKind.BAD: "bold $ink-unmet", MarkKind.FAILS: "bold $ink-unmet"}
_SIGNS = {MarkKind.GOOD: "+", MarkKind.BAD: "−", MarkKind.FAILS: "−"}


class AnswerColumn(Vertical):
    """Shows one answer. It has no focus of its own: the screen says which one the keys act on."""

    DEFAULT_CSS = """
    AnswerColumn {
        width: 1fr; max-width: 100; height: 100%; border-left: solid $line; padding: 0;
        & > .answer-head { height: 5; padding: 0 1 0 2; text-wrap: nowrap; text-overflow: ellipsis; }
        & > AnswerText { height: 1fr; }
        &.-current { border-left: solid $line-focus; }
        &.-current > .answer-head { background: $panel; border-left: outer $ink-focus; padding: 0 1; }
    }
    """

    class Chosen(Message):
        """The head of this answer was clicked."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self) -> None:
        super().__init__()
        self._head = Static(classes="answer-head", markup=False)
        self.text = AnswerText()
        self.key = ""
        """The key of the answer that is shown."""

    def compose(self) -> ComposeResult:
        yield self._head
        yield self.text

    def show(self, answer: AnswerView, render_as: RenderAs, *, is_current: bool, lit: Span | None) -> None:
        """Show `answer`; `lit` is its passage, None unless the keys act on it."""
        self.key = answer.key
        self.set_class(is_current, "-current")
        self._head.update(_head(answer))
        quote = () if answer.quote is None else (answer.quote,)
        self.text.show_answer(Passage(answer.key, answer.text, (), render_as, quote), answer.sentences)
        self.text.light(lit)

    def on_click(self, event: events.Click) -> None:
        """A click on the head chooses the answer."""
        if event.widget is self._head:
            self.post_message(self.Chosen(self.key))


def _head(answer: AnswerView) -> Content:
    label = Content.styled(visible(answer.label), "bold")
    facts = Content.styled(visible(answer.facts), "$ink-dim")
    why = "" if answer.mark is None else answer.mark.why
    return Content("\n").join([label, facts, _mark(answer.mark, is_ideal=answer.is_ideal), Content(visible(why))])


def _mark(mark: MarkView | None, *, is_ideal: bool) -> Content:
    if mark is None:
        return Content.styled("counts as good" if is_ideal else "not marked", "$ink-dim")
    sign, ink = ("·", "bold") if mark.kind is None else (_SIGNS[mark.kind], _INKS[mark.kind])
    return Content.styled(f"{sign} {visible(mark.text)}", ink)

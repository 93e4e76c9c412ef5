"""The judged answer with the evidence of the selected point highlighted, or an editor for an answer."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Static

from engine.blueprint import RenderAs
from engine.evaluation.events import Response, answer_marks
from engine.functions.function_text import count
from engine.functions.response_checks import words_in
from engine.text.spans import Span, visible
from engine.yaml.nodes import javascript_number
from studio.session.views.conversation_view import (
    About,
    GrowingResponse,
    NoResponse,
    ResponseView,
    ShownResponse,
    WrittenResponse,
)
from studio.tui.action import Place
from studio.tui.editor import PlainEditor
from studio.tui.key_bindings import bindings
from studio.tui.panes.passages import Passage, Passages

_REDRAWS_PER_SECOND = 12
_LEAST_SHOWN = 0.0001
"""Dollars; less is shown as less than that."""


def described(response: Response, about: About) -> list[str]:
    """`openai:gpt-4o-mini`, `temp 0`, `212 words`, `1.8 s`, `0.0004 $`, `cut off at the token limit`: what is known."""
    facts = [about.label]
    if about.temperature is not None:
        ignored = " ignored" if response.ignores_temperature else ""
        facts.append(f"temp {javascript_number(about.temperature)}{ignored}")
    if response.token_limit is not None:
        facts.append(f"up to {response.token_limit:,} tokens")
    facts.append(count(words_in(response.subject), "word"))
    if response.seconds is not None and not about.restored:
        facts.append(f"{response.seconds:.1f} s")
    if about.dollars:
        facts.append(_dollars(about.dollars))
    facts += answer_marks(response)
    if about.restored:
        facts.append("saved earlier")
    return facts


def _dollars(dollars: float) -> str:
    return f"{dollars:.4f} $" if dollars >= _LEAST_SHOWN else f"under {_LEAST_SHOWN} $"


class ResponsePane(Vertical):
    """Shows one answer, or an editor for the author's own."""

    DEFAULT_CSS = """
    ResponsePane { height: 1fr; padding: 0 0 0 1; }
    ResponsePane > #response-head { height: auto; max-height: 4; padding: 0 1 1 0; }
    ResponsePane > ContentSwitcher { height: 1fr; }
    ResponsePane #response-shown { height: 1fr; }
    ResponsePane #response-written { height: 1fr; background: $surface; scrollbar-size: 0 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.RESPONSE)]

    class AnswerEdited(Message):
        """The author changed the answer that they are writing."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class EditWanted(Message):
        """Edit the shown answer."""

    class OriginalWanted(Message):
        """Restore the original answer, without the author's changes."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._view: ResponseView | None = None
        self._number = 0
        self._text = ""
        self._render_as = RenderAs.PLAINTEXT
        self._evidence: tuple[Span, ...] = ()
        self._redraw: Timer | None = None
        self._reported = ""

    def compose(self) -> ComposeResult:
        """A line about the answer, and below it the answer or the editor."""
        yield Static(id="response-head")
        with ContentSwitcher(initial="response-shown"):
            yield Passages(id="response-shown")
            yield PlainEditor(id="response-written")

    @property
    def written(self) -> str:
        """The author's answer in the editor."""
        return self.query_one("#response-written", PlainEditor).text_out()

    @property
    def shown(self) -> Passages:
        """The view of an answer."""
        return self.query_one("#response-shown", Passages)

    def show(self, view: ResponseView) -> None:
        """Show the answer or the editor."""
        before, self._view = self._view, view
        if view is before:
            return
        match view:
            case NoResponse(teaching):
                self._start_over(Content.styled(visible(teaching), "$ink-dim"), RenderAs.PLAINTEXT)
            case WrittenResponse(place, text, loaded):
                is_there = isinstance(before, WrittenResponse) and (before.place, before.loaded) == (place, loaded)
                if not is_there:
                    self._write(text)
            case GrowingResponse(started, label, text, render_as):
                if not isinstance(before, GrowingResponse) or before.started != started:
                    self._start_over(Content.styled(visible(label), "$ink-dim"), render_as)
                self._grow(text)
            case ShownResponse():
                self._show(view, before)

    @property
    def is_writing(self) -> bool:
        """Whether the editor is shown."""
        return isinstance(self._view, WrittenResponse)

    def _write(self, text: str) -> None:
        self._stop_redrawing()
        self._head(Content.styled("Type or paste an answer here; F5 judges it.", "$ink-dim"))
        if self.written != text:
            self._reported = text
            self.query_one("#response-written", PlainEditor).load(text)
        self._switch("response-written")

    def _start_over(self, head: Content, render_as: RenderAs) -> None:
        self._stop_redrawing()
        self._text, self._evidence, self._render_as = "", (), render_as
        self._head(head)
        self._switch("response-shown")
        self._draw(from_start=True)

    def _grow(self, text: str) -> None:
        """Show the growing answer. It is drawn a few times a second, however fast the text arrives."""
        self._text = text
        if self._redraw is None:
            self._redraw = self.set_timer(1 / _REDRAWS_PER_SECOND, self._draw_grown)

    def _show(self, view: ShownResponse, before: ResponseView | None) -> None:
        """Show a complete answer. The scroll position stays if this is the answer that was growing here."""
        self._stop_redrawing()
        shown = before if isinstance(before, ShownResponse) and before.response is view.response else None
        is_there = shown is not None
        continues = is_there or (self._text != "" and view.response.subject.startswith(self._text))
        self._text, self._render_as = view.response.subject, view.render_as
        self._evidence = view.evidence.spans
        self.shown.set_class(view.evidence.is_closest, "-closest")
        self._show_facts(view)
        self._switch("response-shown")
        self._draw(grows=continues and not is_there, from_start=not continues)
        if shown is not None and self._evidence and view.evidence != shown.evidence:
            self.shown.bring_evidence()

    def _show_facts(self, view: ShownResponse) -> None:
        label, *facts = described(view.response, view.about)
        self._head(
            Content.assemble(
                (visible(label), "bold $ink-yours" if view.about.edited else "bold"),
                (f" · {visible(' · '.join(facts))}", "$ink-dim"),
            )
        )

    @property
    def target(self) -> Widget:
        """What gets the keys: the answer or the editor."""
        return self.query_one(f"#{self.query_one(ContentSwitcher).current}")

    def action_edit_response(self) -> None:
        """Edit the shown answer."""
        self.post_message(self.EditWanted())

    def action_original(self) -> None:
        """Restore the original answer."""
        self.post_message(self.OriginalWanted())

    def on_plain_editor_edited(self, event: PlainEditor.Edited) -> None:
        """Post what the author writes, but not a text that was loaded."""
        event.stop()
        if self._reported != self.written:
            self._reported = self.written
            self.post_message(self.AnswerEdited(self._reported))

    def _draw_grown(self) -> None:
        self._redraw = None
        self._draw(grows=True)

    def _stop_redrawing(self) -> None:
        if self._redraw is not None:
            self._redraw.stop()
            self._redraw = None

    def _draw(self, *, grows: bool = False, from_start: bool = False) -> None:
        self._number += from_start
        passages = (Passage(str(self._number), self._text, (), self._render_as, self._evidence),)
        if from_start or passages != self.shown.passages:
            self.shown.show(passages, grows=grows)

    def _head(self, content: Content) -> None:
        self.query_one("#response-head", Static).update(content)

    def _switch(self, current: str) -> None:
        self.query_one(ContentSwitcher).current = current

"""The answer that was judged, with the evidence of the selected point lit up; or one that the author writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import ContentSwitcher, Static

from engine.evaluation.events import Response
from engine.text import Span, visible
from studio.editor import PlainEditor

_REDRAWS_PER_SECOND = 12


def lit_up(text: str, evidence: Sequence[Span]) -> Content:
    """Untrusted `text` made safe to show, with the evidence marked by brackets and by colour."""
    pieces: list[str | tuple[str, str]] = []
    done = 0
    for span in sorted(evidence):
        if span.start < done or span.end > len(text):
            continue
        found = visible(text[span.start : span.end])
        pieces += [visible(text[done : span.start]), (f"⟦{found}⟧", "bold $ink-met")]
        done = span.end
    return Content.assemble(*pieces, visible(text[done:]))


def described(response: Response) -> str:
    """What is known of how the answer came about: `212 words · 1.8 s · 96 tokens · cut off by its length`."""
    words = len(response.subject.split())
    facts = [] if response.model is None else [response.model]
    facts.append("1 word" if words == 1 else f"{words} words")
    if response.seconds is not None:
        facts.append(f"{response.seconds:.1f} s")
    if response.usage.output_tokens is not None:
        facts.append(f"{response.usage.output_tokens} tokens")
    if response.cut_off:
        facts.append("cut off by its length")
    if not response.complete:
        facts.append("stopped before its end")
    return " · ".join(facts)


class ResponsePane(Vertical):
    """Shows one answer, or takes one from the author. It runs nothing itself."""

    DEFAULT_CSS = """
    ResponsePane { height: 1fr; padding: 0 0 0 1; }
    ResponsePane > #response-head { height: auto; max-height: 4; padding: 0 1 1 0; }
    ResponsePane > ContentSwitcher { height: 1fr; }
    ResponsePane #response-shown { height: 1fr; scrollbar-size-vertical: 1; padding: 0 1 0 0; }
    ResponsePane #response-written { height: 1fr; background: $surface; scrollbar-size: 0 1; }
    """

    BINDINGS: ClassVar[list[BindingType]] = []

    class AnswerEdited(Message):
        """The author changed the answer that they are writing."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text = ""
        self._evidence: tuple[Span, ...] = ()
        self._streamed: list[str] = []
        self._redraw: Timer | None = None
        self._told = ""

    def compose(self) -> ComposeResult:
        """A line about the answer, then the answer: to read, or to write."""
        yield Static(id="response-head")
        with ContentSwitcher(initial="response-shown"):
            with VerticalScroll(id="response-shown"):
                yield Static(id="response-text")
            yield PlainEditor(id="response-written")

    @property
    def written(self) -> str:
        """The answer that the author has written here."""
        return self.query_one("#response-written", PlainEditor).text_out()

    def show_nothing(self, teaching: str) -> None:
        """There is no answer yet: `teaching` tells the next step in one line."""
        self._stop_streaming()
        self._text, self._evidence = "", ()
        self._head(Content.styled(visible(teaching), "$ink-dim"))
        self._switch("response-shown")
        self._draw()

    def write(self, text: str) -> None:
        """Let the author write the answer, beginning with `text`."""
        self._stop_streaming()
        self._head(Content.styled("Type or paste an answer here; F5 judges it.", "$ink-dim"))
        if self.written != text:
            self._told = text
            self.query_one("#response-written", PlainEditor).load(text)
        self._switch("response-written")

    def begin(self, label: str) -> None:
        """An answer from `label` is about to stream in."""
        self._stop_streaming()
        self._text, self._evidence = "", ()
        self._head(Content.styled(visible(label), "$ink-yours"))
        self._switch("response-shown")
        self._draw()

    def append(self, text: str) -> None:
        """The next piece of the answer. Drawn a few times a second, however fast it comes."""
        self._streamed.append(text)
        if self._redraw is None:
            self._redraw = self.set_timer(1 / _REDRAWS_PER_SECOND, self._draw_streamed)

    def show(self, response: Response, label: str) -> None:
        """Show a whole answer (or what had arrived of one)."""
        self._stop_streaming()
        self._text, self._evidence = response.subject, ()
        self._head(Content.assemble((visible(label), "bold"), (f"  {visible(described(response))}", "$ink-dim")))
        self._switch("response-shown")
        self._draw()
        self.query_one("#response-shown", VerticalScroll).scroll_home(animate=False)

    def light_up(self, evidence: Sequence[Span]) -> None:
        """Mark what the selected point rests on, and bring its beginning into view."""
        self._evidence = tuple(evidence)
        self._draw()
        if self._evidence:
            start = min(span.start for span in self._evidence)
            scroll = self.query_one("#response-shown", VerticalScroll)
            above = Content(visible(self._text[:start])).get_height({}, max(scroll.scrollable_content_region.width, 1))
            scroll.scroll_to(y=max(above - 3, 0), animate=False)

    def focus_content(self) -> None:
        """Put the focus where reading or writing happens."""
        switcher = self.query_one(ContentSwitcher)
        self.screen.set_focus(self.query_one(f"#{switcher.current}"))

    def on_plain_editor_edited(self, event: PlainEditor.Edited) -> None:
        """Tell of what the author writes, but not of what was put there for them."""
        event.stop()
        if self._told != self.written:
            self._told = self.written
            self.post_message(self.AnswerEdited(self._told))

    def _draw_streamed(self) -> None:
        self._redraw = None
        self._text += "".join(self._streamed)
        self._streamed.clear()
        self._draw()
        self.query_one("#response-shown", VerticalScroll).scroll_end(animate=False)

    def _stop_streaming(self) -> None:
        if self._redraw is not None:
            self._redraw.stop()
            self._redraw = None
        self._streamed.clear()

    def _draw(self) -> None:
        shown = lit_up(self._text, self._evidence) if self._text else Content.styled("nothing was answered", "$ink-dim")
        self.query_one("#response-text", Static).update(shown)

    def _head(self, content: Content) -> None:
        self.query_one("#response-head", Static).update(content)

    def _switch(self, current: str) -> None:
        self.query_one(ContentSwitcher).current = current

"""Pages to read: the help, a rule, what a judge was asked word for word, and how far scores vary."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from engine.text.record import Record
from engine.text.spans import visible
from studio.session.host import RepeatsQuestion
from studio.session.reference import ReferencePage
from studio.tui.dialogs.ask import Dialog
from studio.tui.dialogs.hanging import Hanging

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement
    from engine.text.glossary import Word
    from studio.tui.action import Action

_PALETTE = "Ctrl+P"
_KEYS = 12
"""Cells of the keys before what they do."""
_BEGINS = re.compile(r"- |\d+\. |Fix\b[^.]*:|Documents: |Suppress: |Bad:|Good:")
_LABEL = re.compile(r"(?:Bad|Good|Documents|Suppress|Fix)\b[^:.]*:")


class Page(Dialog[None]):
    """A text that scrolls. Escape, Enter and q close it, and so do the keys that open it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,q", "dismiss(None)", "Close", show=False)]
    DEFAULT_CSS = """
    Page > .dialog { width: 92; }
    Page .fits { padding: 0 1 1 1; max-height: 82vh; }
    Page Static { height: auto; padding: 1 0 0 0; }
    Page .below { padding: 0 0 0 2; }
    """

    def content(self) -> ComposeResult:
        with VerticalScroll(classes="fits"):
            for text in self.texts():
                yield Static(text, markup=False) if isinstance(text, Content) else text

    def texts(self) -> Iterator[Content | Static]:
        """Its paragraphs."""
        raise NotImplementedError


class Help(Page):
    """Help on one pane: what it is for, its keys, and the meaning of words."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f1", "dismiss(None)", "Close", show=False)]

    def __init__(
        self, title: str, text: str, groups: Sequence[tuple[str, Sequence[Action]]], words: Sequence[Word]
    ) -> None:
        """`words` are defined below the actions."""
        super().__init__(title)
        self._text = text
        self._words = words
        self.groups = groups

    def texts(self) -> Iterator[Content | Static]:
        if self._text:
            yield Content(visible(self._text))
        for title, actions in self.groups:
            if actions:
                yield Content.styled(title, "$ink-dim")
                lines = (line for action in actions for line in _key_lines(action))
                yield Static(Hanging(*lines), classes="below", markup=False)
        if self._words:
            yield Content.styled("Words", "$ink-dim")
            lines = (line for word in self._words for line in _word_lines(word))
            yield Static(Hanging(*lines), id="words", classes="below", markup=False)


def _key_lines(action: Action) -> Iterator[tuple[int | Content, Content]]:
    keys = action.keys or _PALETTE
    yield Content.assemble((keys, "bold"), " " * (_KEYS - len(keys))), Content(action.label)
    if action.help:
        yield _KEYS, Content.styled(action.help, "$ink-dim")


def _word_lines(word: Word) -> Iterator[tuple[int | Content, Content]]:
    yield 0, Content.assemble((word.name, "bold"), (f" · {word.of}", "$ink-dim"))
    yield 0, Content.styled(word.meaning, "$ink-dim")


# --- The page of a rule


class Block(Record):
    """A block of a page: a paragraph on one line, or with `is_code` the lines of an example."""

    text: str
    is_code: bool = False


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page, without its heading. The lines of a paragraph are joined, to be wrapped at any width."""
    gathered: list[str] = []
    is_code = False
    for line in [*page.splitlines(), ""]:
        code = line.startswith("    ") or (is_code and not line.strip() and bool(gathered))
        ends = code != is_code or (not code and (not line.strip() or _BEGINS.match(line)))
        if gathered and ends:
            yield _block(gathered, is_code=is_code)
            gathered = []
        is_code = code
        if (line.strip() or code) and not line.startswith("# "):
            gathered.append(line)
    if gathered:
        yield _block(gathered, is_code=is_code)


def _block(lines: list[str], *, is_code: bool) -> Block:
    if is_code:
        return Block("\n".join(line[4:] for line in lines).rstrip(), is_code=True)
    return Block(" ".join(line.strip() for line in lines))


class RulePage(Page, asks=ReferencePage):
    """The page of one rule: what it looks for, why that matters, examples, the fix; first its message here."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+e,question_mark", "dismiss(None)", "Close", show=False)]
    DEFAULT_CSS = "RulePage .here { border-bottom: solid $line; }"

    def __init__(self, page: ReferencePage) -> None:
        super().__init__(page.title, "↑ ↓ scroll · Esc closes")
        self._page = page

    def texts(self) -> Iterator[Content | Static]:
        if self._page.message:
            yield Static(Content(visible(self._page.message)), classes="here", markup=False)
        for block in blocks(self._page.page):
            label = None if block.is_code else _LABEL.match(block.text)
            if block.is_code:
                example = Content.styled(visible(block.text), "$ink-dim")
                yield Static(example, classes="below", markup=False)
            elif label is None:
                yield Content(visible(block.text))
            else:
                yield Content.assemble((visible(label[0]), "bold"), visible(block.text[label.end() :]))
        yield Content.styled(visible(self._page.level_line), "$ink-dim")


# --- Pages whose text changes


class _Changing(Page):
    """A page with one text."""

    def __init__(self) -> None:
        super().__init__("")
        self._words = Static(id="words", markup=False)

    def texts(self) -> Iterator[Content | Static]:
        yield self._words

    def write(self, title: str, keys: str, words: Content) -> None:
        """Show another text."""
        self.entitle(title, keys)
        self._words.update(words)
        self.call_after_refresh(self.fit)


class WordForWord(_Changing):
    """The exact requests and raw replies of `judgements`, at least one, one judge at a time."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x", "dismiss(None)", "Close", show=False),
        Binding("right,n", "turn(1)", "Next judge", show=False),
        Binding("left,p", "turn(-1)", "Previous judge", show=False),
    ]
    DEFAULT_CSS = "WordForWord > .dialog { width: 110; }"

    def __init__(self, judgements: Sequence[Judgement]) -> None:
        super().__init__()
        self._judgements = judgements
        self._shown = 0

    def on_mount(self) -> None:
        """Show the first judge."""
        self.action_turn(0)

    def action_turn(self, by: int) -> None:
        """Show another judge; after the last comes the first."""
        from engine.judging.judgement import word_for_word  # here, as the help does not need it

        count = len(self._judgements)
        self._shown = (self._shown + by) % count
        judgement = self._judgements[self._shown]
        which, turn = (f" · judge {self._shown + 1} of {count}", "← → another judge · ") if count > 1 else ("", "")
        title, keys = f"{judgement.judge.id}, word for word{which}", f"{turn}↑ ↓ scroll · Esc closes"
        self.write(title, keys, drawn(word_for_word(judgement)))
        self.query_one(VerticalScroll).scroll_home(animate=False)


def drawn(words: str) -> Content:
    """`words` from `word_for_word`, with the studio's headings distinguished from the request and the reply."""
    lines = words.rstrip("\n").split("\n")
    return Content("\n").join(
        [Content.styled(line, "bold $ink-focus" if line.startswith("=== ") else "") for line in lines]
    )


class RepeatsPage(_Changing, asks=RepeatsQuestion):
    """How far repeats have come, then how far scores vary. Escape stops repeats that run, else it closes."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q", "stop_or_close", "Close", show=False)]
    DEFAULT_CSS = "RepeatsPage > .dialog { width: 100; }"

    def __init__(self, question: RepeatsQuestion) -> None:
        super().__init__()
        self._repeats = question.repeats

    def on_mount(self) -> None:
        """Draw, and again whenever an answer is done."""
        self._unsubscribe = self._repeats.session.subscribe(lambda _before, _now: self._draw())
        self._draw()

    def on_unmount(self) -> None:
        """Follow the repeats no longer."""
        self._unsubscribe()

    def _draw(self) -> None:
        shown, progress = self._repeats.state.repeated, self._repeats.queue.progress
        if shown is None:
            return
        text = f"answers: {progress}" if progress else "\n".join(shown.lines) or "Comparing the scores …"
        keys = "Esc closes" if progress is None else "Esc stops"
        self.write(f"Repeats · {shown.name}", keys, Content(visible(text)))

    def action_stop_or_close(self) -> None:
        """Stop what runs; if nothing does, close."""
        if not self._repeats.queue.stop():
            self.dismiss(None)

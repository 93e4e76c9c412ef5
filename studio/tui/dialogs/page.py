"""The page of a rule: what it looks for, why that matters for the score, a bad and a good example, the fix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from engine.text.record import Record
from engine.text.spans import visible
from studio.session.reference import ReferencePage
from studio.tui.dialogs.ask import Dialog
from studio.tui.key_bindings import keys_that

_BEGINS = re.compile(r"- |\d+\. |Fix\b[^.]*:|Documents: |Suppress: |Bad:|Good:")
_LABEL = re.compile(r"(?:Bad|Good|Documents|Suppress|Fix)\b[^:.]*:")


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


class Page(Dialog[None]):
    """The page of one rule, with its message here. Escape, Enter, q and the keys that open it close it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(f"enter,q,{keys_that('explain_problem', 'explain')}", "dismiss(None)", "Close", show=False)
    ]
    DEFAULT_CSS = """
    Page > .dialog { width: 92; }
    Page VerticalScroll { height: auto; max-height: 82vh; scrollbar-size-vertical: 1; padding: 0 1; }
    Page .piece { height: auto; padding: 1 0 0 0; }
    Page .example { height: auto; padding: 0 0 0 2; color: $ink-dim; }
    Page .here { height: auto; padding: 1 0 0 0; border-bottom: solid $line; }
    """

    def __init__(self, page: ReferencePage) -> None:
        super().__init__()
        self._page = page

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content(visible(self._page.title))
            dialog.border_subtitle = Content("↑ ↓ scroll · Esc closes")
            with VerticalScroll():
                if self._page.message:
                    yield Static(Content(visible(self._page.message)), classes="here", markup=False)
                for block in blocks(self._page.page):
                    yield Static(_drawn(block), classes="example" if block.is_code else "piece", markup=False)
                yield Static(Content.styled(visible(self._page.level_line), "$ink-dim"), classes="piece", markup=False)


def _drawn(block: Block) -> Content:
    label = None if block.is_code else _LABEL.match(block.text)
    if label is None:
        return Content(visible(block.text))
    return Content.assemble((visible(label[0]), "bold"), visible(block.text[label.end() :]))

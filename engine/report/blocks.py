"""The blocks that a document is made of, and the files: HTML for the screen, light or dark, and for paper; Markdown.

A `str` is in the words of the program; a `Text` comes from elsewhere, and has its own direction and line breaks.
Nothing that is shown can act. A text becomes HTML only by escaping, the file loads nothing and runs nothing, and a
policy in it forbids everything but its own style. In Markdown, every sign of a text is escaped.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, StrEnum, auto
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias

from engine.text.record import Record
from engine.text.spans import Span, one_line, visible


class Tone(StrEnum):
    """How a text looks where colours are shown."""

    PLAIN = ""
    DIM = "dim"
    MET = "met"
    PARTLY = "partly"
    UNMET = "unmet"


class Text(Record):
    """A text from elsewhere."""

    text: str


def text_of(words: str | Text) -> str:
    """The text itself."""
    return words.text if isinstance(words, Text) else words


class Heading(Record):
    """A heading of a level from 1; links lead to its `anchor`."""

    level: int
    words: str | Text
    anchor: str = ""


class Line(Record):
    """A paragraph."""

    words: str | Text
    tone: Tone = Tone.PLAIN


class Notes(Record):
    """Lines of one kind, from elsewhere."""

    texts: tuple[str, ...]


class Quote(Record):
    """A text word for word, below who says it. `text` is None where there is none yet."""

    text: str | None
    title: str = ""
    tone: Tone = Tone.PLAIN


class Answer(Record):
    """An answer word for word. `marks` are places in it that the points of these numbers rest on."""

    text: str
    marks: tuple[tuple[Span, int], ...]


class Pairs(Record):
    """Names, each with what there is to say of it."""

    rows: tuple[tuple[str, str], ...]


class PartKind(Enum):
    """What a part of a cell is: `EVIDENCE` is left out where the answer shows it."""

    TEXT = auto()
    OWN = auto()
    PHRASE = auto()
    CODE = auto()
    NOTE = auto()
    REMARK = auto()
    EVIDENCE = auto()


class Part(Record):
    """One line of a cell, below its `label`."""

    kind: PartKind
    text: str
    label: str = ""
    tone: Tone = Tone.PLAIN


class Cell(Record):
    """A cell with `words`, which lead `to` an anchor, or else with `parts`. `is_head`: it names its row."""

    words: str | Text = ""
    tone: Tone = Tone.PLAIN
    is_number: bool = False
    parts: tuple[Part, ...] = ()
    is_head: bool = False
    to: str = ""


class Column(Record):
    """The head of a column."""

    title: str
    is_number: bool = False


class Table(Record):
    """A table. `has_total`: its last row adds up the others."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    has_total: bool = False


class Fold(Record):
    """Blocks below a figure and its name, which can be folded away."""

    figure: str
    name: str
    children: tuple[Block, ...]


class Section(Record):
    """Blocks that belong together."""

    children: tuple[Block, ...]


Block: TypeAlias = "Heading | Line | Notes | Quote | Answer | Pairs | Table | Fold | Section"


_SIGN = re.compile(r"[\\`*_{}\[\]<>#|~&$]|:(?=//)|(?<=www)\.|\A[-+=]", re.IGNORECASE)
"""What begins or ends something in Markdown, wherever it stands; at the start of a line also lists and rules."""
_NUMBERED = re.compile(r"\A(\d{1,9})([.)])(?!\S)")
_MENTION = re.compile(r"@(?=\w)")
_FENCE = re.compile(r"`+")


def inline(text: str) -> str:
    """`text` on one line, with every character that Markdown would read as a sign escaped."""
    line = " ".join(visible(text).split())
    line = _NUMBERED.sub(r"\1\\\2", _SIGN.sub(r"\\\g<0>", line))
    return _MENTION.sub("@<!-- -->", line)


def fenced(text: str) -> str:
    """`text` word for word between fences that nothing in it can close."""
    shown = visible(text).rstrip("\n")
    fence = fence_of(shown)
    return f"{fence}text\n{shown}\n{fence}"


def fence_of(text: str) -> str:
    """A fence that nothing in `text` can close."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=0)
    return "`" * max(longest + 1, 3)


def as_markdown(blocks: Iterable[Block]) -> str:
    """The whole file."""
    return "\n\n".join(part for block in blocks for part in _markdown(block)) + "\n"


def _markdown(block: Block) -> Iterator[str]:
    match block:
        case Heading(level, words):
            yield f"{'#' * level} {inline(text_of(words))}"
        case Line(words):
            yield inline(text_of(words))
        case Notes(texts):
            yield "\n".join(f"- {inline(text)}" for text in texts)
        case Quote(text, title):
            yield "\n\n".join(part for part in (inline(title), "" if text is None else fenced(text)) if part)
        case Answer(text):
            yield fenced(text)
        case Pairs(rows):
            yield "\n".join(f"- {inline(name)}: {inline(text)}" for name, text in rows)
        case Table():
            yield from _markdown_table(block)
        case Fold(figure, name, children):
            yield f"### {inline(name)}: {figure}"
            yield from (part for child in children for part in _markdown(child))
        case Section(children):
            yield from (part for child in children for part in _markdown(child))


def _markdown_table(table: Table) -> Iterator[str]:
    """A table below its caption. Its first column names the rows, and is no figure."""
    if table.caption:
        yield inline(table.caption)
    heads = [inline(column.title) or " " for column in table.columns]
    marks = ["---:" if number and column.is_number else "---" for number, column in enumerate(table.columns)]
    lines = [heads, marks, *(map(_markdown_cell, row) for row in table.rows)]
    yield "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _markdown_cell(cell: Cell) -> str:
    parts = (": ".join(filter(None, (part.label, part.text))) for part in cell.parts)
    return (inline(" · ".join(filter(None, parts))) if cell.parts else inline(text_of(cell.words))) or " "


Name: TypeAlias = Literal[
    "a", "caption", "code", "dd", "details", "div", "dl", "dt", "footer", "h1", "h2", "h3", "header", "main", "mark",
    "p", "section", "small", "span", "strong", "summary", "sup", "table", "tbody", "td", "th", "thead", "tr",
]  # fmt: skip
"""The elements of a page. None of them loads or runs anything."""
_HEADINGS: tuple[Name, ...] = ("h1", "h2", "h3")


class Markup(Record):
    """Safe HTML. Only `element` and `joined` make it."""

    html: str


Child: TypeAlias = "Markup | str"


def element(
    name: Name,
    *children: Child,
    style: str = "",
    anchor: str = "",
    to: str = "",
    is_open: bool = False,
    is_text: bool = False,
    scope: str = "",
) -> Markup:
    """An element. Texts among `children` are escaped, and hidden characters in them made visible.

    `style` is its class, `anchor` its id, `to` the id that a link of this page leads to. `is_text`: it holds a text
    from elsewhere, which has its own direction and keeps its line breaks.
    """
    attributes = {
        "class": " ".join(part for part in (style, "text" if is_text else "") if part),
        "id": anchor,
        "href": f"#{to}" if to else "",
        "scope": scope,
        "dir": "auto" if is_text else "",
    }
    written = "".join(f' {key}="{html.escape(value)}"' for key, value in attributes.items() if value)
    flag = " open" if is_open else ""
    return Markup(f"<{name}{written}{flag}>{joined(children).html}</{name}>")


def joined(children: Iterable[Child]) -> Markup:
    """The children one after the other."""
    return Markup("".join(each.html if isinstance(each, Markup) else _escaped(each) for each in children))


def _escaped(text: str) -> str:
    """`text` as HTML that shows just it."""
    return html.escape(visible(text))


@cache
def page_style() -> str:
    """The style of the file: light, dark and for paper, without anything to load."""
    return Path(__file__).with_name("report.css").read_text("utf-8")


def as_html(title: str, header: Iterable[Block], main: Iterable[Block], footer: Iterable[Block]) -> str:
    """The whole file."""
    digest = base64.b64encode(hashlib.sha256(page_style().encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    body = element("header", *_all(header)), element("main", *_all(main)), element("footer", *_all(footer))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{_escaped(one_line(title))}</title>\n<style>{page_style()}</style>\n</head>\n<body>\n"
        f"{joined(body).html}\n</body>\n</html>\n"
    )


def _all(blocks: Iterable[Block]) -> Iterator[Markup]:
    for block in blocks:
        yield from _html(block)


def _html(block: Block) -> Iterator[Markup]:
    match block:
        case Heading(level, words, anchor):
            is_text = isinstance(words, Text)
            yield element(_HEADINGS[level - 1], one_line(text_of(words)), anchor=anchor, is_text=is_text)
        case Line(words, tone):
            yield element("p", text_of(words), style=tone, is_text=isinstance(words, Text))
        case Notes(texts):
            yield from (element("p", text, style="dim", is_text=True) for text in texts)
        case Quote():
            yield _quote(block)
        case Answer(text, marks):
            yield element("div", *_marked(text, marks), style="answer", is_text=True)
        case Pairs(rows):
            pairs = ((element("dt", one_line(name)), element("dd", text)) for name, text in rows)
            yield element("dl", *(part for pair in pairs for part in pair))
        case Table():
            yield _html_table(block)
        case Fold(figure, name, children):
            head = element("summary", element("strong", figure), " · ", element("span", one_line(name)))
            yield element("details", head, *_all(children), is_open=True)
        case Section(children):
            yield element("section", *_all(children))


def _quote(quote: Quote) -> Markup:
    if not quote.title:
        return element("p", quote.text or "", style=quote.tone, is_text=True)
    shown = [] if quote.text is None else [element("div", quote.text, is_text=True)]
    return element("div", element("div", quote.title, style="role"), *shown, style="turn")


def _marked(text: str, marks: Sequence[tuple[Span, int]]) -> Iterator[Child]:
    for piece in pieces(text, marks):
        yield element("mark", piece.text) if piece.is_evidence else piece.text
        if piece.ends:
            yield element("sup", ", ".join(map(str, piece.ends)))


class Piece(Record):
    """A piece of an answer, and whether a mark covers it. `ends` are the numbers of the marks that end here."""

    text: str
    is_evidence: bool
    ends: tuple[int, ...] = ()


def pieces(text: str, marks: Sequence[tuple[Span, int]]) -> Iterator[Piece]:
    """The pieces of `text` in order; joined, they are `text`. Marks beyond its end are cut."""
    opened: dict[int, int] = {}
    closed: dict[int, set[int]] = {}
    for span, number in marks:
        end = min(span.end, len(text))
        if span.start < end:
            opened[span.start] = opened.get(span.start, 0) + 1
            closed.setdefault(end, set()).add(number)
            opened[end] = opened.get(end, 0) - 1
    depth = 0
    for start, end in pairwise(sorted({0, len(text), *opened})):
        depth += opened.get(start, 0)
        yield Piece(text[start:end], depth > 0, tuple(sorted(closed.get(end, ()))))


def _html_table(table: Table) -> Markup:
    titled = [element("caption", table.caption)] if table.caption else []
    rows = [
        element("tr", *map(_html_cell, row), style="total" if table.has_total and number == len(table.rows) else "")
        for number, row in enumerate(table.rows, 1)
    ]
    head = element("thead", element("tr", *map(_head, table.columns)))
    return element("div", element("table", *titled, head, element("tbody", *rows)), style="scroll")


def _head(column: Column) -> Markup:
    return element("th", one_line(column.title), style="number" if column.is_number else "", scope="col")


def _html_cell(cell: Cell) -> Markup:
    style = " ".join(part for part in ("number" if cell.is_number else "", cell.tone) if part)
    name, scope = ("th", "row") if cell.is_head else ("td", "")
    if cell.parts:
        return element(name, *(each for part in cell.parts for each in _part(part)), style=style, scope=scope)
    is_text = isinstance(cell.words, Text)
    text = one_line(text_of(cell.words)) if is_text else text_of(cell.words)
    return element(name, element("a", text, to=cell.to) if cell.to else text, style=style, scope=scope, is_text=is_text)


def _part(part: Part) -> Iterator[Markup]:
    match part.kind:
        case PartKind.TEXT:
            yield element("div", part.text, style=part.tone, is_text=True)
        case PartKind.OWN:
            yield element("div", part.text, style=part.tone)
        case PartKind.PHRASE:
            yield element("span", part.text, is_text=True)
        case PartKind.CODE:
            yield element("code", part.text, is_text=True)
        case PartKind.NOTE:
            said = (f"{part.label}: ", element("span", part.text, is_text=True)) if part.label else (part.text,)
            yield element("div", element("small", *said), style="dim")
        case PartKind.REMARK:
            label = [element("small", part.label, style="dim")] if part.label else []
            text = [element("div", part.text, is_text=True)] if part.text else []
            yield element("div", *label, *text)
        case PartKind.EVIDENCE:
            return

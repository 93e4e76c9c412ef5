"""Blocks as Markdown, for where HTML is not shown. Nothing in their texts is read as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from engine.report.blocks import (
    Answer,
    Block,
    Cell,
    Fold,
    Heading,
    Line,
    Notes,
    Pairs,
    Quote,
    Section,
    Table,
    text_of,
)
from engine.text.spans import visible

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
    return "\n\n".join(part for block in blocks for part in _block(block)) + "\n"


def _block(block: Block) -> Iterator[str]:
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
            yield from _table(block)
        case Fold(figure, name, children):
            yield f"### {inline(name)}: {figure}"
            yield from (part for child in children for part in _block(child))
        case Section(children):
            yield from (part for child in children for part in _block(child))


def _table(table: Table) -> Iterator[str]:
    """A table below its caption. Its first column names the rows, and is no figure."""
    if table.caption:
        yield inline(table.caption)
    heads = [inline(column.title) or " " for column in table.columns]
    marks = ["---:" if number and column.is_number else "---" for number, column in enumerate(table.columns)]
    lines = [heads, marks, *(map(_cell, row) for row in table.rows)]
    yield "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Cell) -> str:
    parts = (": ".join(filter(None, (part.label, part.text))) for part in cell.parts)
    return (inline(" · ".join(filter(None, parts))) if cell.parts else inline(text_of(cell.words))) or " "

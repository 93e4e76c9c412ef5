"""Blocks as text for a terminal: each heading with what stands below it, and tables in columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from rich.cells import cell_len, set_cell_size

from engine.report.blocks import (
    Answer,
    Block,
    Cell,
    Column,
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


def as_text(blocks: Iterable[Block]) -> str:
    """The whole text, safe to print.

    An empty line stands before a section. What is below a heading stands two cells further in, and so does a heading
    below one of a higher level, and a table.
    """
    return visible("\n".join(_lines(blocks, 0)).strip("\n")) + "\n"


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], figures: Collection[int]) -> Table:
    """A table of texts, whose columns `figures`, by their places, are aligned to the right."""
    columns = tuple(Column(title, at in figures) for at, title in enumerate(titles))
    return Table(columns, tuple(tuple(map(Cell, row)) for row in rows))


def shortened(text: str, width: int) -> str:
    """`text` on one line of at most `width` cells."""
    line = " ".join(text.split())
    return line if cell_len(line) <= width else f"{set_cell_size(line, width - 1).rstrip()}…"


def _lines(blocks: Iterable[Block], margin: int) -> Iterator[str]:
    for block in blocks:
        match block:
            case Heading(level, words):
                margin = 2 * level
                yield f"{'  ' * (level - 1)}{text_of(words)}"
            case Section(children):
                yield from ("", *_lines(children, margin))
            case Fold(figure, name, children):
                yield from (f"{' ' * margin}{name}: {figure}", *_lines(children, margin + 2))
            case Line(words):
                yield from _indented(text_of(words).split("\n"), margin)
            case Notes(texts):
                yield from _indented(texts, margin)
            case Quote(text) | Answer(text):
                yield from _indented((text or "").split("\n"), margin)
            case Pairs(rows):
                yield from _indented((f"{name}: {text}" for name, text in rows), margin)
            case Table():
                yield from _indented(_table(block), max(margin, 2))


def _indented(lines: Iterable[str], margin: int) -> Iterator[str]:
    return (f"{' ' * margin}{line}" if line else "" for line in lines)


def _table(table: Table) -> Iterator[str]:
    """The rows below the titles, with two blanks between columns; the last column takes the room that it needs."""
    titles = [each.title for each in table.columns]
    rows = [*([titles] if any(titles) else []), *([text_of(cell.words) for cell in row] for row in table.rows)]
    widths = [max(cell_len(row[at]) for row in rows) for at in range(len(table.columns) - 1)]
    for *cells, last in rows:
        shown = [
            f"{' ' * (width - cell_len(cell))}{cell}" if column.is_number else set_cell_size(cell, width)
            for cell, width, column in zip(cells, widths, table.columns, strict=False)
        ]
        yield "  ".join([*shown, last]).rstrip()

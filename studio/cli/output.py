"""What commands print: blocks as text for a terminal, and attributes of what was found as JSON."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from rich.cells import cell_len, set_cell_size

from engine.evaluation.result_json import bounds_json
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
from engine.scoring.assessment import Bounds
from engine.text.record import Record, as_json
from engine.text.spans import visible
from engine.yaml.nodes import Data


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


# --- JSON: attributes under the names of docs/machine-readable.md


def picked(found: object, *names: str) -> dict[str, Data]:
    """These attributes of `found`, by their names in camel case: `case.carried_over` is called `carriedOver`.

    `points=uses` gives another name. What an attribute that is None would have is null.
    """
    parts: dict[str, Data] = {}
    for each in names:
        name, _, path = each.rpartition("=")
        value: Any = found
        for attribute in path.split("."):
            value = None if value is None else getattr(value, attribute)
        first, *others = path.rpartition(".")[2].split("_")
        parts[name or "".join([first, *(other.capitalize() for other in others)])] = as_data(value)
    return parts


def as_data(value: Any) -> Data:
    """`value` as JSON has it: an enum by its value, bounds as the lowest and the highest, records by their fields."""
    match value:
        case Enum():
            return value.value
        case Bounds():
            return bounds_json(value)
        case Record():
            return as_json(value)
        case Path():
            return str(value)
        case tuple() | list() | frozenset():
            return [as_data(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value

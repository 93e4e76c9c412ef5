"""A grid of scores as text."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size

from studio.session.views.grid_view import GridView, standing_text, total_text

_WIDEST_LABEL = 60
_WIDEST_COLUMN = 22


def as_text(view: GridView) -> str:
    """The table, the totals of each column, and the criteria that all pass or all fail."""
    lines = [view.source.title, f"{view.title} · {view.state}", ""]
    lines += _table(view)
    lines.append("")
    lines += [
        f"{label}: {total_text(total, len(view.grid.rows))}"
        for label, total in zip(view.labels, view.grid.totals, strict=True)
    ]
    if len(view.labels) > 1 and (standing := standing_text(view.source.standings)):
        lines.append(standing)
    return "\n".join(lines) + "\n"


def _table(view: GridView) -> Iterator[str]:
    several = len(view.labels) > 1
    tail = ["spread", "cost"] if several else ["cost"]
    rows = [["", *(_short(label, _WIDEST_COLUMN) for label in view.labels), *tail]]
    rows.append([view.total_label, *(cell.text for cell in view.totals), *("" for _ in tail)])
    for index in range(len(view.rows)):
        line = view.line(index)
        figures = [line.spread, line.cost] if several else [line.cost]
        note = f"  {line.note}" if line.note else ""
        rows.append([_short(line.label, _WIDEST_LABEL), *(cell.text for cell in line.cells), *figures, note])
    count = 1 + len(view.labels) + len(tail)
    widths = [max(cell_len(row[at]) for row in rows) for at in range(count)]
    for row in rows:
        label = set_cell_size(row[0], widths[0])
        cells = "".join(f"  {each:>{width}}" for each, width in zip(row[1:count], widths[1:], strict=True))
        yield f"  {label}{cells}{''.join(row[count:])}".rstrip()


def _short(text: str, width: int) -> str:
    line = " ".join(text.split())
    return line if cell_len(line) <= width else f"{set_cell_size(line, width - 1).rstrip()}…"

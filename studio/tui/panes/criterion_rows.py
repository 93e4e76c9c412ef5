"""The answers of a criterion, one a row: what the case says, the author's grade, the verdicts now and before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len

from engine.scoring.explanation import whole_text
from engine.study.wordings import Flip, Unlike
from engine.text.record import Record, replace
from studio.session.views.criterion_view import CriterionRow, CriterionView
from studio.tui.row_list import Piece, Rows, fit

_GAP = 2
_LABEL = 4
_YOURS = 5
_EXTENT = 3
_BEFORE = 6
_LEAST_ANSWER = 14
_ROOMY_ANSWER = 20
_WIDEST_JUDGE = 16
_MET = 0.75
_NOT_FAILED = 0.5
_FLIPPED = {Flip.UP: "↑ flipped", Flip.DOWN: "↓ flipped"}
_UNLIKE = {Unlike.SCALE: "≠ scale", Unlike.FORM: "≠ asked", Unlike.UNKNOWN: "? scale"}


class Columns(Record):
    """The widths of the columns, in cells, with the `gap` before each; 0 for one that is left out.

    `judges` has one width for each judge, or, if `is_joined`, a single one in which all extents stand one after the
    other; then `before` is their mean.
    """

    answer: int
    label: int
    yours: int
    judges: tuple[int, ...]
    before: int
    flip: int
    is_joined: bool


def columns(view: CriterionView, width: int) -> Columns:
    """The columns of `view` in rows of `width` cells: each judge apart where there is room, else all in one."""
    apart = _columns(view, width, _GAP, [min(max(cell_len(each), _EXTENT + 1), _WIDEST_JUDGE) for each in view.judges])
    if len(view.judges) > 0 and apart.answer >= _ROOMY_ANSWER:
        words = cell_len(_FLIPPED[Flip.DOWN]) - 1
        if apart.flip and apart.answer - words >= _ROOMY_ANSWER:
            return replace(apart, flip=apart.flip + words, answer=apart.answer - words)
        return apart
    roomy = _columns(view, width, _GAP, None)
    return roomy if roomy.answer >= _LEAST_ANSWER else _columns(view, width, 1, None)


def _columns(view: CriterionView, width: int, gap: int, judges: Sequence[int] | None) -> Columns:
    """The columns with `gap` cells before each. `judges` are the widths of the judges; None for all in one column."""
    count = 1 if view.is_check else len(view.judges)
    mark = any(row.is_carried for row in view.rows)
    joined = [] if count == 0 else [max(count * (_EXTENT + 1 + mark) - 1, cell_len(_name_of_all(view)))]
    widths = tuple(each + gap for each in (joined if judges is None else judges))
    label = _LABEL + gap if any(row.label for row in view.rows) else 0
    yours = 0 if view.is_check else _YOURS + gap
    is_compared = view.has_before and count > 0
    one = _EXTENT if judges is None else max(count * (_EXTENT + 1) - 1, _BEFORE)
    before, flip = (one + gap, 1 + gap) if is_compared else (0, 0)
    answer = max(width - label - yours - sum(widths) - before - flip, 1)
    return Columns(answer, label, yours, widths, before, flip, judges is None)


def _name_of_all(view: CriterionView) -> str:
    if view.is_check:
        return "check"
    return "judge" if len(view.judges) == 1 else "judges"


def heading(view: CriterionView, width: int) -> str:
    """The names of the columns over rows of `width` cells."""
    laid = columns(view, width)
    names = [_name_of_all(view)] if laid.is_joined else [fit(each, _WIDEST_JUDGE) for each in view.judges]
    parts = [
        _left("answer", laid.answer),
        _right("case", laid.label),
        _right("yours", laid.yours),
        *(_right(name, room) for name, room in zip(names, laid.judges, strict=False)),
        _right("was" if laid.is_joined else "before", laid.before),
    ]
    return "".join(parts)


class CriterionRows(Rows[CriterionRow]):
    """The list of answers."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "criterion--met",
        "criterion--partly",
        "criterion--unmet",
        "criterion--yours",
    }
    DEFAULT_CSS = """
    CriterionRows > .criterion--met { color: $ink-met; }
    CriterionRows > .criterion--partly { color: $ink-partly; }
    CriterionRows > .criterion--unmet { color: $ink-unmet; }
    CriterionRows > .criterion--yours { color: $ink-yours; }
    """

    def __init__(self) -> None:
        super().__init__("", id="criterion-rows")
        self.view: CriterionView | None = None

    def same(self, old: CriterionRow, new: CriterionRow) -> bool:
        return old.key == new.key

    def draw(self, row: CriterionRow, width: int) -> list[Piece]:
        """`case 1: fluent, wrong year   bad   0     25     75  75  ↓`."""
        view = self.view
        if view is None:
            return []
        laid = columns(view, width)
        return [
            (_left(fit(row.answer.label, laid.answer), laid.answer), ""),
            (_right(row.label, laid.label), "rows--dim"),
            self._yours(row, view, laid.yours),
            *self._verdicts(row, view, laid),
            (_right(_mean(row.before) if laid.is_joined else _joined(row.before), laid.before), "rows--dim"),
            (_flip(row, laid.flip), "rows--dim" if row.unlike is not None and row.flip is None else "rows--warning"),
        ]

    def _yours(self, row: CriterionRow, view: CriterionView, width: int) -> Piece:
        if row.grade is None:
            return _right("–", width), "rows--dim"
        extent = row.grade.grade.extent
        text = whole_text(1 - extent if view.is_inverted else extent)
        return (
            (_right(text, width), "criterion--yours") if row.grade.counts else (_right(f"{text}?", width), "rows--dim")
        )

    def _verdicts(self, row: CriterionRow, view: CriterionView, laid: Columns) -> list[Piece]:
        mark = "*" if row.is_carried else ""
        waiting = "…" if view.is_running else "–"
        if not laid.judges:
            return []
        if not laid.is_joined:
            return [
                (_right(waiting if each is None else f"{whole_text(each)}{mark}", room), _ink(each))
                for each, room in zip(row.now, laid.judges, strict=True)
            ]
        extents = row.now or (None,)
        cells = [waiting if each is None else f"{whole_text(each)}{mark}" for each in extents]
        widest = _EXTENT + bool(mark)
        pieces = [(f"{cell:>{widest}} ", _ink(each)) for cell, each in zip(cells, extents, strict=True)]
        pieces[-1] = (pieces[-1][0][:-1], pieces[-1][1])
        pad = max(laid.judges[0] - sum(cell_len(text) for text, _ in pieces), 0)
        return [(" " * pad, ""), *pieces]


def _mean(extents: tuple[float | None, ...]) -> str:
    known = [each for each in extents if each is not None]
    return whole_text(sum(known) / len(known) if known else None)


def _joined(extents: tuple[float | None, ...]) -> str:
    return " ".join(f"{whole_text(each):>{_EXTENT}}" for each in extents)


def _flip(row: CriterionRow, width: int) -> str:
    """The flip, or why the verdicts now and before cannot be compared."""
    words = _FLIPPED[row.flip] if row.flip is not None else "" if row.unlike is None else _UNLIKE[row.unlike]
    return _right(words if cell_len(words) < width else words[:1], width)


def _ink(extent: float | None) -> str:
    if extent is None:
        return "rows--dim"
    if extent >= _MET:
        return "criterion--met"
    return "criterion--partly" if extent >= _NOT_FAILED else "criterion--unmet"


def _left(text: str, width: int) -> str:
    return text + " " * max(width - cell_len(text), 0)


def _right(text: str, width: int) -> str:
    return " " * max(width - cell_len(text), 0) + text if width else ""

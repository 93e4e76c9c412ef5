"""Writing an earlier wording of a point into the text again, as it was written then."""

from __future__ import annotations

import json
from collections.abc import Iterator

from engine.blueprint import Point
from engine.criterion_loop.point_range import FoundPoint
from engine.functions import point_text
from engine.parsing import Parsed, parse
from engine.store.lineages import WrittenWording
from engine.text import Span, TextEdit, apply_edits


def written_wording(text: str, point: Point) -> WrittenWording:
    """The wording of `point` as it stands in `text`."""
    return WrittenWording(
        point_text(point), point.span.of(text), point.subject_span.of(text), _column(text, point.span), _is_check(point)
    )


def edit_back(parsed: Parsed, found: FoundPoint, wording: WrittenWording) -> TextEdit | None:
    """The edit that gives the point its earlier `wording`; None if no way of writing it there is read as that wording.

    Only the criterion is replaced: a weight and a citation stay. Another kind of point (a check instead of a criterion)
    replaces the point as a whole.
    """
    for edit in _edits(parsed.text, found.point, wording):
        after = parse(apply_edits(parsed.text, [edit]), path=parsed.path).blueprint.prompts
        if len(after) != len(parsed.blueprint.prompts):
            continue
        points, before = after[found.prompt.index].points(), found.prompt.points()
        if len(points) == len(before) and point_text(points[found.index]) == wording.name:
            return edit
    return None


def _edits(text: str, point: Point, wording: WrittenWording) -> Iterator[TextEdit]:
    by = _column(text, point.span) - wording.indent
    if not wording.is_check and not _is_check(point):
        yield TextEdit(point.subject_span, _indented(wording.subject, by))
        yield TextEdit(point.subject_span, json.dumps(wording.name, ensure_ascii=False))
    yield TextEdit(point.span, _indented(wording.source, by))


def _indented(source: str, by: int) -> str:
    """`source` with its lines but the first indented `by` columns further, or less where negative."""
    first, *others = source.split("\n")
    return "\n".join([first, *(_shifted(line, by) for line in others)])


def _shifted(line: str, by: int) -> str:
    if not line.strip():
        return line
    return " " * by + line if by > 0 else line[min(-by, len(line) - len(line.lstrip(" "))) :]


def _column(text: str, span: Span) -> int:
    return span.start - (text.rfind("\n", 0, span.start) + 1)


def _is_check(point: Point) -> bool:
    return point.function is not None

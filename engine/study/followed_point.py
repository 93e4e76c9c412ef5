"""Following a point of a rubric through edits of the text, and writing an earlier wording of it again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from engine.blueprint import Blueprint, Point, Prompt
from engine.functions import point_text
from engine.parsing import Parsed, parse
from engine.scoring.assessment import PlacedPoint
from engine.scoring.sums import place
from engine.store.grades import WrittenWording
from engine.text.record import Record
from engine.text.spans import (
    Change,
    LineIndex,
    Span,
    TextEdit,
    apply_edits,
    changed_lines,
    common_prefix,
    common_suffix,
)
from engine.yaml.layout import column


class FoundPoint(Record):
    """A point of a blueprint: its prompt, its index in `Prompt.points()`, and its place in the rubric."""

    prompt: Prompt
    index: int
    placed: PlacedPoint

    @property
    def point(self) -> Point:
        """The point."""
        return self.placed.point


def points_of(blueprint: Blueprint) -> tuple[FoundPoint, ...]:
    """All points of a blueprint, prompt by prompt."""
    return tuple(found for prompt in blueprint.prompts for found in points_in(prompt))


def points_in(prompt: Prompt) -> tuple[FoundPoint, ...]:
    """The points of a prompt."""
    return tuple(FoundPoint(prompt, index, placed) for index, placed in enumerate(place(prompt)))


def point_at(blueprint: Blueprint, text: str, offset: int) -> FoundPoint | None:
    """The point at `offset` of `text`: the one whose lines it is on, the innermost where several are."""
    return min(
        (each for each in points_of(blueprint) if _on_lines(each.point.span, text, offset)),
        key=lambda each: each.point.span.end - each.point.span.start,
        default=None,
    )


def _on_lines(span: Span, text: str, offset: int) -> bool:
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", max(span.start, span.end - 1))
    return start <= offset <= (len(text) if end < 0 else end)


def carried(span: Span, before: str, after: str) -> Span | None:
    """Where the range `span` of the text `before` is in `after`.

    A change within the range, or at its ends, belongs to it. None if it was removed, or replaced together with text
    around it.
    """
    low, high, new_high = _changed(before, after)
    by = new_high - high
    if low == high == new_high:
        return span
    if span.start <= low and high <= span.end:
        return Span(span.start, span.end + by)
    if high <= span.start:
        return span.shifted(by)
    if low >= span.end:
        return span
    return _by_lines(span, before, after)


def _changed(before: str, after: str) -> tuple[int, int, int]:
    """The range of `before` that changed, as its two ends, and the end of what it became."""
    low = common_prefix(before, after)
    suffix = common_suffix(before, after, min(len(before), len(after)) - low)
    return low, len(before) - suffix, len(after) - suffix


def _by_lines(span: Span, before: str, after: str) -> Span | None:
    """The same where several places changed at once: by the lines that the texts have in common.

    A range whose lines changed is found where as many lines took their place.
    """
    old, new = LineIndex(before), LineIndex(after)
    first, last = old.position(span.start).line, old.position(max(span.end - 1, span.start)).line
    shift = 0
    changes = changed_lines([old.line(each) for each in range(old.line_count)], [*map(new.line, range(new.line_count))])
    for change in changes:
        if change.low > last:
            break
        if change.high <= first:
            shift = change.new_high - change.high
            continue
        return _replaced(span, change, first, last, old, new)
    by = new.line_span(first + shift).start - old.line_span(first).start
    return span.shifted(by)


def _replaced(span: Span, change: Change, first: int, last: int, old: LineIndex, new: LineIndex) -> Span | None:
    is_inside = change.low <= first and last < change.high
    if not is_inside or change.high - change.low != change.new_high - change.new_low:
        return None
    by = change.new_low - change.low
    column = span.start - old.line_span(first).start
    start = new.line_span(first + by)
    return Span(min(start.start + column, start.end), new.line_span(last + by).end)


def found_point(points: Sequence[FoundPoint], span: Span | None, is_same: Sequence[bool]) -> FoundPoint | None:
    """The point that stands at `span`; `is_same` says of each point whether its wording is the one last seen.

    Of several points there, it is the one with the same wording, then the one with the most in common. A point that is
    gone from there is found elsewhere only by the same wording, if just one point has it.
    """
    same = [point for point, is_it in zip(points, is_same, strict=True) if is_it]
    if span is not None:
        there = [each for each in points if each.point.span.start <= span.end and span.start <= each.point.span.end]
        if there:
            return max(there, key=lambda each: (each in same, _overlap(each.point.span, span), -each.point.span.start))
    return same[0] if len(same) == 1 else None


def _overlap(one: Span, other: Span) -> int:
    return min(one.end, other.end) - max(one.start, other.start)


# --- Back to an earlier wording


def written_wording(text: str, point: Point) -> WrittenWording:
    """The wording of `point` as it stands in `text`."""
    return WrittenWording(
        point_text(point),
        point.span.of(text),
        point.subject_span.of(text),
        column(text, point.span.start),
        _is_check(point),
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
    by = column(text, point.span.start) - wording.indent
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


def _is_check(point: Point) -> bool:
    return point.function is not None

"""The regular expressions of a point, and their places in the source."""

from __future__ import annotations

from collections.abc import Iterator

from engine import functions
from engine.blueprint import Point
from engine.rules.views import FileView
from engine.text.record import Record
from engine.text.spans import Span
from engine.yaml.layout import first_line, source_offset

INLINE_CASE = "(?i)"


class Pattern(Record):
    """One pattern as `written`, and the flags with which it runs, without the documented `(?i)`."""

    written: str
    flags: str

    @property
    def head(self) -> str:
        """What stands before the pattern that JavaScript gets: `(?i)` or nothing."""
        return self.written[: len(self.written) - len(self.bare)]

    @property
    def bare(self) -> str:
        """The pattern that JavaScript gets."""
        return self.written.removeprefix(INLINE_CASE)


def patterns_of(point: Point) -> Iterator[Pattern]:
    """The patterns of a point's function, in source order; none if it takes no patterns."""
    call = point.function
    function = None if call is None else functions.find(call.name)
    if call is None or function is None or function.search is None or function.search.is_literal:
        return
    flags = "i" if function.search.ignores_case else ""
    args = call.args
    if isinstance(args, list) and len(args) == 2 and isinstance(args[1], list):
        args = args[1]
    for item in args if isinstance(args, list) else [args]:
        if isinstance(item, str):
            yield Pattern(item, "i" if item.startswith(INLINE_CASE) else flags)


def place_in_source(view: FileView, point: Point, pattern: Pattern, within: Span | None) -> Span:
    """The place of `within`, a span of the bare pattern; the whole pattern if that is unknown."""
    node = point.argument_node(pattern.written)
    if node is None:
        return point.subject_span
    if within is not None:
        start, end = (source_offset(view.text, node, at + len(pattern.head)) for at in (within.start, within.end))
        if start is not None and end is not None:
            return Span(start, end)
    return first_line(view.text, node.span)

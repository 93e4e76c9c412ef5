"""The regular expressions of a point, and where they stand in the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine import functions
from engine.blueprint import Point
from engine.rules.source.layout import first_line, source_offset
from engine.rules.source.node_search import argument_node
from engine.rules.views import FileView
from engine.text import Span

INLINE_CASE = "(?i)"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern as `written`, and as it runs: without the documented `(?i)`, and with the flags of its function."""

    written: str
    flags: str

    @property
    def bare(self) -> str:
        """The pattern as JavaScript is given it."""
        return self.written.removeprefix(INLINE_CASE)


def patterns_of(point: Point) -> Iterator[Pattern]:
    """The patterns of a point's function, in the order written; none where it takes no patterns."""
    call = point.function
    if call is None or "match" not in call.name:
        return
    function = functions.find(call.name)
    if function is None or "pattern" not in function.argument:
        return
    flags = "i" if "imatch" in function.name else ""
    args = call.args
    if isinstance(args, list) and len(args) == 2 and isinstance(args[1], list):
        args = args[1]
    for item in args if isinstance(args, list) else [args]:
        if isinstance(item, str):
            yield Pattern(item, "i" if item.startswith(INLINE_CASE) else flags)


def place_in_source(view: FileView, point: Point, pattern: Pattern, within: Span | None) -> Span:
    """Where `within` of the bare pattern was written; all of the pattern where it is unknown."""
    node = argument_node(view.tree, point, pattern.written)
    if node is None:
        return point.subject_span
    if within is not None:
        skipped = len(pattern.written) - len(pattern.bare)
        start = source_offset(view.text, node, within.start + skipped)
        end = source_offset(view.text, node, within.end + skipped)
        if start is not None and end is not None:
            return Span(start, end)
    return first_line(view.text, node.span)

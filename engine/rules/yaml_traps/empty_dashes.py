"""Items that stand behind an empty dash of an inner list, which took them from the list that they belong to."""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Fix
from engine.parsing.findings import Kind
from engine.parsing.structure import Swallowed, swallowed_items
from engine.rules.rule import Report
from engine.rules.source.layout import dash_before, line_end, line_start, next_line_start
from engine.rules.views import FileView
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import MappingNode


def in_lists(view: FileView) -> Iterator[Report]:
    """The reports of swallowed items, but for those that are read as where they belong to."""
    released = {finding.span for finding in view.findings_of(Kind.NOT_WRITTEN) if finding.refused}
    for found in swallowed_items(view.tree):
        dash = dash_before(view.text, found.item.span.start)
        if dash is not None and found.empty.span not in released:
            yield _report(view.text, found, dash)


def _report(text: str, found: Swallowed, dash: int) -> Report:
    is_prompt = isinstance(found.item, MappingNode) and found.item.pair("prompt") is not None
    what = "this prompt" if is_prompt else "this item" if found.name else "this point"
    where = f"the list of `{found.name}`" if found.name else "the path above"
    start = line_start(text, found.empty.span.start)
    written = text[start : line_end(text, start)]
    is_bare = not written.strip(" \t-")
    edit = TextEdit(Span(start, next_line_start(text, start)), "")
    fixes = (Fix("delete the empty dash", False, (edit,)),) if is_bare and written.count("-") == 1 else ()
    message = f"{what} became a part of {where}: write a text behind its empty dash above, or delete that dash"
    return Report(Span(dash, line_end(text, dash)), message, fixes=fixes)

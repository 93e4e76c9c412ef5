"""Keys that a quoted text has swallowed, as the opening mark of a text further down closes it."""

from __future__ import annotations

from itertools import islice

from engine.parsing.findings import Kind
from engine.rules.source.layout import line_start
from engine.rules.views import FileView
from engine.text import Span, apply_edits
from engine.yaml_nodes import load
from engine.yaml_nodes.late_closings import late_closing
from engine.yaml_nodes.slips import Slip
from engine.yaml_nodes.unclosed import unclosed

_MOST_TRIED = 2
"""How many places are tried at which the text may close: the whole file is read for each."""


def swallowing_text(view: FileView) -> tuple[Span, int] | None:
    """The first quoted text that has swallowed keys, and where the key behind it begins; None if there is none.

    Only where js-yaml reads the whole file: what it refuses is reported by its error.
    """
    if view.is_json or view.tree.diagnostics:
        return None
    starts = (finding.span.start for finding in view.findings_of(Kind.UNKNOWN_KEY))
    if not any(view.text[line_start(view.text, start) : start].rstrip(" ").endswith(("'", '"')) for start in starts):
        return None
    found = late_closing(view.text, view.tree.documents)
    return None if found is None or found.multiline_quote is None else (found.multiline_quote, found.offset)


def slip_of_quotes(text: str, opening: int) -> Slip:
    """The slip at the mark at `opening`, with edits where one of the nearest ends of the text makes sense of it."""
    slips = list(islice(unclosed(text, opening), _MOST_TRIED))
    for slip in slips:
        edited = apply_edits(text, slip.edits)
        tree = load(edited)
        if slip.edits and not tree.diagnostics and late_closing(edited, tree.documents) is None:
            return slip
    return Slip(slips[0].span, slips[0].message)

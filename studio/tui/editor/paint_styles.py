"""The editor's styles, read once from the theme and used for every line painted."""

from __future__ import annotations

from collections.abc import Callable

from rich.style import Style

from engine.text.diagnostics import Severity
from engine.text.record import Record, field
from studio.tui.editor.syntax import Kind

SIGNS = {Severity.ERROR: "●", Severity.WARNING: "▲", Severity.HINT: "·"}
"""The sign in the gutter of a line on which a diagnostic of that severity begins."""

SCORE_INKS = ("list--met", "list--partly", "list--unmet")
"""The meanings of scores, as in lists."""


class PaintStyles(Record):
    """Rich styles for all that the editor paints."""

    base: Style
    current: Style
    number: Style
    current_number: Style
    cursor: Style
    selection: Style
    bracket: Style
    match: Style
    found: Style
    syntax: dict[Kind, Style] = field(default_factory=dict)
    marks: dict[Severity, Style] = field(default_factory=dict)
    signs: dict[Severity, Style] = field(default_factory=dict)
    scores: dict[str, Style] = field(default_factory=dict)

    @classmethod
    def read(cls, base: Style, full: Callable[[str], Style], partial: Callable[[str], Style]) -> PaintStyles:
        """The styles of the component classes: `full` returns them over the widget's own style, `partial` alone."""
        current = full("text-area--cursor-line").bgcolor
        marks = {severity: partial(f"blueprint-editor--{severity.value}") for severity in Severity}
        return cls(
            base=base,
            current=Style(bgcolor=current),
            number=full("text-area--gutter"),
            current_number=full("text-area--cursor-gutter"),
            cursor=full("text-area--cursor"),
            selection=full("text-area--selection"),
            bracket=Style(bgcolor=full("text-area--matching-bracket").bgcolor, bold=True),
            match=full("blueprint-editor--match"),
            found=full("blueprint-editor--found"),
            syntax={kind: partial(f"blueprint-editor--{kind.value}") for kind in Kind},
            marks={severity: style + Style(underline=True) for severity, style in marks.items()},
            signs=marks,
            scores={ink: partial(ink) for ink in SCORE_INKS},
        )

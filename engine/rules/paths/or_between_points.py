"""# or-between-points

A line `OR` between points, also in other languages: alone, as an item (`- OR`) or as a key (`or:`).

In a list it is a criterion of its own, a part of the point above, or an error of the YAML. All points are required, and
none of them is an alternative.

Bad:

    - id: capital
      prompt: Where does the government of Kenya sit?
      should:
        - Names Nairobi
        - OR
        - Says that it sits in the capital

Good:

    - id: capital
      prompt: Where does the government of Kenya sit?
      should:
        - - Names Nairobi
          - Says since when
        - - Says that it sits in the capital
          - Describes where that is

Fix (unsafe): alternative paths, one of the points above the line and one of those below it.

Documents: Blueprint format, Defining Alternative Rubric Paths (OR logic).
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.rules.rule import Report, prompt_rule
from engine.rules.views import PromptView
from engine.text.diagnostics import Fix, Severity
from engine.text.spans import Span
from engine.yaml.layout import line_start
from engine.yaml.node_search import nodes_around
from engine.yaml.nodes import ScalarNode, Style
from engine.yaml.slips import OR_LINE, Lines, SlipRule, message_on, or_slip


@prompt_rule(
    SlipRule.OR_BETWEEN_POINTS.value[0],
    Severity.ERROR,
    why="All points are required: an answer that meets only those above the line, or those below, loses the rest.",
)
def or_between_points(view: PromptView) -> Iterator[Report]:
    """The lines in a text that YAML reads; `engine.yaml` reports the others."""
    if view.file.is_json:
        found = ((point, OR_LINE.fullmatch(point.text or "")) for point in view.prompt.points())
        yield from (Report(point.subject_span, message_on(line)) for point, line in found if line is not None)
        return
    checks = [point.span for point in view.prompt.points() if point.function is not None]
    for rubric in view.prompt.rubrics:
        for found in OR_LINE.finditer(view.text, line_start(view.text, rubric.span.start), rubric.span.end):
            at = found.start("word")
            if any(span.start <= at < span.end for span in checks):
                continue
            around = list(nodes_around(view.tree, Span(at, at)))
            if around and isinstance(around[-1], ScalarNode) and around[-1].style not in (Style.LITERAL, Style.FOLDED):
                lines = Lines(view.text, at)
                for slip in or_slip(lines, lines.at):
                    fixes = (Fix(slip.title, False, slip.edits),) if slip.edits else ()
                    yield Report(slip.span, slip.message, fixes=fixes)

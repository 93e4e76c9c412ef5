"""# no-rubric

A prompt with neither points nor an ideal.

It is asked, and its answers are kept, but nothing is scored. Told once a file, with how many prompts it concerns.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix: none. Add `should:`, or suppress it where only the answers are wanted.

Documents: 002, "Prompt Fields", `should`.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Severity
from engine.parsing.findings import Kind
from engine.rules.registry import FileView, Report, Rule
from engine.rules.source import line_end
from engine.text import Span

_TOLD_ALREADY = (Kind.RUBRIC_NOT_A_LIST, Kind.STRAY_ITEM, Kind.BAD_POINT, Kind.NON_STRING_SCALAR, Kind.NOT_WRITTEN)


def _check(view: FileView) -> Iterator[Report]:
    without = [prompt for prompt in view.blueprint.prompts if not prompt.ideal and not prompt.points()]
    told = {finding.prompt for finding in view.findings_of(*_TOLD_ALREADY)}
    told |= view.parsed.broken.prompts
    without = [prompt for prompt in without if prompt.index not in told]
    if not without:
        return
    first = without[0]
    start = first.id_span.start
    span = first.id_span if first.id_written else Span(start, min(first.span.end, line_end(view.text, start)))
    count, total = len(without), len(view.blueprint.prompts)
    if count == 1:
        message = "nothing is scored in this prompt: it has neither points nor an ideal"
    else:
        message = (
            f"nothing is scored in {count} of {total} prompts, from this one on: they have neither points nor an ideal"
        )
    yield Report(span, message)


RULES = (
    Rule(
        code="S011",
        slug="no-rubric",
        severity=Severity.WARNING,
        why="The prompt is asked and its answers are kept, but it has no part in any score.",
        on_file=_check,
    ),
)

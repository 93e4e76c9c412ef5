"""# not-written-yet

A prompt, an ideal or a text that is still empty.

Nothing is wrong with a draft; but Weval refuses to run a blueprint with an empty prompt.

Bad:

    - id: capital
      prompt: ""

Good:

    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: 002, "Prompt Fields", `prompt`.
"""

from __future__ import annotations

from engine.diagnostics import Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.registry import FileView, Report, Rule
from engine.rules.source import line_end
from engine.text import Span


def _unwritten(finding: Finding, view: FileView) -> Report:
    """Weval refuses a file for some of these, so they are errors for Weval; here they are a draft."""
    what = {"prompt": "the prompt", "messages": "the conversation", "point": "this point"}.get(finding.detail, "this")
    return Report(
        Span(finding.span.start, min(finding.span.end, line_end(view.text, finding.span.start))),
        f"{what} is not written yet",
        severity=Severity.HINT,
        flagged=finding.refusal is not None,
    )


RULES = (
    Rule(
        code="S024",
        slug="not-written-yet",
        severity=Severity.HINT,
        why="Weval refuses a blueprint with an empty prompt or point.",
        kinds=(Kind.NOT_WRITTEN,),
        on_finding=_unwritten,
    ),
)

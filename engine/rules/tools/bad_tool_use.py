"""# bad-tool-use

A `toolUse` that Weval does not know: its only `mode` is `trace-only`, its `maxSteps` a number from 1.

Weval refuses the whole file for it, so nothing in it is scored.

Bad:

    title: Sums
    toolUse:
      mode: auto
    ---
    - id: sum
      prompt: What is 2 + 2?

Good:

    title: Sums
    toolUse:
      mode: trace-only
    ---
    - id: sum
      prompt: What is 2 + 2?

Fix: none.

Documents: 002, "Configuration Header Fields", `toolUse`.
"""

from __future__ import annotations

from engine.parsing.findings import Kind
from engine.rules.refusals import refused_field

RULES = (
    refused_field(
        "S019",
        Kind.BAD_TOOL_USE,
        "`toolUse` is a mapping; this is {here}",
        {
            "mode": "`mode` can only be `trace-only`, not {here}",
            "outputFormat": "`outputFormat` can only be `json-line`, not {here}",
            "maxSteps": "`maxSteps` is a number from 1; this is {here}",
        },
        why_accepted="Weval takes it and reads nothing of it.",
    ),
)

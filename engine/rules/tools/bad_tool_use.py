"""# bad-tool-use

A `toolUse` with an invalid value: the only `mode` is `trace-only`, and `maxSteps` is a number from 1.

Weval refuses the whole file, so nothing in it is scored.

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

Documents: Blueprint format, Configuration Header Fields, `toolUse`.
"""

from __future__ import annotations

from engine.parsing.findings import Kind
from engine.rules.refusals import refused_field

RULES = (
    refused_field(
        "S019",
        Kind.BAD_TOOL_USE,
        "`toolUse` must be a mapping, not {here}",
        {
            "mode": "`mode` must be `trace-only`, not {here}",
            "outputFormat": "`outputFormat` must be `json-line`, not {here}",
            "maxSteps": "`maxSteps` must be a number from 1, not {here}",
        },
        why_accepted="Weval accepts it and ignores it.",
    ),
)

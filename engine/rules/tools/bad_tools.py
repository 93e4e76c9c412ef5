"""# bad-tools

A `tools` that is not a list of tools with a `name` each, or a prompt's list of tools that is not a list of names.

Weval refuses the whole file, so nothing in it is scored.

Bad:

    title: Sums
    tools:
      - calculator
    ---
    - id: sum
      prompt: What is 2 + 2?

Good:

    title: Sums
    tools:
      - name: calculator
    ---
    - id: sum
      prompt: What is 2 + 2?

Fix: none.

Documents: Blueprint format, Configuration Header Fields, `tools`; Blueprint format, Prompt Fields, `requiredTools`.

# bad-tool-use

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
from engine.rules.refusals import field_rule

RULES = (
    field_rule(
        "S018",
        Kind.BAD_TOOLS,
        {
            "tools": "`tools` must be a list of tools, not {here}",
            "name": "a tool must be a mapping with a `name`, not {here}",
            "name mapping": "this tool needs a `name`, as text",
            "maxCalls": "`maxCalls` must be a number from 0, not {here}",
            "": "`{key}` must be a list of names, not {here}",
        },
        why_accepted="Weval accepts it and reads no tools from it.",
    ),
    field_rule(
        "S019",
        Kind.BAD_TOOL_USE,
        {
            "mode": "`mode` must be `trace-only`, not {here}",
            "outputFormat": "`outputFormat` must be `json-line`, not {here}",
            "maxSteps": "`maxSteps` must be a number from 1, not {here}",
            "": "`toolUse` must be a mapping, not {here}",
        },
        why_accepted="Weval accepts it and ignores it.",
    ),
)

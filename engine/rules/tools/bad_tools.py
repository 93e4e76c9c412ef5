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
"""

from __future__ import annotations

from engine.parsing.findings import Kind
from engine.rules.refusals import refused_field

RULES = (
    refused_field(
        "S018",
        Kind.BAD_TOOLS,
        "`{key}` must be a list of names, not {here}",
        {
            "tools": "`tools` must be a list of tools, not {here}",
            "name": "a tool must be a mapping with a `name`, not {here}",
            "maxCalls": "`maxCalls` must be a number from 0, not {here}",
        },
        missing_message="this tool needs a `name`, as text",
        why_accepted="Weval accepts it and reads no tools from it.",
    ),
)

"""# bad-tools

`tools` that is no list of tools with a `name` each, or a prompt's list of tools that is no list of names.

Weval refuses the whole file for it, so nothing in it is scored.

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

Documents: 002, "Configuration Header Fields", `tools`; "Prompt Fields", `requiredTools`.
"""

from __future__ import annotations

from engine.parsing.findings import Kind
from engine.rules.refusals import refused_field

RULES = (
    refused_field(
        "S018",
        Kind.BAD_TOOLS,
        "`{key}` is a list of names; this is {here}",
        {
            "tools": "`tools` is a list of tools; this is {here}",
            "name": "a tool is a mapping with a `name`; this is {here}",
            "maxCalls": "`maxCalls` is a number from 0; this is {here}",
        },
        missing_message="this tool has no `name` that is a text",
        why_accepted="Weval takes it for no tools at all.",
    ),
)

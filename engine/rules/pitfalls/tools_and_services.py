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

# bad-tool-use

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

# bad-service

A service of `externalServices` without a `url` that is one, or with a `method` or a time limit that cannot be.

Weval refuses the whole file for it. A `url` that is a variable, `${NAME}`, works here but is refused there as well.

Bad:

    title: Facts
    externalServices:
      checker:
        method: POST
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Facts
    externalServices:
      checker:
        url: https://example.org/check
        method: POST
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: 000, "Part 1", 3, "External Services".
"""

from __future__ import annotations

from engine.parsing.findings import Kind
from engine.rules.refusals import refused

RULES = (
    refused(
        "S018",
        Kind.BAD_TOOLS,
        "`{key}` is a list of names; this is {here}",
        {
            "tools": "`tools` is a list of tools; this is {here}",
            "name": "a tool is a mapping with a `name`; this is {here}",
            "maxCalls": "`maxCalls` is a number from 0; this is {here}",
        },
        lacking="this tool has no `name` that is a text",
        taken="Weval takes it for no tools at all.",
    ),
    refused(
        "S019",
        Kind.BAD_TOOL_USE,
        "`toolUse` is a mapping; this is {here}",
        {
            "mode": "`mode` can only be `trace-only`, not {here}",
            "outputFormat": "`outputFormat` can only be `json-line`, not {here}",
            "maxSteps": "`maxSteps` is a number from 1; this is {here}",
        },
        taken="Weval takes it and reads nothing of it.",
    ),
    refused(
        "S020",
        Kind.BAD_SERVICE,
        "a service is a mapping with a `url`; this is {here}",
        {
            "service": "a service is a mapping with a `url`; this is {here}",
            "url": "the `url` of a service is an address such as https://example.org/check; this is {here}",
            "url flagged": "Weval takes no variable for the `url` of a service; here it is filled in",
            "method": "a `method` is GET, POST or PUT; this is {here}",
            "timeout_ms": "a time limit is a number of milliseconds above 0; this is {here}",
        },
        lacking="this service has no `url`, such as https://example.org/check",
        taken="Weval takes it, and no `$call` finds its service.",
    ),
)

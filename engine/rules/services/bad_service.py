"""# bad-service

A service of `externalServices` without a valid `url`, or with an invalid `method` or time limit.

Weval refuses the whole file, so nothing in it is scored. A variable as `url`, `${NAME}`, works here but is refused by
Weval too.

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

Documents: The `should` system, Part 1, External Services.
"""

from __future__ import annotations

from engine.parsing.findings import Kind
from engine.rules.refusals import field_rule

RULES = (
    field_rule(
        "S020",
        Kind.BAD_SERVICE,
        {
            "service mapping": "this service needs a `url`, such as https://example.org/check",
            "url": "the `url` of a service must be an address such as https://example.org/check, not {here}",
            "url flagged": "Weval refuses a variable as the `url` of a service; here it is filled in",
            "method": "`method` must be GET, POST or PUT, not {here}",
            "timeout_ms": "a time limit must be a number of milliseconds above 0, not {here}",
            "": "a service must be a mapping with a `url`, not {here}",
        },
        why_accepted="Weval accepts it, but no `$call` finds its service.",
    ),
)

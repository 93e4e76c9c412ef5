"""# bad-service

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
from engine.rules.refusals import refused_field

RULES = (
    refused_field(
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
        missing_message="this service has no `url`, such as https://example.org/check",
        why_accepted="Weval takes it, and no `$call` finds its service.",
    ),
)

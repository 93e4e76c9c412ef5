"""# key-under-text

A key of a point, such as `weight:` or `citation:`, below a point that is plain text.

A plain text cannot have keys. Weval refuses the whole file, so nothing in it is scored. A point with a weight or a
citation is written with `text:`.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
          weight: 2
        - Says that it is in East Africa

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - text: Names Nairobi
          weight: 2
        - Says that it is in East Africa

Fix (safe): write `text:` before the point, and line the keys up with it.

Documents: Blueprint format, Point Definition Formats 4.
"""

from __future__ import annotations

from engine.diagnostics import Severity
from engine.rules.rule import Rule

# `engine.yaml_nodes.diagnosis` finds it while the text is read; this module holds its page.

RULES = (
    Rule(
        code="Y013",
        slug="key-under-text",
        title="Key below a point without `text:`",
        severity=Severity.ERROR,
        why="Weval refuses the whole file: none of its prompts is run or scored.",
    ),
)

"""# tab-indent

A line that is indented with a tab.

YAML allows only spaces there. Weval refuses the whole file, so nothing in it is scored. Many editors show a tab like
spaces, so the line looks right.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
    \t- Names Nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix (safe): replace the tabs with spaces in all lines of the prompt that start with tabs, or remove them
before a key at the margin.

Documents: Blueprint format, YAML Blueprint Format.
"""

from __future__ import annotations

from engine.diagnostics import Severity
from engine.rules.rule import Rule

# `engine.yaml_nodes.diagnosis` finds it while the text is read; this module holds its page.

RULES = (
    Rule(
        code="Y011",
        slug="tab-indent",
        title="Tab in the indentation",
        severity=Severity.ERROR,
        why="Weval refuses the whole file: none of its prompts is run or scored.",
    ),
)

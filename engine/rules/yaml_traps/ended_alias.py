"""# ended-alias

An alias (`*name`) whose anchor (`&name`) stands in another document, stands below it, or has another name.

An anchor holds up to the next `---`. What is shared in the header cannot be repeated in the prompts below that line:
write it there, or define a check once under `point_defs` and call it with `$ref`.

Bad:

    - id: letter
      prompt: Write a greeting for a shop.
      should: &polite
        - Greets the reader
    ---
    - id: farewell
      prompt: Write a farewell for a shop.
      should: *polite

Good:

    - id: letter
      prompt: Write a greeting for a shop.
      should: &polite
        - Greets the reader
    - id: farewell
      prompt: Write a farewell for a shop.
      should: *polite

Fix (unsafe): the name that was meant.

Documents: Blueprint format, YAML Blueprint Format.
"""

from __future__ import annotations

from engine.diagnostics import Severity
from engine.rules.rule import Rule
from engine.yaml_nodes.slips import SlipRule

# `engine.yaml_nodes` finds the aliases while the text is read. This module holds their page.

RULES = (
    Rule(
        code=SlipRule.ENDED_ALIAS.value[0],
        slug=SlipRule.ENDED_ALIAS.value[1],
        severity=Severity.ERROR,
        why="Weval refuses the whole file: none of its prompts is run or scored.",
    ),
)

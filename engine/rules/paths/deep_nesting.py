"""# deep-nesting

Three levels of lists: a block of alternative paths that is itself one item of the rubric.

The documents show it, and it works here as they describe. Weval refuses the whole file. Two levels mean the same.

Bad:

    - id: meaning
      prompt: What is the meaning of life?
      should:
        - Is in English
        - - - Gives an answer
            - $contains: "forty-two"
          - - Asks what is meant
            - Offers two readings

Good:

    - id: meaning
      prompt: What is the meaning of life?
      should:
        - Is in English
        - - Gives an answer
          - $contains: "forty-two"
        - - Asks what is meant
          - Offers two readings

Fix (safe): remove one level.

Documents: Blueprint format, Mixing Required and Alternative Paths.
"""

from __future__ import annotations

from engine.diagnostics import Fix, Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.rule import REFUSED, Report, Rule
from engine.rules.source.layout import first_line
from engine.rules.source.list_levels import unnested
from engine.rules.views import FileView
from engine.yaml_nodes.nodes import SequenceNode


def _check(finding: Finding, view: FileView) -> Report:
    node = finding.node
    fixes: tuple[Fix, ...] = ()
    if isinstance(node, SequenceNode) and finding.flagged and len(node.items) > 0:
        edits = unnested(view.text, node)
        fixes = (Fix("remove one level", True, edits),) if edits else ()
    span = first_line(view.text, finding.span)
    message = "three levels of lists: Weval refuses the file; two levels mean the same"
    if not finding.flagged:
        message = "a path contains points only, not a list"
    return Report(span, message, fixes=fixes)


RULES = (
    Rule(
        code="R002",
        slug="deep-nesting",
        title="Lists nested three levels deep",
        severity=Severity.ERROR,
        why=REFUSED,
        kinds=(Kind.DEEP_NESTING,),
        on_finding=_check,
    ),
)

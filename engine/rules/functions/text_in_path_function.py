"""# text-in-path-function

`"$is_json"` inside an alternative path is a text for a judge, while the same line outside a path is a check.

The check does not run. Instead, a judge grades whether the answer expresses "$is_json".

Bad:

    - id: data
      prompt: Give the data as JSON.
      should:
        - - $is_json
          - Has a field for the name
        - - Says that it cannot be done
          - Says why

Good:

    - id: data
      prompt: Give the data as JSON.
      should:
        - - $is_json: true
          - Has a field for the name
        - - Says that it cannot be done
          - Says why

Fix (safe): the form with a colon, which is a check everywhere.

Documents: The `should` system, Part 1, Idiomatic Function Call, "Object syntax".
"""

from __future__ import annotations

from engine.diagnostics import Fix, Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.rule import Report, Rule
from engine.rules.source.check_texts import Separator, as_mapping, read_check_node
from engine.rules.source.layout import (
    dash_before,
)
from engine.rules.views import FileView
from engine.text import TextEdit
from engine.yaml_nodes.nodes import ScalarNode


def _text_in_path(finding: Finding, view: FileView) -> Report | None:
    """The report on a bare `$name`; `quoted-function` reports one with an argument, and any other is a text."""
    node = finding.node
    found = read_check_node(node) if isinstance(node, ScalarNode) else None
    if found is None or found.separator is not Separator.NOTHING:
        return None
    fixes: tuple[Fix, ...] = ()
    if found.check is not None:
        in_brackets = dash_before(view.text, finding.span.start) is None
        written = as_mapping(found.check, in_brackets=in_brackets, is_json=view.is_json)
        fixes = (Fix("make it a check", found.check.is_certain, (TextEdit(finding.span, written),)),)
    return Report(finding.span, "inside a path this is a text for a judge, not a check", fixes=fixes)


RULES = (
    Rule(
        code="F004",
        slug="text-in-path-function",
        title="Function name read as text in a path",
        severity=Severity.WARNING,
        why="The check does not run; a judge grades its name as a criterion.",
        kinds=(Kind.TEXT_IN_PATH_FUNCTION,),
        on_finding=_text_in_path,
    ),
)

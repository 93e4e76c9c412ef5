"""# legacy-tuple

`["contains", "Nairobi"]`, the old way to write a check, is read as an alternative path of two texts.

The check does not run. Instead, a judge grades whether the answer expresses "contains", and whether it expresses
"Nairobi". Beside required points, the path is also half of the score.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - ["contains", "Nairobi"]

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $contains: "Nairobi"

Fix (safe): the check in its current form.

Documents: The `points` system, Part 1, Function Tuple; Blueprint format, Point Definition Formats 3.
"""

from __future__ import annotations

from engine.diagnostics import Fix, Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.rule import Report, Rule
from engine.rules.source.function_names import function_of
from engine.rules.source.layout import dash_before
from engine.rules.views import FileView
from engine.text import TextEdit
from engine.yaml_nodes.nodes import ScalarNode, SequenceNode
from engine.yaml_nodes.values import to_data

_LENGTH = 2


def _check(finding: Finding, view: FileView) -> Report:
    node = finding.node
    fixes: tuple[Fix, ...] = ()
    name = ""
    first = node.items[0] if isinstance(node, SequenceNode) and node.flow else None
    if isinstance(node, SequenceNode) and isinstance(first, ScalarNode):
        function = function_of(first.text)
        name = first.text.removeprefix("$") if function is None else function[0]
        argument = node.items[1]
        is_sound = function is not None and function[1].problem(to_data(argument)) is None
        written = f"${name}: {argument.span.of(view.text)}"
        in_block = dash_before(view.text, node.span.start) is not None
        if view.is_json:
            written = f'"${name}": {argument.span.of(view.text)}'
        edit = TextEdit(node.span, written if in_block else f"{{{written}}}")
        if is_sound and len(node.items) == _LENGTH:
            fixes = (Fix(f"write it as ${name}: …", True, (edit,)),)
    items = node.items if isinstance(node, SequenceNode) else ()
    count = "two " if len(items) == _LENGTH else ""
    is_of_texts = all(isinstance(item, ScalarNode) for item in items)
    read_as = f"{count}texts for a judge" if is_of_texts else "an alternative path"
    return Report(finding.span, f"this is read as {read_as}, not as the check “{name}”", fixes=fixes)


RULES = (
    Rule(
        code="Y007",
        slug="legacy-tuple",
        title="Check in the old form of a list",
        severity=Severity.ERROR,
        why="The check does not run: a judge grades the two words as criteria of an alternative path.",
        kinds=(Kind.LEGACY_TUPLE,),
        on_finding=_check,
    ),
)

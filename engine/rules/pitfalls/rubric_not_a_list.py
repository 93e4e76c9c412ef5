"""# rubric-not-a-list

`should:` followed by a text or by a single check, where a list belongs.

No point is read from it, and nothing is said: the prompt is scored as if it had no rubric.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should: Names Nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix (safe): make it a list of one.

Documents: 002, "Prompt Fields", `should`: "A list of rubric points".
"""

from __future__ import annotations

from engine.diagnostics import Fix, Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.registry import FileView, Report, Rule
from engine.rules.source import least_indent, line_end, line_start, newline_of, reindented
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode


def _check(finding: Finding, view: FileView) -> Report:
    node = finding.node
    fixes: tuple[Fix, ...] = ()
    if node is not None and (edits := _in_brackets(node) if view.is_json else _as_list(node, view.text)):
        fixes = (Fix("make it a list", True, edits),)
    span = Span(finding.span.start, min(finding.span.end, line_end(view.text, finding.span.start)))
    return Report(span, f"`{finding.detail}` is no list, so no point is read from it", fixes=fixes)


def _in_brackets(node: Node) -> tuple[TextEdit, ...]:
    """Edits that make `node` the only item of a JSON list; none where it would be no point of it."""
    if not isinstance(node, MappingNode) and not (isinstance(node, ScalarNode) and isinstance(node.value, str)):
        return ()
    start, end = node.span.start, node.span.end
    return (TextEdit(Span(start, start), "["), TextEdit(Span(end, end), "]"))


def _as_list(node: Node, text: str) -> tuple[TextEdit, ...]:
    """Edits that make `node` the only item of a block list; none where it would be no point of it."""
    if node.span.start == node.span.end:
        return ()
    on_own_line = not text[line_start(text, node.span.start) : node.span.start].strip()
    match node:
        case MappingNode(flow=False) if on_own_line:
            dash = TextEdit(Span(node.span.start, node.span.start), "- ")
            return (dash, *reindented(text, node.span, 2))
        case MappingNode(flow=True) | ScalarNode(value=str()) if not on_own_line:
            return _moved_below_its_key(node, text)
        case _:
            return ()


def _moved_below_its_key(node: Node, text: str) -> tuple[TextEdit, ...]:
    line = text[line_start(text, node.span.start) : node.span.start]
    before = line.rstrip(" \t")
    in_flow = "{" in before or "[" in before
    if in_flow or not before.endswith(":"):
        return ()
    key_column = len(before) - len(before.lstrip(" -"))
    indent = " " * (key_column + 2)
    gap = Span(node.span.start - (len(line) - len(before)), node.span.start)
    edits = [TextEdit(gap, f"{newline_of(text)}{indent}- ")]
    least = least_indent(text, node.span)
    if least is not None:
        edits += reindented(text, node.span, max(0, key_column + 4 - least))
    return tuple(edits)


RULES = (
    Rule(
        code="Y008",
        slug="rubric-not-a-list",
        severity=Severity.ERROR,
        why="Weval reads no points from it and says nothing: the prompt is scored without this rubric.",
        kinds=(Kind.RUBRIC_NOT_A_LIST,),
        on_finding=_check,
    ),
)

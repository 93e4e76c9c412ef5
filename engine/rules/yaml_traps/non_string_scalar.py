"""# non-string-scalar

A number, a yes-or-no value, a date or nothing where text is required: `- 42`, `- 2024-01-01`, `prompt: 7`.

Weval refuses such a point and with it the whole file, so nothing is scored. As a prompt it is not sent as written.

Bad:

    - id: answer
      prompt: What is six times seven?
      should:
        - 42

Good:

    - id: answer
      prompt: What is six times seven?
      should:
        - "42"

Fix (safe; for a yes-or-no value unsafe): put it in quotation marks.

Documents: Blueprint format, Point Definition Formats 1.
"""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise

from engine.diagnostics import Fix, Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.refusals import excerpt
from engine.rules.rule import REFUSED, Report, Rule
from engine.rules.source.function_names import function_of
from engine.rules.source.layout import is_one_line, quoted
from engine.rules.source.node_search import nodes_around
from engine.rules.views import FileView
from engine.text import TextEdit
from engine.yaml_nodes.nodes import Node, ScalarNode, SequenceNode


def _check(finding: Finding, view: FileView) -> Report:
    node = finding.node
    written = node.span.of(view.text) if isinstance(node, ScalarNode) else ""
    if finding.detail == "tags" and not isinstance(node, ScalarNode):
        return Report(finding.span, f"a tag must be text, not {excerpt(node, view.text)}")
    if not written.strip():
        return Report(finding.span, "nothing is written here, but text is required")
    fixes: tuple[Fix, ...] = ()
    is_empty = isinstance(node, ScalarNode) and node.value is None
    if (
        node is not None
        and not is_empty
        and is_one_line(view.text, node.span)
        and not (finding.detail != "tags" and _is_in_legacy_tuple(node, view))
    ):
        is_safe = finding.detail == "tags" or not (isinstance(node, ScalarNode) and isinstance(node.value, bool))
        edit = TextEdit(node.span, quoted(written, is_json=view.is_json))
        fixes = (Fix("put it in quotation marks", is_safe, (edit,)),)
    return Report(finding.span, f"YAML reads {written} as {_kind(node)}, not as a string", fixes=fixes)


def _is_in_legacy_tuple(node: Node, view: FileView) -> bool:
    """Whether `node` is an argument in a legacy tuple, which quotation marks would turn into a path of criteria."""
    for block, path in pairwise(nodes_around(view.tree, node.span)):
        is_item = isinstance(block, SequenceNode) and path in block.items  # a whole `should: [..]` is not a tuple
        if is_item and isinstance(path, SequenceNode) and path.flow and node in path.items[1:]:
            first = path.items[0]
            named = function_of(first.text) if isinstance(first, ScalarNode) else None
            return named is not None and (len(path.items) > 2 or named[1].problem("x") is not None)
    return False


def _kind(node: Node | None) -> str:
    value = node.value if isinstance(node, ScalarNode) else ""
    match value:
        case bool():
            return "a yes-or-no value"
        case int() | float():
            return "a number"
        case datetime():
            return "a date"
        case None:
            return "nothing"
        case str():
            return "something else"


RULES = (
    Rule(
        code="Y006",
        slug="non-string-scalar",
        title="Number, date or `true` where text belongs",
        severity=Severity.ERROR,
        why=REFUSED,
        why_accepted="It is not a point, so it checks nothing.",
        kinds=(Kind.NON_STRING_SCALAR,),
        on_finding=_check,
    ),
)

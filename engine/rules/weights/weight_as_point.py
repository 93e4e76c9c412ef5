"""# weight-as-point

A `- weight: "2"` as an item of its own, which is a criterion: the text "weight" with the citation "2".

A judge assesses whether the answer expresses "weight", which costs a share of the score, and the point that the weight
was meant for weighs 1.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - point: Names Nairobi
        - weight: "2"

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - point: Names Nairobi
          weight: 2

Fix (unsafe): join it with the point above.

Documents: Blueprint format, Point Definition Formats 2 and 4.
"""

from __future__ import annotations

import re
from itertools import pairwise

from engine.diagnostics import Fix, Severity
from engine.parsing.findings import Finding, Kind
from engine.parsing.point_weights import HIGHEST, LOWEST
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import column, dash_before, is_one_line, line_start
from engine.rules.source.node_search import nodes_around
from engine.rules.views import FileView
from engine.rules.weights.joined_points import accepts_key, joined_in_brackets
from engine.text import Span, TextEdit, in_quotes
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, SequenceNode, property_name


def _weight_as_point(finding: Finding, view: FileView) -> Report:
    message = f"`{finding.detail}` is a criterion of its own here, not part of the point above"
    asked = in_quotes(finding.detail)
    why = f"A judge assesses whether the answer expresses {asked}, and the point above does not get it."
    return Report(finding.span, message, why, fixes=_joined(finding.span, view))


def _joined(span: Span, view: FileView) -> tuple[Fix, ...]:
    """The fix that makes the pair at `span` part of the point above it in the same list."""
    text = view.text
    around = reversed([*pairwise(nodes_around(view.tree, span))])
    listed, node = next(
        ((above, node) for above, node in around if isinstance(above, SequenceNode) and isinstance(node, MappingNode)),
        (None, None),
    )
    if listed is None or node is None or len(node.pairs) != 1:
        return ()
    index = next(index for index, item in enumerate(listed.items) if item is node)
    key, value = property_name(node.pairs[0].key), node.pairs[0].value
    if index == 0 or not isinstance(value, ScalarNode):
        return ()
    is_weight = key in ("weight", "multiplier")
    if is_weight and not (re.fullmatch(r"\d+(\.\d+)?", value.text) and LOWEST <= float(value.text) <= HIGHEST):
        return ()
    if listed.flow:
        edits = joined_in_brackets(text, listed, index, value.text if is_weight else None)
        return (Fix("join it with the point above", False, edits),) if edits else ()
    dash = dash_before(text, node.span.start)
    if dash is None or text[line_start(text, dash) : dash].strip():
        return ()
    in_full = _in_full(listed.items[index - 1], key, text)
    if in_full is None:
        return ()
    written = value.text if is_weight else value.span.of(text)
    line = f"{' ' * column(text, listed.items[index - 1].span.start)}{key}: {written}"
    edit = TextEdit(Span(line_start(text, dash), node.span.end), line)
    return (Fix("join it with the point above", False, (*in_full, edit)),)


def _in_full(point: Node, key: str, text: str) -> tuple[TextEdit, ...] | None:
    """The edits that turn `point` into a mapping with room for `key`; None where that needs more than one line."""
    match point:
        case MappingNode(flow=False):
            return () if accepts_key(point, key) else None
        case ScalarNode(value=str(written)) if is_one_line(text, point.span) and not written.startswith("$"):
            return (TextEdit(Span(point.span.start, point.span.start), "point: "),)
        case _:
            return None


RULES = (
    Rule(
        code="S013",
        slug="weight-as-point",
        title="Weight that became a point",
        severity=Severity.WARNING,
        why="A judge assesses whether the answer expresses “weight”, and the point that was meant does not get it.",
        kinds=(Kind.WEIGHT_AS_POINT,),
        on_finding=_weight_as_point,
    ),
)

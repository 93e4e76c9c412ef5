"""# bad-point

A point that has none of the forms that a point can have: a nested value, a colon with nothing behind it, both a text
and a function.

Weval refuses the whole file for it, so nothing in it is scored.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi:

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix: none.

Documents: 002, "Point Definition Formats".

# weight-as-point

`- weight: "2"` on a line of its own became a criterion, the text "weight" with the citation "2".

A judge is asked whether the answer expresses "weight", which costs the prompt a share of its score; and the point that
the weight was meant for weighs 1.

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

Documents: 002, "Point Definition Formats", 2 and 4.

# text-in-path-function

`"$is_json"` inside an alternative path is a text for a judge there, while the same line outside a path is a check.

The check does not run. A judge is asked instead whether the answer expresses "$is_json".

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

Documents: 000, "Part 1", 3: "object syntax".
"""

from __future__ import annotations

import re
from itertools import pairwise

from engine.diagnostics import Fix, Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.check_keys import check_of_mapping
from engine.rules.check_texts import Separator, as_mapping, text_check
from engine.rules.joining import joined_in_brackets, takes
from engine.rules.pitfalls.weight import HIGHEST, LOWEST
from engine.rules.refusals import what_is_written
from engine.rules.rule import REFUSED, Report, Rule
from engine.rules.source import (
    column,
    dash_before,
    enclosing_mapping,
    is_one_line,
    line_end,
    line_start,
    nodes_around,
)
from engine.rules.views import FileView
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, SequenceNode, property_name


def _bad_point(finding: Finding, view: FileView) -> Report | None:
    span = Span(finding.span.start, min(finding.span.end, line_end(view.text, finding.span.start)))
    mapping = enclosing_mapping(view.tree, finding.span)
    if mapping is not None and check_of_mapping(view.text, mapping, is_json=view.is_json) is not None:
        return None  # a check was meant: `unknown-function` reports it
    if finding.detail == "fn":
        is_key = mapping is not None and any(pair.key.span == finding.span for pair in mapping.pairs)
        written = what_is_written(finding.node, view.text)
        return Report(
            span,
            "a point is either a text or a check, not both"
            if is_key
            else f"`fn` is the name of a check, not {written}",
        )
    if finding.detail == "empty path":
        return Report(span, "an empty list among the points: take it away")
    if finding.detail != "point":
        return Report(span, f"the definition `{finding.detail}` cannot be a point: it is neither a script nor a point")
    return Report(
        span, "this is none of the forms that a point can have" if mapping is None else _what_is_wrong(mapping)
    )


def _what_is_wrong(mapping: MappingNode) -> str:
    names = [property_name(pair.key) for pair in mapping.pairs]
    match names:
        case []:
            return "this point is empty"
        case ["$"]:
            return "a $ alone names no function"
        case [name] if _is_empty(mapping):
            return f"“{_short(name)}” ends in a colon with nothing behind it"
        case [name]:
            return f"what stands behind “{_short(name)}:” can be a citation, which is a text, and nothing else"
        case _:
            return f"this point has {len(names)} keys, and none of them is `point`, `fn` or a `$function`"


def _is_empty(node: MappingNode) -> bool:
    value = node.pairs[0].value
    return isinstance(value, ScalarNode) and value.value is None


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:39]}…"


def _weight_as_point(finding: Finding, view: FileView) -> Report:
    message = f"`{finding.detail}` is a criterion of its own here, not a part of the point above"
    why = f"A judge is asked whether the answer expresses “{finding.detail}”, and the point above goes without it."
    return Report(finding.span, message, why, fixes=_joined(finding.span, view))


def _joined(span: Span, view: FileView) -> tuple[Fix, ...]:
    """The fix that makes the pair at `span` a part of the point above it, in the same block list."""
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
    """The edits that give a point its full form, to which `key` can be added; None where that takes more."""
    match point:
        case MappingNode(flow=False):
            return () if takes(point, key) else None
        case ScalarNode(value=str(written)) if is_one_line(text, point.span) and not written.startswith("$"):
            return (TextEdit(Span(point.span.start, point.span.start), "point: "),)
        case _:
            return None


def _text_in_path(finding: Finding, view: FileView) -> Report | None:
    """What is said of a bare `$name`; of one with an argument `quoted-function` speaks, and any other is a text."""
    node = finding.node
    found = text_check(node) if isinstance(node, ScalarNode) else None
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
        code="Y009",
        slug="bad-point",
        severity=Severity.ERROR,
        why=REFUSED,
        taken="Nothing can be checked by it, and it does not count.",
        kinds=(Kind.BAD_POINT,),
        on_finding=_bad_point,
    ),
    Rule(
        code="S013",
        slug="weight-as-point",
        severity=Severity.WARNING,
        why="A judge is asked whether the answer expresses “weight”, and the point that was meant goes without it.",
        kinds=(Kind.WEIGHT_AS_POINT,),
        on_finding=_weight_as_point,
    ),
    Rule(
        code="F004",
        slug="text-in-path-function",
        severity=Severity.WARNING,
        why="The check does not run; a judge grades its name as a criterion.",
        kinds=(Kind.TEXT_IN_PATH_FUNCTION,),
        on_finding=_text_in_path,
    ),
)

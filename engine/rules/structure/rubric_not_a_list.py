"""# rubric-not-a-list

`should:` followed by text or a single check instead of a list.

Weval reads no points from it and reports no error: the prompt is scored as if it had no rubric. A list whose first item
has another bullet than `-`, no space after its `-`, or no dash at all is one text as well.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should: Names Nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix (safe for one line): make it a list with one item; for a spoilt list, write the dashes and correct the other slips
in it.

Documents: Blueprint format, Prompt Fields, `should`, "A list of rubric points".
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.parsing.findings import Finding, Kind
from engine.rules.rule import Report, prompt_rule
from engine.rules.source.check_keys import check_of_mapping
from engine.rules.source.check_texts import as_mapping, read_check_node
from engine.rules.source.spoilt_blocks import spoilt_list
from engine.rules.views import FileView, PromptView
from engine.text.diagnostics import Fix, Severity
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import Span, TextEdit
from engine.yaml.layout import (
    first_line,
    is_one_line,
    least_indent,
    line_start,
    newline_of,
    reindented,
)
from engine.yaml.nodes import MappingNode, Node, Pair, ScalarNode, Style, property_name

_DASH = lazy(r"-[^\s-]")
"""A dash without a space, which is text and not an item of a list."""


def _check(finding: Finding, view: FileView) -> Report:
    node = finding.node
    fixes: tuple[Fix, ...] = ()
    inner = None if node is None else _as_point(node, view)
    if node is not None and inner is not None:
        edits = _in_brackets(node) if view.is_json else _as_list(node, view.text)
        if edits:
            is_safe = inner.is_certain and (not isinstance(node, ScalarNode) or is_one_line(view.text, node.span))
            fixes = (Fix("make it a list", is_safe, (*edits, *inner.edits)),)
    span = first_line(view.text, finding.span)
    if isinstance(node, ScalarNode) and node.style is Style.PLAIN and not view.is_json:
        spoilt = spoilt_list(view.text, node.span, finding.detail)
        if spoilt is not None:
            return Report(span, spoilt.message, fixes=(Fix(spoilt.title, True, spoilt.edits),))
    message = f"`{finding.detail}` must be a list: no points are read from this"
    if isinstance(node, ScalarNode) and node.style is Style.PLAIN and _DASH.match(node.text) is not None:
        message = f"put a space after `-`: without it, `{finding.detail}` is not a list"
    return Report(span, message, fixes=fixes)


@prompt_rule(
    "Y008",
    Severity.ERROR,
    why="Weval reads no points from it and reports no error: the prompt is scored without this rubric.",
    kinds=(Kind.RUBRIC_NOT_A_LIST,),
    on_finding=_check,
)
def rubric_not_a_list(view: PromptView) -> Iterator[Report]:
    """The further slips in a list that is read as one text: none can be corrected without the others."""
    for finding in view.findings:
        node = finding.node
        if finding.kind is not Kind.RUBRIC_NOT_A_LIST or view.file.is_json or not isinstance(node, ScalarNode):
            continue
        spoilt = spoilt_list(view.text, node.span, finding.detail) if node.style is Style.PLAIN else None
        if spoilt is not None:
            fix = Fix("correct the whole list", True, spoilt.edits)
            yield from (Report(span, message, fixes=(fix,)) for span, message in spoilt.others)


class _Inner(Record):
    """The edits that turn the value into one point. `is_certain` where nothing else can have been meant."""

    edits: tuple[TextEdit, ...] = ()
    is_certain: bool = True


def _as_point(node: Node, view: FileView) -> _Inner | None:
    """How `node` becomes one point, a misspelt check a working one; None where only the author can decide."""
    match node:
        case ScalarNode(value=str()) if (found := read_check_node(node)) is not None:
            if found.check is None or not is_one_line(view.text, node.span):
                return None
            written = as_mapping(found.check, in_brackets=False, is_json=view.is_json)
            return _Inner((TextEdit(node.span, written),), found.check.is_certain)
        case MappingNode() if (check := check_of_mapping(view.text, node, is_json=view.is_json)) is not None:
            return _Inner(check.edits[0], check.is_certain) if len(check.edits) == 1 else None
        case MappingNode() if sum(map(_is_of_a_point, node.pairs)) > 1:
            return None  # several points: as one item, all but the first would be lost
        case MappingNode() if len(node.pairs) > 1 and not any(map(_is_of_a_point, node.pairs)):
            return None
        case _:
            return _Inner()


def _is_of_a_point(pair: Pair) -> bool:
    name = property_name(pair.key)
    return name in ("text", "point", "fn") or name.startswith("$")


def _in_brackets(node: Node) -> tuple[TextEdit, ...]:
    """Edits that make `node` the only item of a JSON list; none where it would not be a point there."""
    if not isinstance(node, MappingNode) and not (isinstance(node, ScalarNode) and isinstance(node.value, str)):
        return ()
    start, end = node.span.start, node.span.end
    return (TextEdit(Span(start, start), "["), TextEdit(Span(end, end), "]"))


def _as_list(node: Node, text: str) -> tuple[TextEdit, ...]:
    """Edits that make `node` the only item of a block list; none where it would not be a point there."""
    if node.span.start == node.span.end:
        return ()
    on_own_line = not text[line_start(text, node.span.start) : node.span.start].strip()
    match node:
        case MappingNode(flow=False) if on_own_line:
            dash = TextEdit(Span(node.span.start, node.span.start), "- ")
            return (dash, *reindented(text, node.span, 2))
        case ScalarNode(style=Style.LITERAL | Style.FOLDED):
            return ()  # its lines were meant as points
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

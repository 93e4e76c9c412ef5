"""# non-string-scalar: Number, date or `true` where text belongs

A number, a yes-or-no value, a date or nothing where text is required: `- 42`, `- 2024-01-01`, `prompt: 7`,
`ideal: 3.10`; and a list or mapping there, such as the `content` of a message as other programs send it, a list of
parts.

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

Fix (safe; for a yes-or-no value unsafe): put it in quotation marks. Unsafe for a single part: its text alone; for
messages under `prompt`: the key `messages`.

Documents: Blueprint format, Point Definition Formats 1.
"""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise

from engine.parsing.findings import Finding, Kind
from engine.rules.phrases.phrase_reports import shortened
from engine.rules.refusals import excerpt, text_alone
from engine.rules.rule import REFUSED, Report, finding_rule
from engine.rules.source.function_names import function_of
from engine.rules.views import FileView
from engine.text.diagnostics import Fix, Severity
from engine.text.spans import TextEdit, in_quotes
from engine.yaml.edit import key_like
from engine.yaml.layout import first_line, is_one_line, quoted
from engine.yaml.node_search import enclosing_mapping, nodes_around
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode


@finding_rule(
    "Y006", Severity.ERROR, Kind.NON_STRING_SCALAR, why=REFUSED, why_accepted="It is not a point, so it checks nothing."
)
def non_string_scalar(finding: Finding, view: FileView) -> Report:
    node = finding.node
    written = node.span.of(view.text) if isinstance(node, ScalarNode) else ""
    if finding.detail == "tags" and not isinstance(node, ScalarNode):
        return Report(finding.span, f"a tag must be text, not {excerpt(node, view.text)}")
    if isinstance(node, SequenceNode | MappingNode):
        return _no_text(finding, node, view)
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
    why = _WHY_OF_IDEAL if finding.detail == "ideal" else ""
    return Report(finding.span, f"YAML reads {written} as {_kind(node)}, not as a string", why, fixes=fixes)


_WHY_OF_IDEAL = "Weval takes the value for the ideal, and not its text as written."


def _no_text(finding: Finding, node: SequenceNode | MappingNode, view: FileView) -> Report:
    """The report on a list or a mapping, such as the parts of a message that other programs send."""
    (text, is_all), shape = text_alone(node), excerpt(node, view.text)
    what = {"prompt": "`prompt`", "message": "the content of a message"}.get(finding.detail, "this")
    advice = f": write the text alone, {in_quotes(shortened(text))}" if text else ""
    fixes = (_written_instead("write the text alone", node, quoted(text, is_json=view.is_json)),) if is_all else ()
    pair = enclosing_mapping(view.tree, node.span).pair("prompt") if finding.detail == "prompt" else None
    if pair is not None and shape == "a list of messages":
        advice = ": a conversation is written under `messages`"
        fixes = (_written_instead("write messages", pair.key, key_like(view.text, pair.key, "messages")),)
    return Report(first_line(view.text, finding.span), f"{what} must be text, not {shape}{advice}", fixes=fixes)


def _written_instead(title: str, node: Node, text: str) -> Fix:
    return Fix(title, False, (TextEdit(node.span, text),))


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

"""# bad-point

A point in none of the documented forms: a nested value, a colon with nothing after it, text and a function in one, or a
whole prompt.

Weval refuses the whole file, so nothing in it is scored.

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

Fix: none in general. A `- weight: 2` is joined with the point above; a text with keys below it gets `text:`. A
prompt is moved to the list of prompts (unsafe).

Documents: Blueprint format, Point Definition Formats.
"""

from __future__ import annotations

from engine.parsing.findings import Finding, Kind
from engine.rules.refusals import cut, field_rule
from engine.rules.rule import Report
from engine.rules.source.check_keys import check_of_mapping
from engine.rules.views import FileView
from engine.rules.weights.joined_points import joined_with_point_above
from engine.text.diagnostics import Fix
from engine.text.spans import Span, TextEdit
from engine.yaml.layout import column, dash_before, first_line, moved_below, newline_of, quoted
from engine.yaml.node_search import enclosing_mapping
from engine.yaml.nodes import MappingNode, ScalarNode, Style, property_name
from engine.yaml.slips import OR_LINE

_OF_PROMPTS = frozenset(("prompt", "promptText", "messages", "should", "should_not"))
_KEYS_OF_TEXT = frozenset(("weight", "multiplier", "citation"))


def _neither(finding: Finding, view: FileView) -> Report | None:
    span = first_line(view.text, finding.span)
    mapping = enclosing_mapping(view.tree, finding.span)
    if check_of_mapping(view.text, mapping, is_json=view.is_json) is not None:
        return None  # a check was meant: `unknown-function` reports it
    names = list(mapping.keys())
    if len(names) == 1 and OR_LINE.match(span.of(view.text)):
        return None  # `or-between-points` reports it
    if len(names) > 1 and _OF_PROMPTS & set(names):
        message = "this is a prompt inside a rubric: move it to the list of prompts"
        return Report(span, message, fixes=_moved_out(finding, view, mapping))
    if (keyed := _keyed_text(mapping, view)) is not None:
        return keyed
    if (key := _key_alone(mapping)) is not None:
        message = f"`{key}` is no point of its own: it belongs to the point above"
        return Report(span, message, fixes=joined_with_point_above(mapping.pairs[0].span, view))
    return Report(span, _message(mapping))


def _moved_out(finding: Finding, view: FileView, mapping: MappingNode) -> tuple[Fix, ...]:
    """The fix that moves a prompt out of the rubric of another one, below it in the list of prompts."""
    text, prompt = view.text, view.prompt(finding.prompt)
    dash = dash_before(text, mapping.span.start)
    margin = None if prompt is None else dash_before(text, prompt.span.start)
    if prompt is None or dash is None or margin is None:
        return ()
    edits = moved_below(text, Span(dash, mapping.span.end), prompt.span, column(text, margin))
    return (Fix("move it to the list of prompts", False, edits),) if edits else ()


def _key_alone(mapping: MappingNode) -> str | None:
    """The key of a point that is its only one and says nothing without a text, as in `- weight: 2`; else None."""
    names = [property_name(pair.key) for pair in mapping.pairs]
    return names[0] if len(names) == 1 and names[0] in _KEYS_OF_TEXT and not _is_empty(mapping) else None


def _keyed_text(mapping: MappingNode, view: FileView) -> Report | None:
    """The report for a text with a colon and the keys of a point below, or with a key of a point on its own line."""
    first, *others = mapping.pairs or (None,)
    if first is None or mapping.flow or view.is_json or not isinstance(first.key, ScalarNode):
        return None
    text = view.text
    whole = first.span.of(text)
    if "\n" in whole or first.key.style is not Style.PLAIN or " " not in first.key.text:
        return None
    names = [property_name(pair.key) for pair in others]
    if names and set(names) <= _KEYS_OF_TEXT:
        edits = (TextEdit(first.span, f"text: {quoted(whole)}"),)
        message = f"a point with a `{names[0]}` needs `text:`"
        return Report(first_line(text, others[0].key.span), message, fixes=(Fix("write `text:`", True, edits),))
    words = first.key.text.rsplit(None, 1)
    if not names and words[-1] in _KEYS_OF_TEXT and isinstance(first.value, ScalarNode) and first.value.text:
        margin = " " * column(text, first.span.start)
        value = first.value.span.of(text)
        new = f"text: {quoted(words[0])}{newline_of(text)}{margin}{words[-1]}: {value}"
        message = f"a point with a `{words[-1]}` needs `text:`, and the `{words[-1]}` a line of its own"
        return Report(
            first_line(text, first.span), message, fixes=(Fix("write `text:`", True, (TextEdit(first.span, new),)),)
        )
    return None


def _message(mapping: MappingNode) -> str:
    names = [property_name(pair.key) for pair in mapping.pairs]
    match names:
        case []:
            return "this point is empty"
        case ["$"]:
            return "`$` needs the name of a function after it"
        case [name] if _is_empty(mapping):
            return f"nothing follows the colon after “{cut(name)}”"
        case [name]:
            return f"only a citation can follow “{cut(name)}:”, and a citation must be text"
        case _:
            return f"this point has {len(names)} keys, and none of them is `point`, `fn` or a `$function`"


def _is_empty(node: MappingNode) -> bool:
    value = node.pairs[0].value
    return isinstance(value, ScalarNode) and value.value is None


bad_point = field_rule(
    "Y009",
    Kind.BAD_POINT,
    {
        "point": _neither,
        "text and fn": "a point is either text or a check, not both",
        "fn": "`fn` must be the name of a check, not {here}",
        "empty path": "an empty list among the points: remove it",
        "": "the definition `{key}` is neither a script nor a point",
    },
    why_accepted="It checks nothing and does not count.",
)

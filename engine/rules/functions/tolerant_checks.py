"""Fixes that let a check for literals accept another form of them, too."""

from __future__ import annotations

from collections.abc import Mapping

from engine import functions
from engine.blueprint import Point
from engine.diagnostics import Fix
from engine.functions.point_function import Quantifier, SearchTraits, Target
from engine.record import Record
from engine.rules.checks import renamed_function
from engine.rules.functions.literal_forms import escaped
from engine.rules.source.layout import column, dash_before, line_end, newline_of, quoted
from engine.rules.source.node_search import argument_node
from engine.rules.views import FileView
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import ScalarNode

_SINGLE = ("contains", "contains_word", "starts_with", "ends_with")
_LISTS = {
    "contains_all_of": "matches_all_of",
    "icontains_all_of": "imatch_all_of",
    "contains_at_least_n_of": "matches_at_least_n_of",
    "icontains_at_least_n_of": "imatch_at_least_n_of",
}
"""The function for patterns that finds the texts of a list, by the name that Weval knows."""


class OtherForm(Record):
    """Another form of a literal, and the pattern that finds both."""

    form: str
    pattern: str


def tolerant_fix(view: FileView, point: Point, forms: Mapping[str, OtherForm]) -> Fix | None:
    """The unsafe fix after which the check of `point` finds the literals in `forms` in their other form, too.

    A list of which any text will do gets the other forms; else the check becomes one for patterns. None if a literal is
    written elsewhere or twice, or if there is no such function.
    """
    call = point.function
    function = None if call is None else functions.find(call.name)
    if call is None or function is None or function.search is None:
        return None
    texts = list(call.texts())
    found = {text: argument_node(view.tree, point, text) for text in texts}
    nodes = {text: node for text, node in found.items() if node is not None}
    if len(found) < len(texts) or not nodes.keys() >= forms.keys():
        return None
    if function.search.quantifier is Quantifier.ANY:
        return _with_other_forms(view, {node: forms[text].form for text, node in nodes.items() if text in forms})
    twin = _twin(function.name)
    naming = None if twin is None else renamed_function(view, point, twin)
    if naming is None or len(nodes) < len(texts):
        return None
    patterns = tuple(
        TextEdit(node.span, quoted(_pattern(text, forms, function.search), is_json=view.is_json))
        for text, node in nodes.items()
    )
    return Fix(f"accept both forms: ${twin}", False, (naming, *patterns))


def _with_other_forms(view: FileView, forms: Mapping[ScalarNode, str]) -> Fix | None:
    """The fix that adds the other form of each node to its list; None for a form of several lines."""
    if any("\n" in form for form in forms.values()):
        return None
    title = "accept the other form, too" if len(forms) == 1 else "accept the other forms, too"
    return Fix(title, False, tuple(_added(view, node, form) for node, form in forms.items()))


def _twin(name: str) -> str | None:
    """The function that finds patterns where the function `name` finds texts; None if there is none."""
    negation = "not_" if name.startswith("not_") else ""
    bare = name.removeprefix("not_")
    if bare in _LISTS:
        return None if negation else _LISTS[bare]
    case = "i" if bare.startswith("i") else ""
    return f"{negation}{case}matches" if bare.removeprefix("i") in _SINGLE else None


def _pattern(text: str, forms: Mapping[str, OtherForm], search: SearchTraits) -> str:
    pattern = forms[text].pattern if text in forms else escaped(text)
    match search.target:
        case Target.START:
            return f"^{pattern}"
        case Target.END:
            return f"{pattern}$"
        case Target.WORD:
            return rf"\b{pattern}\b"
        case _:
            return pattern


def _added(view: FileView, node: ScalarNode, form: str) -> TextEdit:
    """The edit that adds `form` to the list behind `node`."""
    written = quoted(form, is_json=view.is_json)
    dash = dash_before(view.text, node.span.start)
    if dash is None:
        return TextEdit(Span(node.span.end, node.span.end), f", {written}")
    end = line_end(view.text, node.span.end)
    return TextEdit(Span(end, end), f"{newline_of(view.text)}{' ' * column(view.text, dash)}- {written}")

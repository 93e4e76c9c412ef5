"""Fixes that write a check with other texts, as a check for patterns, or with other forms of its literals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine import functions
from engine.blueprint import Point
from engine.functions.point_function import Quantifier, Target
from engine.rules.checks import renamed_function
from engine.rules.functions.literal_forms import FormatMiss, escaped, literal_search
from engine.rules.source.pattern_signs import pattern_signs
from engine.rules.source.regex_parser import Alternation, parse_regex
from engine.rules.views import FileView
from engine.text.diagnostics import Fix
from engine.text.patterns import lazy
from engine.text.spans import Span, TextEdit
from engine.yaml.layout import column, dash_before, line_end, newline_of, quoted
from engine.yaml.nodes import Style

_LITERAL = lazy(
    r"(?P<kind>(?:not_)?i?)(?:(?:starts_with|ends_with|contains(?:_word|_any_of)?)|contains(?P<list>_all_of|_at_least_n_of))"
)


def pattern_twin(name: str) -> str | None:
    """The function that finds patterns where the function `name` finds texts, as Weval knows it; None without one."""
    found = _LITERAL.fullmatch(name)
    twin = None if found is None else functions.find(f"{found['kind']}matches{found['list'] or ''}")
    return None if twin is None else twin.weval_name


def meant_as_patterns(point: Point, known: str) -> dict[str, str]:
    """The literals of a check that were meant as patterns, and a sign of each; none of what the prompt `known` has."""
    if point.function is None or literal_search(point) is None:
        return {}
    found = {text: signs[0] for text in point.function.texts() if (signs := pattern_signs(text))}
    own, known = pattern_signs(known) if found else [], known.casefold()
    return {text: sign for text, sign in found.items() if sign not in own and text.casefold() not in known}


def rewritten(view: FileView, point: Point, texts: Mapping[str, str], name: str | None = None) -> tuple[TextEdit, ...]:
    """The edits that replace `texts` of a check, all of them if it gets the new `name`.

    None if one of them is written elsewhere or twice.
    """
    own = [] if point.function is None else [*point.function.texts()]
    nodes = {text: node for text in texts if (node := point.argument_node(text)) is not None}
    naming = None if name is None else renamed_function(view, point, name)
    if len(nodes) < len(texts) or any(own.count(text) > 1 for text in texts):
        return ()
    if name is not None and (naming is None or len(texts) < len(own)):
        return ()
    edits = (
        TextEdit(node.span, quoted(texts[text], is_json=view.is_json or node.style is Style.DOUBLE))
        for text, node in nodes.items()
    )
    return (*edits,) if naming is None else (naming, *edits)


def as_patterns(
    view: FileView, point: Point, patterns: Mapping[str, str], title: str, target: Target | None = None
) -> tuple[Fix, ...]:
    """The unsafe fix that makes a check for literals one for `patterns`, which are those of some of its literals.

    They are looked for where the literals are, unless there is a `target`. None if a literal is written elsewhere or
    twice, or if no function finds such patterns.
    """
    call, search, node = point.function, literal_search(point), point.argument
    twin = None if call is None else pattern_twin(call.name)
    if call is None or search is None or node is None or twin is None:
        return ()
    target = target or search.target
    found = {text: patterns.get(text, escaped(text)) for text in call.texts()}
    edits = rewritten(view, point, {text: _placed(each, target) for text, each in found.items()}, twin)
    if edits and search.quantifier is Quantifier.ANY:
        joined = quoted(_placed("|".join(found.values()), target), is_json=view.is_json)
        edits = (edits[0], TextEdit(node.span, joined)) if "#" not in node.span.of(view.text) else ()
    return (Fix(f"{title}: ${twin}", False, edits),) if edits else ()


def _placed(pattern: str, target: Target) -> str:
    """`pattern` at the place of `target`."""
    inner = f"(?:{pattern})" if isinstance(parse_regex(pattern), Alternation) else pattern
    match target:
        case Target.START:
            return f"^{inner.removeprefix('^')}"
        case Target.END:
            return f"{inner.removesuffix('$')}$"
        case Target.WORD:
            return rf"\b{inner}\b"
        case _:
            return pattern


def tolerant_fixes(view: FileView, point: Point, missed: Sequence[FormatMiss]) -> tuple[Fix, ...]:
    """The unsafe fix after which the check of `point` finds the literals in `missed` in their other form, too.

    A list of which any text will do gets the other forms; else the check becomes one for patterns. None if a literal is
    written elsewhere or twice, if there is no such function, or for a form of several lines.
    """
    search = literal_search(point)
    if search is None or search.quantifier is not Quantifier.ANY:
        return as_patterns(view, point, {each.literal: each.pattern for each in missed}, "accept both forms")
    found = rewritten(view, point, {each.literal: each.form for each in missed})
    if not found or any("\n" in each.form for each in missed):
        return ()
    title = "accept the other form, too" if len(missed) == 1 else "accept the other forms, too"
    return (Fix(title, False, tuple(_added(view, each) for each in found)),)


def _added(view: FileView, other: TextEdit) -> TextEdit:
    """The edit that adds the new text of `other` to the list behind its place."""
    dash = dash_before(view.text, other.span.start)
    if dash is None:
        return TextEdit(Span(other.span.end, other.span.end), f", {other.text}")
    end = line_end(view.text, other.span.end)
    return TextEdit(Span(end, end), f"{newline_of(view.text)}{' ' * column(view.text, dash)}- {other.text}")

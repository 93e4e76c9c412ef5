"""The checks that a file contains: those of each prompt, and the definitions that `$ref` refers to.

A problem in a definition is reported once, at the definition, and not at each `$ref` to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeAlias, Unpack

from engine import functions
from engine.blueprint import ABSENT, FunctionCall, Point, Prompt
from engine.functions.point_function import SearchTraits
from engine.parsing.normalised_form import normal_function_name
from engine.rules.rule import FileView, Further, PromptView, Report, Rule, rule_by
from engine.text.diagnostics import Severity
from engine.text.spans import Span, TextEdit
from engine.yaml.layout import first_line
from engine.yaml.nodes import MappingNode, Node, Pair, ScalarNode, property_name, resolved, to_data
from engine.yaml.tree_loader import function_pair

ReportChecks: TypeAlias = Callable[[FileView, Sequence[Point], Prompt | None], Iterable[Report]]
"""Reports on checks, all from one prompt or all from the definitions, with the prompt; None for the definitions."""
ReportPart: TypeAlias = Callable[[FileView, Span], Iterable[Report]]
"""Reports on a part of the source: a prompt, or what is around and between prompts."""


def checks_in(view: PromptView) -> Iterator[Point]:
    """The checks that are written in this prompt, without references to definitions."""
    return (point for point in view.checks if not is_reference(view.file, point))


def is_reference(view: FileView, point: Point) -> bool:
    """Whether the point is a `$ref`, so that its content is written elsewhere."""
    start, end = point.subject_span.start, point.subject_span.end
    return end - start <= len("'$ref'") and view.text[start:end].strip("'\"") in ("$ref", "ref")


def searched(point: Point) -> tuple[FunctionCall, SearchTraits] | None:
    """The call of a check that searches the answer, and how; None if it does not, or if its argument is wrong."""
    call = point.function
    function = None if call is None else functions.find(call.name)
    if call is None or function is None or function.search is None or function.problem(call.args) is not None:
        return None
    return call, function.search


def definitions(view: FileView) -> tuple[tuple[str, Span, Point | None], ...]:
    """Name, span of the name and check of each definition, in source order; the check is None if it is not one."""
    return tuple((property_name(each.key), each.key.span, _defined(each.value)) for each in _definition_pairs(view))


def definition_nodes(view: FileView) -> tuple[Node, ...]:
    """The node of each definition, in source order."""
    return tuple(each.value for each in _definition_pairs(view))


def _definition_pairs(view: FileView) -> tuple[Pair, ...]:
    fields = view.blueprint.header.fields
    if "point_defs" not in fields and "defs" not in fields:
        return ()
    pair = view.header.pair("point_defs") or view.header.pair("defs")
    node = None if pair is None else resolved(pair.value)
    return node.pairs if isinstance(node, MappingNode) else ()


def defined_checks(view: FileView) -> tuple[Point, ...]:
    """The checks among the definitions."""
    return tuple(point for _, _, point in definitions(view) if point is not None)


def _defined(value: Node) -> Point | None:
    match value:
        case ScalarNode(value=str(script), span=span):
            return Point(span, span, function=FunctionCall("js", script), node=value)
        case MappingNode(span=span):
            pair = function_pair(value)
            name = None if pair is None else property_name(pair.key)
            if pair is None or name is None:
                return None
            if name.startswith("$"):
                call = FunctionCall(normal_function_name(name[1:]), to_data(pair.value))
                return None if call.name == "ref" else Point(span, pair.key.span, function=call, node=value)
            named = value.get("fn")
            named = None if named is None else resolved(named)
            if not isinstance(named, ScalarNode):
                return None
            call = FunctionCall(normal_function_name(named.text), to_data(pair.value))
            return Point(span, named.span, function=call, node=value)
        case _:
            return None


def check_rule(code: str, level: Severity, *, why: str, **further: Unpack[Further]) -> Callable[[ReportChecks], Rule]:
    """The rule that a function on checks makes, named as its slug: for each prompt, and for the definitions."""
    return rule_by(_of_checks, code, level, why, further)


def _of_checks(check: ReportChecks) -> Further:
    def on_prompt(view: PromptView) -> Iterable[Report]:
        return check(view.file, tuple(checks_in(view)), view.prompt) if view.checks else ()

    def on_file(view: FileView) -> Iterable[Report]:
        defined = defined_checks(view)
        return check(view, defined, None) if defined else ()

    return Further(on_prompt=on_prompt, on_file=on_file)


def part_rule(code: str, level: Severity, *, why: str) -> Callable[[ReportPart], Rule]:
    """The rule that a function on signs in the source makes: for each prompt, and for what is around and between."""
    return rule_by(_of_parts, code, level, why, Further())


def _of_parts(check: ReportPart) -> Further:
    def on_file(view: FileView) -> Iterable[Report]:
        return chain.from_iterable(check(view, part) for part in view.outside_prompts())

    return Further(on_prompt=lambda view: check(view.file, view.prompt.span), on_file=on_file)


def is_negated(point: Point) -> bool:
    """Whether the point is a `$not_` check."""
    return point.function is not None and point.function.name.startswith("not_")


def forbidden_places(prompt: Prompt) -> frozenset[Span]:
    """The spans of the points of `should_not`."""
    return frozenset() if prompt.should_not is None else frozenset(point.span for point in prompt.should_not.points())


def argument_span(view: FileView, point: Point) -> Span:
    """The first line of the point's argument; the function's name if it has none here."""
    node, call = point.argument, point.function
    is_written = node is not None and node.span.start < node.span.end and call is not None and call.args is not ABSENT
    return first_line(view.text, node.span) if node is not None and is_written else point.subject_span


def text_place(view: FileView, point: Point, text: str) -> Span:
    """The first line of `text` in the point's argument; the function's name if it is written elsewhere."""
    node = point.argument_node(text)
    return point.subject_span if node is None else first_line(view.text, node.span)


def renamed_function(view: FileView, point: Point, name: str) -> TextEdit | None:
    """The edit that renames the point's function; None if the source has no plain name there."""
    start, end = point.subject_span.start, point.subject_span.end
    written = view.text[start:end]
    inside = written.strip("'\"")
    if not inside or not inside.lstrip("$").isidentifier():
        return None
    at = start + written.index(inside) + inside.startswith("$")
    return TextEdit(Span(at, start + written.index(inside) + len(inside)), name)

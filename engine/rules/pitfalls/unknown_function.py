"""# unknown-function

A check with a name that no function has, such as `$icontain_word: Nairobi`.

The check never runs. Weval leaves the point out of the score, so the rest decides alone and a wrong answer may still
score full; here it counts as an error, with 0. Names are case-sensitive, and after `fn:` they have no `$`.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $icontins: nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $icontains: nairobi

Fix (safe where only one name is near): that name.

Documents: 002, "Point Definition Formats", 3 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from engine import functions
from engine.blueprint import Point
from engine.diagnostics import Fix, Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.checks import everywhere, told_of
from engine.rules.registry import FileView, Report, Rule
from engine.rules.spelling import meant
from engine.text import Span, TextEdit
from engine.yaml_nodes.nodes import ScalarNode

_OWN_CAUSE = (Kind.QUOTED_FUNCTION, Kind.DOLLAR_TEXT, Kind.DOLLAR_IN_FN, Kind.UNDEFINED_REF, Kind.CIRCULAR_REF)


def _check(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    for point in points:
        call = point.function
        if call is None or functions.find(call.name) is not None or call.name == "ref":
            continue
        if not told_of(view, point.span, *_OWN_CAUSE):
            yield _report(view, point)


def _report(view: FileView, point: Point) -> Report:
    written = point.subject_span.of(view.text).strip("'\"").removeprefix("$")
    candidates = meant(written, _names())
    if not candidates:
        return Report(point.subject_span, f"there is no function ${written}: it is never checked")
    fixes = tuple(
        Fix(f"use ${candidate}", len(candidates) == 1, (edit,))
        for candidate in candidates
        if (edit := _renamed(view.text, point.subject_span, written, candidate)) is not None
    )
    named = " or ".join(f"${candidate}" for candidate in candidates)
    return Report(point.subject_span, f"there is no function ${written}: did you mean {named}?", fixes=fixes)


@cache
def _names() -> tuple[str, ...]:
    return tuple(function.weval_name or function.name for function in functions.ALL)


def _renamed(text: str, span: Span, written: str, candidate: str) -> TextEdit | None:
    at = text.find(written, span.start, span.end)
    return None if at < 0 else TextEdit(Span(at, at + len(written)), candidate)


def _dollar_in_fn(finding: Finding, view: FileView) -> Report:
    name = finding.detail.removeprefix("$")
    near = (name,) if functions.find(name) is not None else meant(name, _names())
    node = finding.node
    at = view.text.find(finding.detail, node.span.start, node.span.end) if isinstance(node, ScalarNode) else -1
    place = Span(at, at + len(finding.detail))
    titles = {each: "take the $ away" if each == name else f"use {each}" for each in near}
    fixes = tuple(Fix(title, len(near) == 1, (TextEdit(place, each),)) for each, title in titles.items() if at >= 0)
    if not near:
        return Report(finding.span, f"there is no function {finding.detail}: it is never checked")
    named = " or ".join(f"`fn: {each}`" for each in near)
    return Report(finding.span, f"behind `fn:` a name has no $: write {named}", fixes=fixes)


_on_prompt, _on_file = everywhere(_check)

RULES = (
    Rule(
        code="F001",
        slug="unknown-function",
        severity=Severity.ERROR,
        why="The check never runs: it counts 0 here, and Weval leaves it out, so a wrong answer may still score full.",
        kinds=(Kind.DOLLAR_IN_FN,),
        on_finding=_dollar_in_fn,
        on_prompt=_on_prompt,
        on_file=_on_file,
    ),
)

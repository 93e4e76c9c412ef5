"""What a reviewer wants to know: near-duplicates, code, hosts, what is left out, suggestions, links."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.blueprint import Blueprint
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.report.review_findings import (
    pull_request,
    review,
    suggestions,
    trimmed,
)
from engine.rules import ALL, Checker
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.record import replace
from engine.text.spans import Span, TextEdit, apply_edits
from tests.engine.short_cases import assert_says
from tests.many_cases import every
from tests.thoroughness import tried

# What a reviewer wants to know: near-duplicates, code, hosts, what is left out, suggestions, links


CORE = ("openai:a", "openai:b", "openai:c", "openai:d", "openai:e", "openai:f")


PLACE = Path("/blueprints/users/a/x.yml")


def told(mark: str, text: str, javascript: JavaScript) -> Iterator[str]:
    """The page of a blueprint, which a pull request would have the models of `mark` run."""
    parsed = parse(text)
    found = review(PLACE, parsed, Checker(ALL).check(parsed, javascript), None, javascript)
    for group in found.duplicates:
        same = "the same" if group.is_exact else "almost the same"
        yield f"{', '.join(prompt.id for prompt in group.prompts)} ask {same}"
    yield from (f"runs {each.function} {each.uses}×: {each.code}" for each in found.scripts)
    for host in found.hosts:
        yield f"calls {host.name} for {', '.join(host.services)} with {', '.join(host.variables)}"
    yield from (f"calls {each} where a variable says" for each in found.variable_services)
    yield from (f"asks {each.id} at {each.url} with {', '.join(each.variables)}" for each in found.own_models)
    yield f"{found.citing} of {found.criteria} criteria cite"
    yield from (f"failing “{point.text}” alone leaves {left:.3f}" for point, left in found.guards)
    yield from (f"the text of {prompt.id} earns {earns:.3f}" for prompt, earns in found.echoes)
    yield from (f"{link.url} at {link.host}, cited in {', '.join(link.cited_in)}" for link in found.links)
    yield from (f"lines {each.first}–{each.last} become {each.lines}" for each in found.suggestions)
    if mark:
        yield from of_a_pull_request(mark, parsed.blueprint)


def of_a_pull_request(mark: str, blueprint: Blueprint) -> Iterator[str]:
    models = [name for each in mark.split() for name in {"CORE": CORE, "CORE-1": CORE[:5]}.get(each, (each,))]
    found = pull_request(PLACE, blueprint, models, CORE if "CORE" in mark else None)
    parts = (found.prompts, found.models, found.temperatures, found.systems)
    yield f"a pull request leaves out {'; '.join(' '.join(each) for each in parts) if found.leaves_out else 'nothing'}"
    yield f"  {found.responses} responses{'' if found.core_known else ', the models are unknown'}"
    left = trimmed(blueprint)
    yield f"  left: {len(left.prompts)} prompts, {left.header.temperatures}, {left.header.systems}"


def test_a_blueprint_is_reviewed_as_its_file_says(javascript: JavaScript, pytestconfig: pytest.Config) -> None:
    cases = Path(__file__).with_name("review_cases.txt")
    assert_says(cases, lambda mark, text: told(mark, text, javascript), pytestconfig)


def problem(*edits: TextEdit, severity: Severity = Severity.ERROR, safe: bool = True) -> Diagnostic:
    fixes = (Fix("do it", safe, edits),) if edits else ()
    return Diagnostic("X001", "x", severity, Span(0, 1), "It is wrong", "It costs.", fixes=fixes)


@every(
    ("start", "end", "text", "first", "last", "lines"),
    [
        (2, 3, "X", 1, 1, ("onX",)),
        (4, 14, "new\nlines\n", 2, 3, ("new", "lines")),
        (4, 8, "", 2, 2, ()),
        (6, 10, "-", 2, 3, ("tw-ree",)),
        (14, 14, "four\n", 3, 3, ("three", "four")),
    ],
)
def test_a_suggestion_replaces_whole_lines(
    start: int, end: int, text: str, first: int, last: int, lines: tuple[str, ...]
) -> None:
    (found,) = suggestions("one\ntwo\nthree\n", [problem(TextEdit(Span(start, end), text))])
    assert (found.first, found.last) == (first, last)
    assert found.lines == lines or (found.lines, lines) == ((), ("",))


def test_hints_and_choices_get_no_replacement() -> None:
    several = problem(TextEdit(Span(0, 1), "a"), safe=False)
    choice = replace(several, fixes=several.fixes * 2)
    found = list(suggestions("one\n", [problem(severity=Severity.HINT), problem(), choice]))
    assert [each.lines for each in found] == [None, None]


@settings(max_examples=tried(100, 1000), deadline=None)
@given(
    st.text(st.sampled_from("ab\n"), max_size=14), st.integers(0, 14), st.integers(0, 14), st.text("xy\n", max_size=4)
)
def test_accepting_a_suggestion_makes_the_edit(text: str, one: int, other: int, written: str) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    edit = TextEdit(Span(start, end), written)
    (found,) = suggestions(text, [problem(edit)])
    assert found.lines is not None
    lines = text.split("\n")
    accepted = [*lines[: found.first - 1], *found.lines, *lines[found.last :]]
    assert [line for line in accepted if line] == [line for line in apply_edits(text, [edit]).split("\n") if line]

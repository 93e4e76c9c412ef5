"""What a reviewer wants to know: near-duplicates, code, hosts, what is left out, suggestions, links."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.blueprint import Blueprint
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.report.review_findings import (
    echoes,
    guards,
    near_duplicates,
    pull_request,
    review,
    scripts,
    suggestions,
    trimmed,
    web_links,
)
from engine.rules import ALL, Checker
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.record import replace
from engine.text.spans import Span, TextEdit, apply_edits
from tests.many_cases import every
from tests.thoroughness import tried

# What a reviewer wants to know: near-duplicates, code, hosts, what is left out, suggestions, links


CORE = ("openai:a", "openai:b", "openai:c", "openai:d", "openai:e", "openai:f")


def blueprint(text: str) -> Blueprint:
    return parse(text).blueprint


def asking(*questions: str) -> Blueprint:
    items = "".join(
        f"- id: p{number}\n  prompt: {question!r}\n  should: [x]\n" for number, question in enumerate(questions)
    )
    return blueprint(items)


def groups(*questions: str) -> list[list[str]]:
    return [[prompt.id for prompt in group.prompts] for group in near_duplicates(asking(*questions).prompts)]


NOTICE = "How much notice must a landlord in England give before visiting a rented flat?"


def test_prompts_that_ask_almost_the_same_are_one_group() -> None:
    assert groups(NOTICE, "Who is the mayor?", NOTICE.replace("flat", "house"), NOTICE.upper()) == [["p0", "p2", "p3"]]


def test_prompts_that_ask_the_same_are_told_apart_from_those_that_nearly_do() -> None:
    (exact,) = near_duplicates(asking(NOTICE, f"  {NOTICE.lower()} ").prompts)
    (near,) = near_duplicates(asking(NOTICE, NOTICE.replace("flat", "house")).prompts)
    assert (exact.is_exact, near.is_exact) == (True, False)


def test_different_questions_are_no_group() -> None:
    assert groups(NOTICE, "What may a landlord deduct from a deposit when the tenancy ends?", "Who decides?") == []


def test_the_system_prompt_makes_a_question_another_one() -> None:
    text = "".join(
        f"- id: p{number}\n  system: {system}\n  prompt: Hi?\n  should: [x]\n"
        for number, system in enumerate(
            ("You are a lawyer who answers in one word.", "Speak of nothing but the weather.")
        )
    )
    assert near_duplicates(blueprint(text).prompts) == ()


CODE = """\
title: x
models:
  - openai:a
  - id: custom:mine
    url: https://models.example/v1
    modelName: m
    inherit: openai
    headers: {Authorization: "Bearer ${MINE_KEY}"}
externalServices:
  facts: {url: "https://facts.example/check", headers: {Authorization: "Bearer ${FACTS_KEY}"}}
  moving: {url: "${WHERE}/check"}
---
- id: a
  prompt: Hi?
  should:
    - $js: r.length > 3
    - $js: r.length > 3
    - $call: {service: facts}
    - $tool_args_match: {name: t, where: "args.x > 1"}
"""


def test_scripts_are_listed_once_with_their_uses() -> None:
    assert [(script.function, script.code, script.uses) for script in scripts(blueprint(CODE))] == [
        ("js", "r.length > 3", 2),
        ("tool_args_match", "args.x > 1", 1),
    ]


def test_hosts_and_models_are_listed_with_the_variables_that_go_there(javascript: JavaScript) -> None:
    found = review(Path("x.yml"), parse(CODE), (), None, javascript)
    assert [(host.name, host.services, host.variables) for host in found.hosts] == [
        ("facts.example", ("the service facts",), ("FACTS_KEY",))
    ]
    assert found.variable_services == ("moving",)
    assert [(model.id, model.url, model.variables) for model in found.own_models] == [
        ("custom:mine", "https://models.example/v1", ("MINE_KEY",))
    ]


def test_a_blueprint_of_criteria_runs_nothing(javascript: JavaScript) -> None:
    found = review(Path("x.yml"), parse("- prompt: Hi?\n  should: [x]\n"), (), None, javascript)
    assert (found.scripts, found.hosts, found.variable_services, found.own_models) == ((), (), (), ())


def test_more_than_the_limits_is_left_out() -> None:
    header = "title: x\ntemperatures: [0, 0.5, 1]\nsystem: [A, null, C]\n---\n"
    items = "".join(f"- id: p{number}\n  prompt: Hi?\n  should: [x]\n" for number in range(12))
    found = pull_request(Path("/blueprints/users/a/x.yml"), blueprint(header + items), ("openai:z", *CORE), CORE)
    assert (found.prompts, found.models) == (("p10", "p11"), ("openai:z", "openai:f"))
    assert (found.temperatures, found.systems) == (("1",), ("C",))
    assert found.responses == 10 * 5 * 2 * 2
    assert found.leaves_out


def test_at_the_limits_nothing_is_left_out() -> None:
    items = "".join(f"- id: p{number}\n  prompt: Hi?\n  should: [x]\n" for number in range(10))
    found = pull_request(Path("/blueprints/users/a/x.yml"), blueprint(items), CORE[:5], CORE)
    assert (found.responses, found.leaves_out) == (50, False)


def test_without_the_members_of_core_the_models_are_unknown() -> None:
    found = pull_request(Path("/blueprints/users/a/x.yml"), asking("Hi?"), ("openai:z",), None)
    assert (found.core_known, found.models, found.responses) == (False, (), None)


def test_the_trimmed_blueprint_has_what_is_left() -> None:
    items = "".join(f"- id: p{number}\n  prompt: Hi?\n  should: [x]\n" for number in range(12))
    left = trimmed(blueprint(f"temperatures: [0, 0.5, 1]\nsystem: [A, B, C]\n---\n{items}"))
    assert (len(left.prompts), left.header.temperatures, left.header.systems) == (10, (0, 0.5), ("A", "B"))


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


def test_a_suggestion_for_a_real_pitfall_can_be_accepted(javascript: JavaScript) -> None:
    text = "- id: a\n  prompt: Hi?\n  should:\n    - \"$icontains: 'hello'\"\n"
    parsed = parse(text)
    (found,) = suggestions(text, Checker(ALL).check(parsed, javascript))
    assert (found.first, found.lines) == (4, ("    - $icontains: 'hello'",))


LINKED = """\
title: x
description: See https://a.example/one. And (https://a.example/two_(x)), too.
references:
  - {title: A book, url: "http://B.example:8080/book"}
---
- id: p
  prompt: What does https://never.example/ say?
  citation: https://a.example/one
  should:
    - {text: x, citation: "Rule 5, <https://c.example/rule?x=1&y=2>"}
"""


def test_links_are_what_is_cited_and_not_what_is_asked() -> None:
    assert [(link.url, link.host, link.cited_in) for link in web_links(blueprint(LINKED))] == [
        ("https://a.example/one", "a.example", ("header", "p")),
        ("https://a.example/two_(x)", "a.example", ("header",)),
        ("http://B.example:8080/book", "b.example:8080", ("header",)),
        ("https://c.example/rule?x=1&y=2", "c.example", ("p",)),
    ]


# --- The rubric

RUBRIC = """\
- id: rent
  prompt: When is the rent due in Porto?
  should:
    - $contains: Porto
    - {text: Names the day, citation: Lease 4}
    - Says it as Article 9 does
    - Is kind
  should_not:
    - {text: Advises not to pay, weight: 4}
    - Is rude
- id: who
  prompt: Who pays?
  citation: Lease 5
  should: [Names the landlord]
"""


def test_criteria_cite_by_their_own_source_that_of_their_prompt_or_in_their_text(javascript: JavaScript) -> None:
    found = review(Path("x.yml"), parse(RUBRIC), (), None, javascript)
    assert (found.citing, found.criteria) == (3, 6)


def test_forbidden_points_stand_by_what_failing_them_alone_leaves() -> None:
    assert [(point.text, round(left, 3)) for point, left in guards(blueprint(RUBRIC))] == [
        ("Is rude", 0.889),
        ("Advises not to pay", 0.556),
    ]


def test_a_prompt_whose_text_passes_its_checks_says_what_that_earns(javascript: JavaScript) -> None:
    found = echoes(blueprint(RUBRIC), javascript)
    assert [(prompt.id, round(earns, 3)) for prompt, earns in found] == [("rent", 0.111)]


def test_what_a_yaml_error_cuts_off_has_no_figures(javascript: JavaScript) -> None:
    cut_off = blueprint("- id: a\n  prompt: Why?\n  should_not: [Is rude]\n  ideal: 'open\n")
    assert guards(cut_off) == echoes(cut_off, javascript) == []

"""What a reviewer wants to know: near-duplicates, code, hosts, what is left out, suggestions, links."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.blueprint import Blueprint, Prompt
from engine.blueprint.conversation import conversation, variants
from engine.evaluation.events import Response, Scored
from engine.evaluation.point_assessment import assess
from engine.evaluation.result_json import coverage_result
from engine.evaluation.tool_use import tool_use
from engine.functions.v8 import JavaScript
from engine.judging.panel import FIVE_STEPS, JudgesAs, panel
from engine.judging.verdict import Verdict, read_verdict
from engine.models.provider_registry import resolve
from engine.parsing import parse, reading, weval_config
from engine.report.review_findings import (
    CodeAndHosts,
    Location,
    code_and_hosts,
    near_duplicates,
    pull_request,
    rubric_figures,
    suggestions,
    trimmed,
    web_links,
)
from engine.rules import ALL, Checker, check
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import PointExtent, aggregate, place
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.record import replace
from engine.text.spans import Span, TextEdit, apply_edits
from tests.engine.builders import assessed, prompt, text
from tests.engine.rule_reports import found
from tests.many_cases import every
from tests.thoroughness import tried
from tests.world import SHARED, needs_shared

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
    found = code_and_hosts(blueprint(CODE))
    assert [(script.function, script.code, script.uses) for script in found.scripts] == [
        ("js", "r.length > 3", 2),
        ("tool_args_match", "args.x > 1", 1),
    ]


def test_hosts_are_listed_with_the_variables_that_go_there() -> None:
    found = code_and_hosts(blueprint(CODE))
    assert [(host.name, host.services, host.variables) for host in found.hosts] == [
        ("facts.example", ("the service facts",), ("FACTS_KEY",))
    ]
    assert found.variable_services == ("moving",)
    assert [(model.id, model.url, model.variables) for model in found.models] == [
        ("custom:mine", "https://models.example/v1", ("MINE_KEY",))
    ]


def test_a_blueprint_of_criteria_runs_nothing() -> None:
    assert code_and_hosts(asking("Hi?")) == CodeAndHosts((), (), (), ())


@every(
    ("path", "location", "author"),
    [
        ("repo/blueprints/users/ada/x.yml", Location.EVALUATED, "ada"),
        ("repo/blueprints/users/ada/deep/x.yaml", Location.EVALUATED, "ada"),
        ("repo/blueprints/users/ada/x.json", Location.REFUSED, ""),
        ("repo/blueprints/users/x.yml", Location.REFUSED, ""),
        ("repo/blueprints/x.yml", Location.PASSED_OVER, ""),
        ("repo/blueprints/law/x.yml", Location.PASSED_OVER, ""),
        ("repo/x.yml", Location.OUTSIDE, ""),
    ],
)
def test_the_place_of_the_file_decides_whether_it_is_evaluated(path: str, location: Location, author: str) -> None:
    found = pull_request(Path("/") / path, asking("Hi?"), CORE, CORE)
    assert (found.location, found.author) == (location, author)


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
    found = rubric_figures(blueprint(RUBRIC), javascript)
    assert (found.citing, found.criteria) == (3, 6)


def test_forbidden_points_stand_by_what_failing_them_alone_leaves(javascript: JavaScript) -> None:
    found = rubric_figures(blueprint(RUBRIC), javascript)
    assert [(each.point.text, round(each.left, 3)) for each in found.guards] == [
        ("Is rude", 0.889),
        ("Advises not to pay", 0.556),
    ]


def test_a_prompt_whose_text_passes_its_checks_says_what_that_earns(javascript: JavaScript) -> None:
    found = rubric_figures(blueprint(RUBRIC), javascript)
    assert [(each.prompt.id, round(each.earns, 3)) for each in found.echoes] == [("rent", 0.111)]


def test_what_a_yaml_error_cuts_off_has_no_figures(javascript: JavaScript) -> None:
    found = rubric_figures(blueprint("- id: a\n  prompt: Why?\n  should_not: [Is rude]\n  ideal: 'open\n"), javascript)
    assert found.guards == found.echoes == ()


# Where we do otherwise than the platform, on purpose: one test for each row of the table in platform.md


ROWS: set[str] = set()

Test = TypeVar("Test", bound=Callable[..., object])


def departs(row: str) -> Callable[[Test], Test]:
    """The test stands for this row of the table."""
    ROWS.add(row)
    return lambda test: test


def written(body: str) -> Prompt:
    """The one prompt that has this rubric."""
    (only,) = parse(f"- id: a\n  prompt: x\n{body}").blueprint.prompts
    return only


def judged(body: str, answer: str, javascript: JavaScript) -> Explanation:
    of = written(body)
    return explain(of, assess(of, answer, javascript))


def said(source: str) -> dict[str, Diagnostic]:
    return {each.slug: each for each in check(parse(source))}


@departs("required points beside paths (A3)")
def test_required_points_and_the_best_path_are_half_of_the_score_each() -> None:
    of = prompt(should=[text("a"), text("b"), [text("c")], [text("d")]])
    assert explain(of, assessed(of, [1, 0, 0, 1])).score == 0.75


@departs("a function that errors (A4)")
@pytest.mark.parametrize(
    "body", ["  should: [{$matches: '('}, {$contains: a}]\n", "  should_not: [{$matches: '('}, {$contains: z}]\n"]
)
def test_a_check_that_errs_scores_0_after_inversion_and_the_platform_s_figure_is_told(
    body: str, javascript: JavaScript
) -> None:
    explained = judged(body, "a", javascript)
    assert (explained.score, explained.bounds.closed, explained.weval.unrounded) == (0.5, True, 1)
    assert explained.weval.reasons


@departs("points not judged yet, or that no judge could judge")
def test_a_point_that_nobody_judged_is_left_out_and_opens_the_bounds() -> None:
    of = prompt(should=[text("a"), text("b")])
    explained = explain(of, assessed(of, [1, None]))
    assert (explained.score, explained.bounds.low, explained.bounds.high) == (1, 0.5, 1)


@departs("`engine.aggregate`")
def test_aggregate_is_the_platform_s_function_over_what_it_is_given() -> None:
    assert aggregate([PointExtent(1.0), PointExtent(None), PointExtent(None, path_id="path_1")]) == 0.5


@departs("rounding (A31)")
def test_the_average_has_two_decimals_and_the_explanation_all(javascript: JavaScript) -> None:
    of = written("  should: [{$contains: a}, {$contains: b}, {$contains: c}]\n")
    assessments = assess(of, "a", javascript)
    result: Any = coverage_result(Scored(Response("a", ()), assessments, explain(of, assessments)))
    assert (result["avgCoverageExtent"], result["explanation"]["score"]) == (0.33, pytest.approx(1 / 3, abs=1e-15))


@departs("path ids (A5)")
def test_each_block_counts_its_own_paths_and_one_maximum_is_over_all() -> None:
    of = prompt(should=[[text("a")], [text("b")]], should_not=[[text("c")]])
    assert [placed.path_id for placed in place(of)] == ["path_0", "path_1", "not_path_0"]
    assert explain(of, assessed(of, [0, 0.25, 0.5])).best_path_id == "not_path_0"


@departs("alternatives under `should_not`")
def test_a_met_alternative_of_should_not_is_told_with_the_path_that_forgives_it() -> None:
    of = prompt(should=[text("greets")], should_not=[[text("lies")], [text("shouts")]])
    explained = explain(of, assessed(of, [1, 0, 1]))
    assert explained.score == 1
    (note,) = explained.notes
    assert "meets path 1 of should_not, which the documents call a failure" in note
    assert "path 2 with 100.0 forgives it" in note
    assert "the score would be 50.0" in note


@departs("documented names not registered there (A6, A7)")
def test_a_documented_name_works_and_is_flagged(javascript: JavaScript) -> None:
    body = "  should: [{$imatches_all_of: [A, B]}]\n"
    assert judged(body, "a b", javascript).score == 1
    assert said(f"- id: a\n  prompt: x\n{body}")["documented-only"].flagged


@departs("`(?i)` at the start of a pattern (A8)")
def test_a_leading_inline_flag_works_and_is_flagged_and_a_scoped_one_is_an_error(javascript: JavaScript) -> None:
    leading, scoped = ("  should: [{$matches: '(?i)advisor'}]\n", "  should: [{$matches: '(?i:advisor)'}]\n")
    assert (judged(leading, "Advisor", javascript).score, judged(scoped, "advisor", javascript).score) == (1, 0)
    assert said(f"- id: a\n  prompt: x\n{leading}")["inline-flags"].flagged


THREE_LEVELS = "  should:\n    - - - a\n        - b\n      - - c\n"


@departs("three-level nesting (A2)")
def test_three_levels_are_one_block_of_alternatives_with_two_levels_as_fix() -> None:
    assert [placed.path_id for placed in place(written(THREE_LEVELS))] == ["path_0", "path_0", "path_1"]
    told = said(f"- id: a\n  prompt: x\n{THREE_LEVELS}")["deep-nesting"]
    assert (told.flagged, [fix.safe for fix in told.fixes]) == (True, [True])


@departs("quoted functions, tuples, non-lists, stray items (A1, A12, A13, A15, A19)")
@pytest.mark.parametrize(
    ("body", "slug", "is_safe"),
    [
        ("  should: [\"$icontains: 'x'\"]\n", "quoted-function", True),
        ("  should: [[contains, x]]\n", "legacy-tuple", True),
        ("  should: Says x\n", "rubric-not-a-list", True),
        ("  should: [x]\n- stray\n", "stray-item", False),  # its fix makes a prompt of it
    ],
)
def test_a_slip_is_read_as_the_platform_reads_it_and_is_an_error_with_a_fix(
    body: str, slug: str, is_safe: bool
) -> None:
    source = f"- id: a\n  prompt: x\n{body}"
    told = said(source)[slug]
    assert (told.severity, told.fixes[0].safe, reading(parse(source))) == (Severity.ERROR, is_safe, None)


@departs("header detection (A14)")
@pytest.mark.parametrize(
    ("source", "slug"),
    [
        ("title: T\nideal: x\n---\n- id: a\n  prompt: x\n", "header-lost"),
        ("promptText: x\n---\n- id: a\n", "prompt-lost"),
    ],
)
def test_a_first_document_is_taken_as_by_the_platform_and_a_surprise_is_told(source: str, slug: str) -> None:
    assert slug in said(source)


REFERENCE = "point_defs:\n  d: {point: x, weight: 2}\n---\n- id: a\n  prompt: x\n  should: [{$ref: d, weight: 3}]\n"


@departs("`$ref` (A11)")
def test_the_weight_of_a_reference_is_honoured_with_a_warning() -> None:
    (point,) = parse(REFERENCE).blueprint.prompts[0].points()
    assert (point.text, point.multiplier) == ("x", 3)
    assert said(REFERENCE)["ref-attributes-ignored"].severity is Severity.WARNING


def test_a_definition_is_followed_to_its_end_and_what_weval_does_not_follow_is_flagged() -> None:
    source = REFERENCE.replace("---\n", "  e: {$ref: d}\n---\n", 1).replace("$ref: d, weight: 3", "$ref: e")
    (point,) = parse(source).blueprint.prompts[0].points()
    assert (point.text, point.multiplier) == ("x", 2)
    told = [each for each in check(parse(source)) if each.slug == "ref-attributes-ignored"]
    assert [each.span.of(source) for each in told] == ["point", "weight", "$ref"]
    assert all(each.flagged for each in told)


@departs("falsy arguments (A16)")
def test_an_empty_argument_is_honoured_and_flagged() -> None:
    source = "- id: a\n  prompt: x\n  should: [{fn: contains, fnArgs: ''}]\n"
    (point,) = parse(source).blueprint.prompts[0].points()
    assert point.function is not None
    assert (point.function.args, said(source)["falsy-argument-lost"].flagged) == ("", True)


CONVERSATION = "- id: a\n  messages:\n    - user: hi\n    - assistant: {}\n  should: [x]\n"


@departs("conversation rules (A23)")
@pytest.mark.parametrize(("turn", "pending"), [("null", 1), ("Hello.", 0)])
def test_a_trailing_assistant_turn_works_and_is_flagged(turn: str, pending: int) -> None:
    source = CONVERSATION.replace("{}", turn)
    parsed = parse(source)
    assert conversation(parsed.blueprint.prompts[0], parsed.blueprint.header).pending == pending
    assert parsed.weval.run_error is not None
    assert [each for each in check(parsed) if each.flagged]


@departs("temperature (A22)")
def test_a_prompt_s_temperature_counts_before_the_header_s_and_only_a_list_gives_a_suffix() -> None:
    parsed = parse("temperature: 0.5\n---\n- id: a\n  prompt: x\n  temperature: 0.9\n")
    assert conversation(parsed.blueprint.prompts[0], parsed.blueprint.header).temperature == 0.9
    assert [each.suffix for each in variants(parsed.blueprint.header)] == [""]
    listed = parse("temperatures: [0.5, 1]\n---\n- id: a\n  prompt: x\n").blueprint
    assert [each.suffix for each in variants(listed.header)] == ["[temp:0.5]", "[temp:1]"]


@departs("`${VAR}` (A35)")
def test_the_address_of_a_service_may_be_a_variable_and_is_flagged() -> None:
    source = "externalServices:\n  s: {url: '${ADDRESS}'}\n---\n- id: a\n  prompt: x\n"
    assert parse(source).weval.error is not None
    assert said(source)["bad-service"].flagged


@departs("judges (A30)")
def test_judges_are_the_documented_ones_or_weval_s_of_today_as_the_author_chooses() -> None:
    header = parse("title: t\n---\n- id: a\n  prompt: x\n").blueprint.header
    documented, today = panel(header), panel(header, JudgesAs.WEVAL_TODAY)
    assert ["qwen3-30b" in documented.judges[0].model, "gpt-oss-120b" in documented.judges[1].model] == [True, True]
    assert (len(documented.scale.steps), len(today.scale.steps)) == (5, 10)
    assert (documented.needs_backup(1), documented.needs_backup(0), today.needs_backup(1)) == (False, True, True)


@departs("judges (A30)")
@pytest.mark.parametrize(
    ("reply", "extent"),
    [
        ("<classification>CLASS_MAJORLY_PRESENT</classification>", 0.75),
        ("<classification>CLASS_EXACTLY_MET</classification>", 1.0),
        ("<coverage_extent>0.4</coverage_extent>", 0.4),
    ],
)
def test_class_names_of_every_scale_and_the_legacy_number_are_understood(reply: str, extent: float) -> None:
    verdict = read_verdict(reply, FIVE_STEPS)
    assert isinstance(verdict, Verdict)
    assert verdict.extent == extent


@departs("`judgeModels`, `judgeMode`")
def test_judge_models_judge_where_no_judges_are_written_and_the_mode_is_only_hinted_at() -> None:
    source = (
        "evaluationConfig:\n  llm-coverage:\n    judgeModels: ['openai:gpt-4o-mini']\n    judgeMode: failover\n"
        "---\n- id: a\n  prompt: x\n"
    )
    assert [judge.model for judge in panel(parse(source).blueprint.header).judges] == ["openai:gpt-4o-mini"]
    assert any("judgeMode`" in each.message for each in found(source, "deprecated-key"))


@departs("model ids with small slips")
def test_a_model_id_with_a_small_slip_is_asked_for_as_it_is_meant_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key-of-anyone")
    assert resolve("OpenAI: gpt-4o-mini")[1] == "gpt-4o-mini"
    assert "model-format" in said("models: ['OpenAI: gpt-4o-mini']\n---\n- id: a\n  prompt: x\n")


CALLS = 'TOOL_CALL {"name": "search"}\nTOOL_CALL {"name": "search"}'


@departs("tool policy (A26)")
@pytest.mark.parametrize(
    ("policy", "point"),
    [
        ("requiredTools: [calculator]", "- $tool_called: "),
        ("prohibitedTools: [search]", "- $tool_called: "),
        ("maxCalls: 1", "- $tool_call_count_between: [0, 1]"),
    ],
)
def test_a_rule_for_tools_is_shown_as_broken_beside_the_score_and_a_fix_makes_it_count(
    policy: str, point: str, javascript: JavaScript
) -> None:
    source = f"title: t\n---\n- id: a\n  prompt: x\n  {policy}\n  should:\n    - $contains: search\n"
    blueprint = parse(source).blueprint
    (of,) = blueprint.prompts
    assessments = assess(of, CALLS, javascript)
    found = tool_use(of, blueprint.header, CALLS, assessments)
    assert found is not None
    assert ([each.is_met for each in found.findings], explain(of, assessments).score) == ([False], 1)
    (fix,) = said(source)["not-enforced"].fixes
    mended = apply_edits(source, fix.edits)
    assert point in mended
    (now,) = parse(mended).blueprint.prompts
    assert explain(now, assess(now, CALLS, javascript)).score == 0.5


@departs("tool policy (A26)")
def test_max_steps_is_shown_beside_the_score(javascript: JavaScript) -> None:
    blueprint = parse("toolUse: {maxSteps: 1}\n---\n- id: a\n  prompt: x\n  should: [{$contains: search}]\n").blueprint
    (of,) = blueprint.prompts
    assessments = assess(of, CALLS, javascript)
    found = tool_use(of, blueprint.header, CALLS, assessments)
    assert found is not None
    assert ([each.is_met for each in found.findings], explain(of, assessments).score) == ([False], 1)


@departs("tool policy (A26)")
def test_context_is_kept_and_goes_to_nobody() -> None:
    blueprint = parse("title: t\ncontext: {secret: word}\n---\n- id: a\n  prompt: x\n").blueprint
    assert blueprint.header.fields["context"] == {"secret": "word"}
    assert "word" not in str(conversation(blueprint.prompts[0], blueprint.header))


@departs("normalised JSON (`studio parse`)")
def test_the_configuration_is_weval_s_and_where_we_read_more_the_reading_is_ours() -> None:
    parsed = parse(f"- id: a\n  prompt: x\n{THREE_LEVELS}")
    assert weval_config(parsed) is None
    assert [len(path) for path in json.loads(json.dumps(reading(parsed)))["prompts"][0]["points"]] == [2, 1]


@needs_shared
def test_every_row_of_the_table_has_its_test() -> None:
    lines = (SHARED / "platform.md").read_text("utf-8").split("## What we do where they differ")[1].split("\n## ")[0]
    rows = {line.split("|")[1].strip() for line in lines.splitlines() if line.startswith("|")} - {"subject", "---"}
    assert rows == ROWS

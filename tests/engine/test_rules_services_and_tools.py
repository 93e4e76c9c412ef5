"""Rules about services and tools."""

from __future__ import annotations

import pytest

from engine.text.diagnostics import Severity
from tests.engine.rule_reports import HEAD, found, only, should, underlined

# services

SERVICE = "title: t\nexternalServices:\n  checker:\n    url: {}\n    headers: {{{}}}\n---\n"


def test_a_call_that_names_nobody_is_told_once() -> None:
    text = should("$call: {claim: x}")
    assert underlined(text, "call-target") == "$call"
    assert found(text, "bad-arguments") == []


@pytest.mark.parametrize("call", ["{service: checker}", "{url: 'https://example.org'}"])
def test_a_call_that_names_somebody_is_fine(call: str) -> None:
    text = SERVICE.format("https://example.org", "") + should(f"$call: {call}")
    assert found(text, "call-target") + found(text, "unknown-service") == []


def test_an_undeclared_service_is_told_with_the_one_that_was_meant() -> None:
    text = SERVICE.format("https://example.org", "") + should("$call: {service: cheker}")
    assert "did you mean “checker”?" in only(text, "unknown-service").message


@pytest.mark.parametrize("name", ["$not_call", "$external", "$not_external"])
def test_whatever_a_call_is_called_it_has_to_name_somebody(name: str) -> None:
    assert underlined(should(f"{name}: {{claim: x}}"), "call-target") == name
    text = SERVICE.format("https://example.org", "") + should(f"{name}: {{service: cheker}}")
    assert underlined(text, "unknown-service") == "cheker"


def test_what_a_service_may_say_of_retries_and_answers_is_known() -> None:
    text = SERVICE.format("https://example.org\n    max_retries: 1\n    retry_backoff_ms: 5\n    cache: false", "")
    assert found(text + should("$call: {service: checker}"), "unknown-key") == []


@pytest.mark.parametrize(
    ("url", "header", "number"),
    [
        ("http://example.org/check", 'X-Of-Mine: "${KEY}"', 1),
        ("http://example.org", "Authorization: abc", 1),
        ("https://example.org", "Authorization: abc", 0),
        ("http://localhost:8080/x", "Authorization: abc", 0),
        ("http://127.0.0.1", "X-Api-Key: abc", 0),
        ("http://localhost.example.org", "X-Api-Key: abc", 1),
        ("http://example.org", "Accept: text/plain", 0),
    ],
)
def test_a_secret_goes_out_only_with_encryption(url: str, header: str, number: int) -> None:
    text = SERVICE.format(url, header) + should("$call: {service: checker}")
    assert len(found(text, "call-secret-over-http")) == number


def test_factcheck_is_told_once_a_file_and_only_where_nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    text = should("$factcheck: dates", "$factcheck: names")
    monkeypatch.delenv("FACTCHECK_ENDPOINT_URL", raising=False)
    assert only(text, "factcheck-endpoint").message.startswith("2 checks of this file")
    monkeypatch.setenv("FACTCHECK_ENDPOINT_URL", "https://example.org")
    assert found(text, "factcheck-endpoint") == []


def test_a_missing_endpoint_is_a_hint_that_calls_nothing_in_the_file_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FACTCHECK_ENDPOINT_URL", raising=False)
    one = only(should("$factcheck: dates"), "factcheck-endpoint")
    assert one.severity is Severity.HINT
    assert "where the file runs" in one.message
    assert one.why.startswith("The file is right if the variable is set there")


def test_the_opposite_of_factcheck_needs_the_same_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FACTCHECK_ENDPOINT_URL", raising=False)
    assert underlined(should("$not_factcheck: dates"), "factcheck-endpoint") == "$not_factcheck"


# tools

TOOLS = """\
title: t
tools:
  - name: calculator
    schema: {type: object, properties: {sum: {type: string}, form: {type: object, properties: {base: {type: number}}}}}
  - name: search
---
"""


@pytest.mark.parametrize(
    "point",
    [
        "$tool_called: calc",
        "$tool_args_match: {name: calc, where: {}}",
        "$tool_call_count_between: [1, 2, calc]",
        "$tool_call_order: [search, calc]",
    ],
)
def test_a_tool_that_is_not_declared_is_told_where_it_is_named(point: str) -> None:
    assert underlined(TOOLS + should(point), "tool-unknown") == "calc"


def test_tools_of_a_prompt_are_held_against_the_declared_ones() -> None:
    text = TOOLS + f"{HEAD}  requiredTools: [serch, search]\n"
    assert "did you mean “search”?" in only(text, "tool-unknown").message


def test_without_declared_tools_nothing_is_said_of_names() -> None:
    assert found(should("$tool_called: calc"), "tool-unknown") == []


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("{summ: 1}", "did you mean “sum”?"),
        ("{form: {bas: 2}}", "did you mean “base”?"),
        ("'args.total > 3'", "no argument “total”"),
        ("{sum: 1, form: {base: 2}}", None),
        ("'args.sum > 3'", None),
    ],
)
def test_an_argument_is_held_against_the_schema(where: str, told: str | None) -> None:
    text = TOOLS + should(f"$tool_args_match: {{name: calculator, where: {where}}}")
    messages = [one.message for one in found(text, "tool-argument-unknown")]
    assert [told is not None and told in message for message in messages] == ([True] if told else [])


@pytest.mark.parametrize(
    ("fields", "points", "number"),
    [
        ("requiredTools: [search]\n  prohibitedTools: [search]", ["Says x"], 1),
        ("prohibitedTools: [search]", ["$tool_called: search"], 1),
        ("maxCalls: 1", ["$tool_called: search", "$tool_called: calculator"], 1),
        ("maxCalls: 1", ["$tool_call_order: [search, search]"], 1),
        ("maxCalls: 2", ["$tool_call_order: [search, search]"], 0),
        ("maxCalls: 1", ["- $tool_called: search", "- $tool_called: calculator"], 0),
        ("weight: 1", ["$tool_call_count_between: [2, 3, search]", "$tool_call_count_between: [0, 1, search]"], 1),
        ("weight: 1", ["$tool_call_count_between: [0, 1]", "$tool_call_count_between: [2, 3, search]"], 1),
        ("weight: 1", ["$tool_call_count_between: [1, 1, search]", "$tool_called: search"], 0),
    ],
)
def test_demands_that_no_answer_meets_together_are_told(fields: str, points: list[str], number: int) -> None:
    text = TOOLS + should(*points).replace("prompt: q", f"prompt: q\n  {fields}")
    assert len(found(text, "tool-counts-contradict")) == number


def test_a_tool_that_two_checks_contradict_each_other_on_is_told_once() -> None:
    text = should("$tool_called: search") + "  should_not:\n    - $tool_called: search\n"
    assert len(found(text, "tool-counts-contradict") + found(text, "contradiction")) == 1

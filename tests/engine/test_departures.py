"""Where we do otherwise than the platform, on purpose: what holds each row of the table in platform.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.blueprint.conversation import conversation
from engine.parsing import parse
from engine.rules import check
from tests.world import SHARED, needs_shared

ENGINE = Path(__file__).parent
HELD_BY = {
    "required points beside paths (A3)": "The worked example of the documents",
    "a function that errors (A4)": "A check that errs counts 0; Weval leaves it out",
    "points not judged yet, or that no judge could judge": "Unassessed criteria are left out and open the bounds",
    "`engine.aggregate`": "test_aggregate_answers_as_the_platform_does",
    "rounding (A31)": "test_a_run_is_exported_as_its_file_says",
    "path ids (A5)": "Each block counts its own paths",
    "alternatives under `should_not`": ("A met alternative of should_not is named with the path that forgives it"),
    "documented names not registered there (A6, A7)": "test_a_check_that_runs_only_here_is_marked",
    "`(?i)` at the start of a pattern (A8)": "test_an_inline_case_flag_works_here_and_is_an_error_there",
    "three-level nesting (A2)": "deep-nesting",
    "quoted functions, tuples, non-lists, stray items (A1, A12, A13, A15, A19)": "quoted-function",
    "header detection (A14)": "header-lost",
    "`$ref` (A11)": "ref-attributes-ignored",
    "falsy arguments (A16)": "falsy-argument-lost",
    "conversation rules (A23)": "test_a_written_turn_followed_by_a_null_turn_is_generated_after_it",
    "temperature (A22)": ("test_the_temperature_is_the_variants_else_the_prompts_else_the_headers_else_0"),
    "judges (A30)": "test_the_documented_judges_are_the_default_with_their_backup",
    "`judgeModels`, `judgeMode`": "test_judge_models_become_judges_where_no_judges_are_written",
    "`${VAR}` (A35)": "bad-service",
    "tool policy (A26)": "test_the_policy_is_never_in_the_score",
    "model ids with small slips": "Small slips are corrected",
    "normalised JSON (`studio parse`)": ("test_where_weval_refuses_what_the_documents_show_there_is_a_reading"),
}
"""The test, the title of a case, or the rule whose cases hold it."""


@needs_shared
def test_every_row_of_the_table_is_held() -> None:
    lines = (SHARED / "platform.md").read_text("utf-8").split("## What we do where they differ")[1].split("\n## ")[0]
    rows = {line.split("|")[1].strip() for line in lines.splitlines() if line.startswith("|")} - {"subject", "---"}
    assert rows == HELD_BY.keys()


@pytest.mark.parametrize("holds", HELD_BY.values())
def test_what_holds_a_row_is_there(holds: str) -> None:
    rules = ENGINE / "rule_cases"
    if holds.startswith("test_"):
        assert any(f"def {holds}(" in file.read_text("utf-8") for file in ENGINE.glob("test_*.py"))
    elif " " in holds:
        assert any(f"#### {holds}" in file.read_text("utf-8") for file in ENGINE.glob("**/*.txt"))
    else:
        assert (rules / f"{holds}.yml").exists() or (rules / "short" / f"{holds}.txt").exists()


def test_a_definition_is_followed_to_its_end_and_what_weval_does_not_follow_is_flagged() -> None:
    source = (
        "point_defs:\n  d: {point: x, weight: 2}\n  e: {$ref: d}\n---\n- id: a\n  prompt: x\n  should: [{$ref: e}]\n"
    )
    (point,) = parse(source).blueprint.prompts[0].points()
    assert (point.text, point.multiplier) == ("x", 2)
    told = [each for each in check(parse(source)) if each.slug == "ref-attributes-ignored"]
    assert [each.span.of(source) for each in told] == ["point", "weight", "$ref"]
    assert all(each.flagged for each in told)


def test_context_is_kept_and_goes_to_nobody() -> None:
    blueprint = parse("title: t\ncontext: {secret: word}\n---\n- id: a\n  prompt: x\n").blueprint
    assert blueprint.header.fields["context"] == {"secret": "word"}
    assert "word" not in str(conversation(blueprint.prompts[0], blueprint.header))

"""Rows of the result: the calls of tools and their policy, expected scores, and the standing of paths."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.evaluation.point_assessment import assess
from engine.evaluation.tool_use import Finding, PolicyKey, tool_use
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.scoring.explanation_builder import explain
from studio.session.views.result_view import ResultView
from studio.tui.action import Place
from studio.tui.panes.criteria_rows import CriteriaRow
from studio.tui.tall_list import MET, UNMET
from tests.studio.blueprints import MARCH
from tests.studio.command_line import studio
from tests.studio.driving import opened
from tests.studio.results import drawn, rows_of
from tests.studio.text_files import text_file

BLUEPRINT = text_file("tool-rows.yml")
CALC = 'TOOL_CALL {"name": "calculator", "arguments": {"expression": "312*49"}}'
SEARCH = 'TOOL_CALL {"name": "search"}'


@pytest.fixture(scope="module")
def javascript() -> Iterator[JavaScript]:
    with JavaScript() as running:
        yield running


def rows(response: str, javascript: JavaScript, text: str = BLUEPRINT) -> dict[str, CriteriaRow]:
    blueprint = parse(text).blueprint
    (prompt,) = blueprint.prompts
    assessments = assess(prompt, response, javascript)
    tools = tool_use(prompt, blueprint.header, response, assessments)
    view = ResultView(prompt, "m", explain(prompt, assessments), assessments, tools=tools)
    return {row.key: row for row in rows_of(view)}


def words(row: CriteriaRow) -> str:
    return " ".join(" ".join(drawn(row, 200)).split())


def below(row: CriteriaRow) -> list[str]:
    return [text for text, _ in row.said]


def with_ideal(answer: str) -> str:
    return BLUEPRINT.replace("  should:", f"  ideal: |\n    Well.\n    {answer}\n  should:")


def test_a_call_is_shown_as_parsed_with_its_line_and_the_checks_that_it_meets(javascript: JavaScript) -> None:
    call = rows(f"Well.\n{CALC}", javascript)["call:0"]
    assert words(call) == '● calculator {"expression": "312*49"}'
    assert below(call)[:2] == ["a call in line 2 of the answer", "meets $tool_called: calculator"]
    assert below(call)[2].startswith("meets $tool_args_match: ")


def test_a_call_that_fails_a_check_or_breaks_a_rule_says_so(javascript: JavaScript) -> None:
    shown = rows(f"{CALC.replace('49', '94')}\n{SEARCH}", javascript)
    assert [words(shown[f"call:{number}"])[0] for number in range(2)] == ["○", "○"]
    assert "search is not among the tools of this blueprint" in below(shown["call:1"])
    assert "breaks prohibitedTools: search is called once, in line 2" in below(shown["call:1"])
    assert "breaks maxSteps: 2 calls, of at most 1: too many from line 2 on" in below(shown["call:1"])


def test_a_line_that_is_no_call_says_why_and_what_one_would_be(javascript: JavaScript) -> None:
    slip = rows(f"{CALC}\n- {CALC}", javascript)[f"slip:{len(CALC) + 1}"]
    assert words(slip).startswith("! - TOOL_CALL")
    assert words(slip).endswith("no call")
    assert "This looks like a call but is not one: the line begins with -, not with TOOL_CALL." in below(slip)


@pytest.mark.parametrize(
    ("response", "key", "said", "ink"),
    [
        (CALC, "rule:prohibitedTools:search", "● prohibitedTools: search is not called kept", MET),
        (CALC, "rule:maxSteps:", "● maxSteps: 1 call, of at most 1 kept", MET),
        (
            SEARCH,
            "rule:prohibitedTools:search",
            "○ prohibitedTools: search is called once, in line 1 broken",
            UNMET,
        ),
    ],
)
def test_the_policy_is_told_as_kept_or_broken(
    response: str, key: str, said: str, ink: str, javascript: JavaScript
) -> None:
    rule = rows(response, javascript)[key]
    assert (words(rule), rule.lead[0][1]) == (said, ink)
    assert any("Not in the score" in text for text in below(rule)) is (ink == UNMET)


def test_a_row_on_a_call_lights_it_up_in_the_answer(javascript: JavaScript) -> None:
    response = f"Well.\n{CALC}\n{SEARCH}"
    shown = rows(response, javascript)
    assert [span.of(response) for span in shown["call:0"].evidence] == [CALC]
    assert [span.of(response) for span in shown["rule:prohibitedTools:search"].evidence] == [SEARCH]


async def test_enter_on_a_rule_of_the_policy_leads_to_where_it_is_written_or_says_that_it_is_not(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path / "sums.yml", with_ideal(CALC), keys=("ctrl+end", "f5", "ctrl+r")) as page:
        for key, leads_to in (("rule:prohibitedTools:search", "search]"), ("rule:maxSteps:", "maxSteps: 1")):
            await page.select(key)
            await page.press("enter")
            assert page.place is Place.EDITOR
            assert page.text[page.cursor :].startswith(leads_to)
        await page.rewrite(with_ideal(CALC).replace("toolUse: {maxSteps: 1}\n", ""))
        await page.press("ctrl+end")
        assert page.runs.views.place_of(Finding(PolicyKey.MAX_STEPS, True, "")) is None


@pytest.mark.parametrize(("answer", "key"), [(CALC, "call:0"), (f"- {CALC}", "slip:356")])
async def test_enter_on_a_call_leads_to_its_line_in_the_answer(answer: str, key: str, tmp_path: Path) -> None:
    text = with_ideal("Well.\n\n    " * 50 + answer)
    async with opened(tmp_path / "sums.yml", text, keys=("ctrl+end", "f5", "ctrl+r")) as page:
        await page.select(key)
        await page.press("enter")
        assert page.place is Place.ANSWER
        await page.see("⟦")


def test_without_a_call_the_heading_says_so(javascript: JavaScript) -> None:
    assert words(rows("15288", javascript)["heading:tools"]) == "── tools · no call · not in the score"


def test_many_calls_are_counted_and_not_all_told(javascript: JavaScript) -> None:
    shown = rows("\n".join([CALC] * 1000), javascript)
    assert sum(key.startswith("call:") for key in shown) == 201
    assert words(shown["call:more"]).strip() == "and 800 more calls"


def test_a_prompt_without_tools_says_nothing_of_them(javascript: JavaScript) -> None:
    assert "heading:tools" not in rows("No.", javascript, "- id: a\n  prompt: x\n  should: [{$contains: No}]\n")


# --- Expected scores in the result and in `studio explain`, and the standing of paths


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    path = tmp_path / "x.yml"
    path.write_text(MARCH, "utf-8")
    return path


async def test_t_lists_the_smallest_sets_for_a_score_and_takes_them_away_again(blueprint: Path) -> None:
    async with opened(blueprint, at="ideal", keys=("f5", "ctrl+r")) as page:
        assert page.texts("way:") == ["▸ way 2 counts · 50", "way 1 · 0, less"]
        await page.press("t", *"60", "enter")
        await page.see("expected 60", "Criteria that exclude each other")
        assert page.criterion() == "target:summary"
        assert page.texts("target:") == [
            "1 more criterion is enough for 60, in any of these 2 sets",
            "1 meet $contains: covenant → 66.7",
            "2 meet $contains: treaty → 66.7",
            "83.3 is the most that an answer can be sure of",
            "! $matches: ( counts 0 whatever the answer: its check cannot run: The pattern “(” cannot be read: "
            "Unterminated group.",
        ]
        await page.press("t")
        assert page.texts("target:") == []


def test_explain_prints_what_a_score_takes(blueprint: Path) -> None:
    run = studio("explain", blueprint, "--prompt", "march", "--ideal", "--target", "90")
    assert run.exit_code == 1  # a check cannot run
    assert (
        "  expected 90: 90 cannot be reached: 83.3 is the most that an answer can be sure of\n"
        "    $matches: ( counts 0 whatever the answer: its check cannot run: The pattern “(” cannot be read: "
        "Unterminated group.\n\n  evidence\n" in run.stdout
    )


def test_explain_prints_how_to_read_the_sets(blueprint: Path) -> None:
    run = studio("explain", blueprint, "--prompt", "march", "--ideal", "--target", "60")
    assert (
        "    meet $contains: treaty → 66.7\n"
        "    Of the 2 paths only the best counts, so no set has criteria of two.\n"
        "    Criteria that exclude each other are not recognised: read a set before you aim at it.\n" in run.stdout
    )


def test_explain_prints_the_standing_of_each_path(blueprint: Path) -> None:
    run = studio("explain", blueprint, "--prompt", "march", "--ideal")
    assert "      50 behind: to be the best, meet $contains: covenant\n" in run.stdout


def test_explain_gives_targets_and_standings_as_json(blueprint: Path) -> None:
    run = studio("explain", blueprint, "--prompt", "march", "--ideal", "--target", "60", "--format", "json")
    (explained,) = json.loads(run.stdout)
    found = explained["target"]
    assert (found["wanted"], found["reached"], found["reachable"], found["others"]) == (0.6, False, True, False)
    assert [[point["keyPointText"] for point in each["points"]] for each in found["sets"]] == [
        ['Function: contains("covenant")'],
        ['Function: contains("treaty")'],
    ]
    assert found["notes"][-1] == "Criteria that exclude each other are not recognised: read a set before you aim at it."
    assert [each["lead"] for each in explained["explanation"]["groups"]] == [None, [-0.5, -0.5], [0.5, 0.5]]


RESULT = json.loads(text_file("targets.json"))


@pytest.fixture
def result(tmp_path: Path) -> Path:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(RESULT), "utf-8")
    return path


def test_a_published_result_has_targets_too(result: Path) -> None:
    run = studio("explain", result, "--prompt", "one", "--target", "80")
    assert "  expected 80: 1 more criterion is enough for 80\n    meet “B” → 100.0\n" in run.stdout


def test_a_target_is_about_one_prompt(result: Path) -> None:
    run = studio("explain", result, "--target", "80")
    assert run.exit_code == 2
    assert "--target is about the score of one prompt: name it with --prompt." in run.stderr


@pytest.mark.parametrize("score", ["101", "-1", "high"])
def test_a_target_is_a_number_from_0_to_100(blueprint: Path, score: str) -> None:
    assert studio("explain", blueprint, "--prompt", "march", "--ideal", f"--target={score}").exit_code == 2

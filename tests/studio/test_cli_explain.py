"""`studio explain`: the arithmetic of a run, and of a result file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.studio.command_line import studio

BLUEPRINT = """\
- id: protest
  prompt: May a state ban a march it finds offensive?
  ideal: Only where that is lawful and necessary.
  should:
    - $contains: lawful
    - $contains: necessary
    - $contains: proportionate
    - - $icontains: covenant
    - - $icontains: article
"""

RESULT = {
    "evaluationResults": {
        "llmCoverageScores": {
            "protest": {
                "openai:gpt-4o-mini": {
                    "keyPointsCount": 5,
                    "avgCoverageExtent": 0.38,
                    "pointAssessments": [
                        {"keyPointText": "Names the three-part test", "coverageExtent": 1, "multiplier": 1},
                        {"keyPointText": "Says that offence is no ground", "coverageExtent": 0.75, "multiplier": 1},
                        {"keyPointText": "Gives an example from case law", "coverageExtent": 0.5, "multiplier": 1},
                        {
                            "keyPointText": 'Function: icontains("covenant")',
                            "coverageExtent": 0,
                            "multiplier": 1,
                            "pathId": "path_3",
                        },
                        {
                            "keyPointText": 'Function: icontains("proportionate")',
                            "coverageExtent": 0,
                            "multiplier": 1,
                            "pathId": "path_4",
                        },
                    ],
                }
            }
        }
    }
}

EXPLAINED = """\
protest · openai:gpt-4o-mini: 38.0 published; our reading 37.5
  required points                         75.0  (1.00 + 0.75 + 0.50) ÷ 3
  path 1                                   0.0  0.00
  path 2                                   0.0  0.00
  best path: path 1                        0.0  max(0.00, 0.00)
  mean of required points and best path   37.5  (0.75 + 0.00) ÷ 2
  Weval stores                            0.38  0.375 to two decimals

     score weight  cost  gain severity  points
   1 100.0      1   0.0   0.0     83.3  “Names the three-part test”
   2  75.0      1   4.2   4.2     83.3  “Says that offence is no ground”
   3  50.0      1   8.3   8.3     83.3  “Gives an example from case law”
       0.0               50.0           path 1
      level: to be the best, meet $icontains: covenant
   4   0.0      1  50.0  50.0    100.0    $icontains: covenant
       0.0               50.0           path 2
      level: to be the best, meet $icontains: proportionate
   5   0.0      1   0.0  50.0    100.0    $icontains: proportionate

  why low
    1  meet one path: up to 87.5
    2  “Gives an example from case law” in full → 45.8
    3  flatten the paths → 45.0
    4  “Says that offence is no ground” in full → 41.7

  published: 0.38 (its points add up to this)
"""


@pytest.fixture
def protest(tmp_path: Path) -> Path:
    path = tmp_path / "protest.yml"
    path.write_text(BLUEPRINT, "utf-8")
    return path


@pytest.fixture
def result(tmp_path: Path) -> Path:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(RESULT), "utf-8")
    return path


def test_a_result_file_is_explained_in_words_and_numbers(result: Path) -> None:
    done = studio("explain", result)
    assert done.stdout == EXPLAINED
    assert done.exit_code == 0


def test_an_average_that_the_points_do_not_give_is_told(result: Path) -> None:
    result.write_text(result.read_text("utf-8").replace("0.38", "0.75"), "utf-8")
    told = studio("explain", result).stdout.partition("  published: 0.75\n")[2]
    assert told.startswith("    The published score is 37.5 points more than its own points add up to (37.5).\n")


def test_a_result_file_is_explained_as_json(result: Path) -> None:
    (explained,) = json.loads(studio("explain", result, "--format", "json").stdout)
    assert (explained["prompt"], explained["key"], explained["stored"]) == ("protest", "openai:gpt-4o-mini", 0.38)
    assert explained["explanation"]["score"] == 0.375


@pytest.mark.parametrize("choice", [("--prompt", "none"), ("--model", "none")])
def test_a_result_that_is_not_there_is_exit_code_2(choice: tuple[str, str], result: Path) -> None:
    done = studio("explain", result, *choice)
    assert "There are: protest · openai:gpt-4o-mini." in done.stderr
    assert done.exit_code == 2


def test_a_result_file_takes_no_other_source(result: Path) -> None:
    assert studio("explain", result, "--ideal").exit_code == 2


def test_a_blueprints_prompt_is_evaluated_and_explained(protest: Path) -> None:
    done = studio("explain", protest, "--prompt", "protest", "--ideal")
    assert done.stdout.startswith("protest · ideal: 33.3\n")
    assert "(0.6667 + 0.00) ÷ 2" in done.stdout
    assert done.exit_code == 0


def test_run_and_explain_print_the_same_arithmetic(protest: Path) -> None:
    of = (protest, "--prompt", "protest", "--ideal")
    arithmetic, _, evidence = studio("explain", *of).stdout.partition("\n  evidence\n")
    assert studio("run", *of).stdout == arithmetic
    assert "⟦necessary⟧" in evidence


def test_a_written_result_is_explained_as_the_run_was(protest: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    ran = studio("run", protest, "--ideal", "--json", out).stdout
    steps = ran.partition("protest · ideal: 33.3\n")[2].partition("\n\n")[0]
    headline, _, explained = studio("explain", out, "--model", "ideal").stdout.partition("\n")
    assert headline == "protest · ideal: 33.0 published; our reading 33.3"
    assert explained.startswith(steps)


def test_the_prompt_must_be_named(protest: Path) -> None:
    assert studio("explain", protest, "--ideal").exit_code == 2


def test_a_prompt_without_an_answer_is_exit_code_1(protest: Path) -> None:
    protest.write_text(protest.read_text("utf-8").replace("ideal:", "description:"), "utf-8")
    done = studio("explain", protest, "--prompt", "protest", "--ideal")
    assert "not scored" in done.stdout
    assert done.exit_code == 1


def test_a_blueprint_in_json_is_no_result_file(tmp_path: Path) -> None:
    path = tmp_path / "blueprint.json"
    path.write_text('{"prompts": [{"id": "a", "prompt": "x", "ideal": "y", "should": [{"$contains": "y"}]}]}', "utf-8")
    assert studio("explain", path, "--prompt", "a", "--ideal").stdout.startswith("a · ideal: 100.0\n")


def test_a_path_with_points_that_are_not_judged_has_its_bounds(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    path.write_text(
        "- id: a\n  prompt: b\n  ideal: c\n  should:\n    - [$contains: c, Is kind]\n    - [$contains: d]\n"
    )
    lines = studio("explain", path, "--prompt", "a", "--ideal").stdout.splitlines()
    assert lines[:2] == ["a · ideal: 50–100, 2 of 3 points judged", "  over what is judged:"]
    assert "         –                  –           path 1, the best so far: 50–100" in lines


# --- `studio explain RESULT.json` beside the blueprint that was run: lines, what changed since, and what costs most


RESULT_BLUEPRINT = """\
title: Rights
---
- id: protest
  prompt: May a state ban a march it finds offensive?
  weight: 3
  should:
    - $contains: lawful
    - point: Names the three-part test
      weight: 2
    - Names a case
- id: assembly
  prompt: What is an assembly?
  should:
    - Gives a definition
"""


def said(text: str, extent: float | None = None, **more: Any) -> dict[str, Any]:
    return {"keyPointText": text, "multiplier": 1, **({} if extent is None else {"coverageExtent": extent}), **more}


PUBLISHED_RESULT: dict[str, Any] = {
    "configId": "law__rights",
    "configTitle": "Rights",
    "timestamp": "2026-03-01T10:00:00.000Z",
    "sourceBlueprintFileName": "rights.yml",
    "config": {"prompts": [{"id": "protest", "weight": 3}, {"id": "assembly"}, {"id": "strike"}]},
    "errors": {"strike": {"openai:large": "429 Too many requests"}},
    "evaluationResults": {
        "llmCoverageScores": {
            "assembly": {
                "openai:small": {"avgCoverageExtent": 0.5, "pointAssessments": [said("Gives a definition", 0.5)]},
                "openai:large": {"avgCoverageExtent": 1.0, "pointAssessments": [said("Gives a definition", 1)]},
            },
            "protest": {
                "openai:small": {
                    "avgCoverageExtent": 0.25,
                    "pointAssessments": [
                        said('Function: contains("lawful")', error="Timed out"),
                        said("Names the three-part test", 0.5),
                        said("Names the covenant", 0),
                    ],
                },
                "openai:large": {
                    "avgCoverageExtent": 0.5,
                    "pointAssessments": [said("Names the three-part test", 1), said("Names the covenant", 0)],
                },
            },
        }
    },
}

BY_COST = """\
Rights: 3 prompts, 2 models, run 2026-03-01T10:00:00.000Z
  mean of the published scores, by prompt weight: 46.9

  costs  score  weight  prompts by what they cost, and the lowest score
   46.9   37.5       3  protest (line 3): 25.0 openai:small
    6.3   75.0       1  assembly (line 11): 50.0 openai:small
      –      –       1  strike: 1 not scored

  studio explain rights_comparison.json --prompt ID shows why, point by point.
"""


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A result file, and its blueprint in the folder of blueprints above it."""
    (tmp_path / "blueprints" / "law").mkdir(parents=True)
    (tmp_path / "blueprints" / "law" / "rights.yml").write_text(RESULT_BLUEPRINT, "utf-8")
    (tmp_path / "results" / "live").mkdir(parents=True)
    path = tmp_path / "results" / "live" / "rights_comparison.json"
    path.write_text(json.dumps(PUBLISHED_RESULT), "utf-8")
    return path


def test_prompts_are_listed_by_what_they_cost(published: Path) -> None:
    done = studio("explain", published)
    assert done.stdout == BY_COST
    assert done.exit_code == 1


def test_one_model_has_costs_of_its_own(published: Path) -> None:
    lines = studio("explain", published, "--model", "openai:small").stdout.splitlines()
    assert lines[4:6] == [
        "   56.3   25.0       3  protest (line 3)",
        "   12.5   50.0       1  assembly (line 11)",
    ]


def test_a_named_prompt_is_held_against_the_blueprint_of_today(published: Path) -> None:
    done = studio("explain", published, "--prompt", "protest", "--model", "openai:small")
    assert (
        done.stdout.partition("  published: ")[2]
        == """\
0.25 (its points add up to this)
    One check could not run and took no part in it. The documents count an error as 0: that gives 16.7.

  in rights.yml as it is now, from line 3
    line  point
       7  $contains: lawful
       8  “Names the three-part test”
          weight 2 now, 1 then
      10  “Names a case”
          new, and not judged then
       –  “Names the covenant”
          no longer in the blueprint
"""
    )


def test_the_published_score_is_the_headline_and_our_reading_stands_beside_it(published: Path) -> None:
    done = studio("explain", published, "--prompt", "protest", "--model", "openai:small")
    assert done.stdout.startswith("protest · openai:small: 25.0 published; our reading 16.7, 1 check could not run\n")


def test_our_reading_of_points_that_were_not_judged_has_its_bounds(published: Path) -> None:
    held: Any = json.loads(published.read_text("utf-8"))
    held["evaluationResults"]["llmCoverageScores"]["assembly"]["openai:small"]["pointAssessments"].append(said("Why"))
    published.write_text(json.dumps(held), "utf-8")
    done = studio("explain", published, "--prompt", "assembly", "--model", "openai:small")
    first = done.stdout.splitlines()[0]
    assert first == "assembly · openai:small: 50.0 published; our reading 25–75, 1 of 2 points judged"


def test_a_result_without_a_score_says_that_none_was_published(published: Path) -> None:
    held: Any = json.loads(published.read_text("utf-8"))
    del held["evaluationResults"]["llmCoverageScores"]["assembly"]["openai:small"]["avgCoverageExtent"]
    published.write_text(json.dumps(held), "utf-8")
    done = studio("explain", published, "--prompt", "assembly", "--model", "openai:small")
    assert done.stdout.startswith("assembly · openai:small: no score published; our reading 50.0\n")


def test_the_blueprint_can_be_named(published: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "draft.yml"
    elsewhere.write_text(RESULT_BLUEPRINT.replace("id: protest", "id: march"), "utf-8")
    done = studio("explain", published, "--prompt", "protest", "--blueprint", elsewhere)
    assert "in draft.yml as it is now, from line 3, where it is called march" not in done.stdout
    assert "draft.yml no longer has this prompt" in done.stdout


def test_a_prompt_with_another_id_is_found_by_what_it_asks(published: Path, tmp_path: Path) -> None:
    asked = {"protest": [{"role": "user", "content": "May a state ban a march it finds offensive?"}]}
    published.write_text(json.dumps(PUBLISHED_RESULT | {"promptContexts": asked}), "utf-8")
    elsewhere = tmp_path / "draft.yml"
    elsewhere.write_text(RESULT_BLUEPRINT.replace("id: protest", "id: march"), "utf-8")
    done = studio("explain", published, "--prompt", "protest", "--blueprint", elsewhere)
    assert "in draft.yml as it is now, from line 3, where it is called march" in done.stdout


@pytest.mark.parametrize("held", [{"configId": "law__rights"}, {"sourceBlueprintFileName": "rights.yml"}])
def test_a_blueprint_beside_the_result_is_found_by_its_name(held: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "x_comparison.json"
    path.write_text(json.dumps(held | {"evaluationResults": PUBLISHED_RESULT["evaluationResults"]}), "utf-8")
    (tmp_path / "rights.yml").write_text(RESULT_BLUEPRINT, "utf-8")
    assert "in rights.yml as it is now" in studio("explain", path, "--prompt", "protest").stdout


@pytest.mark.parametrize("name", ["../rights.yml", "/etc/passwd", "..__..__rights", "a\u0000b.yml", ""])
def test_a_name_in_a_file_leads_nowhere_else(name: str, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    path = tmp_path / "results" / "x_comparison.json"
    held = {"configId": name, "sourceBlueprintFileName": name}
    path.write_text(json.dumps(held | {"evaluationResults": PUBLISHED_RESULT["evaluationResults"]}), "utf-8")
    assert "as it is now" not in studio("explain", path, "--prompt", "protest").stdout


def test_without_a_blueprint_the_score_is_explained_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "x_comparison.json"
    path.write_text(json.dumps(PUBLISHED_RESULT), "utf-8")
    done = studio("explain", path, "--prompt", "protest", "--model", "openai:large")
    assert done.stdout.endswith("  published: 0.50 (its points add up to this)\n")


def test_a_model_that_failed_says_what_happened(published: Path) -> None:
    done = studio("explain", published, "--prompt", "strike")
    assert (done.stdout, done.exit_code) == ("strike · openai:large: not scored\n  429 Too many requests\n", 1)


def test_json_holds_lines_and_changes(published: Path) -> None:
    done = studio("explain", published, "--prompt", "protest", "--model", "openai:small", "--format", "json")
    (explained,) = json.loads(done.stdout)
    assert explained["published"]["reproduced"] is True
    assert explained["blueprint"]["line"] == 3
    points = explained["blueprint"]["points"]
    assert [(each["line"], each["state"], each["changes"]) for each in points] == [
        (7, "same", []),
        (8, "changed", ["weight 2 now, 1 then"]),
        (10, "new", []),
        (None, "gone", []),
    ]


def test_json_holds_what_each_prompt_costs(published: Path) -> None:
    done = studio("explain", published, "--model", "openai:small", "--format", "json")
    assert {each["prompt"]: each["costs"] for each in json.loads(done.stdout)} == {"assembly": 0.125, "protest": 0.5625}


def test_a_blueprint_that_is_not_there_is_exit_code_2(published: Path, tmp_path: Path) -> None:
    assert studio("explain", published, "--blueprint", tmp_path / "none.yml").exit_code == 2


def test_control_characters_of_a_result_are_made_visible(tmp_path: Path) -> None:
    path = tmp_path / "x_comparison.json"
    path.write_text(json.dumps(PUBLISHED_RESULT).replace("Names the", "Names \\u001b[31m the"), "utf-8")
    done = studio("explain", path, "--prompt", "protest")
    assert ("\x1b" in done.stdout, "␛[31m" in done.stdout) == (False, True)

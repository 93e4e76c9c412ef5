"""`studio explain`: the arithmetic of a blueprint's prompt, and of a result file, in words and numbers."""

from __future__ import annotations

import json
from pathlib import Path

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

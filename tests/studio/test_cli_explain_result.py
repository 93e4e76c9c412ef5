"""`studio explain RESULT.json` beside the blueprint that was run: lines, what changed since, and what costs most."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.studio.command_line import studio

BLUEPRINT = """\
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


RESULT: dict[str, Any] = {
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
    (tmp_path / "blueprints" / "law" / "rights.yml").write_text(BLUEPRINT, "utf-8")
    (tmp_path / "results" / "live").mkdir(parents=True)
    path = tmp_path / "results" / "live" / "rights_comparison.json"
    path.write_text(json.dumps(RESULT), "utf-8")
    return path


def test_prompts_are_listed_by_what_they_cost(published: Path) -> None:
    done = studio("explain", published)
    assert done.stdout == BY_COST
    assert done.exit_code == 1


def test_one_model_has_costs_of_its_own(published: Path) -> None:
    lines = studio("explain", published, "--model", "openai:small").stdout.splitlines()
    assert lines[4:6] == [
        "    56.3   25.0       3  protest (line 3)",
        "    12.5   50.0       1  assembly (line 11)",
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
    elsewhere.write_text(BLUEPRINT.replace("id: protest", "id: march"), "utf-8")
    done = studio("explain", published, "--prompt", "protest", "--blueprint", elsewhere)
    assert "in draft.yml as it is now, from line 3, where it is called march" not in done.stdout
    assert "draft.yml no longer has this prompt" in done.stdout


def test_a_prompt_with_another_id_is_found_by_what_it_asks(published: Path, tmp_path: Path) -> None:
    asked = {"protest": [{"role": "user", "content": "May a state ban a march it finds offensive?"}]}
    published.write_text(json.dumps(RESULT | {"promptContexts": asked}), "utf-8")
    elsewhere = tmp_path / "draft.yml"
    elsewhere.write_text(BLUEPRINT.replace("id: protest", "id: march"), "utf-8")
    done = studio("explain", published, "--prompt", "protest", "--blueprint", elsewhere)
    assert "in draft.yml as it is now, from line 3, where it is called march" in done.stdout


@pytest.mark.parametrize("held", [{"configId": "law__rights"}, {"sourceBlueprintFileName": "rights.yml"}])
def test_a_blueprint_beside_the_result_is_found_by_its_name(held: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "x_comparison.json"
    path.write_text(json.dumps(held | {"evaluationResults": RESULT["evaluationResults"]}), "utf-8")
    (tmp_path / "rights.yml").write_text(BLUEPRINT, "utf-8")
    assert "in rights.yml as it is now" in studio("explain", path, "--prompt", "protest").stdout


@pytest.mark.parametrize("name", ["../rights.yml", "/etc/passwd", "..__..__rights", "a\u0000b.yml", ""])
def test_a_name_in_a_file_leads_nowhere_else(name: str, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    path = tmp_path / "results" / "x_comparison.json"
    held = {"configId": name, "sourceBlueprintFileName": name}
    path.write_text(json.dumps(held | {"evaluationResults": RESULT["evaluationResults"]}), "utf-8")
    assert "as it is now" not in studio("explain", path, "--prompt", "protest").stdout


def test_without_a_blueprint_the_score_is_explained_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "x_comparison.json"
    path.write_text(json.dumps(RESULT), "utf-8")
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


def test_a_blueprint_is_named_only_beside_a_result(tmp_path: Path) -> None:
    path = tmp_path / "rights.yml"
    path.write_text(BLUEPRINT, "utf-8")
    done = studio("explain", path, "--prompt", "protest", "--ideal", "--blueprint", path)
    assert (done.exit_code, "goes with a result file" in done.stderr) == (2, True)


def test_a_blueprint_that_is_not_there_is_exit_code_2(published: Path, tmp_path: Path) -> None:
    assert studio("explain", published, "--blueprint", tmp_path / "none.yml").exit_code == 2


def test_control_characters_of_a_result_are_made_visible(tmp_path: Path) -> None:
    path = tmp_path / "x_comparison.json"
    path.write_text(json.dumps(RESULT).replace("Names the", "Names \\u001b[31m the"), "utf-8")
    done = studio("explain", path, "--prompt", "protest")
    assert ("\x1b" in done.stdout, "␛[31m" in done.stdout) == (False, True)

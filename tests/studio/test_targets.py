"""Expected scores in the result and in `studio explain`, and the standing of paths."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.studio.blueprints import MARCH
from tests.studio.command_line import studio
from tests.studio.driving import opened
from tests.studio.text_files import text_file


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

"""`studio compare`: two result files and why they differ, and the grid of one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.studio.command_line import studio

SMALL, LARGE = "openai:small", "openai:large"
FIRST, MONTH = 'Function: contains("first")', 'Function: contains("month")'
Points = Mapping[str, Mapping[str, list[dict[str, Any]]]]


def said(text: str, extent: float | None = None, **more: Any) -> dict[str, Any]:
    return {"keyPointText": text, "multiplier": 1, **({} if extent is None else {"coverageExtent": extent}), **more}


def result(path: Path, points: Points, answers: Mapping[str, Mapping[str, str]], **config: Any) -> Path:
    data = {
        "config": config,
        "allFinalAssistantResponses": answers,
        "promptContexts": {prompt: [{"role": "user", "content": f"What of {prompt[:4]}?"}] for prompt in answers},
        "evaluationResults": {
            "llmCoverageScores": {
                prompt: {model: {"pointAssessments": listed} for model, listed in models.items()}
                for prompt, models in points.items()
            }
        },
    }
    path.write_text(json.dumps(data), "utf-8")
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    points = {
        "rent": {
            SMALL: [said(FIRST, 1), said("Names the day", 0.5)],
            LARGE: [said(FIRST, 0), said("Names the day", 1)],
        },
        "deposit": {SMALL: [said("Says 30 days", 0.5)], LARGE: [said("Says 30 days", 1)]},
    }
    answers = {
        "rent": {SMALL: "It is due on the first.", LARGE: "It is due monthly."},
        "deposit": {SMALL: "Within 14 days.", LARGE: "Within 30 days."},
    }
    return result(tmp_path / "old.json", points, answers, description="Rents")


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """Another answer to `rent` by SMALL, another check in its rubric, and another verdict on `deposit`."""
    points = {
        "rent": {
            SMALL: [said(FIRST, 0), said(MONTH, 1), said("Names the day", 0.75)],
            LARGE: [said(FIRST, 0), said(MONTH, 1), said("Names the day", 1)],
        },
        "deposit": {
            SMALL: [
                said(
                    "Says 30 days",
                    0.75,
                    individualJudgements=[
                        {"judgeModelId": "one", "coverageExtent": 1},
                        {"judgeModelId": "two", "coverageExtent": 0.5},
                    ],
                )
            ],
            LARGE: [said("Says 30 days", 1)],
        },
    }
    answers = {
        "rent": {SMALL: "It is due on day one of the month.", LARGE: "It is due monthly."},
        "deposit": {SMALL: "Within 14 days.", LARGE: "Within 30 days."},
    }
    return result(tmp_path / "new.json", points, answers, description="Rents")


def compared(*arguments: object) -> dict[str, Any]:
    found = studio("compare", *arguments, "--format", "json")
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def corners(data: dict[str, Any], prompt: str, model: str) -> dict[str, Any]:
    return next(each for each in data["results"] if (each["prompt"], each["model"]) == (prompt, model))["corners"]


def lines(*arguments: object) -> list[str]:
    found = studio("compare", *arguments)
    assert found.exit_code == 0, found.output
    return found.stdout.splitlines()


def test_each_result_has_its_cause_and_the_greatest_difference_comes_first(old: Path, new: Path) -> None:
    table = [line.split(maxsplit=3) for line in lines(old, new)[4:7]]
    assert [row[:3] for row in table] == [
        ["50.0", "75.0", "+25.0"],
        ["75.0", "58.3", "−16.7"],
        ["50.0", "66.7", "+16.7"],
    ]
    assert ["  ".join(row[3].split()) for row in table] == [
        f"verdict  deposit  ·  {SMALL}",
        f"answer,  rubric  rent  ·  {SMALL}",
        f"rubric  rent  ·  {LARGE}",
    ]


def test_the_means_are_of_all_results(old: Path, new: Path) -> None:
    assert lines(old, new)[1] == "mean 68.8 → 75.0 over 4 results, +6.3"
    assert compared(old, new)["mean"]["difference"] == pytest.approx([1 / 16, 1 / 16])


def test_checks_run_on_the_answers_that_no_file_has_by_a_rubric(old: Path, new: Path) -> None:
    found = corners(compared(old, new), "rent", SMALL)
    assert found["newAnswerOldRubric"] == [0.375, 0.375]
    assert found["oldAnswerNewRubric"] == [0.5, 0.5]
    assert found["difference"] == pytest.approx([-1 / 6, -1 / 6])


def test_another_verdict_on_the_same_question_is_counted(old: Path, new: Path) -> None:
    found = corners(compared(old, new), "deposit", SMALL)
    assert (found["sameAnswer"], found["sameRubric"], found["judgedTwice"]) == (True, True, 1)


def test_fields_that_are_gone_hold_nothing_until_the_next_version(old: Path, new: Path) -> None:
    data = compared(old, new)
    gone = ("answer", "rubric", "interaction", "verdict")
    assert [data["mean"][name] for name in gone] == [None] * 4
    assert [corners(data, "rent", SMALL)[name] for name in gone] == [None] * 4
    assert data["closing"] is None


def test_a_named_prompt_is_shown_with_its_criteria_and_words(old: Path, new: Path) -> None:
    printed = "\n".join(lines(old, new, "--prompt", "rent", "--model", SMALL))
    scores = (
        "  old result                     75.0\n"
        "  new result                     58.3\n"
        "  difference                    −16.7  answer, rubric\n"
        "  old answer on the new rubric   50.0\n"
        "  new answer on the old rubric   37.5\n"
    )
    assert scores in printed
    assert "  100.0    0.0  −33.3  $contains: first\n      –  100.0    0.0  $contains: month  (new)\n" in printed
    assert "  the answers: 1 word removed, 4 added\n    It is due on {+day one of +}the [-first-]{+month+}." in printed


def test_a_holistic_verdict_does_not_pass_to_another_rubric(old: Path, tmp_path: Path) -> None:
    points = {"deposit": {SMALL: [said("Says 30 days", 1), said("Names the scheme", 0)]}}
    newer = result(tmp_path / "newer.json", points, {"deposit": {SMALL: "Within 30 days."}}, description="Rents")
    data = compared(old, newer)
    found = corners(data, "deposit", SMALL)
    assert (found["newAnswerOldRubric"], found["oldAnswerNewRubric"]) == ([0, 1], [0, 1])
    assert found["difference"] == [0, 0]
    assert data["missingVerdicts"] == 3


def test_judges_that_see_one_criterion_at_a_time_leave_only_new_criteria_open(tmp_path: Path) -> None:
    judges = {"llm-coverage": {"judges": [{"model": "openai:judge", "approach": "standard"}]}}
    answers = {"deposit": {SMALL: "Within 30 days."}}
    one = result(tmp_path / "a.json", {"deposit": {SMALL: [said("A", 1)]}}, answers, evaluationConfig=judges)
    both = {"deposit": {SMALL: [said("A", 1), said("B", 0)]}}
    two = result(tmp_path / "b.json", both, {"deposit": {SMALL: "Soon."}}, evaluationConfig=judges)
    found = corners(compared(one, two), "deposit", SMALL)
    assert (found["newAnswerOldRubric"], found["oldAnswerNewRubric"]) == ([1, 1], [0.5, 1])
    assert found["missingVerdicts"] == 1


def test_prompts_whose_ids_changed_are_paired_by_their_messages(old: Path, tmp_path: Path) -> None:
    points = {"deposits": {SMALL: [said("Says 30 days", 1)]}}
    newer = result(tmp_path / "newer.json", points, {"deposits": {SMALL: "Within 30 days."}}, description="Rents")
    data = compared(old, newer)
    assert [(each["oldPrompt"], each["prompt"]) for each in data["results"]] == [("deposit", "deposits")]
    assert {"prompt": "rent", "model": SMALL} in data["onlyOld"]


def test_one_model_less_another(old: Path) -> None:
    data = compared(old, old, "--model", SMALL, "--old-model", LARGE)
    assert [(each["model"], each["oldModel"]) for each in data["results"]] == [(SMALL, LARGE)] * 2
    assert corners(data, "deposit", SMALL)["difference"] == [-0.5, -0.5]


def test_a_result_without_a_score_is_listed_and_left_out_of_the_mean(old: Path, tmp_path: Path) -> None:
    data = json.loads(old.read_text("utf-8"))
    data["evaluationResults"]["llmCoverageScores"]["rent"][SMALL] = {"error": "429"}
    failed = tmp_path / "failed.json"
    failed.write_text(json.dumps(data), "utf-8")
    found = compared(old, failed)
    assert next(each["error"] for each in found["results"] if each["corners"] is None) == "new result: 429"
    assert found["mean"]["old"] == pytest.approx([2 / 3, 2 / 3])


# The grid


def test_the_grid_of_one_file(new: Path) -> None:
    printed = lines(new)
    assert printed[1] == "2 prompts × 2 sources of answers · sorted by spread"
    assert [line.split() for line in printed[3:7]] == [
        [SMALL, LARGE, "spread", "cost"],
        ["mean", "66.5", "83.5"],
        ["deposit", "75", "100", "25", "6.3"],
        ["rent", "58", "67", "8", "18.8"],
    ]
    assert printed[-1] == "all pass 3 criteria and all fail 1, of 4 that are judged for all"


def test_the_criteria_of_one_prompt(new: Path) -> None:
    rows = [line.split("  ") for line in lines(new, "--prompt", "rent", "--sort", "cost")[5:8]]
    assert [[part.strip() for part in row if part.strip()] for row in rows] == [
        ["$contains: first", "0", "0", "0", "33.3", "all fail"],
        ["“Names the day”", "75", "100", "25", "4.2", "all pass"],
        ["$contains: month", "100", "100", "0", "0.0", "all pass"],
    ]


def test_the_parts_of_a_difference_add_up(new: Path) -> None:
    (small, large) = compared(new, "--less", "mean")["differences"]
    assert small["total"] == pytest.approx([-1 / 6, -1 / 6])
    assert sum(each["part"][0] for each in small["prompts"]) == pytest.approx(small["total"][0])
    for each in large["prompts"]:
        assert sum(one["part"][0] for one in each["criteria"]) == pytest.approx(each["difference"][0])


def test_one_model_less_one_that_is_not_selected(new: Path) -> None:
    assert "each less openai:large" in lines(new, "--model", SMALL, "--less", LARGE)[1]


def test_the_scores_under_one_judge(new: Path) -> None:
    deposit = next(each for each in compared(new, "--judge", "one")["prompts"] if each["prompt"] == "deposit")
    assert deposit["scores"] == [[1, 1], [0, 1]]


def test_a_control_character_in_a_file_is_shown(tmp_path: Path) -> None:
    path = result(tmp_path / "x.json", {"a\x1b[2J": {SMALL: [said("B\x1b", 1)]}}, {})
    assert "\x1b" not in "".join([*lines(path), *lines(path, path), *lines(path, "--prompt", "a\x1b[2J")])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gone.json",), "cannot be read"),
        (("{old}", "--prompt", "nope"), "There is no such result"),
        (("{old}", "--judge", "nobody"), "nobody judged nothing in"),
        (("{old}", "--less", "nobody"), "There are no results of nobody"),
        (("{old}", "{old}", "--model", "nobody"), "has no results of nobody"),
        (("{old}", "{old}", "--old-model", SMALL), "--old-model goes with one model of NEW"),
        (("{old}", "{old}", "--prompt", "nope"), "have no such result in common"),
    ],
)
def test_what_cannot_be_compared_is_refused(old: Path, arguments: tuple[str, ...], message: str) -> None:
    found = studio("compare", *(each.format(old=old) for each in arguments))
    assert found.exit_code == 2
    assert message in found.stderr

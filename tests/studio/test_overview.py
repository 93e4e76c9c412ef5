"""The file as a whole: its score by prompts, and the criteria that cost it most."""

from __future__ import annotations

import json
from pathlib import Path

from engine.evaluation.headline import Headline, Remark
from engine.parsing.model_collections import Collections
from engine.scoring.explanation import Bounds
from engine.study.file_places import beside
from engine.text.record import replace
from engine.text.spans import Span
from studio.session.overview import grouped
from studio.session.views.overview_view import (
    FileResult,
    ModelGroup,
    Overview,
    PromptStanding,
)
from studio.tui.action import Place
from tests.session.test_live_cases import CASES, RUBRIC
from tests.studio.driving import opened
from tests.studio.results import head as head_of_result
from tests.studio.text_files import text_file

HERE = Span(0, 0)
PROMPTS = (
    PromptStanding(1, "half", 1, HERE, Headline(Bounds(0.5, 0.5), 2, 2)),
    PromptStanding(2, "heavy", 3, HERE, Headline(Bounds(0.8, 0.8), 5, 5)),
    PromptStanding(3, "full", 1, HERE, Headline(Bounds(1.0, 1.0), 1, 1)),
    PromptStanding(4, "later", 2, HERE),
)
OPEN = PromptStanding(5, "open", 1, HERE, Headline(Bounds(0.2, 1.0), 1, 4))
FAILED = PromptStanding(6, "no judge", 2, HERE, Headline(Bounds(0.0, 1.0), 0, 2, ((Remark.UNJUDGED, 2),)))
OVERVIEW = Overview((), PROMPTS, "the ideal")
BLUEPRINT = text_file("overview.yml")


def head(view: Overview, width: int = 60, *, is_open: bool = False) -> list[str]:
    return head_of_result(FileResult(view), width, is_open=is_open)


def test_the_score_is_the_mean_by_weight_and_says_from_how_many_prompts() -> None:
    assert head(OVERVIEW, 80)[0].startswith("78.0  from 3 of 4 prompts with the ideal  ━")


def test_the_head_has_the_bounds_first() -> None:
    lines = head(replace(OVERVIEW, prompts=(*PROMPTS, OPEN)))
    assert lines[0].startswith("68.3–81.7  from 4 of 5 prompts with the ideal  ")
    assert lines[1:] == ["9 of 12 criteria judged"]


def test_opened_the_head_has_the_sum_of_the_scores() -> None:
    assert head(OVERVIEW, is_open=True)[1:] == ["the mean of 3 scores by weight: 390 ÷ 5 = 78.0"]
    assert head(replace(OVERVIEW, prompts=PROMPTS[2:]), is_open=True)[1:] == ["the mean of 1 score: 100 ÷ 1 = 100.0"]
    lines = head(replace(OVERVIEW, prompts=(*PROMPTS, OPEN)), is_open=True)
    assert lines[-1] == "the mean of 4 scores by weight: (410–490) ÷ 6 = 68.3–81.7"


def test_a_prompt_that_no_judge_could_judge_takes_no_part_in_the_mean() -> None:
    view = replace(OVERVIEW, prompts=(*PROMPTS[:3], FAILED))
    assert str(view.total.headline) == "78.0, between 55.7 and 84.3, no judge could judge 2 criteria"
    assert head(view, 90, is_open=True)[-1].startswith("the mean of 3 scores by weight: 390 ÷ 5")


def test_before_anything_is_scored_the_head_says_what_runs_all() -> None:
    view = Overview((), (PROMPTS[3],), "the ideal")
    assert head(view, is_open=True) == ["no score yet", "F6 runs all prompts with the ideal."]


def test_collections_are_told_with_what_they_list(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "CORE.json").write_text(json.dumps(["openai:a", "openai:b"]), "utf-8")
    core, own, named, missing = grouped(["CORE", {"id": "own:m"}, "openai:c", "FEW"], Collections(tmp_path / "x.yml"))
    assert core == ModelGroup(("openai:a", "openai:b"), "CORE")
    assert (own, named) == (ModelGroup(("own:m",)), ModelGroup(("openai:c",)))
    assert missing.problem.startswith("There is no collection FEW")


async def test_in_the_header_the_dearest_criteria_of_all_prompts_lead_to_theirs(tmp_path: Path) -> None:
    async with opened(tmp_path, BLUEPRINT, keys=("f6", "ctrl+r")) as page:
        assert page.head().startswith("87.5  from 2 of 2 prompts")
        assert page.criteria() == {
            "heading:prompt:1:1": "── 1 What is the notice period?",
            "prompt:1:1": "○ 0 $icontains: months −12.5",
        }
        await page.press("down")
        assert page.detail().endswith("check  “months” not found")
        await page.press("enter")
        assert page.place is Place.EDITOR
        assert page.text[page.cursor :].startswith("$icontains: months")


OPEN_CRITERIA = text_file("overview-open-criteria.yml")


async def test_in_the_header_open_criteria_follow_the_dear_ones_each_below_its_prompt(tmp_path: Path) -> None:
    async with opened(tmp_path, OPEN_CRITERIA, keys=("f6", "ctrl+r")) as page:
        assert list(page.criteria().values()) == [
            "── 1 What is the notice period?",
            "○ 0 $icontains: months −16.7",
            "– Names the period.",
            "– Says where it stands.",
            "── 2 And who says so?",
            "– should not: Names the landlord.",
        ]


async def test_in_the_header_the_filter_finds_what_is_true_of_a_criterion_and_its_prompt(tmp_path: Path) -> None:
    async with opened(tmp_path, OPEN_CRITERIA, keys=("f6", "ctrl+r")) as page:
        await page.press("slash", *"should_not", "enter")
        assert list(page.criteria()) == ["heading:prompt:2:0", "prompt:2:0"]
        await page.press("escape", "slash", *"open notice", "enter")
        assert list(page.criteria()) == ["heading:prompt:1:0", "prompt:1:0", "prompt:1:2"]


async def test_labelled_answers_are_told_in_the_file_and_the_result(tmp_path: Path) -> None:
    beside(tmp_path / "x.yml").write_text(CASES, "utf-8")
    async with opened(tmp_path, RUBRIC) as page:
        await page.show("Criteria")
        assert "labelled answers: 1 of 3 passes" in page.detail()
        assert "no models named: Weval takes CORE" in page.detail()
        await page.at("ideal: It")
        await page.press("f5", "ctrl+r")
        rows = page.criteria()
        assert rows["heading:cases"] == "── labelled answers · 1 of 2 passes"
        assert "case 1, good: scores 100.0, within 80–100" in rows["case:1"]
        assert "case 2, bad: scores 50.0, not 0–40" in rows["case:2"]
        assert "ranks 2 of 2 good–bad pairs rightly" in rows["cases-rubric:0"]
        assert "its criteria catch 1 of 1 bad · fail 0 of 2 good" in rows["cases-rubric:1"]

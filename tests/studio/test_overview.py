"""The result of the header: what the blueprint is, and its prompts by what they cost its score."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.evaluation.headline import Headline, Remark
from engine.parsing import parse
from engine.parsing.model_collections import Collections
from engine.scoring.explanation import Bounds
from engine.study.file_places import beside
from engine.text.record import replace
from engine.text.spans import Span
from studio.session.overview import grouped
from studio.session.views.overview_view import (
    ModelGroup,
    Order,
    Overview,
    PromptStanding,
    Total,
    author_of,
    in_order,
    references_of,
)
from studio.tui.action import Place
from studio.tui.panes.overview import overview_rows
from studio.tui.panes.overview.sorting import Sorting
from studio.tui.panes.result_head import overview_head
from tests.session.test_live_cases import CASES, RUBRIC
from tests.studio.driving import opened

HERE = Span(0, 0)
PROMPTS = (
    PromptStanding(1, "half", 1, HERE, Headline(Bounds(0.5, 0.5), 2, 2)),
    PromptStanding(2, "heavy", 3, HERE, Headline(Bounds(0.8, 0.8), 5, 5)),
    PromptStanding(3, "full", 1, HERE, Headline(Bounds(1.0, 1.0), 1, 1)),
    PromptStanding(4, "later", 2, HERE),
)
OPEN = PromptStanding(5, "open", 1, HERE, Headline(Bounds(0.2, 1.0), 1, 4))
FAILED = PromptStanding(6, "no judge", 2, HERE, Headline(Bounds(0.0, 1.0), 0, 2, ((Remark.UNJUDGED, 2),)))
OVERVIEW = Overview(
    "Rights", "What *a tenant* should know.", ("Ada", "https://a.b"), (("The Act", ""),), (), PROMPTS, "the ideal", HERE
)
BLUEPRINT = """\
title: Two prompts
description: |
  What a tenant **should** know [about] $1.
author: {name: Ada, url: "https://a.b"}
references: [{title: The Act, url: "https://c.d"}, A leaflet]
models: [CORE, "openai:gpt-4o-mini"]
---
- id: first
  prompt: What is the notice period?
  ideal: It is 30 days.
  should: [$icontains: 30 days, $icontains: months]
- id: second
  prompt: And who says so?
  ideal: The lease says so.
  weight: 3
  should: [$icontains: lease]
"""


def words(view: Overview, order: Order = Order.COST) -> list[str]:
    rows = overview_rows(view, in_order(view.prompts, order, view.total), order)
    pieces = [[*(cell.text for cell in row.lead), row.text, *(cell.text for cell in row.tail)] for row in rows]
    return [" ".join(" ".join(each).split()) for each in pieces]


def test_a_prompt_costs_what_it_lacks_by_its_share_of_the_weights() -> None:
    total = Total.of(PROMPTS)
    assert [total.costs(each) for each in PROMPTS] == [(10.0, 10.0), (12.0, 12.0), (0.0, 0.0), None]


def test_the_costs_and_the_score_make_100() -> None:
    total = Total.of(PROMPTS)
    assert str(total.headline) == "78.0"
    assert 78.0 + sum(costs[0] for each in PROMPTS if (costs := total.costs(each))) == pytest.approx(100)


def test_an_open_prompt_opens_the_score_and_what_it_costs() -> None:
    total = Total.of((*PROMPTS, OPEN))
    assert str(total.headline) == "68.3–81.7, 9 of 12 points judged"
    assert total.costs(OPEN) == (0.0, pytest.approx(80 / 6))


def test_an_open_prompt_shows_its_bounds_and_the_range_of_its_costs() -> None:
    said = words(replace(OVERVIEW, prompts=(*PROMPTS, OPEN)))
    assert "5 open 1 20–100 0–13" in said
    assert "scores × weights 50×1 + 80×3 + 100×1 + (20–100)×1 410–490" in said
    assert "their mean 410–490 ÷ 6 68.3–81.7" in said
    assert "1 score with points that are not judged" in said


def test_a_prompt_that_no_judge_could_judge_takes_no_part_in_the_arithmetic_of_the_mean() -> None:
    view = replace(OVERVIEW, prompts=(*PROMPTS[:3], FAILED))
    said = words(view)
    assert "their mean 390 ÷ 5 78.0" in said
    assert "6 no judge 2 0–100 –" in said
    assert "1 prompt has no score: left out of the mean" in said
    assert str(view.total.headline) == "78.0, between 55.7 and 84.3, no judge could judge 2 points"
    rows = overview_rows(view, view.prompts, Order.FILE)
    told = [cell.text for cell in next(row for row in rows if row.prompt == 6).detail]
    assert told[1] == "weight 2 · not judged yet, no judge could judge 2 points: it is not in the score"


def test_the_mean_of_the_arithmetic_is_the_quotient_and_fits_its_column() -> None:
    closed = PromptStanding(1, "one", 1, HERE, Headline(Bounds(0.6, 0.9), 2, 2, mean=0.85))
    other = PromptStanding(2, "two", 3, HERE, Headline(Bounds(0.88, 1.0), 2, 2, mean=1.0))
    assert "their mean 385 ÷ 4 96.3" in words(replace(OVERVIEW, prompts=(closed, other)))


def test_the_head_has_the_bounds_first() -> None:
    lines = overview_head(replace(OVERVIEW, prompts=(*PROMPTS, OPEN)), 60).plain.splitlines()
    assert lines[1].startswith("68.3–81.7  ")
    assert lines[2:] == ["9 of 12 points judged, from 4 of 5 prompts with the ideal"]


def test_a_head_without_room_for_the_answers_says_the_rest_whole() -> None:
    lines = overview_head(replace(OVERVIEW, prompts=(*PROMPTS, OPEN)), 46).plain.splitlines()
    assert lines[2:] == ["9 of 12 points judged, from 4 of 5 prompts"]


def test_the_detail_of_an_open_prompt_is_no_surer_than_its_bounds() -> None:
    view = replace(OVERVIEW, prompts=(*PROMPTS, OPEN))
    rows = overview_rows(view, view.prompts, Order.FILE)
    told = [cell.text for cell in next(row for row in rows if row.prompt == 5).detail]
    assert told[1:3] == [
        "weight 1 · scores 20–100, 1 of 4 points judged",
        "costs 0–13.3: at 100 the blueprint would score 81.7",
    ]


def test_prompts_that_were_not_run_say_so_and_take_no_part() -> None:
    assert "4 later 2 not run –" in words(OVERVIEW)
    assert "1 prompt has no score: left out of the mean" in words(OVERVIEW)


def test_the_arithmetic_is_shown_with_its_weights() -> None:
    said = words(OVERVIEW)
    assert "scores × weights 50×1 + 80×3 + 100×1 390" in said
    assert "weights of 3 prompts 5" in said
    assert "their mean 390 ÷ 5 78.0" in said


def test_before_anything_is_scored_there_is_no_arithmetic() -> None:
    view = Overview("", "", ("", ""), (), (), (PROMPTS[3],), "the ideal", HERE)
    assert not [each for each in words(view) if "Arithmetic" in each]


@pytest.mark.parametrize(
    ("order", "numbers"),
    [(Order.COST, [2, 1, 3, 4]), (Order.SCORE, [1, 2, 3, 4]), (Order.FILE, [1, 2, 3, 4])],
)
def test_prompts_are_sorted(order: Order, numbers: list[int]) -> None:
    assert [each.number for each in in_order(PROMPTS, order, Total.of(PROMPTS))] == numbers


def test_no_prompt_moves_while_scores_come_in() -> None:
    sorting = Sorting()
    going = Overview("", "", ("", ""), (), (), PROMPTS[2:], "the ideal", HERE, is_running=True)
    assert [each.number for each in sorting.arranged(going)] == [3, 4]
    scored = PromptStanding(4, "later", 2, HERE, Headline(Bounds(0.0, 0.0), 1, 1))
    later = Overview("", "", ("", ""), (), (), (PROMPTS[2], scored), "the ideal", HERE, is_running=True)
    assert [each.number for each in sorting.arranged(later)] == [3, 4]
    done = Overview("", "", ("", ""), (), (), (PROMPTS[2], scored), "the ideal", HERE)
    assert [each.number for each in sorting.arranged(done)] == [4, 3]


def test_author_and_references_are_told_with_their_addresses() -> None:
    header = parse(BLUEPRINT).blueprint.header
    assert author_of(header) == ("Ada", "https://a.b")
    assert references_of(header) == (("The Act", "https://c.d"), ("A leaflet", ""))


def test_collections_are_told_with_what_they_list(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "CORE.json").write_text(json.dumps(["openai:a", "openai:b"]), "utf-8")
    core, own, named, missing = grouped(["CORE", {"id": "own:m"}, "openai:c", "FEW"], Collections(tmp_path / "x.yml"))
    assert core == ModelGroup(("openai:a", "openai:b"), "CORE")
    assert (own, named) == (ModelGroup(("own:m",)), ModelGroup(("openai:c",)))
    assert missing.problem.startswith("There is no collection FEW")


async def test_the_overview_follows_the_runs_is_sorted_by_key_and_click_and_leads_to_each_result(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, BLUEPRINT) as page:
        await page.see("What a tenant should know [about] $1.")  # formatted, and never taken for markup

        def prompts() -> dict[str, str]:
            return {key: text.split()[-1] for key, text in page.criteria().items() if key.startswith("prompt:")}

        assert list(prompts()) == ["prompt:1", "prompt:2"]
        await page.press("f6")
        assert prompts() == {"prompt:1": "12.5", "prompt:2": "0.0"}
        await page.show("Criteria")
        await page.press("s", "s")
        row = next(y for y, line in enumerate(page.lines) if "Prompts ▾" in line)
        assert list(prompts()) == ["prompt:1", "prompt:2"]
        await page.pilot.click(offset=(page.lines[row].index("costs") + 2, row))
        await page.see("▾costs")
        await page.select("prompt:2")
        await page.press("enter")
        assert page.runs.state.prompt is not None
        assert (page.runs.state.prompt.id, page.place) == ("second", Place.RESULT)


async def test_labelled_answers_are_told_in_overview_and_result(tmp_path: Path) -> None:
    beside(tmp_path / "x.yml").write_text(CASES, "utf-8")
    async with opened(tmp_path, RUBRIC) as page:
        await page.show("Criteria")
        await page.see("cases        1 of 3 passes")
        await page.at("ideal: It")
        await page.press("f5", "ctrl+r", "f12")
        await page.see("1 of 2 passes", "scores 100.0, within 80–100", "scores 50.0, not 0–40")
        await page.see("ranks 2 of 2 good–bad pairs rightly", "its points catch 1 of 1 bad · fail 0 of 2 good")

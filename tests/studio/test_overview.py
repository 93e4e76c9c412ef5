"""The file as a whole: its score by prompts, the criteria that cost it most, and the prompts in their own words."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from engine.evaluation.headline import Headline, Remark
from engine.parsing import parse
from engine.parsing.model_collections import Collections
from engine.scoring.explanation import Bounds
from engine.study.file_places import beside
from engine.text.record import replace
from engine.text.spans import Span
from studio.session.analysis import Tally
from studio.session.overview import grouped
from studio.session.prompt_names import prompt_names
from studio.session.views.outline_view import OutlineRow
from studio.session.views.overview_view import (
    FileResult,
    ModelGroup,
    Overview,
    PromptStanding,
)
from studio.tui.action import Place
from studio.tui.panes.outline import Outline
from tests.session.test_live_cases import CASES, RUBRIC
from tests.studio.driving import opened
from tests.studio.driving.alone import Alone
from tests.studio.results import head as head_of_result
from tests.studio.text_files import text_file
from tests.world import CORPUS, needs_corpus

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


def test_what_several_missing_collections_need_is_said_once(tmp_path: Path) -> None:
    groups = grouped(["FEW", "MORE", "MOST"], Collections(tmp_path / "x.yml"))
    problem, *others = (each.problem for each in groups)
    assert problem.startswith("There is no collection FEW")
    assert problem.endswith("The same is true of MORE and MOST.")
    assert others == ["", ""]


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


async def test_in_the_header_ctrl_k_shows_all_answers_by_the_selected_criterion_of_a_prompt(tmp_path: Path) -> None:
    async with opened(tmp_path, OPEN_CRITERIA, keys=("f6", "ctrl+r", "end", "ctrl+k")) as page:
        assert page.of_all_answers().startswith("should not: “Names the landlord.”")
        assert page.place is Place.CRITERION


async def test_in_the_header_the_filter_finds_what_is_true_of_a_criterion_and_its_prompt(tmp_path: Path) -> None:
    async with opened(tmp_path, OPEN_CRITERIA, keys=("f6", "ctrl+r")) as page:
        await page.press("slash", *"should_not", "enter")
        assert list(page.criteria()) == ["heading:prompt:2:0", "prompt:2:0"]
        await page.press("escape", "slash", *"open notice", "enter")
        assert list(page.criteria()) == ["heading:prompt:1:0", "prompt:1:0", "prompt:1:2"]


async def test_of_a_long_collection_the_header_names_one_model(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "CORE.json").write_text(json.dumps([f"openai:{name}" for name in "abcdef"]), "utf-8")
    async with opened(tmp_path, BLUEPRINT, keys=("ctrl+home", "ctrl+r")) as page:
        assert page.detail().endswith("models CORE (openai:a and 5 others), openai:gpt-4o-mini")


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


# --- The outline: prompts in their own words, two lines of each at least, and whole where there is room


LONG = "I asked my council for a report on road maintenance. They sent it, but I lost the file. May they refuse?"
NOTES = ("Left to do: write an ideal.",)


def row(number: int, name: str, score: str = "", **fields: object) -> OutlineRow:
    return OutlineRow(number, f"p{number}", name, **({"tally": Tally(), "score": score} | fields))  # pyright: ignore[reportArgumentType]


HEAD = OutlineRow(None, "", "3 prompts · 61 · … = the Act", Tally(), notes=("Rent",))
ROWS = (HEAD, row(1, "Who may ask?", "75"), row(2, LONG, tally=Tally(1, 12)), row(3, "Why?", failed=True))


@asynccontextmanager
async def shown(
    rows: Sequence[OutlineRow] = ROWS, *, size: tuple[int, int] = (44, 14), at: int = 0
) -> AsyncIterator[list[str]]:
    outline = Outline()
    async with Alone(outline).run_test(size=size) as pilot:
        pilot.app.set_focus(None)
        outline.show(rows)
        outline.at = at
        await pilot.pause()
        yield [outline.render_line(y).text.rstrip() for y in range(outline.size.height)]


async def test_a_row_has_the_words_of_its_prompt_the_score_and_below_that_its_problems() -> None:
    async with shown() as lines:
        assert lines[:7] == [
            "▏3 prompts · 61 · … = the Act",
            " 1 Who may ask?                          75",
            " 2 I asked my council for a report on     –",
            "   road maintenance. They sent it,    ●1▲12",
            "   but I lost the file. May they",
            "   refuse?",
            " 3 Why?                                   !",
        ]


async def test_s_sorts_prompts_by_score_which_no_later_score_undoes() -> None:
    outline = Outline()
    async with Alone(outline).run_test() as pilot:
        outline.show((HEAD, row(1, "a", least=75), row(2, "b"), row(3, "c", least=20)))
        await pilot.press("s")
        assert [each.number for each in outline.rows] == [None, 3, 1, 2]
        outline.show((HEAD, row(1, "a", least=0), row(2, "b", least=10), row(3, "c", least=20)))
        assert [each.number for each in outline.rows] == [None, 3, 1, 2]


async def test_s_sorts_the_criteria_of_all_prompts(tmp_path: Path) -> None:
    text = BLUEPRINT.replace("[$icontains: lease]", "[$icontains: bill]")
    async with opened(tmp_path, text, keys=("f6", "ctrl+r")) as page:
        rows = [*page.criteria()]
        assert rows == ["heading:prompt:2:0", "prompt:2:0", "heading:prompt:1:1", "prompt:1:1"]
        await page.press("s")
        assert [*page.criteria()] == [*rows[2:], *rows[:2]]
        assert page.told[-1] == "Sorted as in the file."


async def test_a_prompt_keeps_two_lines_where_not_all_have_room_and_the_selected_one_is_whole_below() -> None:
    rows = (HEAD, *(row(number, f"{number}. {LONG}", notes=NOTES) for number in range(1, 6)))
    async with shown(rows, at=5, size=(44, 16)) as lines:
        assert [line[:5] for line in lines[5:11:2]] == [" 3 3.", " 4 4.", "▏5 5."]
        assert [line.strip() for line in lines[11:]] == [
            "─" * 42,
            "5. I asked my council for a report on road",
            "maintenance. They sent it, but I lost the",
            "file. May they refuse?",
            NOTES[0],
        ]


async def test_what_is_known_of_the_selected_prompt_stands_below_the_last() -> None:
    async with shown((HEAD, row(1, "Why?", notes=("The last run, 3 days ago.", *NOTES))), at=1) as lines:
        assert [line.strip() for line in lines[3:5]] == ["The last run, 3 days ago.", NOTES[0]]


@pytest.mark.parametrize("score", ["50 (33–67)", "100"])
async def test_a_score_is_never_cut(score: str) -> None:
    async with shown((HEAD, row(1, LONG, score)), size=(30, 14)) as lines:
        assert any(line.endswith(f" {score}") for line in lines)


@needs_corpus
@pytest.mark.parametrize("name", ["strawberry.yml", "compass/extroverted.yml", "rolp-system-prompt-injection.yml"])
async def test_no_two_rows_of_a_file_read_the_same(name: str) -> None:
    names = prompt_names(parse((CORPUS / name).read_text("utf-8")).blueprint.prompts).names
    rows = [row(number, name) for number, name in enumerate(names, 1)]
    outline = Outline()
    async with Alone(outline).run_test():
        outline.show((HEAD, *rows))
        for width in (29, 43, 52):
            assert len({str([line[1:] for line in outline.draw(each, width, 2)]) for each in rows}) == len(rows)


TWO = "- id: first\n  prompt: Who may ask?\n- id: second\n  prompt: And why?\n"


async def test_the_text_follows_the_selected_prompt_and_enter_goes_there(tmp_path: Path) -> None:
    async with opened(tmp_path, TWO, keys=("f2", "down")) as page:
        assert (page.place, page.number) == (Place.OUTLINE, 3)
        await page.press("home")
        assert (page.place, page.number) == (Place.OUTLINE, 1)
        await page.press("down", "enter")
        assert (page.place, page.number, page.prompt()) == (Place.EDITOR, 1, "first")


async def test_a_click_selects_a_prompt_and_another_one_goes_there(tmp_path: Path) -> None:
    async with opened(tmp_path, TWO) as page:
        await page.click("Outline", (5, 3))
        assert (page.place, page.prompt(), page.number) == (Place.OUTLINE, "second", 3)
        await page.click("Outline", (5, 3))
        assert page.place is Place.EDITOR


async def test_a_control_character_is_made_visible(tmp_path: Path) -> None:
    async with opened(tmp_path, '- id: x\n  prompt: "bell\\a"\n') as page:
        assert "bell␇" in page.seen


async def test_a_prompt_is_found_by_its_words_or_its_id(tmp_path: Path) -> None:
    async with opened(tmp_path, TWO, keys=("f2", "slash", *"sec", "enter", "enter")) as page:
        assert (page.place, page.number) == (Place.EDITOR, 3)


async def test_many_words_are_laid_out_off_the_event_loop() -> None:
    outline = Outline()
    async with Alone(outline).run_test():
        assert not outline.takes_long(ROWS, 40)
        assert outline.takes_long([row(number, LONG) for number in range(50)], 40)


@pytest.mark.parametrize("height", [30, 31, 32, 38])
async def test_nothing_is_cut_while_two_lines_are_free(height: int) -> None:
    rows = (HEAD, *(row(number, f"{LONG} {number}", notes=NOTES) for number in range(9)))
    async with shown(rows, size=(44, height)) as lines:
        assert "…" in "".join(lines[1:])
        assert any(lines[-2:])

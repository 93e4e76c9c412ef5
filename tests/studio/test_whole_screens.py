"""The screens beside the blueprint's: blind grading, answers side by side, and one criterion."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.blueprint import Block
from engine.files.own_files import data_dir
from engine.judging.panel import JudgesAs
from engine.parsing import parse
from engine.scoring.assessment import Criterion
from engine.store import Store
from engine.store.run_records import PairId
from engine.study.case import Label
from engine.study.case_reader import read_cases
from engine.study.file_places import beside
from studio.session.author_name import author_name
from studio.session.views.grading_view import FaultRow
from studio.tui.action import Place
from tests.engine.judged import save_answer
from tests.stored_answers import ANSWERS, RENT, answered
from tests.studio.blueprints import (
    CRITERION,
    DEPOSIT,
    DEPOSIT_CASES,
    RIGHTS,
    quoting_judge,
    save_judged_answers,
    shortened,
    with_judges,
)
from tests.studio.driving import LARGE, NARROW, WIDE, Page, drawn_row, opened
from tests.studio.histories import NOW
from tests.studio.model_server import ModelServer, verdict


@pytest.fixture(autouse=True)
def _one_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.session.views.figures.now", lambda: NOW)
    monkeypatch.setattr("engine.study.judged_pairs.new_seed", lambda: 3)


async def key(page: Page, tab: str, key: str, place: Place) -> None:
    """Press a key in a tab, and wait for the screen that it opens."""
    await page.show(tab)
    await page.hit(key)
    await page.until(lambda: page.place is place)
    await page.pilot.pause()


# --- Grading blind


@asynccontextmanager
async def grading(folder: Path, *keys: str, size: tuple[int, int] = WIDE) -> AsyncIterator[Page]:
    """Blind grading of a file with three judged answers to each of its prompts, after these keys."""
    path = folder / "rights.yml"
    save_judged_answers(path)
    async with opened(path, RIGHTS, size=size) as page:
        await key(page, "Criteria", "h", Place.GRADING)
        await page.hit(*keys)
        yield page


async def test_verdicts_are_hidden_until_the_pair_is_graded_and_the_footer_shows_what_can_be_done(
    tmp_path: Path,
) -> None:
    async with grading(tmp_path) as page:
        hidden = ("strict", "mild", "says so", "gpt-", "the judges", "of 100")
        assert [text for text in hidden if text in page.seen] == []
        assert page.lines[-1].startswith(" 1…5 grade  Space skip  Esc back")
        await page.hit("4")
        assert "strict says so." in page.seen
        assert page.lines[-1].startswith(" Enter next  0 take back  Esc back")
        await page.hit("enter", "space")
        assert "3 of 9, 1 skipped" in page.seen


async def test_a_long_answer_scrolls_and_the_next_one_begins_at_its_top(tmp_path: Path) -> None:
    async with grading(tmp_path, "pagedown", size=(80, 14)) as page:
        body = page.app.screen.query_one("#grading-body")
        await page.until(lambda: body.scroll_y > 0)
        await page.hit("space")
        await page.until(lambda: body.scroll_y == 0)


async def test_hostile_texts_are_inert(tmp_path: Path) -> None:
    path = tmp_path / "rights.yml"
    blueprint = parse(RIGHTS, path).blueprint
    with closing(Store(data_dir() / "studio.sqlite3")) as store:
        for number in range(30):
            save_answer(store, blueprint, blueprint.prompts[1], f"[bold]\x1b[2J[/] {number}", [[0.5]], file=path)
    async with grading(tmp_path, "space") as page:
        await page.see("[bold]␛[2J[/]")


async def test_grades_count_in_the_score_and_a_disagreement_leads_to_its_answer(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    def says(body: dict[str, Any]) -> str:
        asked = body["messages"][1]["content"].rpartition("<criterion")[2].partition("</")[0]
        return verdict("CLASS_FULLY_PRESENT" if "lease" in asked else "CLASS_UNMET")

    server = ModelServer(httpserver, says)
    header = server.judging()
    prompt = "- id: notice\n  prompt: When?\n  ideal: In 30 days, by the lease.\n  should:\n    - $icontains: 30 days\n"
    async with opened(tmp_path, f"{header}{prompt}    - Names the lease\n    - Is friendly\n", at="- id:") as page:
        page.judged()
        await page.press("f5")
        await key(page, "Criteria", "h", Place.GRADING)
        await page.hit("1", "enter", "1", "enter")
        assert "The judges agree with you on 1 of 2 pairs (50%)." in page.seen
        assert "false pass" in page.seen
        await page.hit("enter")
        await page.until(lambda: page.place is Place.RESULT)
        await page.until(lambda: page.criterion() == "point:1")
        assert page.extents == [1.0, 0.0, 0.0]


async def test_the_palette_opens_it_and_without_verdicts_it_teaches(tmp_path: Path) -> None:
    async with opened(tmp_path, RIGHTS) as page:
        await page.hit("ctrl+p", *"grade blind")
        await page.until(lambda: page.question is not None and len(page.question.choices) == 1)
        await page.hit("enter")
        await page.until(lambda: page.place is Place.GRADING)
        await page.hit("1", "space", "enter", "0", "n")
        assert "Choose judges (w in the result)" in page.seen


@pytest.mark.parametrize("detail", ["you: slightly present, judged 50.0", "you: partially present, judged 100.0"])
def test_a_blank_stands_between_the_grades_and_the_criterion(detail: str) -> None:
    pair = PairId("rent", "digest", Criterion(Block.SHOULD, "Names the day"))
    row = FaultRow(pair, "false pass", "rent", "Names the day", detail)
    assert f"{detail}  " in drawn_row(row, 118)


# --- Answers side by side

GAMMA = "**Three months** is usual."
FIRST, LAST = "At least three months, in writing.", "The tenant may object."


@asynccontextmanager
async def side_by_side(path: Path, size: tuple[int, int] = WIDE) -> AsyncIterator[Page]:
    async with opened(path, at="How much", size=size) as page:
        await key(page, "Answer", "o", Place.ANSWERS)
        yield page


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return answered(tmp_path / "rent.yml")


@pytest.mark.parametrize(("size", "count"), [(WIDE, 3), (NARROW, 2), ((60, 24), 1)], ids=["wide", "narrow", "tiny"])
async def test_as_many_answers_as_have_room_are_beside_each_other_and_no_score_is_on_the_screen(
    tmp_path: Path, size: tuple[int, int], count: int
) -> None:
    scored = RENT.replace("- id: visit", "  should:\n    - $icontains: months\n- id: visit")
    async with side_by_side(answered(tmp_path / "rent.yml", scored), size) as page:
        assert len(page.columns()) == count
        assert [text for text in ("100", "icontains") if text in page.seen] == []


async def test_arrows_go_through_the_answers_and_their_sentences_and_nothing_moves(path: Path) -> None:
    async with side_by_side(path, NARROW) as page:
        before = [line.replace("▌", " ") for line in page.lines]
        await page.hit("down", "shift+up")
        assert [line.replace("▌", " ") for line in page.lines] == before
        await page.hit("home")
        for keys, lit in (
            ((), FIRST),
            (("right", "right", "down"), "Your landlord can raise the rent at any time, and you have to pay."),
            (("shift+up",), ANSWERS["own:beta[temp:0.7]"]),
            (("up", "up", "left", "left"), FIRST),
            (("end",), LAST),
            (("home",), FIRST),
        ):
            await page.hit(*keys)
            assert page.passages() == [lit]


async def test_the_mouse_selects_a_sentence_and_drags_to_another_one(path: Path) -> None:
    async with side_by_side(path) as page:
        text = page.columns()[1].text
        await page.pilot.mouse_down(text, offset=(24, 0))
        assert page.passages() == [GAMMA]
        await page.pilot.hover(text, offset=(12, 1))
        await page.pilot.mouse_up(text, offset=(12, 1))
        assert page.passages() == [f"{GAMMA} Keep the letter!"]


async def test_a_page_takes_the_passage_along(tmp_path: Path) -> None:
    long = "\n\n".join(f"This is sentence {number}." for number in range(60))
    async with side_by_side(answered(tmp_path / "rent.yml", RENT, {"own:long": long}), NARROW) as page:
        await page.hit("right", "pagedown")
        assert page.passages() == ["This is sentence 7."]
        await page.hit(*["down"] * 8)
        await page.see("This is sentence 15.")


async def test_g_asks_why_and_writes_a_case_and_k_a_criterion_as_one_step_of_undo(path: Path) -> None:
    beside(path).write_text("version: 1\ncases:\n", "utf-8")
    async with side_by_side(path) as page:
        await page.hit("right", "g")
        await page.asked()
        await page.hit(*"So", "enter")
        await page.until(lambda: page.place is Place.ANSWERS and not page.is_preparing)
        (case,) = read_cases(beside(path).read_text("utf-8"))[0].cases
        assert (case.label, case.reason, case.model) == (Label.GOOD, "So", "own:gamma")
        await page.see("+ good", "1 good · 2 not marked")
        await page.hit("left", "down", "k", "enter", "enter")
        await page.until(lambda: page.place is Place.ANSWERS and not page.is_preparing)
        assert f"  should:\n    - {LAST}\n- id: visit" in page.text
        await page.hit("ctrl+z")
        assert page.text == RENT


async def test_hostile_answers_are_inert_and_one_without_a_sentence_has_no_passage(tmp_path: Path) -> None:
    hostile = {
        "own:markup": "[bold red]Boo[/] and [@click=app.quit]press[/] me.",
        "own:escapes": "A \x1b[31mred\x1b[0m word.\nB \u202eright\u202c C\u200bD.",
        "own:[/]": "",
    }
    async with side_by_side(answered(tmp_path / "rent.yml", RENT, hostile), LARGE) as page:
        await page.hit("right", "right", "right")
        shown = ("[bold red]Boo[/] and", "␛[31mred", "\\u202eright", "C\\u200bD")
        assert [text for text in shown if text not in page.seen] == []
        await page.hit("k")
        assert "\x1b" not in page.seen
        await page.hit("escape")
    async with side_by_side(answered(tmp_path / "other.yml", RENT, {"own:empty": ""})) as page:
        await page.hit("right", "down", "k")
        assert page.place is Place.ANSWERS
        assert page.told == ["This answer has no sentence to select."]


# --- The first case


async def first_case(page: Page) -> None:
    await page.hit("right", "g")
    await page.asked()
    await page.hit("enter")
    await page.asked("Write it there")


async def test_before_the_first_case_all_is_on_a_small_screen_and_escape_forgets_the_name(tmp_path: Path) -> None:
    folder = tmp_path / ("a folder with a long name/and another one/" * 2)
    folder.mkdir(parents=True)
    path = answered(folder / "rent.yml")
    async with side_by_side(path, NARROW) as page:
        await first_case(page)
        await page.see("will hold the answers", "Write it there", "In my data folder", "Your name in it", "Esc changes")
        assert (await page.asked()).field().region.bottom <= 23
        await page.hit("tab", *"Ada")
        asked = await page.asked()
        assert asked.is_unfinished
        await page.hit("escape")
        await page.until(lambda: not asked.is_there)
        assert not beside(path).exists()
        assert await author_name(page.app.resources.settings) is None


# --- One criterion


@asynccontextmanager
async def criterion(
    folder: Path, server: ModelServer, *, judged: bool = True, size: tuple[int, int] = WIDE, cases: str = DEPOSIT_CASES
) -> AsyncIterator[Page]:
    """The tab of the criterion at the cursor, once it was run."""
    (folder / "deposit.yml.cases").write_text(cases, "utf-8")
    async with opened(folder / "deposit.yml", with_judges(server, DEPOSIT), at=CRITERION, size=size) as page:
        page.judged(JudgesAs.DOCUMENTED if judged else None)
        await page.press("ctrl+k", "f5")
        yield page


async def reworded(page: Page) -> None:
    await page.press("escape")
    await shortened(page)
    await page.press("ctrl+k", "f5")


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, quoting_judge)


async def test_the_point_at_the_cursor_is_run_and_its_answers_are_read_and_marked(
    tmp_path: Path, server: ModelServer
) -> None:
    async with criterion(tmp_path, server) as page:
        assert page.place is Place.CRITERION
        await page.see("1st wording", "case 1: fl", "catches 0 of 1 bad")
        assert len(server.bodies) == 3 * 2
        await page.press("down", "enter")
        assert (page.pane, page.panes()) == ("Answer", ["All answers 53", "Answer 66"])
        assert page.answer() == "case 1: fluent, wrong year · 11 words"
        assert page.lit() != []
        await page.press("ctrl+k")
        await page.hit("plus")
        await page.asked()
        await page.press("down", "space", "enter")
        assert [label for label, _ in page.wordings()] == ["case 2", "the ideal"]


async def test_all_answers_are_those_of_the_selected_criterion_and_away_from_any_the_key_says_where_to_go(
    tmp_path: Path, server: ModelServer
) -> None:
    async with opened(tmp_path, with_judges(server, DEPOSIT), at="ideal", keys=("ctrl+k",)) as page:
        assert "Put the cursor on a criterion" in page.told[-1]
        await page.press("f5", "ctrl+r", "down", "ctrl+k")
        await page.see("“Names the court as the place to claim”")


async def test_a_rewording_is_compared_marked_by_its_scale_and_taken_back_in_one_step_of_undo(
    tmp_path: Path, server: ModelServer
) -> None:
    async with criterion(tmp_path, server, size=NARROW) as page:
        page.judged(JudgesAs.WEVAL_TODAY)
        await reworded(page)
        await page.see("2nd wording", "on a scale of 5 classes, now of 10")
        await page.hit("b")
        await page.asked()
        await page.press("enter")
        assert CRITERION in page.text
        page.screen.editor.action_undo()
        assert CRITERION not in page.text


async def test_what_it_is_good_for_is_shown_below_a_long_list(tmp_path: Path, server: ModelServer) -> None:
    others = "".join(f"  - {{prompt: deposit, answer: The {number}th., label: bad}}\n" for number in range(12))
    async with criterion(tmp_path, server, cases=DEPOSIT_CASES + others) as page:
        await reworded(page)
        await page.see("2nd wording", "catches 12 of 13 bad", "of 2 good")


async def test_a_hostile_name_of_another_person_is_made_visible(tmp_path: Path, server: ModelServer) -> None:
    grade = f'    grades:\n      - {{criterion: "{CRITERION}", grade: absent, by: "\\e[31mEve\\u202e"}}\n'
    async with criterion(tmp_path, server, judged=False, cases=DEPOSIT_CASES + grade) as page:
        await page.hit("down", "down")
        await page.see("␛[31mEve\\u202e graded it absent")
        assert "\x1b" not in page.seen

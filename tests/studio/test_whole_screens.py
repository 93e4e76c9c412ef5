"""All answers of one criterion on the whole screen: graded blind, beside each other, made cases of, and reworded."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.files.own_files import data_dir
from engine.judging.panel import JudgesAs
from engine.parsing import parse
from engine.store import Store
from engine.study.case import Label
from engine.study.case_reader import read_cases
from engine.study.file_places import beside
from studio.session.resources import author_name
from studio.tui.action import Place
from tests.engine.judged import save_answer
from tests.session.test_live_cases import CASES, RUBRIC
from tests.stored_answers import RENT
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
from tests.studio.driving import LARGE, NARROW, WIDE, Page, opened
from tests.studio.histories import NOW
from tests.studio.model_server import ModelServer, verdict


@pytest.fixture(autouse=True)
def _one_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.session.views.figures.now", lambda: NOW)
    monkeypatch.setattr("engine.study.judged_pairs.new_seed", lambda: 3)


# --- Grading blind

DEPOSIT_NOT_PROTECTED = "Says that the deposit must be protected within 30 days of receipt"


@asynccontextmanager
async def grading(folder: Path, *keys: str, size: tuple[int, int] = WIDE) -> AsyncIterator[Page]:
    """Blind grading of a criterion on the answers that judges judged in earlier runs, after these keys."""
    path = folder / "rights.yml"
    save_judged_answers(path)
    async with opened(path, RIGHTS, at=DEPOSIT_NOT_PROTECTED, size=size) as page:
        await page.press("ctrl+k", "h", *keys)
        yield page


async def test_names_and_verdicts_are_hidden_in_both_halves_until_all_is_graded(tmp_path: Path) -> None:
    async with grading(tmp_path) as page:
        assert page.panes() == ["All answers 53", "Answer 66"]
        assert page.all_answers() == ["answer 1 –", "answer 2 –", "answer 3 –"]
        hidden = ("strict", "mild", "says so", "gpt-", "judges", "the ideal", "⟦")
        assert [text for text in hidden if text in page.seen] == []
        assert page.answer().startswith("answer 1 · ")
        assert page.lines[-1].startswith(" 1…5 grade  n next  h reveal")
        await page.press("4", "n")
        assert page.all_answers() == ["answer 1 you 4", "answer 2 –", "answer 3 –"]
        assert page.answer().startswith("answer 2 · ")
        await page.press("n", "2")
        assert page.all_answers() == ["answer 1 you 4", "answer 2 skipped", "answer 3 you 2"]
        assert "2 of 3 graded here" not in page.of_all_answers()
        assert "3 of 3 graded here" in page.of_all_answers()


async def test_once_all_are_graded_the_next_key_goes_on_through_the_file(tmp_path: Path) -> None:
    async with grading(tmp_path, *"4n5n2n") as page:
        assert DEPOSIT_NOT_PROTECTED not in page.of_all_answers()
        assert page.all_answers().count("answer 1 –") == 1
        assert page.pane == "All answers"
        await page.press(*"1n" * 6)
        await page.until(lambda: "Each answer has a grade. h shows the verdicts." in page.told)


async def test_at_the_end_the_agreement_stands_in_the_place_of_the_judges(tmp_path: Path) -> None:
    async with grading(tmp_path, *"5n5n5", "escape") as page:
        assert page.pane == "All answers"
        assert "gpt-0" in page.seen
        told = page.of_answer()
        assert "Graded blind: the judges agree with you on 2 of 3 answers. They fail what you pass: gpt-1." in told
        await page.press("ctrl+k")
        assert "Graded blind" not in page.of_answer()


async def test_what_would_give_a_name_or_a_verdict_away_waits(tmp_path: Path) -> None:
    async with grading(tmp_path) as page:
        for key in ("plus", "b", "m", "x"):
            await page.hit(key)
            assert page.question is None
        assert page.told[-1].startswith("Run the criterion with judges first")
        assert page.told[0].startswith("Names and verdicts are hidden while you grade blind")


async def test_on_a_small_screen_an_answer_is_graded_where_it_is_read(tmp_path: Path) -> None:
    async with grading(tmp_path, "enter", size=NARROW) as page:
        assert (page.pane, page.lines[-1].startswith(" 1…5 grade  n next  h reveal")) == ("Answer", True)
        await page.press("3", "n", "4")
        assert page.answer().startswith("answer 2 · ")
        assert page.all_answers() == ["answer 1 you 3", "answer 2 you 4", "answer 3 –"]


async def test_hostile_texts_are_inert(tmp_path: Path) -> None:
    path = tmp_path / "rights.yml"
    blueprint = parse(RIGHTS, path).blueprint
    with closing(Store(data_dir() / "studio.sqlite3")) as store:
        save_answer(store, blueprint, blueprint.prompts[1], "[bold]\x1b[2J[/]", [[0.5]], file=path)
    async with opened(path, RIGHTS, at="Names emergencies") as page:
        await page.press("ctrl+k", "h")
        await page.see("[bold]␛[2J[/]")


async def test_grades_count_in_the_score_and_neither_half_tells_what_the_judges_say(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    def says(body: dict[str, Any]) -> str:
        asked = body["messages"][1]["content"].rpartition("<criterion")[2].partition("</")[0]
        return verdict("CLASS_FULLY_PRESENT" if "lease" in asked else "CLASS_UNMET")

    server = ModelServer(httpserver, says)
    header = server.judging()
    prompt = "- id: notice\n  prompt: When?\n  ideal: In 30 days, by the lease.\n  should:\n    - $icontains: 30 days\n"
    text = f"{header}{prompt}    - Names the lease\n    - Is friendly\n"
    async with opened(tmp_path, text, at="- id:", size=LARGE) as page:
        page.judged()
        await page.press("f5")
        await page.show("Criteria")
        await page.select("point:1")
        await page.press("ctrl+k")
        assert "● 100" in page.seen
        await page.press("h")
        assert "● 100" not in page.seen
        await page.press("1", "h")
        assert "They pass what you fail: the ideal." in page.of_answer()
        assert page.extents == [1.0, 0.0, 0.0]


async def test_a_grade_stands_beside_its_answer_and_the_next_step_is_by_it(tmp_path: Path) -> None:
    async with opened(tmp_path, DEPOSIT, at="Names the court", keys=("ctrl+k",)) as page:
        assert page.of_all_answers().endswith("not run yet · 1 to 5 grade it: no judges are chosen.")
        await page.press("2")
        assert page.all_answers()[0] == "good the ideal you 2 –"
        await page.see("Next by your grade the ideal fails this wording: ease it, or change the ideal")


async def test_the_palette_begins_it_and_away_from_a_criterion_says_where_to_go(tmp_path: Path) -> None:
    async with opened(tmp_path, RIGHTS) as page:
        await page.hit("ctrl+p", *"grade blind")
        await page.until(lambda: page.question is not None and len(page.question.choices) == 1)
        await page.hit("enter", until=lambda: page.told and "Put the cursor on a criterion" in page.told[-1])


# --- Answers side by side


async def test_two_marked_answers_stand_beside_each_other_in_the_right_half(
    tmp_path: Path, server: ModelServer
) -> None:
    async with criterion(tmp_path, server) as page:
        await page.press("home", "space")
        assert len(page.beside()) == 1
        await page.press("down", "space")
        assert page.panes() == ["All answers 53", "Answer 66"]
        assert page.beside() == [
            ("case 2 · 16 words · judges 25", ["protected"]),
            ("the ideal · 15 words · judges 75", ["deposit"]),
        ]
        await page.press("escape")
        assert (page.pane, len(page.beside())) == ("All answers", 1)


async def test_on_a_small_screen_they_have_the_whole_width_and_keys_act_on_the_one_that_is_read(
    tmp_path: Path, server: ModelServer
) -> None:
    async with criterion(tmp_path, server, size=NARROW) as page:
        await page.press("home", "space", "down", "space", "enter")
        assert (page.panes(), page.selected_answer()) == (["Answer 80"], "case 2")
        await page.press("right", "5")
        assert page.selected_answer() == "the ideal"
        assert [said for said, _ in page.beside()] == [
            "case 2 · 16 words · judges 25",
            "the ideal · 15 words · judges 75, you 5",
        ]


async def test_a_third_mark_takes_the_place_of_the_first_and_a_mark_is_taken_back(
    tmp_path: Path, server: ModelServer
) -> None:
    async with criterion(tmp_path, server) as page:
        await page.press("home", "space", "down", "space", "down", "space")
        assert [said.partition(" ·")[0] for said, _ in page.beside()] == ["the ideal", "case 1: fluent, wrong year"]
        await page.press("space")
        assert len(page.beside()) == 1


async def test_the_criteria_are_stepped_through_with_the_same_two_answers(tmp_path: Path, server: ModelServer) -> None:
    async with criterion(tmp_path, server) as page:
        await page.press("home", "space", "down", "space", "right", "f5")
        assert "Names the court as the place to claim" in page.of_all_answers()
        assert [said for said, _ in page.beside()] == [
            "case 2 · 16 words · judges 0",
            "the ideal · 15 words · judges 0",
        ]
        await page.press("right", "left")
        assert CRITERION in page.of_all_answers()
        assert [lit for _, lit in page.beside()] == [["protected"], ["deposit"]]


async def test_before_there_is_a_criterion_the_answers_are_read_and_labelled(tmp_path: Path) -> None:
    path = tmp_path / "rent.yml"
    cases = "version: 1\ncases:\n  - {prompt: rent, answer: It depends., label: bad}\n"
    beside(path).write_text(cases, "utf-8")
    async with opened(path, RENT, at="How much", keys=("ctrl+k", "space", "down", "space")) as page:
        assert page.of_all_answers().startswith("All answers to this prompt there is no criterion yet")
        assert [said for said, _ in page.beside()] == ["the ideal · 10 words", "case 1 · 2 words"]
        assert "grade" not in page.lines[-1]
        assert page.lines[-2] == " Next Esc goes to the text: prompt 1 has no criteria yet"
        await page.press("1", "h", "n", "right")
        assert "names" not in page.of_all_answers()
        await page.press("f5")
        await page.until(lambda: "Put the cursor on a criterion" in page.told[-1])
        await page.replace("- id: visit", "  should:\n    - Names the notice\n- id: visit")
        await page.at("Names the notice")
        await page.press("ctrl+k")
        assert page.of_all_answers().startswith("“Names the notice” 1st wording")


# --- Cases of the answer that is read


async def test_a_case_is_made_of_the_answer_that_is_read_with_its_reason(tmp_path: Path, server: ModelServer) -> None:
    async with criterion(tmp_path, server) as page:
        await page.press("home", "down")
        assert page.selected_answer() == "the ideal"
        await page.hit("m")
        await (await page.asked("Make a case of this answer")).choose("good")
        await (await page.asked("Why?")).fill("So")
        await page.until(lambda: page.told and "Case 3 is in" in page.told[-1])
        added = read_cases((tmp_path / "deposit.yml.cases").read_text("utf-8"))[0].cases[-1]
        assert (added.label, added.reason, added.turns[0][:12]) == (Label.GOOD, "So", "The landlord")


async def test_a_case_gets_another_label_or_is_none_any_more(tmp_path: Path, server: ModelServer) -> None:
    def cases() -> list[tuple[Label | None, str | None]]:
        found = read_cases((tmp_path / "deposit.yml.cases").read_text("utf-8"))[0].cases
        return [(case.label, case.reason) for case in found]

    async with criterion(tmp_path, server) as page:
        await page.press("home")
        await page.hit("m")
        await (await page.asked("Case 2 has this answer")).choose("bad")
        await (await page.asked("Why?")).fill("No scheme")
        await page.until(lambda: cases()[1] == (Label.BAD, "No scheme"))
        await page.settle()
        await page.see("case 2: No scheme")
        await page.hit("m")
        await (await page.asked("Case 2 has this answer")).choose("none")
        await page.until(lambda: len(cases()) == 1)


async def test_the_footer_says_what_f5_runs_and_at_what_price(tmp_path: Path, server: ModelServer) -> None:
    async with criterion(tmp_path, server, size=LARGE) as page:
        await page.until(lambda: "F5 run this criterion on 3 answers (free)" in page.footer())


# --- The first case


async def test_before_the_first_case_all_is_on_a_small_screen_and_escape_forgets_the_name(tmp_path: Path) -> None:
    folder = tmp_path / ("a folder with a long name/and another one/" * 2)
    folder.mkdir(parents=True)
    path = folder / "rent.yml"
    async with opened(path, RENT, at="How much", keys=("f5",), size=NARROW) as page:
        await page.show("Answer")
        await page.hit("m")
        await (await page.asked("Make a case of this answer")).choose("good")
        await page.asked("Write it there")
        await page.see("will hold the answers", "Write it there", "In my data folder", "Your name in it", "Esc changes")
        assert (await page.asked()).field().region.bottom <= 23
        await page.hit("tab", *"Ada")
        asked = await page.asked()
        assert asked.is_unfinished
        await page.hit("escape", until=lambda: not asked.is_there)
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
        assert page.answer() == "case 1: fluent, wrong year · 11 words · judges 75"
        assert page.lit() != []
        await page.press("ctrl+k")
        await page.hit("plus", asks="")
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
        await page.see("2nd wording", "a judge was asked otherwise")
        await page.hit("b", asks="")
        await page.press("enter")
        assert CRITERION in page.text
        page.screen.editor.action_undo()
        assert CRITERION not in page.text


async def test_s_sorts_all_answers_by_what_they_score(tmp_path: Path) -> None:
    beside(tmp_path / "x.yml").write_text(CASES, "utf-8")
    async with opened(tmp_path, RUBRIC, at="contains: 3rd", keys=("ctrl+k", "f5")) as page:
        assert page.all_answers() == ["good the ideal 100", "good case 1 100", "bad case 2 0"]
        await page.press("s")
        assert page.all_answers() == ["bad case 2 0", "good the ideal 100", "good case 1 100"]
        assert page.told[-1] == "Sorted lowest first."

"""The matrix: prompts × answers, the criteria of one prompt × answers, and a second result laid under them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from engine.blueprint import Header
from engine.evaluation.sources import ControlKind, ControlSource, IdealSource
from engine.judging.panel import panel
from engine.store import PromptPlace, Store
from engine.study.matrix import MEAN, AnswerState, Matrix, ScoredAnswer
from engine.study.matrix_view import MatrixOptions, MatrixView, SecondRun
from engine.study.two_runs import ComparedRun, TwoRuns
from engine.text.record import replace, text_digest
from engine.text.spans import NOWHERE
from studio.tui.action import Place
from studio.tui.panes.matrix_table import MatrixTable
from tests.engine.builders import assessed, prompt, text
from tests.studio.blueprints import NEW_RENT, OLD_RENT, TENANCY, answer_all
from tests.studio.command_line import studio
from tests.studio.driving import NARROW, QUOTED, WIDE, Page, opened
from tests.studio.driving.alone import Alone
from tests.studio.driving.waiting import screen_lines
from tests.studio.histories import NOW, ran
from tests.studio.model_server import ModelServer, verdict
from tests.thoroughness import one_in


@pytest.fixture(autouse=True)
def _one_day(monkeypatch: pytest.MonkeyPatch) -> None:
    for clock in ("studio.session.views.figures.now", "studio.session.second_runs.now"):
        monkeypatch.setattr(clock, lambda: NOW)


async def open_matrix(page: Page, key: str = "g") -> None:
    """Press a key in the criteria, answer what is asked, and wait for the matrix."""
    await page.show("Criteria")
    await page.hit(key, until=lambda: page.question is not None or page.place is Place.MATRIX)
    if page.question is not None:
        await page.hit("enter")
    await page.until(lambda: page.place is Place.MATRIX)
    await page.pilot.pause()


@asynccontextmanager
async def matrix(folder: Path, text: str = TENANCY, size: tuple[int, int] = WIDE) -> AsyncIterator[Page]:
    async with opened(folder / "tenancy.yml", text, size=size) as page:
        await answer_all(page)
        await open_matrix(page)
        yield page


async def test_prompts_are_sorted_by_the_spread_of_their_scores_and_compared_with_a_column(tmp_path: Path) -> None:
    async with matrix(tmp_path) as page:
        rows = [line for line in page.lines if re.match(r"[▌ ][123]  ", line)]
        assert [page.row(line)[-7:] for line in rows] == [
            ["▴100", "all", "▾0", "none", "▾0", "none", "100"],
            ["▴67", "half", "33", "little", "▾0", "none", "67"],
            ["▴100", "all", "▾50", "half", "▾50", "half", "50"],
        ]
        assert page.row("mean ") == ["mean", "89.0", "most", "27.7", "little", "16.7", "little"]
        assert "all pass 1 criterion and all fail 0, of 7 that are judged for all" in page.seen
        await page.hit("s")
        assert page.row("boiler")[-1] == "11.1"
        await page.hit("d")
        assert page.row("deposit be")[-4:] == ["0.0", "−33.3", "−66.7", "22.2"]
        assert page.row("difference of the means")[-3:] == ["0.0", "−61.1", "−72.2"]
        await page.hit("d")
        assert page.row("deposit be")[-4:-1] == ["+50.0", "0.0", "−50.0"]  # the mean of the others
        await page.hit("d")
        assert page.row("deposit be")[-7:-1] == ["▴67", "half", "33", "little", "▾0", "none"]
        await page.hit("escape")
        assert page.place is Place.RESULT


async def test_the_criteria_of_the_selected_prompt_their_parts_and_back(tmp_path: Path) -> None:
    async with matrix(tmp_path) as page:
        await page.hit("down", "tab")
        assert page.row("prescribed information")[-5:] == ["▾0", "none", "▾0", "none", "100"]
        assert page.row("score ") == ["score", "66.7", "half", "33.3", "little", "0.0", "none"]
        await page.hit("right", "d")
        assert page.row("difference ")[-3:] == ["+33.3", "0.0", "−33.3"]
        assert [page.row(label)[-4:-1] for label in ("30 days", "prescribed", "$icontains: deposit")] == [
            ["+33.3", "0.0", "0.0"],
            ["+33.3", "0.0", "0.0"],
            ["−33.3", "0.0", "−33.3"],
        ]
        await page.hit("tab")
        assert "▌1  When must a deposit" in page.seen


async def test_a_long_name_leaves_the_line_that_says_what_is_subtracted(tmp_path: Path) -> None:
    async with matrix(tmp_path, TENANCY.replace("id: deposit", f"id: {'deposit-' * 12}"), NARROW) as page:
        await page.hit("down", "tab", "d")
        assert "each less the ideal · sorted by spread" in " ".join(" ".join(page.lines[:4]).split())


async def test_the_words_filter_rows_and_the_foot_stays_that_of_the_selected_cell(tmp_path: Path) -> None:
    async with matrix(tmp_path) as page:
        await page.hit("slash", *"boiler", "enter", "right")
        assert "notice" not in page.seen
        assert "repairs · test answer: the prompt repeated · scores 50.0" in page.seen
        await page.hit("escape")
        await page.see("How much notice")
        assert page.place is Place.MATRIX


async def test_enter_opens_criteria_and_answer_of_a_cell_and_on_a_criterion_selects_it(tmp_path: Path) -> None:
    async with matrix(tmp_path) as page:
        await page.hit("down", "right", "enter")
        await page.settle()
        assert (page.place, page.run.prompt.id, page.run.candidate.key) == (Place.RESULT, "deposit", "control:echo")
        assert [pane.split()[0] for pane in page.panes()] == ["Criteria", "Answer"]
        await open_matrix(page)
        await page.hit("down", "enter")
        await page.settle()
        assert "$icontains: prescribed information" in page.criteria()[page.criterion()]


async def test_a_click_selects_a_cell_and_on_the_selected_one_opens_it(tmp_path: Path) -> None:
    async with matrix(tmp_path) as page:
        line = next(at for at, line in enumerate(page.lines) if "boiler" in line)
        column = page.lines[line].rindex("▾")
        await page.pilot.click(offset=(column, line))
        await page.pilot.pause()
        assert "repairs · test answer: empty" in page.seen
        assert page.place is Place.MATRIX
        await page.pilot.click(offset=(column, line))
        await page.settle()
        assert (page.run.prompt.id, page.run.candidate.key) == ("repairs", "control:empty")


async def test_from_a_prompt_its_criteria_are_shown_and_a_key_with_nothing_to_act_on_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, at="ideal", keys=("f5",)) as page:
        await open_matrix(page)
        assert "first · 2 criteria × 1 source of answers" in page.seen
        await page.hit("w", "d", "J", until=lambda: len(page.told) == 3)
        assert page.told == [
            "No judge has judged anything here.",
            "A difference needs a second column: F9 marks several models.",
            "No verdict is missing that judges could give.",
        ]


# --- A second result under all


async def test_cells_show_their_difference_from_a_second_result_and_what_made_it(tmp_path: Path) -> None:
    async with opened(tmp_path / "tenancy.yml", TENANCY, keys=("f6",)) as page:
        text = TENANCY.replace("24 hours, in writing.", "24 hours.")
        await page.rewrite(text.replace("    - $icontains: prescribed information\n", ""))
        await page.press("f6")
        await open_matrix(page)
        await page.hit("c", asks="")
        await page.hit("enter")
        await page.see("each less the runs before these · sorted by difference")
        assert page.row("deposit be")[-5:] == ["66.7", "→", "50.0", "−16.7", "rubric"]
        assert page.row("How much notice")[-5:] == ["100.0", "→", "50.0", "−50.0", "answer"]
        assert page.row("boiler")[-1] == "0.0"
        assert page.row("difference of the means")[-1] == "−22.2"
        await page.resize(*NARROW)
        assert page.row("deposit be")[-2:] == ["−16.7", "rubric"]
        await page.resize(*WIDE)
        await page.hit("home", "down", "tab")
        assert page.row("prescribed information")[-5:] == ["100.0", "→", "–", "0.0", "gone"]
        assert page.row("$icontains: deposit")[-2:] == ["−16.7", "rubric"]
        assert "Answers  the same answer" in page.seen
        await page.hit("c")
        assert page.row("score ")[-2:] == ["50.0", "half"]


async def test_the_last_runs_are_in_the_matrix_of_a_reopened_file_and_a_result_file_is_laid_under_them(
    tmp_path: Path,
) -> None:
    path = tmp_path / "tenancy.yml"
    path.write_text(TENANCY.replace("24 hours, in writing.", "Soon, in writing."), "utf-8")
    await asyncio.to_thread(studio, "run", path, "--ideal", "--json", tmp_path / "first_comparison.json")
    async with matrix(tmp_path):
        pass
    async with opened(path) as page:
        await open_matrix(page)
        await page.until(lambda: page.row("mean ") == ["mean", "89.0", "most", "27.7", "little", "16.7", "little"])
        await page.hit("c", asks="")
        await page.hit("down", "enter", until=lambda: page.question is not None and page.question.has_field)
        await page.hit("enter")
        await page.see("each less first_comparison.json")
        assert "3 prompts × 1 source of answers" in page.seen  # the file has the ideal alone
        assert page.row("How much notice")[-2:] == ["+50.0", "answer"]


# --- A second result under the one that is shown


async def test_each_answer_by_the_other_rubric_and_the_words_of_both_stand_below_the_criteria(tmp_path: Path) -> None:
    async with opened(tmp_path / "rent.yml", OLD_RENT, at="rent", keys=("f5",)) as page:
        await page.rewrite(NEW_RENT)
        await page.at("rent")
        await page.press("f5")
        await page.open_history()
        await page.hit("down", "c", until=lambda: page.place is Place.MATRIX)
        await page.see("old answer on the new rubric 33.3 · new answer on the old rubric 50.0")
        assert page.row("in advance")[-5:] == ["–", "→", "100.0", "0.0", "new"]
        assert "It is due [-on the first-]{+monthly, in advance+}." in page.seen


async def test_a_run_without_a_saved_rubric_is_scored_by_the_present_one_and_both_answers_count_as_shown(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rent.yml"
    path.write_text(OLD_RENT, "utf-8")
    ran(path, ago=timedelta(days=3), score=0.5, answer="Each month.", asked="When is the rent due?")
    async with opened(path, at="rent", keys=("f5",)) as page:
        await page.open_history()
        await page.hit("down", "c", until=lambda: page.place is Place.MATRIX)
        await page.see("each less gpt-4o-mini, temp 0.7, 3 days ago")
        assert "The rubric of the old run was not saved with it" in page.seen
        assert "50.0 → 50.0" in page.seen
        await page.settle()
    shown = Store().first_shown(PromptPlace(str(path), "rent"))
    assert shown.keys() == {text_digest("Each month."), text_digest("It is due on the first.")}


async def test_an_earlier_run_that_was_opened_is_compared_itself(tmp_path: Path) -> None:
    async with opened(tmp_path / "rent.yml", OLD_RENT, at="rent", keys=("f5",)) as page:
        await page.replace("on the first", "monthly")
        await page.at("rent")
        await page.press("f5")
        await page.open_history()
        await page.reply("down", "enter")
        assert page.run.response is not None
        assert page.run.response.subject == "It is due on the first."
        await open_matrix(page, "c")
        assert "It is due {+on the first+}[-monthly-]." in page.seen or "[-monthly-]{+on the first+}" in page.seen


async def test_without_another_result_it_says_what_to_do(tmp_path: Path) -> None:
    async with opened(tmp_path, OLD_RENT, at="rent") as page:
        for said in ("There is no result to compare yet", "nothing to compare it with yet"):
            await page.show("Criteria")
            await page.hit("c", until=lambda said=said: page.told and said in page.told[-1])
            await page.press("f5")


async def test_judges_close_the_ranges_of_a_comparison_and_without_a_missing_verdict_asks_nothing(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    server = ModelServer(httpserver, lambda _: verdict("CLASS_FULLY_PRESENT"))
    header = server.judging()
    prompt = "- {id: notice, prompt: When?, ideal: In 30 days., should: [$icontains: 30 days, Names it, Is friendly]}\n"
    async with opened(tmp_path, header + prompt, at="- {id") as page:
        await page.choose(IdealSource(), ControlSource(ControlKind.EMPTY))
        await page.press("f5")
        await open_matrix(page, "c")
        assert "4 verdicts are missing: that is why there are ranges. J asks judges." in page.seen
        assert "J ask judges" in page.lines[-1]
        await page.hit("J", until=lambda: "verdicts are missing" not in page.seen)
        assert page.row(" difference ")[-1] == "answer"
        assert "J ask judges" not in page.lines[-1]
        await page.hit("J", until=lambda: page.told)
        assert len(server.bodies) == 4


# --- At any width


HEADER = Header(NOWHERE)
ASKED = prompt([text("The tenant must be told in writing, at the latest on the day of the visit."), text("B")])
EXTENTS: Sequence[tuple[float | None, float | None]] = ((1.0, 1.0), (0.0, 0.0), (0.33, None), (None, None), (0.67, 0.5))
LABELS = (
    "the ideal",
    "openai:gpt-4o-mini",
    "openrouter:anthropic/claude-haiku-4.5, temp 0.7",
    "a",
    "test answer: empty",
)


def answers(start: int) -> list[ScoredAnswer]:
    return [
        ScoredAnswer(AnswerState.SCORED, lambda each=each: assessed(ASKED, list(each)))
        for each in (*EXTENTS[start:], *EXTENTS[:start])
    ]


def made_matrix(columns: int) -> Matrix:
    names = [f"m{at}" for at in range(columns)]
    cells = {(f"p{row}", name): cell for row in range(5) for name, cell in zip(names, answers(row), strict=False)}
    made = Matrix.of([(f"p{row}", 1.0) for row in range(5)], names, lambda row, column: cells[row, column])
    return replace(made, title="x.yml", labels=LABELS[:columns])


def second(of: Matrix) -> SecondRun:
    """Each cell with that of the row before under it."""
    cells: dict[tuple[str, str], TwoRuns] = {}
    for row in of.rows:
        for key, new in zip(of.columns, row.answers, strict=True):
            old = of.rows[row.number - 2].answers[of.columns.index(key)]
            one, other = (
                ComparedRun((text,), of_it.assessments, ASKED, HEADER, panel(HEADER))
                for text, of_it in (("0", old), ("1", new))
            )
            cells[row.name, key] = TwoRuns(one, other)
    return SecondRun("the runs before these", of, cells)


OPTIONS = (
    MatrixOptions(),
    MatrixOptions("p2"),
    MatrixOptions(less=0),
    MatrixOptions("p1", less=MEAN),
)


@pytest.mark.parametrize(("options", "columns", "is_compared"), one_in(5, [*product(OPTIONS, (1, 5), (False, True))]))
async def test_no_figure_is_cut_at_any_width(options: MatrixOptions, columns: int, is_compared: bool) -> None:
    of = made_matrix(columns)
    view = MatrixView(of, options, second(of) if is_compared else None)
    table = MatrixTable("")
    table.show_view(view)
    async with Alone(table).run_test(size=(200, 60)) as pilot:
        for width in (200, 160, 120, 100, 80, 78, 66, 53, 44, 40):
            await pilot.resize_terminal(width, 60)
            seen: dict[int, set[int]] = {line.row.number: set() for line in view.lines}
            table.action_column(-columns)
            for _ in range(columns):
                await pilot.pause()
                parts = table.geometry
                assert parts is not None
                lines = screen_lines(pilot.app)
                for line in view.lines:
                    drawn = next(row for row in lines if re.match(rf"[▌▏ ] *{line.row.number}  ", row))
                    figures = drawn[1 + parts.number + parts.label :].replace("▸", " ").split()
                    shown = line.cells[parts.first : parts.last]
                    assert [each.figure for each in shown if each.figure not in figures] == [], (width, drawn)
                    seen[line.row.number].update(range(parts.first, parts.last))
                table.action_column(1)
            assert all(columns == len(each) for each in seen.values())

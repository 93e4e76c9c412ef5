"""Running a file with a YAML error: result, outline and totals say that a score is partial."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Static

from tests.studio.driving import WIDE, press, runs_of, settle, studio_on

SOUND = "- id: a\n  prompt: x\n  ideal: y\n  should:\n    - $icontains: y\n"
HEAD = "- id: b\n  prompt: x\n  ideal: y\n"
CUT = {
    "an open bracket": f"{HEAD}  should:\n    - $icontains: y\n    - [{{$icontains: y}}\n",
    "an open quote": f'{HEAD}  should:\n    - $icontains: y\n    - $icontains: "z\n',
    "no point is left": f"{HEAD}  should:\n\t- y\n",
}


@pytest.mark.parametrize("cut", CUT.values(), ids=CUT)
async def test_the_result_of_a_prompt_that_cannot_be_read_to_its_end_says_so(tmp_path: Path, cut: str) -> None:
    async with studio_on(tmp_path / "x.yml", cut).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "f5")
        screen = await settle(pilot)
        head = str(screen.query_one("#result-head", Static).render())
        assert "0–100" in head
        assert "part of the rubric cannot be read" in head


async def test_no_path_is_blamed_for_a_cost_that_nobody_knows(tmp_path: Path) -> None:
    cut = CUT["an open bracket"].replace("$icontains: y\n", "$icontains: absent\n", 1)
    async with studio_on(tmp_path / "x.yml", cut).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "f5")
        await settle(pilot)
        await press(pilot, "ctrl+r")
        await settle(pilot)
        drawn = pilot.app.export_screenshot().replace("&#160;", " ")
        assert "another path counts" not in drawn
        assert "what it costs is open" in drawn


@pytest.mark.parametrize("cut", CUT.values(), ids=CUT)
async def test_its_outline_shows_how_open_it_is(tmp_path: Path, cut: str) -> None:
    async with studio_on(tmp_path / "x.yml", SOUND + cut).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "f6")
        await settle(pilot)
        drawn = pilot.app.export_screenshot().replace("&#160;", " ")
        assert "0–100" in drawn
        assert "part of the rubric cannot be read" in drawn
        assert ">50–100, " in drawn


LOST = "- [b\n"
"""An item that cannot be read at all."""


async def test_the_total_of_a_file_with_an_unreadable_prompt_says_so(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "x.yml", SOUND + LOST).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "f6")
        await settle(pilot)
        drawn = pilot.app.export_screenshot().replace("&#160;", " ")
        assert "100, part of the file cannot be read, from 1 of 2 prompts" in drawn


async def test_the_result_of_the_blueprint_lists_the_line_that_cannot_be_read(tmp_path: Path) -> None:
    text = f"title: T\n---\n{SOUND}{LOST}"
    async with studio_on(tmp_path / "x.yml", text).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "f6")
        screen = await settle(pilot)
        assert runs_of(screen).views.overview().unread == (8,)
        head = str(screen.query_one("#result-head", Static).render())
        assert "part of the file cannot be read" in head

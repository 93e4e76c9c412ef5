"""F5 on a prompt that a YAML error cuts off: the score says in the result, outline and totals that it is partial."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Static

from tests.studio.driving import WIDE, press, settle, studio_on

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


@pytest.mark.parametrize("cut", CUT.values(), ids=CUT)
async def test_its_outline_shows_how_open_it_is(tmp_path: Path, cut: str) -> None:
    async with studio_on(tmp_path / "x.yml", SOUND + cut).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "f6")
        await settle(pilot)
        drawn = pilot.app.export_screenshot().replace("&#160;", " ")
        assert "0–100" in drawn
        assert "50–100, part of the rubric cannot be read" in drawn

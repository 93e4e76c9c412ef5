"""The panes of results and answers are loaded after the first frame, into a screen that stays."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.halves import LatePanes
from tests.studio.driving import opened, studio_on, wait_until


async def test_a_screen_that_is_left_while_its_panes_load_gets_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, loaded = LatePanes.load, asyncio.Event()

    async def load_and_leave(panes: LatePanes) -> None:
        await load(panes)
        monkeypatch.setattr(BlueprintScreen, "_is_leaving", property(lambda _: True))
        loaded.set()

    monkeypatch.setattr(LatePanes, "load", load_and_leave)
    app = studio_on(tmp_path / "x.yml", "- id: a\n  prompt: b\n")
    async with app.run_test() as pilot:
        await wait_until(pilot, loaded.is_set)
        await pilot.pause(0.3)
        assert isinstance(app.screen, BlueprintScreen)
        assert app.screen.panes.criteria is None


async def test_the_text_has_the_scores_while_the_criteria_are_not_seen(tmp_path: Path) -> None:
    text = "- id: rent\n  prompt: When?\n  ideal: On the 3rd.\n  should:\n    - $contains: 3rd\n    - $contains: May\n"
    async with opened(tmp_path, text, at="- id: rent", keys=("f5",)) as page:
        await page.show("Criteria")
        await page.see("50.0")
        assert "● 100" not in page.screen.editor.render_line(4).text
        await page.show("Outline")
        assert [page.screen.editor.render_line(row).text.rstrip()[-5:] for row in (4, 5)] == ["● 100", "○   0"]

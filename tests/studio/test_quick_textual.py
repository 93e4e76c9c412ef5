"""What is found once for all nodes that are alike is what Textual itself finds for each."""

from __future__ import annotations

from pathlib import Path

from textual.widget import Widget

from tests.studio.driving import NARROW, QUOTED, opened
from tests.studio.quick_textual import apply_as_textual


async def test_styles_that_were_found_once_are_those_that_textual_finds(tmp_path: Path) -> None:
    async with opened(tmp_path, QUOTED, at="ideal", size=NARROW) as page:
        for key in ("f5", "f3", "ctrl+r", "ctrl+r", "f12", "escape", "f9", "down"):
            await page.hit(key)
            nodes = [page.app.screen, *page.app.screen.query(Widget)]
            quickly = [dict(node.styles.base._rules) for node in nodes]
            for node in nodes:
                apply_as_textual(page.app.stylesheet, node)
            assert [dict(node.styles.base._rules) for node in nodes] == quickly, key

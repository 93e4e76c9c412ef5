"""Which problem is selected follows the cursor in the text that was checked, however fast the checking is."""

from __future__ import annotations

from pathlib import Path

from studio.tui.panes.problems import ProblemList
from tests.studio.driving import QUOTED, WIDE, press, settle, studio_on


async def test_a_cursor_in_a_newer_text_selects_no_problem_by_the_places_of_an_older_one(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "own.yml", QUOTED).run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f8")
        first, second = screen.query_one(ProblemList).rows
        screen.editor.move_cursor((0, 0))
        screen.editor.insert(f"# {'x' * second.diagnostic.span.start}\n")
        await settle(pilot)
        selected = screen.query_one(ProblemList).row
        assert selected is not None
        assert selected.diagnostic.slug == first.diagnostic.slug

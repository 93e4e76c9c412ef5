"""Where the explanation of the selected problem stands below the list of problems."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.studio.driving import blueprint_screen, press, screen_lines, settle, studio_on

FULL_LIST = "".join(f"- id: p{number}\n  prompt: Why?\n  should:\n    - $check_{number}: x\n" for number in range(9))
"""Nine problems, no two alike: the same one over again is one row."""


@pytest.mark.parametrize("size", [(120, 24), (80, 24)], ids=["wide", "narrow"])
async def test_a_blank_line_stands_between_a_full_list_and_the_explanation(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    app = studio_on(tmp_path / "x.yml", FULL_LIST)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "f3")
        why = blueprint_screen(app).query_one("#why").region
        lines = screen_lines(app)
        assert lines[why.y].strip() == ""
        assert lines[why.y + 1].strip() != ""
        assert blueprint_screen(app).problems.list.size.height >= 3

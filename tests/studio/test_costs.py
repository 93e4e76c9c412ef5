"""The costs of a result, from 100 down to the score, in both orders."""

from __future__ import annotations

from pathlib import Path

from studio.tui.panes.result_pane import ResultPane
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import WIDE, press, settle, studio_on

THREE = """\
- id: rent
  prompt: When is the rent due?
  ideal: On the 3rd.
  should:
    - $contains: 3rd
    - $contains: lease
    - {$contains: bank, weight: 2}
"""


def falls(screen: BlueprintScreen) -> list[str]:
    rows = screen.query_one(ResultPane).rows.rows
    return [f"{row.text} {row.tail[-2].text.strip()}" for row in rows if row.key.startswith("fall:")]


async def test_s_sorts_the_costs_of_a_result_by_size_and_back(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", THREE)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(THREE.index("ideal"))
        await press(pilot, "f5", "ctrl+r")
        as_computed = ["$contains: lease −25.0", "$contains: bank −50.0"]
        assert falls(screen) == as_computed
        await press(pilot, "s")
        assert falls(screen) == as_computed[::-1]
        await press(pilot, "s")
        assert falls(screen) == as_computed


async def test_the_selected_row_stays_selected_while_costs_are_sorted(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", THREE)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(THREE.index("ideal"))
        await press(pilot, "f5", "ctrl+r")
        pane = screen.query_one(ResultPane)
        pane.rows.select(next(at for at, row in enumerate(pane.rows.rows) if row.key == "fall:2"))
        await press(pilot, "s")
        assert pane.row is not None
        assert pane.row.key == "fall:2"

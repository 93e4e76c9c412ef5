"""*Report…* in the palette: asks for a place, and writes the report there."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.tui.dialogs.ask import AskText
from tests.studio.driving import QUOTED, WIDE, press, settle, studio_on, wait_until


@pytest.mark.parametrize(("name", "begins"), [("out.html", "<!doctype html>"), ("out.md", "# Two prompts\n")])
async def test_a_report_is_written_where_the_author_says(tmp_path: Path, name: str, begins: str) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    out = tmp_path / name
    async with app.run_test(size=WIDE) as pilot:
        screen = await press(pilot, "f6")
        screen.action_report()
        await wait_until(pilot, lambda: isinstance(app.screen, AskText))
        await pilot.pause()
        field = app.screen.query_one("Input")
        assert field.value == str(tmp_path / "x-report.html")  # pyright: ignore[reportAttributeAccessIssue]
        field.value = str(out)  # pyright: ignore[reportAttributeAccessIssue]
        await pilot.press("enter")
        await wait_until(pilot, out.exists)
        await settle(pilot)
        told = [each.message for each in app._notifications]  # pyright: ignore[reportPrivateUsage]
        assert told[-1] == f"The report is in {out}."
    text = out.read_text("utf-8")
    assert text.startswith(begins)
    assert "The lease says so." in text.replace("<mark>", "").replace("</mark>", "").replace("<sup>2</sup>", "")


async def test_esc_writes_nothing(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.action_report()
        await wait_until(pilot, lambda: isinstance(app.screen, AskText))
        await pilot.press("escape")
        await settle(pilot)
    assert [path.name for path in tmp_path.iterdir() if "report" in path.name] == []

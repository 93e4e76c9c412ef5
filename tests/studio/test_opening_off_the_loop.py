"""Where the cursor was is read in no turn of the event loop: neither at the start nor when another file is opened."""

from __future__ import annotations

import asyncio
from pathlib import Path

from engine.files.open_files import open_file
from engine.files.user_settings import CursorPlace, remember_cursor
from tests.loop_io import watched_loop
from tests.studio.driving import WIDE, settle, studio_on, wait_until

TEXT = "title: Tea\n---\n- id: a\n  prompt: Is it hot?\n"


def test_the_cursor_is_recalled_off_the_event_loop(tmp_path: Path) -> None:
    other = tmp_path / "other.yml"
    other.write_text(TEXT, "utf-8")
    remember_cursor(other, CursorPlace(2, 3, "- id: a"))
    app, file = studio_on(tmp_path / "tea.yml", TEXT), open_file(other)

    async def opened() -> int:
        async with app.run_test(size=WIDE) as pilot:
            first = await settle(pilot)
            app.open_file(file)
            await wait_until(pilot, lambda: app.screen is not first)
            return (await settle(pilot)).editor.cursor_offset

    with watched_loop() as seen:
        at = asyncio.run(opened())
    assert at == TEXT.index("id: a") + 1
    assert [each for each in seen if "cursors" in each] == []

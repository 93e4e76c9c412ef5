"""The result with an expected score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.studio.driving import NARROW, WIDE, press, settle, studio_on
from tests.studio.test_targets import TEXT


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_an_expected_score(size: tuple[int, int], snap_compare: Any, tmp_path: Path) -> None:
    async def expect(pilot: Pilot[Any]) -> None:
        screen = await settle(pilot)
        screen.editor.go_to(TEXT.index("- $contains: covenant"))
        await press(pilot, "f5", "ctrl+r", "t", *"60", "enter")
        await settle(pilot)

    assert snap_compare(studio_on(tmp_path / "march.yml", TEXT), terminal_size=size, run_before=expect)

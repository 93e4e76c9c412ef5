"""What is remembered of opened files: that they were opened, and where the cursor was. Neither is worth waiting for."""

from __future__ import annotations

import asyncio
from pathlib import Path

from engine.files.own_files import report_state_unwritable
from engine.files.processes import HeldElsewhere
from engine.files.user_settings import CursorPlace, remember_cursor, remember_file


class RememberedFiles:
    """Adds files to the recent ones. Those that could not be added are tried again with the next one."""

    def __init__(self) -> None:
        self._missing: list[Path] = []

    async def add(self, path: Path) -> None:
        """Add the file at `path`, after those that could not be added before."""
        await self._add(list(dict.fromkeys([*self._missing, path])))

    async def add_missing(self) -> None:
        """Try those again that could not be added."""
        await self._add(self._missing)

    async def _add(self, paths: list[Path]) -> None:
        self._missing = []
        try:
            for path in paths:
                await asyncio.to_thread(remember_file, path)
        except HeldElsewhere:  # a studio that stands still has the list
            self._missing = paths
        except OSError as error:
            report_state_unwritable(error)


async def remember_place(path: Path, place: CursorPlace) -> None:
    """Save where the cursor is in the file at `path`."""
    try:
        await asyncio.to_thread(remember_cursor, path, place)
    except HeldElsewhere:  # another studio has the list
        return
    except OSError as error:
        report_state_unwritable(error)

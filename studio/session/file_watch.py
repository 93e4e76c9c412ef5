"""Notices that another program changed the open file, the settings of its project or its cases."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

FIRST_SECONDS = 0.25


class FileWatch(threading.Thread):
    """Calls `changed` when the file at `path()` may be another one, also at first, and `around` for the others."""

    def __init__(self, path: Callable[[], Path], changed: Callable[[], None], around: Callable[[], None]) -> None:
        super().__init__(name="file watch", daemon=True)  # a disk that does not answer keeps no process from ending
        self._path = path
        self._changed = changed
        self._around = around
        self._stopping = threading.Event()
        self._since = time.time_ns()

    def stop(self) -> None:
        """End the thread. Never blocks."""
        self._stopping.set()

    def run(self) -> None:
        """Look until `stop`."""
        if self._stopping.wait(FIRST_SECONDS):  # what is imported here must not delay the first outline
            return
        from engine.files.open_files import changes
        from engine.rules.selection import settings_files
        from engine.study.file_places import beside, in_data_folder

        def find() -> list[Path]:
            path = self._path()
            return [path, beside(path), in_data_folder(path), *settings_files(path)]

        for news in changes(find, self._stopping, self._since):
            self._changed()
            if news - {self._path()}:
                self._around()

"""Notices that another program changed the open file, the settings of its project or its cases."""

from __future__ import annotations

import threading
from collections.abc import Callable

from studio.session.document import Document

LOOK_SECONDS = 0.25


class FileWatch(threading.Thread):
    """Calls `changed` when the file of `document` may be another one, also at first, and `around` for the others."""

    def __init__(self, document: Document, changed: Callable[[], None], around: Callable[[], None]) -> None:
        super().__init__(name="file watch", daemon=True)  # a disk that does not answer keeps no process from ending
        self._document = document
        self._changed = changed
        self._around = around
        self._stopping = threading.Event()

    def stop(self) -> None:
        """End the thread. Never blocks."""
        self._stopping.set()

    def run(self) -> None:
        """Look until `stop`."""
        if self._stopping.wait(LOOK_SECONDS):  # what is imported here must not delay the first outline
            return
        from engine.cases.case_places import beside, in_data_folder
        from engine.file_stamps import Stamps, changed, next_change, stamps
        from engine.workspace.project_settings import settings_files

        def look() -> Stamps:
            path = self._document.path
            return stamps([path, beside(path), in_data_folder(path), *settings_files(path)])

        seen = look()
        self._changed()
        while (now := next_change(seen, look, lambda: LOOK_SECONDS, self._stopping.wait)) is not None:
            news = changed(seen, now)
            if self._document.path in news:
                self._changed()
            if news - {self._document.path}:
                self._around()
            seen = now

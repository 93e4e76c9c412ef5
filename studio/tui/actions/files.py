"""Actions on the file as a whole."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from studio.tui.session_screen import SessionScreen


def _begin(studio: SessionScreen, work: Coroutine[Any, Any, object]) -> None:
    studio.run_worker(work, group="file")


def save(studio: SessionScreen) -> None:
    """Writes the file. Asks first if another program has changed it."""
    _begin(studio, studio.session.file.save())


def save_as(studio: SessionScreen) -> None:
    """Writes the text to another file and continues with that one."""
    _begin(studio, studio.session.file.save_as())


def recover(studio: SessionScreen) -> None:
    """Lists the texts of this file that were not saved, of the last 30 days, and shows what each of them changes."""
    _begin(studio, studio.session.file.recover())


def reload(studio: SessionScreen) -> None:
    """Discards unsaved changes, after asking."""
    _begin(studio, studio.session.file.reload())


def start_screen(studio: SessionScreen) -> None:
    """Leaves this file for the start screen: recent files, the example, new from template."""
    _begin(studio, studio.leave())

"""Open files, their recovery journal, recent files and settings."""

from engine.workspace.files import (
    CannotOpen,
    CannotSave,
    ChangedOnDisk,
    OpenedFile,
    SharedByLinks,
    new_file,
    open_content,
    open_file,
    open_to_show,
    save,
)
from engine.workspace.journal import Journal, JournalState, Recovered
from engine.workspace.recent import recent_files, remember_file

__all__ = [
    "CannotOpen",
    "CannotSave",
    "ChangedOnDisk",
    "Journal",
    "JournalState",
    "OpenedFile",
    "Recovered",
    "SharedByLinks",
    "new_file",
    "open_content",
    "open_file",
    "open_to_show",
    "recent_files",
    "remember_file",
    "save",
]

"""The questions that saving, loading and leaving a file ask."""

from __future__ import annotations

from engine.text import visible
from engine.workspace import CannotOpen, CannotSave, ChangedOnDisk, OpenedFile, SharedByLinks
from studio.session.host import Choice, Choose

_STAY = Choice("stay", "Do nothing yet")
_UNSAVED = "This text has changes that are not saved."
_UNDO = "Your unsaved changes are given up. Ctrl+Z brings them back."


def changed_on_disk_question(file: OpenedFile, change: ChangedOnDisk, *, may_load: bool) -> Choose:
    """What to do if another text is on disk: `overwrite`, `reload` (with `may_load`), `save_as` or `stay`."""
    choices = [Choice("overwrite", "Save anyway", "What is on disk is replaced by your text.")]
    if may_load:
        choices.append(Choice("reload", "Load what is on disk", _UNDO))
    choices += [
        Choice("save_as", "Save under another name", "Both texts stay."),
        Choice("stay", "Do nothing yet", "Your text stays here, unsaved."),
    ]
    return Choose(file.path.name, change.title, choices)


def shared_by_links_question(file: OpenedFile, shared: SharedByLinks) -> Choose:
    """What to do if saving separates names of one file: `separate`, `save_as` or `stay`."""
    choices = [
        Choice("separate", "Save anyway", "The other names keep the text that is on disk."),
        Choice("save_as", "Save under another name", "All names keep the text that is on disk."),
        _STAY,
    ]
    return Choose(file.path.name, shared.title, choices)


def not_saved_question(problem: CannotSave) -> Choose:
    """What to do if the file cannot be written: `save_as` or `stay`."""
    choices = [Choice("save_as", "Save under another name"), _STAY]
    return Choose(f"Not saved: {problem.path.name}", f"{problem.title} {problem.advice}".strip(), choices)


def replace_question(file: OpenedFile, *, is_there: bool, elsewhere: str | None) -> Choose:
    """Whether to write to a path where a file is (`is_there`), or that is open `elsewhere`: `overwrite` or `stay`."""
    text = "A file of this name is there already." if is_there else ""
    if elsewhere is not None:
        text = f"{text} It is {elsewhere}, which becomes read-only.".lstrip()
    return Choose(file.path.name, text, [Choice("overwrite", "Replace it"), _STAY])


def reload_question(file: OpenedFile) -> Choose:
    """Whether to replace a text with unsaved changes by the file: `reload` or `stay`."""
    return Choose(file.path.name, _UNSAVED, [Choice("reload", "Load what is on disk", _UNDO), _STAY])


def not_loaded_question(problem: CannotOpen) -> Choose:
    """What to do if the file cannot be read again: `save_as` or `stay`."""
    choices = [Choice("save_as", "Save your text under another name"), _STAY]
    return Choose(f"Not loaded: {problem.path.name}", problem.title, choices)


def leave_question(file: OpenedFile) -> Choose:
    """What to do with unsaved changes before leaving: `save`, `discard` or `stay`."""
    choices = [
        Choice("save", "Save and leave"),
        Choice("discard", "Leave without saving", "The changes are given up."),
        Choice("stay", "Stay here"),
    ]
    return Choose(file.path.name, _UNSAVED, choices)


def endless_save_question(file: OpenedFile) -> Choose:
    """What to do before leaving if a save does not end: `wait`, `leave` or `stay`."""
    name = visible(file.path.name)
    choices = [
        Choice("wait", "Wait for it"),
        Choice("leave", "Leave without waiting", "Your text is offered when you open the file again."),
        Choice("stay", "Stay here"),
    ]
    return Choose(file.path.name, f"Saving {name} has begun and does not end: the disk does not answer.", choices)

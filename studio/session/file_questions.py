"""The questions that saving, loading and leaving a file ask."""

from __future__ import annotations

from engine.files.open_files import CannotOpen, CannotSave, ChangedOnDisk, OpenedFile, SharedByLinks
from engine.text.spans import visible
from studio.session.host import Choice, Choose
from studio.session.questions import DifferenceQuestion

_STAY = Choice("stay", "Do nothing yet")
_UNSAVED = "This text has changes that are not saved."
_UNDO = "Your unsaved changes are given up. Ctrl+Z brings them back."


def changed_on_disk_question(change: ChangedOnDisk, mine: str, *, is_other: bool, is_saving: bool) -> Choose:
    """What to do if another text is on disk, which is shown by what it changes in `mine`.

    `overwrite` or, unless `is_saving`, `keep`; `reload`, unless `is_other`, so the file is not open; `save_as`; `stay`.
    """
    stay = Choice("stay", "Do nothing yet", "Your text stays here, unsaved.")
    if is_saving:
        first, last = [Choice("overwrite", "Save anyway", "What is on disk is replaced by your text.")], [stay]
    else:  # it comes of itself, so what a stray key chooses changes nothing
        first, last = [stay, Choice("keep", "Keep your text", "When you save it, it replaces what is on disk.")], []
    load = [] if change.gone or is_other else [Choice("reload", "Load what is on disk", _UNDO)]
    choices = [*first, *load, Choice("save_as", "Save under another name", "Both texts stay."), *last]
    if change.theirs is None:
        return Choose(change.path.name, change.title, choices)
    text = f"{change.title} The difference from yours:"
    return DifferenceQuestion(change.path.name, text, choices, mine, change.theirs.text)


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

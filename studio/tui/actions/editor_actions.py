"""The actions of the text."""

from __future__ import annotations

from studio.tui.action import Action, Place

EDITOR_ACTIONS: tuple[Action, ...] = (
    Action(
        "complete",
        "Complete at the cursor",
        "ctrl+@",
        "Lists what can follow at the cursor: point functions, keys, values, names of models and tools. Tab or Enter "
        "accepts the selected one, Esc closes the list. While you type a point function, the list opens by itself.",
        Place.EDITOR,
        printed="Ctrl+Space",
        synonyms=("suggestions", "functions"),
    ),
    Action(
        "find",
        "Find and replace",
        "ctrl+f",
        "Searches the text; Enter and the arrow keys go from match to match.",
        Place.EDITOR,
        synonyms=("search",),
    ),
    Action("go_to_line", "Go to a line", "ctrl+g", "Asks for the number of a line and goes there.", Place.EDITOR),
    Action(
        "toggle_wrap",
        "Wrap long lines",
        "f10",
        "Shows long lines on several rows, broken between words, or lets them run past the right edge; remembered.",
        Place.EDITOR,
        synonyms=("line break",),
    ),
    Action(
        "toggle_comment",
        "Comment lines out, or back in",
        "",
        "Puts # before the selected lines, or removes it. In most terminals Ctrl+/ does it too.",
        Place.EDITOR,
        aliases=("ctrl+underscore", "ctrl+slash"),
        synonyms=("disable",),
    ),
    Action("undo", "Undo", "ctrl+z", "Takes back the last change of the text.", Place.EDITOR, synonyms=("take back",)),
    Action("redo", "Redo", "ctrl+y", "Makes the change again that was taken back last.", Place.EDITOR),
    Action("copy", "Copy", "ctrl+c", "Copies what is selected, or else the line of the cursor.", Place.EDITOR),
    Action(
        "cut", "Cut", "ctrl+x", "Copies what is selected, or else the line of the cursor, and removes it.", Place.EDITOR
    ),
    Action("paste", "Paste", "ctrl+v", "Inserts what was copied, indented to its place.", Place.EDITOR),
)

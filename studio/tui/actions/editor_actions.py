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
    ),
    Action(
        "find",
        "Find and replace",
        "ctrl+f",
        "Searches the text; Enter and the arrow keys go from match to match.",
        Place.EDITOR,
    ),
    Action("go_to_line", "Go to a line", "ctrl+g", "Asks for the number of a line and goes there.", Place.EDITOR),
    Action(
        "toggle_wrap",
        "Wrap long lines",
        "f10",
        "Shows long lines on several rows, broken between words, or lets them run past the right edge; remembered.",
        Place.EDITOR,
    ),
    Action(
        "toggle_comment",
        "Comment lines out, or back in",
        "",
        "Puts # before the selected lines, or removes it. In most terminals Ctrl+/ does it too.",
        Place.EDITOR,
        aliases=("ctrl+underscore", "ctrl+slash"),
    ),
)

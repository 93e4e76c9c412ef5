"""The limit of fields of one line: what is pasted into them is a name, a path, a number or a text to search for.

A field draws and searches its whole line at each key, so a paste of megabytes would hold up all that is typed after it.
"""

from __future__ import annotations

from textual import events
from textual.widget import Widget
from textual.widgets import Input

MOST_CHARACTERS = 4_000
"""As long as a path may be."""


def refused_paste(event: events.Event, focused: Widget | None, clipboard: str) -> str:
    """Why `event` is not passed to the `focused` field: it would paste too much there; "" if it is passed.

    `clipboard` is what Ctrl+V pastes.
    """
    if not isinstance(focused, Input):
        return ""
    if isinstance(event, events.Paste):
        pasted = event.text
    elif isinstance(event, events.Key) and event.key == "ctrl+v":
        pasted = clipboard
    else:
        return ""
    if len(focused.value) + len(pasted) <= MOST_CHARACTERS:
        return ""
    return (
        f"This field takes at most {MOST_CHARACTERS:,} characters. The paste has {len(pasted):,}: nothing is inserted."
    )

"""Drives the app in tests: opens files, presses keys, waits until it has settled, and reads what it shows.

`Page` is the app as an author sees it. Tests name no pane and no widget beside it; what can be seen without a screen
is tested with `tests.session.faces`.
"""

from tests.studio.driving.page import LARGE, NARROW, WIDE, Asked, Page, opened, running, studio_on, words
from tests.studio.driving.waiting import (
    SECONDS,
    analysis_of,
    blueprint_screen,
    drawn,
    is_busy,
    is_ready,
    is_settled,
    runs_of,
    screen_lines,
    see,
    settle,
    wait_until,
)
from tests.studio.text_files import text_file

__all__ = [
    "LARGE",
    "NARROW",
    "QUOTED",
    "SECONDS",
    "WIDE",
    "Asked",
    "Page",
    "analysis_of",
    "blueprint_screen",
    "drawn",
    "is_busy",
    "is_ready",
    "is_settled",
    "opened",
    "running",
    "runs_of",
    "screen_lines",
    "see",
    "settle",
    "studio_on",
    "wait_until",
    "words",
]

QUOTED = text_file("quoted.yml")
"""A blueprint with one error that has a safe fix, and one warning that has unsafe ones."""

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
    runs_of,
    screen_lines,
    settle,
    wait_until,
)
from tests.studio.text_files import text_file

QUOTED = text_file("quoted.yml")
"""A blueprint with one error that has a safe fix, and one warning that has unsafe ones."""

"""The views of the status line, the banner and the footer."""

from __future__ import annotations

from engine.text.record import Record
from studio.session.analysis import Tally


class StatusView(Record):
    """The status line. `note` is a word on the file, `progress` that of the runs.

    `scores` is the score of the file in words, the longest form first.
    """

    name: str
    unsaved: bool = False
    tally: Tally | None = None
    answers: str = "the ideal"
    scores: tuple[str, ...] = ()
    note: str = ""
    progress: str = ""


class BannerView(Record):
    """Why the file is read-only, and errors in the project's settings; "" if there are none."""

    text: str = ""


class FooterView(Record):
    """The state that labels of keys depend on: what F5 runs or stops, whether the header is shown, and what is unsaved.

    `shorter_answers` are names of the same answers for where the room is missing, the longest first. With `unsaved`
    changes, the key that saves stays in sight.
    """

    answers: str = "the ideal"
    is_running: bool = False
    of_header: bool = False
    unsaved: bool = False
    shorter_answers: tuple[str, ...] = ()

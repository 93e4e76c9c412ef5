"""What the status line, the banner and the footer are given."""

from __future__ import annotations

from dataclasses import dataclass

from studio.session.analysis import Tally


@dataclass(frozen=True, slots=True)
class StatusView:
    """All that the status line shows. `note` is a word on the file itself, `progress` how far all runs are;
    `scores` is the score in words, then in fewer and fewer."""

    name: str
    unsaved: bool = False
    tally: Tally | None = None
    answers: str = "the ideal"
    scores: tuple[str, ...] = ()
    note: str = ""
    progress: str = ""


@dataclass(frozen=True, slots=True)
class BannerView:
    """Why the file is read-only, and what is wrong in the project's settings; "" where nothing is."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class FooterView:
    """What the words of some keys depend on: what F5 runs, whether it stops it, and whether the header is shown."""

    answers: str = "the ideal"
    is_running: bool = False
    of_header: bool = False

"""The views of the frame: the outline with problems and scores, the status line, the banner and the footer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from engine.text.record import Record
from studio.session.analysis import Analysis, Tally
from studio.session.views.case_view import CasesView, PromptCases

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.evaluation.headline import Headline
    from studio.session.views.overview_view import PromptStanding


class Progress(Record):
    """What is done for a prompt and what is left: its ideal, the answers read, the labelled ones, its guards, and the
    open points.

    `read` is the number of answers that were shown, without the ideal and test answers. `guards` is the number
    of points of `should_not`, of which so many are `untested`. `open_points` are those that its newest run left without
    a verdict. `tests` are the test answers among the cases, which are neither good nor bad ones here.
    """

    has_ideal: bool
    good: int = 0
    bad: int = 0
    guards: int = 0
    untested: int = 0
    open_points: int = 0
    read: int = 0
    tests: int = 0

    @property
    def marks(self) -> str:
        """`i 3r 2+ 1− 1u 3?`: ideal, answers read, good and bad ones, untested guards, open points; no zeros."""
        done = _counted((self.read, "r"), (self.good, "+"), (self.bad, "−"))
        return " ".join(filter(None, ("i" * self.has_ideal, done, self.left_to_do)))

    @property
    def left_to_do(self) -> str:
        """Of the marks, those of what is left: `1u 3?`."""
        return _counted((self.untested, "u"), (self.open_points, "?"))

    @property
    def text(self) -> str:
        """The same in words: `ideal · 3 answers read · 2 good, 1 bad · 1 of 3 guards tested · 3 points open`."""
        test = f"test answer{'s' * (self.tests > 1)}"
        counts = ((self.good, "good"), (self.bad, "bad"), (self.tests, test))
        labelled = [f"{count} {word}" for count, word in counts if count]
        read = [f"{self.read} answer{'s' * (self.read > 1)} read"] if self.read else []
        parts = ["ideal" if self.has_ideal else "no ideal", *read, ", ".join(labelled) or "no labelled answer"]
        if self.guards:
            parts.append(f"{self.guards - self.untested} of {self.guards} guard{'s' * (self.guards > 1)} tested")
        if self.open_points:
            parts.append(f"{self.open_points} point{'s' * (self.open_points > 1)} open")
        return " · ".join(parts)


def _counted(*counts: tuple[int, str]) -> str:
    return " ".join(f"{count}{mark}" for count, mark in counts if count)


class OutlineRow(Record):
    """One row. `number` counts prompts from 1; None for the header.

    `score` is the whole figure of the newest run with its marks, "" without one. `failed`: the newest run has no score,
    because its request failed or its answer was withheld. `last` is when the run began, if it is of an earlier session.
    """

    number: int | None
    name: str
    tally: Tally
    score: str = ""
    failed: bool = False
    last: datetime | None = None
    progress: Progress | None = None


class OutlineView(Record):
    """The rows, the header first."""

    rows: tuple[OutlineRow, ...]


def outline_view(
    analysis: Analysis, standings: Sequence[PromptStanding] = (), cases: CasesView | None = None
) -> OutlineView:
    """The outline of `analysis`; `standings` are those of its prompts, and `cases` says how its cases stand.

    Without them before these are known.
    """
    prompts = analysis.blueprint.prompts
    tallies = analysis.tallies or (Tally(),) * (len(prompts) + 1)
    header = OutlineRow(None, _header_name(analysis), tallies[0])
    known = {each.number: each for each in standings}
    rows = (_row(number, prompt, tallies[number], known.get(number), cases) for number, prompt in enumerate(prompts, 1))
    return OutlineView((header, *rows))


def _row(
    number: int, prompt: Prompt, tally: Tally, standing: PromptStanding | None, cases: CasesView | None
) -> OutlineRow:
    if standing is None:
        return OutlineRow(number, prompt.id, tally, progress=_progress(prompt, None, cases))
    began, progress = standing.last and standing.last.began, _progress(prompt, standing.headline, cases)
    return OutlineRow(number, prompt.id, tally, standing.figure, standing.failed, began, progress)


def _progress(prompt: Prompt, headline: Headline | None, cases: CasesView | None) -> Progress | None:
    if cases is None:
        return None
    own = cases.prompts.get(prompt.index, PromptCases())
    read, open_points = cases.read.get(prompt.index, 0), (headline and headline.open_points) or 0
    return Progress(prompt.ideal is not None, own.good, own.bad, own.guards, own.untested, open_points, read, own.tests)


def _header_name(analysis: Analysis) -> str:
    """The header's name, with the number of models if these come from collections."""
    count = len(analysis.models)
    if not count or analysis.models == analysis.header.models:
        return "header"
    return f"header · {count} {'model' if count == 1 else 'models'}"


class StatusView(Record):
    """The file at a glance. `note` is a word on it, `progress` that of the runs.

    `where` is the prompt that is shown, with its score: `1 of 8 · 72.5`; in the header, how many there are.
    """

    name: str
    unsaved: bool = False
    tally: Tally | None = None
    where: str = ""
    note: str = ""
    progress: str = ""


class BannerView(Record):
    """Why the file is read-only, and errors in the project's settings; "" if there are none."""

    text: str = ""


class FooterView(Record):
    """The state that labels of keys depend on: what F5 runs or stops, whether the header is shown, and what is unsaved.

    `answers` is the name of what F5 runs, then shorter ones for where the room is missing. With `unsaved` changes, the
    key that saves stays in sight.
    """

    answers: tuple[str, ...] = ("the ideal",)
    is_running: bool = False
    of_header: bool = False
    unsaved: bool = False

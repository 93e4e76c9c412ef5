"""The history: earlier runs, with what is shown of them."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, overload

from engine.blueprint import Path, Point, Prompt
from engine.conversation import Variant
from engine.evaluation.candidates import Candidate
from engine.evaluation.headline import Headline, Remark, in_order
from engine.providers.chat import Standing, Stop
from engine.scoring.explanation import Bounds
from engine.store.database import digest, restored
from engine.store.origins import restored_source
from engine.store.responses import stored_stop


class RunState(StrEnum):
    """How far a run came. One that was left under way when its program ended is interrupted."""

    RUNNING = "running"
    SCORED = "scored"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class PastRun:
    """One earlier run of a prompt.

    `number` grows with time. `score` is 0–1, None where nothing was scored; `bounds` is what it could still become
    then; `judged` of so many `points` were judged, None where that was not noted, and `remarks` is what else the
    headline. `rubric` is the `rubric_digest` that it was held against, "" where that is not known. `words` is the
    error message where it failed. `answered` is whether any of its answer is kept. `stop` is why its answer ended, None
    where that is not known.
    """

    number: int
    candidate: Candidate
    began: datetime
    state: RunState
    ended: datetime | None = None
    score: float | None = None
    bounds: Bounds | None = None
    rubric: str = ""
    words: str = ""
    answered: bool = False
    stop: Stop | None = None
    judged: int | None = None
    points: int | None = None
    remarks: tuple[tuple[Remark, int], ...] = ()

    @property
    def withheld(self) -> bool:
        """Whether a filter of the provider took its answer away."""
        return self.stop is not None and self.stop.reason.standing is Standing.WITHHELD

    @property
    def cut(self) -> bool:
        """Whether its answer was cut short."""
        return self.stop is not None and self.stop.reason.standing is Standing.CUT

    @property
    def open(self) -> bool:
        """Whether the score could still have moved: points were not judged."""
        return self.score is not None and self.bounds is not None and not self.bounds.closed

    @property
    def headline(self) -> Headline | None:
        """The score as it was shown then; None where none is known, or there was nothing to score."""
        headline = None if self.bounds is None else Headline(self.bounds, self.judged, self.points, self.remarks)
        return headline if headline is not None and headline.is_scored else None


PAST_COLUMNS = (
    "id, source, suffix, temperature, began, state, ended, score, low, high, rubric, words,"
    " response IS NOT NULL OR arrived IS NOT NULL, stop_reason, stop_word, judged, points, remarks"
)
_SOURCE, _SUFFIX, _SCORE = 1, 2, 7


@dataclass(frozen=True, slots=True)
class Scores:
    """All scores of one candidate, 0–1, the earliest first, and its newest run that has one."""

    newest: PastRun
    scores: tuple[float, ...]


class PastRuns(Sequence[PastRun]):
    """Runs of one prompt, the newest first. There may be very many: each is made when it is looked at.

    `total` is how many there are in all, where these are only the newest.
    """

    def __init__(self, rows: Sequence[tuple[Any, ...]], total: int) -> None:
        """`rows` are of `PAST_COLUMNS`."""
        self._rows = rows
        self.total = total

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> PastRun: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PastRun]: ...
    def __getitem__(self, index: int | slice) -> PastRun | Sequence[PastRun]:
        return PastRuns(self._rows[index], self.total) if isinstance(index, slice) else _past_run(self._rows[index])

    def place_of(self, number: int) -> int:
        """Where the run of this number stands, or would stand."""
        return bisect_left(self._rows, -number, key=lambda row: -row[0])

    def scores(self) -> tuple[Scores, ...]:
        """The scores of each candidate; the one that was scored last comes first."""
        found: dict[tuple[str, str], list[int]] = {}
        for index, row in enumerate(self._rows):
            if row[_SCORE] is not None:
                found.setdefault((row[_SOURCE], row[_SUFFIX]), []).append(index)
        return tuple(
            Scores(self[places[0]], tuple(self._rows[place][_SCORE] for place in reversed(places)))
            for places in found.values()
        )


def _past_run(row: Sequence[Any]) -> PastRun:
    number, source, suffix, temperature, began, state, ended, score, low, high, rubric, words, answered, *rest = row
    stop_reason, stop_word, judged, points, remarks = rest
    return PastRun(
        number,
        Candidate(restored_source(source), Variant(temperature=temperature, suffix=suffix)),
        datetime.fromisoformat(began),
        RunState(state),
        None if ended is None else datetime.fromisoformat(ended),
        score,
        None if low is None else Bounds(low, high),
        rubric,
        restored(words),
        bool(answered),
        stored_stop(stop_reason, stop_word),
        judged,
        points,
        _remarks(remarks),
    )


def _remarks(text: str) -> tuple[tuple[Remark, int], ...]:
    """Remarks with their counts; one that this version does not know is passed over."""
    counts = json.loads(text)
    return in_order({remark: counts[remark] for remark in Remark if remark in counts})


def rubric_digest(prompt: Prompt) -> str:
    """16 hex digits for what a prompt's answers are held against: the same as long as every score stays the same."""
    blocks = [[rubric.block.value, [_entry(entry) for entry in rubric.entries]] for rubric in prompt.rubrics]
    return digest(json.dumps(blocks, default=str))[:16]


def _entry(entry: Point | Path) -> object:
    return [_point(point) for point in entry.points] if isinstance(entry, Path) else _point(entry)


def _point(point: Point) -> object:
    call = point.function
    return {"text": point.text, "call": None if call is None else [call.name, call.args], "weight": point.multiplier}

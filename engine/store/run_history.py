"""The history: earlier runs with their headlines, and the rubric that scored each, as text that can be compared."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path as FilePath
from typing import Any, overload

from engine.blueprint import ABSENT, Header, Path, Point, Prompt, Rubric
from engine.blueprint.conversation import Standing, Stop, Variant
from engine.evaluation.headline import Headline, Remark, in_order
from engine.evaluation.sources import Candidate
from engine.parsing import parse
from engine.scoring.assessment import Bounds
from engine.store.stored_answers import restored_source, stored_stop
from engine.text.digests import short_digest
from engine.text.record import Record


class RunState(StrEnum):
    """How far a run came. A run is interrupted if its program ended while it was running."""

    RUNNING = "running"
    SCORED = "scored"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class PastRun(Record):
    """One earlier run of a prompt.

    `number` grows with time. `score` is 0–1, None if nothing was scored; `bounds` are the lowest and highest score that
    were possible then. `judged` of the `points` were judged, None if that was not saved; `remarks` are the headline's
    other counts. `rubric` is the `rubric_digest` at the time, "" if unknown. `answered` is whether any of its answer is
    saved. `stop` is why its answer ended, None if unknown.
    """

    number: int
    candidate: Candidate
    began: datetime
    state: RunState
    ended: datetime | None = None
    score: float | None = None
    bounds: Bounds | None = None
    rubric: str = ""
    error_message: str = ""
    answered: bool = False
    stop: Stop | None = None
    judged: int | None = None
    points: int | None = None
    remarks: tuple[tuple[Remark, int], ...] = ()
    failed_judges: tuple[str, ...] = ()

    @property
    def withheld(self) -> bool:
        """Whether a filter of the provider withheld its answer."""
        return self.stop is not None and self.stop.is_withheld

    @property
    def cut(self) -> bool:
        """Whether its answer was cut short."""
        return self.stop is not None and self.stop.reason.standing is Standing.CUT

    @property
    def headline(self) -> Headline | None:
        """The score as it was shown then; None if it is unknown, or there was nothing to score."""
        if self.bounds is None:
            return None
        headline = Headline(self.bounds, self.judged, self.points, self.remarks, self.score, self.failed_judges)
        return headline if headline.is_scored else None


PAST_COLUMNS = (
    "id, source, suffix, temperature, began, state, ended, score, low, high, rubric, words,"
    " response IS NOT NULL OR arrived IS NOT NULL, stop_reason, stop_word, judged, points, remarks"
)
_NAMES = "judges"
_SOURCE, _SUFFIX, _SCORE, _REMARKS = 1, 2, 7, 17


class Scores(Record):
    """The scores of one candidate to compare, 0–1, the earliest first, and its newest run that has one."""

    newest: PastRun
    scores: tuple[float, ...]


class PastRuns(Sequence[PastRun]):
    """Runs of one prompt, the newest first. There may be very many: each `PastRun` is made on access.

    `total` is the number of all runs of the prompt; these may be only the newest.
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

    def index_of(self, number: int) -> int:
        """The index of the run with this number, or the index that it would have."""
        return bisect_left(self._rows, -number, key=lambda row: -row[0])

    def scores(self) -> tuple[Scores, ...]:
        """The scores of each candidate, the most recently scored candidate first.

        Runs with verdicts carried over are left out: their scores are not about the rubric that they were held against.
        """
        found: dict[tuple[str, str], list[int]] = {}
        for index, row in enumerate(self._rows):
            if row[_SCORE] is not None and Remark.CARRIED_OVER not in json.loads(row[_REMARKS]):
                found.setdefault((row[_SOURCE], row[_SUFFIX]), []).append(index)
        return tuple(
            Scores(self[indexes[0]], tuple(self._rows[index][_SCORE] for index in reversed(indexes)))
            for indexes in found.values()
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
        words,
        bool(answered),
        stored_stop(stop_reason, stop_word),
        judged,
        points,
        *_remarks(remarks),
    )


def remarks_text(headline: Headline) -> str:
    """The remarks of a headline as one column: their counts, and the names of judges that failed."""
    return json.dumps(
        {**dict(headline.remarks), **({_NAMES: headline.failed_judges} if headline.failed_judges else {})}
    )


def _remarks(text: str) -> tuple[tuple[tuple[Remark, int], ...], tuple[str, ...]]:
    """What `remarks_text` wrote; remarks that this version does not know are skipped."""
    counts = json.loads(text)
    return in_order({remark: counts[remark] for remark in Remark if remark in counts}), tuple(counts.get(_NAMES, ()))


def rubric_digest(prompt: Prompt) -> str:
    """16 hex digits for a prompt's rubric, which stay the same as long as every score stays the same."""
    blocks = [[rubric.block.value, _entries(rubric, _point)] for rubric in prompt.rubrics]
    return short_digest(json.dumps(blocks, default=str))


def _entries(rubric: Rubric, write: Callable[[Point], object]) -> list[object]:
    """The points of a block as `write` has each, those of a path in a list."""
    return [
        [write(point) for point in entry.points] if isinstance(entry, Path) else write(entry)
        for entry in rubric.entries
    ]


def _point(point: Point) -> object:
    call = point.function
    return {"text": point.text, "call": None if call is None else [call.name, call.args], "weight": point.multiplier}


_OF_HEADER = ("description", "evaluationConfig", "useExperimentalScale")
"""What judges see of the header, and who they are. Models and services are left out: they may hold keys."""


def rubric_text(header: Header | None, prompt: Prompt) -> str:
    """The messages, ideal and rubric of `prompt` with what judges see of `header`; "" if it cannot be read whole."""
    if prompt.is_cut_off:
        return ""
    fields = {} if header is None else {key: header.fields[key] for key in _OF_HEADER if key in header.fields}
    written: dict[str, Any] = {
        "id": prompt.id,
        "messages": [{"role": each.role.value, "content": each.content} for each in prompt.messages],
        **({} if prompt.ideal is None else {"ideal": prompt.ideal}),
        **{rubric.block.value: _entries(rubric, _written_point) for rubric in prompt.rubrics},
    }
    try:
        return json.dumps({**fields, "prompts": [written]}, ensure_ascii=False)
    except (TypeError, ValueError):  # an argument that JSON has no form for, such as a date
        return ""


def stored_rubric(text: str) -> tuple[Header, Prompt] | None:
    """The header and the prompt of a text that `rubric_text` wrote; None if this version cannot read it."""
    blueprint = parse(text, FilePath("rubric.json")).blueprint
    return (blueprint.header, blueprint.prompts[0]) if len(blueprint.prompts) == 1 else None


def _written_point(point: Point) -> dict[str, Any]:
    more: dict[str, Any] = {} if point.multiplier == 1 else {"multiplier": point.multiplier}
    if point.citation is not None:
        more["citation"] = point.citation
    if point.function is None:
        return {"text": point.text, **more}
    arg = {} if point.function.args is ABSENT else {"arg": point.function.args}
    return {"fn": point.function.name, **arg, **more}

"""Judges' replies and their consensus, held against the platform's own rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.judging.judgement import Attempt, Consensus, Judgement
from engine.judging.panel import TEN_STEPS, Approach, PanelJudge
from engine.judging.verdict import NoVerdict, Reading, Reason, Verdict, WevalReading, read_verdict, weval_reading
from engine.models.chat import ChatRequest
from tests.many_cases import every
from tests.world import golden, needs_shared

REPLIES = golden("judge_replies")
CONSENSUS = golden("consensus")
DEPARTURES: dict[str, tuple[float | None, str]] = {
    row: (extent, why)
    for row, (extent, why) in json.loads(
        (Path(__file__).parents[1] / "data" / "judge_reply_departures.json").read_text("utf-8")
    ).items()
}
"""By the id of a row: the extent that is read here and not on Weval (None: no verdict), and why.

What stands in a think block or in the reflection is no verdict, and of several classifications the last counts. A reply
that Weval cannot read, for its case, attributes, open tags, JSON, labels or a class of another scale, is read where it
names one class.
"""


def row_id(row: dict[str, Any]) -> str:
    return str(row["id"])


def extent_of(reading: Reading) -> float | None:
    return reading.extent if isinstance(reading, Verdict) else None


def expected(row: dict[str, Any]) -> float | None:
    return DEPARTURES[row_id(row)][0] if row_id(row) in DEPARTURES else row.get("coverage_extent")


@needs_shared
@every("row", REPLIES, ids=row_id)
def test_what_weval_reads_is_known(row: dict[str, Any]) -> None:
    assert weval_reading(row["reply"], TEN_STEPS) == WevalReading(row.get("coverage_extent"), row.get("reflection", ""))


@needs_shared
@every("row", REPLIES, ids=row_id)
def test_a_reply_is_read_as_on_weval_or_departs_for_a_stated_reason(row: dict[str, Any]) -> None:
    assert extent_of(read_verdict(row["reply"], TEN_STEPS)) == expected(row)


@needs_shared
@every("row", REPLIES, ids=row_id)
def test_a_departure_is_said_beside_the_verdict(row: dict[str, Any]) -> None:
    reading = read_verdict(row["reply"], TEN_STEPS)
    there = WevalReading(row.get("coverage_extent"), row.get("reflection", ""))
    assert reading.on_weval == (there if row_id(row) in DEPARTURES else None)


@needs_shared
def test_every_departure_is_one_of_a_row() -> None:
    assert DEPARTURES.keys() <= {row_id(row) for row in REPLIES}
    assert len(REPLIES) == 250


# Consensus


def judged(name: str | None) -> Judgement:
    step = None if name is None else TEN_STEPS.step(name)
    reading = NoVerdict(Reason.FAILED, "failed") if step is None else Verdict(step.extent, step, "")
    return Judgement(PanelJudge("j", "x:m", Approach.STANDARD), "c", (Attempt(ChatRequest("m", ()), "", reading),))


@needs_shared
@every("row", CONSENSUS, ids=row_id)
def test_the_verdicts_of_several_judges_come_to_what_they_do_on_weval(row: dict[str, Any]) -> None:
    consensus = Consensus(tuple(map(judged, row["classes"])))
    assert consensus.extent == row["extent"]
    assert consensus.counted_extent(row["inv"]) == row["final"]
    assert (consensus.failed != ()) == (row["error"] is not None)


@needs_shared
def test_no_row_of_the_consensus_departs() -> None:
    assert len(CONSENSUS) == 200

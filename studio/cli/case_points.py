"""What each point is good for, as a table and as JSON (docs/cases.md, "What a point is good for")."""

from __future__ import annotations

from collections.abc import Iterator

from engine.cases.criterion_counts import Interval, ListedTestAnswer, RubricCounts, Tally, UnitCounts
from engine.cases.rubric_text import unit_label
from engine.functions import point_text
from engine.scoring.assessment import PlacedPoint
from engine.scoring.explanation_text import listed, points_text
from engine.yaml_nodes.nodes import Data

_FRESH = "fresh answers, one for each model"


def points_lines(counts: RubricCounts) -> Iterator[str]:
    """The table of one prompt: a row for each unit, then all of them together, and the test answers."""
    yield ""
    name = " ".join(counts.name.split())
    if not counts.units:
        yield f"  {name} has no points"
        return
    yield f"  what the points of {name} are good for"
    yield _row("point", "catches", "alone", "fails good", "unjudged", "")
    for unit in counts.units:
        yield from _unit(unit)
    if len(counts.units) > 1:
        yield from _total(counts)
    yield from (_test_answer(answer, counts) for answer in counts.test_answers)


def _unit(counts: UnitCounts) -> Iterator[str]:
    yield _row(
        unit_label(counts.unit),
        _of(counts.catches),
        _of(counts.alone),
        _of(counts.fails_good),
        _unjudged(counts.catches, counts.fails_good),
        _untested(counts),
    )
    yield from _interval("catches", "bad", counts.catches.interval)
    yield from _interval("alone catches", "bad", counts.alone.interval)
    yield from _interval("fails", "good", counts.fails_good.interval)


def _total(counts: RubricCounts) -> Iterator[str]:
    unjudged = _unjudged(counts.catches, counts.fails_good)
    yield _row("any of them", _of(counts.catches), "", _of(counts.fails_good), unjudged, "")
    yield from _interval("any catches", "bad", counts.catches.interval)
    yield from _interval("any fails", "good", counts.fails_good.interval)


def _row(label: str, catches: str, alone: str, fails: str, unjudged: str, remark: str) -> str:
    figures = f"    {catches:>8}  {alone:>8}  {fails:>10}  {unjudged:<13}"
    return f"{figures}  {label}{f' ({remark})' if remark else ''}"


def _of(tally: Tally) -> str:
    return f"{tally.count} of {tally.known}" if tally.known else "–"


def _unjudged(bad: Tally, good: Tally) -> str:
    parts = [f"{tally.unjudged} {label}" for tally, label in ((bad, "bad"), (good, "good")) if tally.unjudged]
    return ", ".join(parts)


def _untested(counts: UnitCounts) -> str:
    if not counts.untested:
        return ""
    return f"{len(counts.untested)} untested" if counts.unit.paths else "untested"


def _interval(verb: str, label: str, interval: Interval | None) -> Iterator[str]:
    if interval is not None:
        low, high = (points_text(end) for end in (interval.low, interval.high))
        yield f"      {verb} {interval.count} of {interval.total} {label} {_FRESH}: {low}–{high}%, 95% interval"


def _test_answer(answer: ListedTestAnswer, counts: RubricCounts) -> str:
    failing = [unit_label(each.unit) for each, fails in zip(counts.units, answer.fails, strict=True) if fails]
    unknown = sum(each is None for each in answer.fails)
    failed = f"failed by {listed(failing)}" if failing else "failed by none"
    label = "bad" if answer.case.is_bad else "good"
    rest = f"; {unknown} not judged" if unknown else ""
    return f"    test answer, counted nowhere: {answer.case.name}, {answer.kind}, {label}: {failed}{rest}"


def points_json(counts: RubricCounts) -> dict[str, Data]:
    """One object of `points` (docs/machine-readable.md, "studio test --format json")."""
    return {
        "prompt": counts.name,
        "units": [_unit_json(each) for each in counts.units],
        "any": {"catches": _tally_json(counts.catches), "failsGood": _tally_json(counts.fails_good)},
        "testAnswers": [_test_answer_json(each) for each in counts.test_answers],
    }


def _unit_json(counts: UnitCounts) -> dict[str, Data]:
    pairs = zip(counts.unit.places, counts.unit.points, strict=True)
    return {
        "points": [_point_json(placed, is_untested=place in counts.untested) for place, placed in pairs],
        "catches": _tally_json(counts.catches),
        "aloneCatches": _tally_json(counts.alone),
        "failsGood": _tally_json(counts.fails_good),
    }


def _point_json(placed: PlacedPoint, *, is_untested: bool) -> dict[str, Data]:
    block = placed.rubric.block.value
    return {"text": point_text(placed.point), "block": block, "pathId": placed.path_id, "untested": is_untested}


def _tally_json(tally: Tally) -> dict[str, Data]:
    found = tally.interval
    interval: Data = (
        None if found is None else {"count": found.count, "of": found.total, "low": found.low, "high": found.high}
    )
    return {"count": tally.count, "of": tally.known, "unjudged": tally.unjudged, "interval": interval}


def _test_answer_json(answer: ListedTestAnswer) -> dict[str, Data]:
    return {
        "case": answer.case.number,
        "kind": answer.kind.value,
        "label": "bad" if answer.case.is_bad else "good",
        "fails": list(answer.fails),
    }

"""What each point is good for, as a table and as JSON (docs/cases.md, "What a point is good for")."""

from __future__ import annotations

from collections.abc import Iterator

from engine.functions import point_text
from engine.scoring.assessment import PlacedPoint
from engine.scoring.explanation_text import listed
from engine.study.criterion_counts import ListedTestAnswer, RubricCounts, Tally, UnitCounts, seen_text, unit_label
from engine.yaml.nodes import Data


def points_lines(counts: RubricCounts) -> Iterator[str]:
    """The table of one prompt: a row for each unit, then all of them together, and the test answers."""
    yield ""
    name = " ".join(counts.name.split())
    if not counts.units:
        yield f"  {name} has no points"
        return
    yield f"  what the points of {name} are good for"
    yield _row("point", "catches", "fails good", "unjudged", "")
    for unit in counts.units:
        yield _unit(unit)
    if len(counts.units) > 1:
        yield _total(counts)
    seen = seen_text(counts.catches, counts.fails_good)
    if seen:
        yield f"    {seen}"
    yield from (_test_answer(answer, counts) for answer in counts.test_answers)


def _unit(counts: UnitCounts) -> str:
    return _row(
        unit_label(counts.unit),
        _of(counts.catches),
        _of(counts.fails_good),
        _unjudged(counts.catches, counts.fails_good),
        _untested(counts),
    )


def _total(counts: RubricCounts) -> str:
    unjudged = _unjudged(counts.catches, counts.fails_good)
    return _row("any of them", _of(counts.catches), _of(counts.fails_good), unjudged, "")


def _row(label: str, catches: str, fails: str, unjudged: str, remark: str) -> str:
    figures = f"    {catches:>8}  {fails:>10}  {unjudged:<13}"
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
        "aloneCatches": None,
        "failsGood": _tally_json(counts.fails_good),
    }


def _point_json(placed: PlacedPoint, *, is_untested: bool) -> dict[str, Data]:
    block = placed.rubric.block.value
    return {"text": point_text(placed.point), "block": block, "pathId": placed.path_id, "untested": is_untested}


def _tally_json(tally: Tally) -> dict[str, Data]:
    return {"count": tally.count, "of": tally.known, "unjudged": tally.unjudged, "interval": None}


def _test_answer_json(answer: ListedTestAnswer) -> dict[str, Data]:
    return {
        "case": answer.case.number,
        "kind": answer.kind.value,
        "label": "bad" if answer.case.is_bad else "good",
        "fails": list(answer.fails),
    }

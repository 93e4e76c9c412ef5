"""The table of what points are good for, where there are intervals."""

from __future__ import annotations

from engine.cases.binomial_interval import clopper_pearson
from engine.cases.criterion_counts import Interval, RubricCounts, Tally, UnitCounts, units_of
from studio.cli.case_points import points_json, points_lines
from tests.engine.builders import prompt, text

ONE = prompt([text("Names the lease")])
INTERVAL = Interval(10, 12, *clopper_pearson(10, 12))
CAUGHT, NONE = Tally(11, 14, 2, INTERVAL), Tally(0, 3, 0)
COUNTS = RubricCounts("p", ONE, (UnitCounts(units_of(ONE)[0], CAUGHT, NONE, NONE, ()),), CAUGHT, NONE, ())


def test_an_interval_stands_below_its_counts_with_its_answers() -> None:
    assert list(points_lines(COUNTS))[-2:] == [
        "    11 of 14    0 of 3      0 of 3  2 bad          “Names the lease”",
        "      catches 10 of 12 bad fresh answers, one for each model: 51.6–97.9%, 95% interval",
    ]


def test_an_interval_is_a_proportion_in_json() -> None:
    data = points_json(COUNTS)
    assert data["any"] == {
        "catches": {
            "count": 11,
            "of": 14,
            "unjudged": 2,
            "interval": {"count": 10, "of": 12, "low": INTERVAL.low, "high": INTERVAL.high},
        },
        "failsGood": {"count": 0, "of": 3, "unjudged": 0, "interval": None},
    }

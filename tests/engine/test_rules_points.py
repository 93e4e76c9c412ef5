"""What rules say of points that repeat, contradict or exclude one another."""

from __future__ import annotations

from tests.engine.rule_reports import only, rubric

# contradiction


def test_the_same_check_asked_for_and_forbidden_is_found_among_thousands() -> None:
    wanted = [f"$contains: asked {number:04}" for number in range(2_000)]
    forbidden = [f"$contains: barred {number:04}" for number in range(2_000)]
    one = only(rubric([*wanted, "$contains: duty"], [*forbidden, "$contains: duty"]), "contradiction")
    assert len(one.related) == 1

"""The words of the status line."""

from __future__ import annotations

import pytest

from engine.blueprint import Prompt
from engine.evaluation.headline import Headline, Remark
from engine.parsing import parse
from engine.scoring.explanation import Bounds
from studio.session.analysis import Tally
from studio.session.views.totals import totals_in_words
from studio.tui.panes.status import problems_text


@pytest.mark.parametrize(
    ("tally", "said"),
    [
        (None, "checking …"),
        (Tally(), "no problems"),
        (Tally(hints=1), "· 1 hint"),
        (Tally(hints=2), "· 2 hints"),
        (Tally(warnings=1, hints=2), "▲ 1 warning"),
        (Tally(errors=2, warnings=1), "● 2 errors · ▲ 1 warning"),
    ],
)
def test_errors_and_warnings_are_counted_and_hints_where_there_is_nothing_else(tally: Tally | None, said: str) -> None:
    assert str(problems_text(tally)) == said


def prompts(count: int) -> list[Prompt]:
    return list(parse("".join(f"- {{id: p{number}, prompt: x}}\n" for number in range(count))).blueprint.prompts)


def test_the_total_has_its_bounds_first_and_is_told_in_fewer_and_fewer_words() -> None:
    open_one = Headline(Bounds(0.2, 1.0), 1, 4, ((Remark.FAILED_CHECKS, 1),))
    assert totals_in_words(prompts(5), {"p0": open_one}) == (
        "20–100, 1 of 4 points judged, 1 check could not run, from 1 of 5 prompts",
        "20–100, 1 of 4 points judged, from 1 of 5 prompts",
        "20–100 from 1 of 5 prompts",
    )


def test_a_total_of_judged_points_is_one_number() -> None:
    whole = {"p0": Headline(Bounds(0.5, 0.5), 2, 2), "p1": Headline(Bounds(0.82, 0.82), 2, 2)}
    assert totals_in_words(prompts(2), whole)[0] == "66 of 100 from 2 of 2 prompts"


def test_nothing_scored_has_no_total() -> None:
    assert totals_in_words(prompts(2), {}) == ()

"""The words of the status line."""

from __future__ import annotations

import pytest

from engine.evaluation.headline import Headline, Remark, overall
from engine.scoring.explanation import Bounds
from studio.session.analysis import Tally
from studio.session.views.figures import total_texts
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


def test_the_total_has_its_bounds_first_and_is_told_in_fewer_and_fewer_words() -> None:
    open_one = Headline(Bounds(0.2, 1.0), 1, 4, ((Remark.FAILED_CHECKS, 1),))
    assert total_texts(open_one, 1, 5) == (
        "20–100, 1 of 4 points judged, 1 check could not run, from 1 of 5 prompts",
        "20–100, 1 of 4 points judged, from 1 of 5 prompts",
        "20–100 from 1 of 5 prompts",
    )


def test_a_total_of_judged_points_is_one_number() -> None:
    whole = overall([(1, Headline(Bounds(0.5, 0.5), 2, 2)), (1, Headline(Bounds(0.82, 0.82), 2, 2))])
    assert whole is not None
    assert total_texts(whole, 2, 2)[0] == "66 of 100 from 2 of 2 prompts"

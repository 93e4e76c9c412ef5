"""How many problems there are, in words."""

from __future__ import annotations

import pytest

from studio.session.analysis import Tally
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

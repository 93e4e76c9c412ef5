"""A few sizes of the window while a model answers."""

from __future__ import annotations

import pytest

from tests.benchmarks.model_server import Pace, running
from tests.fire.driven_studio import Broken
from tests.fire.resizing import HIGHEST, STEPS, WIDEST, Move, moves, play


def test_a_window_of_any_size_breaks_nothing_while_a_model_answers() -> None:
    steps = [
        Move((1, 1), ("f9", "pagedown")),
        Move((400, 1), ("escape", "ctrl+p", "pagedown")),
        Move((1, 120), ("escape", "ctrl+r", "end")),
        Move((400, 120), ("f1",)),
    ]
    with running(Pace(answer=0.0, judge=0.0, between=0.05, words=2000)) as url:
        play(steps, url)


def test_a_fault_while_the_window_changes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from textual.widgets import OptionList

    from studio.tui.option_lists import Commands, Options

    monkeypatch.setattr(Options, "action_page_down", OptionList.action_page_down)
    assert Commands.action_page_down is OptionList.action_page_down
    with running(Pace(answer=0.0, judge=0.0)) as url, pytest.raises(Broken, match="KeyError"):
        play([Move((400, 1), ("ctrl+p", "pagedown", "pagedown")), *[Move((400, 1), ("pagedown",))] * 5], url)


def test_sizes_reach_from_one_cell_to_the_largest_window() -> None:
    sizes = [move.size for number in range(20) for move in moves(1, number)]
    assert len(sizes) == 20 * STEPS
    assert (1, 1) in sizes
    assert (WIDEST, HIGHEST) in sizes
    assert all(1 <= columns <= WIDEST and 1 <= rows <= HIGHEST for columns, rows in sizes)

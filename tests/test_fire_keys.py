"""A few random sequences of keys, a model that notices what they must not do, and windows of any size."""

from __future__ import annotations

import pytest

from tests.benchmarks.model_server import Pace, running
from tests.fire import keys
from tests.fire.driven_studio import Broken
from tests.fire.resizing import HIGHEST, STEPS, WIDEST, Move, moves, play
from tests.fire.text_model import TextModel
from tests.many_cases import every
from tests.thoroughness import tried


def test_random_keys_leave_a_studio_that_works() -> None:
    assert keys.attack(0, tried(4, 6)) is None


@every(
    ("text", "cursor", "key", "after", "others"),
    [
        ("ab", 1, "backspace", "b", ("ab", "a")),
        ("a\r\nb", 3, "backspace", "ab", ("a\r\nb", "a\nb")),
        ("a\r\nb", 1, "delete", "ab", ("a\r\nb", "a\rb")),
        ("a\nb\n", 0, "ctrl+shift+k", "b\n", ("a\nb\n", "\nb\n")),
        ("a\n  b", 5, "shift+tab", "a\nb", ("a\n  ", "a\n  c", "  a\n  b")),
        ("a", 1, "tab", "a ", ("a", "a   ")),
        ("a\n  b", 0, "ctrl+underscore", "# a\n  b", ("# a\n# b", "# \n  b")),
        ("a: x\nb", 4, "enter", "a: x\n  - \nb", ("a: x\nb", "a: \nb", "a: x\n  - y\nb", "a: x\n  - \n  b")),
        ("ab", 0, "ctrl+k", "ab", ("", "b")),
    ],
)
def test_the_model_knows_what_a_key_may_do(
    text: str, cursor: int, key: str, after: str, others: tuple[str, ...]
) -> None:
    law = TextModel(text, anchor=cursor, cursor=cursor).law(key)
    assert law(after) is not None
    assert [other for other in others if law(other) is not None] == []


def test_the_model_knows_undo_and_redo_to_the_last_state() -> None:
    model = TextModel("a", anchor=1, cursor=1)
    for key, after in (("x", "ax"), ("backspace", "a")):
        outcome = model.law(key, key if len(key) == 1 else None)(after)
        assert outcome is not None
        model.accept(outcome)
        model.anchor = model.cursor = len(after)
    assert model.law("ctrl+z")("ax") is not None
    assert model.law("ctrl+z")("a") is None


# --- Sizes


def test_a_window_of_any_size_breaks_nothing_while_a_model_answers() -> None:
    steps = [
        Move((1, 1), ("f9", "pagedown")),
        Move((400, 1), ("escape", "ctrl+p", "pagedown")),
        Move((1, 120), ("escape", "ctrl+r", "end")),
        Move((400, 120), ("f1",)),
    ]
    with running(Pace(answer=0.0, judge=0.0, between=0.2, words=2000)) as url:
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

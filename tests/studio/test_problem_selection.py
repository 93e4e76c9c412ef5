"""Which problem is selected: the one at the cursor, else the same one as before, however fast the checking is."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from engine.rules.causes import by_cause
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import Position, Span
from studio.session.views.problems_view import Problem, ProblemRow, ProblemsView
from studio.tui.panes.problems import Problems
from tests.studio.driving.alone import Alone


class Listed(Alone):
    """The list of problems alone on the screen, of a text in which nothing moves."""

    def __init__(self) -> None:
        self.list = Problems()
        super().__init__(self.list)

    def found(self, letters: str, *, is_complete: bool) -> None:
        """Show these problems of a text. Each is at the place of its letter in the alphabet."""
        found = [
            Diagnostic(letter, letter, Severity.WARNING, Span(ord(letter), ord(letter) + 1), f"is {letter}", "")
            for letter in letters
        ]
        problems = tuple(Problem(each, Position(0, each.span.start)) for each in found)
        rows = tuple(ProblemRow(cause, (each,)) for each, cause in zip(problems, by_cause(found), strict=True))
        view = ProblemsView(1, "", problems, rows, tuple(range(len(rows))), frozenset(), may_be_run=True)
        self.list.show_view(view, lambda at, _: at, is_complete=is_complete)

    @property
    def selected(self) -> str:
        assert self.list.row is not None
        return self.list.row.places[0].diagnostic.slug

    def select(self, letter: str) -> None:
        self.list.open(ord(letter))
        assert self.selected == letter


@pytest.fixture
async def problems() -> AsyncIterator[Listed]:
    app = Listed()
    async with app.run_test(size=(80, 10)):
        app.list.open(0)
        yield app


@pytest.mark.parametrize("at_first", ["ade", "ad", "e", "abcde", ""])
async def test_the_next_problem_is_the_same_whatever_was_found_first(problems: Listed, at_first: str) -> None:
    problems.found("abcde", is_complete=True)
    problems.select("b")
    problems.found(at_first.replace("b", ""), is_complete=False)
    problems.found("acde", is_complete=True)
    assert problems.selected == "c"


async def test_a_problem_that_is_missing_for_a_moment_is_selected_again(problems: Listed) -> None:
    problems.found("abc", is_complete=True)
    problems.select("b")
    problems.found("ac", is_complete=False)
    problems.found("abc", is_complete=True)
    assert problems.selected == "b"


async def test_a_problem_that_was_selected_by_a_key_stays_selected_when_more_are_found(problems: Listed) -> None:
    problems.found("abe", is_complete=True)
    problems.select("b")
    problems.found("ae", is_complete=False)
    problems.list.action_move(-1)
    problems.found("ace", is_complete=True)
    assert problems.selected == "a"


async def test_the_problem_that_an_author_comes_to_stays_selected_when_more_are_found(problems: Listed) -> None:
    problems.list.display = False
    problems.found("b", is_complete=False)
    problems.list.open(0)
    problems.found("ab", is_complete=True)
    assert problems.selected == "b"


async def test_after_the_last_problem_the_one_before_it_is_selected(problems: Listed) -> None:
    problems.found("abc", is_complete=True)
    problems.select("c")
    problems.found("ab", is_complete=True)
    assert problems.selected == "b"


@pytest.mark.parametrize("at_first", ["b", "ab", ""])
async def test_in_a_file_that_is_opened_the_first_problem_is_selected(problems: Listed, at_first: str) -> None:
    problems.found(at_first, is_complete=False)
    problems.found("ab", is_complete=True)
    assert problems.selected == "a"

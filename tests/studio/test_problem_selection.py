"""Which problem is selected: the one at the cursor, else the same one as before, however fast the checking is."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from textual.pilot import Pilot

from engine.rules.causes import by_cause
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import Position, Span
from studio.session.views.problems_view import ProblemRow, ProblemsView
from studio.tui.panes.problem_list import ProblemList
from tests.studio.driving.alone import Alone


class Problems(Alone):
    """A list of problems alone on the screen, of a text in which nothing moves."""

    def __init__(self) -> None:
        self.list = ProblemList()
        super().__init__(self.list)

    def found(self, letters: str, *, is_complete: bool) -> None:
        """Show these problems of a text. Each is at the place of its letter in the alphabet."""
        found = [
            Diagnostic(letter, letter, Severity.WARNING, Span(ord(letter), ord(letter) + 1), f"is {letter}", "")
            for letter in letters
        ]
        causes = by_cause(found)
        places = tuple(
            ProblemRow(each, Position(0, each.span.start), cause) for each, cause in zip(found, causes, strict=True)
        )
        self.list.show(
            ProblemsView(1, "", places, causes, frozenset(), may_be_run=True), lambda at, _: at, is_complete=is_complete
        )

    @property
    def selected(self) -> str:
        assert self.list.row is not None
        return self.list.row.diagnostic.slug

    def select(self, letter: str) -> None:
        assert self.list.select_at(ord(letter))


@pytest.fixture
async def problems() -> AsyncIterator[Problems]:
    app = Problems()
    async with app.run_test(size=(80, 10)):
        yield app


@pytest.mark.parametrize("at_first", ["ade", "ad", "e", "abcde", ""])
async def test_the_next_problem_is_the_same_whatever_was_found_first(problems: Problems, at_first: str) -> None:
    problems.found("abcde", is_complete=True)
    problems.select("b")
    problems.found(at_first.replace("b", ""), is_complete=False)
    problems.found("acde", is_complete=True)
    assert problems.selected == "c"


async def test_a_problem_that_is_missing_for_a_moment_is_selected_again(problems: Problems) -> None:
    problems.found("abc", is_complete=True)
    problems.select("b")
    problems.found("ac", is_complete=False)
    problems.found("abc", is_complete=True)
    assert problems.selected == "b"


async def test_a_problem_that_was_selected_by_a_key_stays_selected_when_more_are_found(problems: Problems) -> None:
    problems.found("abe", is_complete=True)
    problems.select("b")
    problems.found("ae", is_complete=False)
    problems.list.action_move(-1)
    problems.found("ace", is_complete=True)
    assert problems.selected == "a"


async def test_the_problem_that_an_author_comes_to_stays_selected_when_more_are_found() -> None:
    app = Problems()
    async with app.run_test(size=(80, 10)) as pilot:
        await blurred(pilot)
        app.found("b", is_complete=False)
        app.list.focus()
        await pilot.pause()
        app.found("ab", is_complete=True)
        assert app.selected == "b"


async def blurred(pilot: Pilot[None]) -> None:
    pilot.app.set_focus(None)
    await pilot.pause()


async def test_after_the_last_problem_the_one_before_it_is_selected(problems: Problems) -> None:
    problems.found("abc", is_complete=True)
    problems.select("c")
    problems.found("ab", is_complete=True)
    assert problems.selected == "b"


@pytest.mark.parametrize("at_first", ["b", "ab", ""])
async def test_in_a_file_that_is_opened_the_first_problem_is_selected(problems: Problems, at_first: str) -> None:
    problems.found(at_first, is_complete=False)
    problems.found("ab", is_complete=True)
    assert problems.selected == "a"

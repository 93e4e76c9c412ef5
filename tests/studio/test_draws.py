"""How often each pane draws: once for each state that it shows, and not at all where its view stays the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from operator import eq
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot
from textual.widget import Widget

from studio.session.run_configuration import AnswerChoice
from studio.tui.panes.answer import AnswerThread
from studio.tui.panes.criteria import Criteria
from studio.tui.panes.outline import Outline
from studio.tui.panes.problems import Problems
from studio.tui.panes.status import CursorLine, Footer
from studio.tui.panes.strip import PaneStrip
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.window import Pane
from tests.repeated_problems import quoted_checks
from tests.studio.driving import opened, runs_of, settle
from tests.studio.model_server import ModelServer
from tests.studio.text_files import text_file
from tests.thoroughness import tried

pytestmark = pytest.mark.every_frame

TEXT = text_file("draws.yml")
DRAWS: dict[str, tuple[type[Widget], str]] = {
    "outline": (Outline, "_laid_out"),
    "problems": (Problems, "_laid_out"),
    "criteria": (Criteria, "show"),
    "answer": (AnswerThread, "_laid_out"),
    "status": (PaneStrip, "render"),
    "footer": (Footer, "render"),
    "cursor line": (CursorLine, "render"),
}
"""What each pane draws with."""


class Draws:
    """What each pane has drawn, in turn."""

    def __init__(self) -> None:
        self.drawn: dict[str, list[object]] = defaultdict(list)

    @property
    def counts(self) -> dict[str, int]:
        """How often each pane has drawn."""
        return {name: len(contents) for name, contents in self.drawn.items()}

    @property
    def repeated(self) -> list[str]:
        """The panes that drew the same twice in a row."""
        return [name for name, contents in self.drawn.items() if any(map(eq, contents, contents[1:]))]


@pytest.fixture
def draws(monkeypatch: pytest.MonkeyPatch) -> Draws:
    draws = Draws()

    def noting(name: str, draw: Callable[..., Any]) -> Callable[..., Any]:
        def noted(self: Widget, *given: Any, **named: Any) -> Any:
            result = draw(self, *given, **named)
            content = str(result) if not given else tuple(given[0]) if isinstance(given[0], Sequence) else given[0]
            draws.drawn[name].append(content)
            return result

        return noted

    for name, (pane, method) in DRAWS.items():
        monkeypatch.setattr(pane, method, noting(name, getattr(pane, method)))
    return draws


async def still(pilot: Pilot[Any]) -> BlueprintScreen:
    """The screen once all that was begun is drawn."""
    await settle(pilot)
    await pilot.pause(0.05)
    return await settle(pilot)


async def at_the_prompt(pilot: Pilot[Any], draws: Draws, answers: AnswerChoice | None = None) -> BlueprintScreen:
    """The screen with the cursor in the first prompt, its draws forgotten."""
    screen = await settle(pilot)
    if answers is not None:
        await runs_of(screen).configuration.choose(answers)
    screen.editor.go_to(TEXT.index("notice period"))
    await still(pilot)
    draws.drawn.clear()
    return screen


def at_most(draws: Draws, **most: int) -> None:
    """No pane draws the same twice in a row, and none more often than it has states."""
    names = {name.replace(" ", "_"): count for name, count in draws.counts.items()}
    assert draws.repeated == []
    assert {name: count for name, count in names.items() if count > most.get(name, 0)} == {}, names


async def test_the_first_keystroke_draws_that_the_text_is_not_saved_and_how_to_save(
    tmp_path: Path, draws: Draws
) -> None:
    async with opened(tmp_path, TEXT) as page:
        await at_the_prompt(page.pilot, draws)
        await page.hit("x")
        await still(page.pilot)
        at_most(draws, outline=1, status=1, footer=1, cursor_line=1)  # the prompt is typed in


async def test_a_keystroke_among_many_reports_draws_no_more(tmp_path: Path, draws: Draws) -> None:
    text = quoted_checks(tried(100, 2000))
    async with opened(tmp_path, text) as page:
        await page.hit("f3", "home", "escape")
        page.screen.editor.go_to(text.rindex("Names the number"))
        await page.hit("x")
        await still(page.pilot)
        draws.drawn.clear()
        await page.hit("y")
        await still(page.pilot)
        at_most(draws, criteria=1)  # the criterion is typed in


async def test_f5_on_the_ideal_draws_each_pane_once_for_each_state(tmp_path: Path, draws: Draws) -> None:
    async with opened(tmp_path, TEXT) as page:
        await at_the_prompt(page.pilot, draws)
        await page.hit("f5")
        await still(page.pilot)
        # result: waits, is checked, is scored, with its evidence; answer: waits, is there, with its evidence
        # footer: stop, and run
        at_most(draws, outline=1, status=2, footer=2, criteria=4, answer=3, cursor_line=1)


async def test_a_streamed_answer_draws_each_pane_once_for_each_state(
    tmp_path: Path, draws: Draws, httpserver: HTTPServer
) -> None:
    server = ModelServer(httpserver, lambda _: "It is 30 days, as the lease says.")
    server.held = True
    tiny = AnswerChoice((server.source(),))
    async with opened(tmp_path, TEXT) as page:
        await at_the_prompt(page.pilot, draws, tiny)
        page.screen.open_pane(Pane.ANSWER)
        await still(page.pilot)
        draws.drawn.clear()
        await page.hit("f5", until=lambda: page.runs.state.arriving)
        server.release()
        await still(page.pilot)
        # answer, which is drawn where it is seen: waits, "It ", the rest, whole, with its evidence
        # footer: stop, run; between them the keys of the first row of the result, or those of the answer
        # result: waits, is checked, is scored, with its evidence
        states = {"criteria": 4, "answer": 5, "footer": 3}
        # outline: the score, and that one more answer was read
        at_most(draws, outline=2, status=2, cursor_line=1, **states)

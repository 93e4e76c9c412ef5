"""What a screen costs: each pane draws once for each state, and what is closed or dropped is given back."""

from __future__ import annotations

import gc
import threading
import weakref
from collections import defaultdict
from collections.abc import Callable, Sequence
from operator import eq
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot
from textual.widget import Widget

from engine.files.open_files import open_file
from studio.session.run_configuration import AnswerChoice
from studio.tui import app, old_garbage
from studio.tui.app import Studio
from studio.tui.old_garbage import OldGarbage
from studio.tui.panes.answer import AnswerThread
from studio.tui.panes.criteria import Criteria
from studio.tui.panes.outline import Outline
from studio.tui.panes.problems import Problems
from studio.tui.panes.status import CursorLine, Footer
from studio.tui.panes.strip import PaneStrip
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.window import Pane
from tests.repeated_problems import quoted_checks
from tests.studio.driving import QUOTED, WIDE, blueprint_screen, opened, runs_of, settle, studio_on, wait_until
from tests.studio.model_server import ModelServer
from tests.studio.text_files import text_file
from tests.thoroughness import tried

pytestmark = pytest.mark.every_frame


def shown(pilot: Pilot[Any]) -> BlueprintScreen:
    assert isinstance(pilot.app, Studio)
    return blueprint_screen(pilot.app)


async def reopened(pilot: Pilot[Any], path: Path) -> None:
    """Open the file anew, and wait until it is."""
    before = shown(pilot)
    assert isinstance(pilot.app, Studio)
    pilot.app.open_file(open_file(path))
    await wait_until(pilot, lambda: shown(pilot) is not before)
    await settle(pilot)


@pytest.fixture(autouse=True)
def nothing_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the app exempts from collection stays by design; what apps of other tests exempted is not looked at."""
    monkeypatch.setattr(gc, "freeze", lambda: None)


async def test_the_screen_of_a_closed_file_is_given_back(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    async with opened(path, QUOTED) as page:
        await reopened(page.pilot, path)
        closed = weakref.ref(shown(page.pilot))
        await reopened(page.pilot, path)
        await reopened(page.pilot, path)
        gc.collect()
        assert closed() is None


async def test_what_was_painted_of_closed_widgets_is_given_back(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    async with opened(path, QUOTED) as page:
        await page.hit("f1")
        painted = [weakref.ref(widget._styles_cache) for widget in page.app.screen.query(Widget)]
        await page.hit("escape")
        await page.settle()
        gc.collect()
        assert [each() for each in painted if each() is not None] == []


# --- What was dropped long after it was made is given back within seconds of a pause, and never while keys come


class Circle:
    """An object that only the collector gives back."""

    def __init__(self) -> None:
        self.itself = self


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def dropped_when_old() -> weakref.ref[Circle]:
    """A circle that outlived both younger generations."""
    circle = Circle()
    gc.collect(0)
    gc.collect(1)
    return weakref.ref(circle)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def garbage(clock: Clock) -> OldGarbage:
    gc.collect()
    return OldGarbage(clock)


def test_old_garbage_is_collected_in_a_pause(garbage: OldGarbage, clock: Clock) -> None:
    dropped = dropped_when_old()
    clock.now += 11
    garbage.collect()
    assert dropped() is None


def test_nothing_is_collected_while_the_author_types(garbage: OldGarbage, clock: Clock) -> None:
    dropped = dropped_when_old()
    clock.now += 11
    garbage.note_input()
    clock.now += 0.5
    garbage.collect()
    assert dropped() is not None


def test_it_is_collected_while_the_author_types_on_for_minutes(garbage: OldGarbage, clock: Clock) -> None:
    dropped = dropped_when_old()
    clock.now += 121
    garbage.note_input()
    garbage.collect()
    assert dropped() is None


def test_unused_memory_is_given_back_to_the_system(
    garbage: OldGarbage, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_back = threading.Event()
    monkeypatch.setattr(old_garbage, "_give_back", given_back.set)
    dropped_when_old()
    clock.now += 11
    garbage.collect()
    assert given_back.wait(60)


async def test_the_app_gives_back_what_it_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_STARTED_SECONDS", 0.01)
    monkeypatch.setattr(app, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(old_garbage, "_APART_SECONDS", 0.0)
    monkeypatch.setattr(old_garbage, "_PAUSE_FACTOR", 0)
    monkeypatch.setattr(old_garbage, "_PAUSE_SECONDS", 0.1)
    studio = studio_on(tmp_path / "x.yml", QUOTED)
    async with studio.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await wait_until(pilot, lambda: gc.get_threshold() == app._COLLECT_AFTER)
        dropped = dropped_when_old()
        await wait_until(pilot, lambda: dropped() is None)


async def test_a_key_is_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[str] = []
    monkeypatch.setattr(OldGarbage, "note_input", lambda _: noted.append("key"))
    async with opened(tmp_path, QUOTED) as page:
        noted.clear()
        await page.hit("x")
    assert noted


# --- How often each pane draws: once for each state that it shows, and not at all where its view stays the same


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

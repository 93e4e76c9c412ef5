"""The closest sentence in the studio: found behind the run that is shown, lit up for the selected point."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from engine.closest_sentence import EncoderFailed
from engine.closest_sentence.encoder import Vector
from studio.session import closest_search
from studio.session.model_status import status_text
from studio.tui.dialogs.judge_dialog import ChooseJudges
from studio.tui.panes.response_pane import ResponsePane
from studio.tui.panes.result_pane import ResultPane
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.closest_sentence.by_words import ByWords
from tests.studio.driving import WIDE, press, runs_of, settle, studio_on, wait_until

TWO = """\
title: Two prompts
---
- id: first
  prompt: Who says so?
  ideal: Good morning. The lease says so. So does the statute.
  should:
    - Names the lease
    - $icontains: statute
- id: second
  prompt: And who else?
  ideal: The river. The tree.
  should:
    - Names the tree
"""


@pytest.fixture(autouse=True)
def _an_encoder_without_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closest_search, "what_is_missing", lambda: None)
    monkeypatch.setattr(closest_search, "the_encoder", ByWords)


def head(screen: BlueprintScreen) -> str:
    return str(screen.query_one("#result-head", Static).content)


def detail(screen: BlueprintScreen) -> str:
    return str(screen.query_one("#result-detail-text", Static).content)


def is_found(screen: BlueprintScreen) -> bool:
    return "closest sentence: “" in detail(screen)


async def run_first(pilot: Pilot[Any]) -> BlueprintScreen:
    """Put the cursor into the first prompt, run its ideal, and wait for the closest sentence."""
    screen = await settle(pilot)
    screen.go_to(TWO.index("Who says"), screen.editor.revision)
    screen = await press(pilot, "f5", "ctrl+r")
    await wait_until(pilot, lambda: is_found(screen))
    return screen


async def test_a_point_in_words_names_its_closest_sentence_and_lights_it_up(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "two.yml", TWO).run_test(size=WIDE) as pilot:
        screen = await run_first(pilot)
        assert "closest sentence: “The lease says so.”" in detail(screen)
        await press(pilot, "ctrl+t")
        shown = screen.query_one(ResponsePane).shown
        assert [span.of(shown.passages[0].text) for span in shown.passages[0].evidence] == ["The lease says so."]
        assert shown.has_class("-closest")


async def test_a_check_has_its_evidence_and_no_closest_sentence(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "two.yml", TWO).run_test(size=WIDE) as pilot:
        screen = await run_first(pilot)
        await press(pilot, "down")
        assert "closest" not in detail(screen)
        await press(pilot, "ctrl+t")
        assert not screen.query_one(ResponsePane).shown.has_class("-closest")


async def test_no_number_comes_with_it(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "two.yml", TWO).run_test(size=WIDE) as pilot:
        screen = await run_first(pilot)
        [line] = [line for line in detail(screen).splitlines() if "closest" in line]
        assert not any(each.isdigit() or each == "%" for each in line)
        assert "≈" not in drawn(pilot)


async def test_the_score_does_not_know_of_it(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "two.yml", TWO).run_test(size=WIDE) as pilot:
        screen = await run_first(pilot)
        run = runs_of(screen).selection.run
        assert run is not None
        assert run.explanation is not None
        assert [each.extent for each in run.assessments] == [None, 1.0]
        assert (run.explanation.bounds.low, run.explanation.bounds.high) == (0.5, 1.0)


def drawn(pilot: Pilot[Any]) -> str:
    return pilot.app.export_screenshot().replace("&#160;", " ")


async def test_another_criterion_is_searched_for_anew(tmp_path: Path) -> None:
    async with studio_on(tmp_path / "two.yml", TWO).run_test(size=WIDE) as pilot:
        screen = await run_first(pilot)
        place = screen.editor.text_out().index("the lease\n    - $icon")
        await press(pilot, "escape")
        screen.go_to(place + len("the "), screen.editor.revision)
        await pilot.press(*["delete"] * len("lease"), *"statute")
        await settle(pilot)
        await wait_until(pilot, lambda: "So does the statute." in detail(screen))


async def test_what_cannot_be_made_is_told_and_leaves_the_result_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def encode(self, texts: Sequence[str]) -> list[Vector]:
            raise EncoderFailed("The sentence encoder's process ended", "Try again: it restarts.")

    monkeypatch.setattr(closest_search, "the_encoder", Broken)
    async with studio_on(tmp_path / "two.yml", TWO).run_test(size=WIDE, notifications=True) as pilot:
        screen = await settle(pilot)
        screen.go_to(TWO.index("Who says"), screen.editor.revision)
        await press(pilot, "f5", "ctrl+r")
        await wait_until(pilot, lambda: any("process ended" in each.message for each in pilot.app._notifications))
        await wait_until(pilot, lambda: "closest" not in detail(screen))
        assert "100" in head(screen)


async def test_the_newest_answer_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = threading.Event()
    asked: list[str] = []

    class Slow(ByWords):
        def encode(self, texts: Sequence[str]) -> list[Vector]:
            asked.extend(texts)
            free.wait(60)
            return super().encode(texts)

    monkeypatch.setattr(closest_search, "the_encoder", Slow)
    async with studio_on(tmp_path / "two.yml", TWO).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.go_to(TWO.index("Who says"), screen.editor.revision)
        await press(pilot, "f5")
        await wait_until(pilot, lambda: "Good morning." in asked)
        screen.go_to(TWO.index("And who"), screen.editor.revision)
        await press(pilot, "f5", "ctrl+r")
        free.set()
        await wait_until(pilot, lambda: is_found(screen))
        assert "The river." in asked
        assert "Names the lease" not in asked


async def test_without_weights_nothing_is_shown_and_the_dialog_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numpy")
    monkeypatch.undo()
    monkeypatch.setenv("BLUEPRINT_STUDIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("BLUEPRINT_STUDIO_DATA", str(tmp_path))
    async with studio_on(tmp_path / "two.yml", TWO).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.go_to(TWO.index("Who says"), screen.editor.revision)
        await press(pilot, "f5", "ctrl+r")
        assert screen.query_one(ResultPane).row is not None
        assert "closest" not in detail(screen)
        screen.action_judges()
        await wait_until(pilot, lambda: isinstance(pilot.app.screen, ChooseJudges))
        assert "studio models install minilm" in " ".join(drawn(pilot).split())


async def test_the_start_screen_says_whether_the_encoder_is_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numpy")
    monkeypatch.setenv("BLUEPRINT_STUDIO_DATA", str(tmp_path))
    assert "The sentence encoder is not here. Run `studio models install minilm`." in await status_text()


async def test_closing_the_file_does_not_wait_for_a_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free, done = threading.Event(), threading.Event()
    asked: list[str] = []

    class Slow(ByWords):
        def encode(self, texts: Sequence[str]) -> list[Vector]:
            asked.extend(texts)
            free.wait(60)
            done.set()
            return super().encode(texts)

    monkeypatch.setattr(closest_search, "the_encoder", Slow)
    async with studio_on(tmp_path / "two.yml", TWO).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.go_to(TWO.index("Who says"), screen.editor.revision)
        await press(pilot, "f5")
        await wait_until(pilot, lambda: "Good morning." in asked)
        runs_of(screen).close()
        free.set()
        await wait_until(pilot, done.is_set)
    await asyncio.sleep(0.2)
    assert "Names the lease" not in asked

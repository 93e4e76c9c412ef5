"""The closest sentence in the studio, lit up for the selected point."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from studio.tui.panes.response_pane import ResponsePane
from studio.tui.panes.sections.detail import cut_passage
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import WIDE, press, runs_of, settle, studio_on, wait_until

TWO = """\
title: Two prompts
---
- id: first
  prompt: Who says so?
  ideal: Good morning. The old lease says so. So does the new statute.
  should:
    - Names the old lease
    - $icontains: statute
- id: second
  prompt: And who else?
  ideal: The river. The tree.
  should:
    - Names the tree
"""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It is short.", "It is short."),
        ("If none does, you can apply to the county court for the deposit and for compensation.",
         "If none does, you can apply to the county court for the deposit and…"),
        ("租" * 100, f"{'租' * 69}…"),
    ],
)  # fmt: skip
def test_a_passage_is_cut_behind_a_word(text: str, shown: str) -> None:
    assert cut_passage(text) == shown


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
        assert "closest sentence: “The old lease says so.”" in detail(screen)
        await press(pilot, "ctrl+t")
        shown = screen.query_one(ResponsePane).shown
        assert [span.of(shown.passages[0].text) for span in shown.passages[0].evidence] == ["The old lease says so."]
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
        place = screen.editor.text_out().index("the old lease\n    - $icon")
        await press(pilot, "escape")
        screen.go_to(place + len("the "), screen.editor.revision)
        await pilot.press(*["delete"] * len("old lease"), *"new statute")
        await settle(pilot)
        await wait_until(pilot, lambda: "So does the new statute." in detail(screen))

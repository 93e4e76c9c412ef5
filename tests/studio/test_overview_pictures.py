"""Pictures of the header's result. What matters in each is asserted beside it, in words."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from studio.tui.screens.side import RESULT
from studio.tui.theme import LIGHT
from tests.studio.driving import NARROW, WIDE, look, press, see, settle, studio_on

Snap = Callable[..., bool]
Run = Callable[[Pilot[Any]], Awaitable[None]]

HEADER = """\
title: Tenants' rights in England
description: |
  Does a model give a **private tenant** an answer that they can act on?

  - Each rubric names the *law* that it rests on.
  - Each ideal is one that a [housing adviser](https://example.org/advice) would stand by.
author: {name: Ada Adviser, url: "https://example.org/ada"}
references:
  - {title: "Housing Act 2004, sections 212 to 215", url: "https://example.org/act"}
  - How to rent (leaflet)
models: [CORE, "openai:gpt-4o-mini"]
---
"""
IDEALS = {
    "deposit-not-protected": ("30 days, in an authorised scheme.", 3, ("30 days", "scheme", "county court")),
    "visits-without-notice": ("At least 24 hours, in writing.", 1, ("24 hours", "in writing")),
    "broken-boiler": ("Heating is for the landlord to keep in repair.", 2, ("landlord", "environmental health")),
    "locks-changed": ("That is an unlawful eviction.", 1, ("unlawful", "council", "court order", "police")),
    "how-much-deposit": ("Five weeks of rent at most.", 1, ("five weeks",)),
    "who-answers-at-all": (None, 1, ("ombudsman",)),
}


def blueprint() -> str:
    prompts = [
        {
            "id": name,
            "prompt": f"What can I do: {name}?",
            "weight": weight,
            "should": [{"$icontains": each} for each in points],
        }
        | ({} if ideal is None else {"ideal": ideal})
        for name, (ideal, weight, points) in IDEALS.items()
    ]
    return HEADER + "".join(f"- {json.dumps(prompt)}\n" for prompt in prompts)


def opened(tmp_path: Path) -> Any:
    (tmp_path / "models").mkdir()
    listed = ["openai:gpt-4.1", "anthropic:claude-sonnet-4", "google:gemini-2.5-flash"]
    (tmp_path / "models" / "CORE.json").write_text(json.dumps(listed), "utf-8")
    return studio_on(tmp_path / "rights.yml", blueprint())


def showing(*keys: str, shows: tuple[str, ...], light: bool = False) -> Run:
    """Go to the result of the header, press `keys`; the screen must show `shows`."""

    async def run(pilot: Pilot[Any]) -> None:
        screen = await settle(pilot)
        if light:
            pilot.app.theme = LIGHT
        screen.show_tab(RESULT)
        await press(pilot, *keys)
        screen.app.clear_notifications()
        await see(pilot, *shows)

    return run


SCORED = ("from 5 of 6 prompts with the ideal", "▾costs", "s sorts")


async def test_before_anything_was_run(tmp_path: Path) -> None:
    shows = ("no score yet", "F6 runs all prompts with the ideal", "not run", "private tenant")
    text = "\n".join(await look(opened(tmp_path), WIDE, showing(shows=shows)))
    assert [said for said in shows if said not in text] == []


def test_prompts_by_what_they_cost(tmp_path: Path, snap_compare: Snap) -> None:
    shows = (*SCORED, "costs 12.5: at 100")
    run = showing("f6", *["down"] * 5, shows=shows)
    assert snap_compare(opened(tmp_path), terminal_size=WIDE, run_before=run)


async def test_models_with_what_their_collection_lists(tmp_path: Path) -> None:
    shows = ("CORE, a collection of 3 models", "google:gemini-2.5-flash", "openai:gpt-4o-mini")
    text = "\n".join(await look(opened(tmp_path), WIDE, showing("f6", *["down"] * 4, shows=shows)))
    assert [said for said in shows if said not in text] == []


def test_beside_80_columns(tmp_path: Path, snap_compare: Snap) -> None:
    run = showing("f6", shows=(*SCORED, "private tenant"))
    assert snap_compare(opened(tmp_path), terminal_size=NARROW, run_before=run)


async def test_another_theme_moves_nothing_in_the_overview(tmp_path: Path) -> None:
    shows = (*SCORED, "private tenant")
    rows: list[list[str]] = []
    for light in (True, False):
        folder = tmp_path / f"light {light}"
        folder.mkdir()
        rows.append(await look(opened(folder), WIDE, showing("f6", shows=shows, light=light)))
    assert rows[0] == rows[1]


def test_the_arithmetic_of_the_blueprint(tmp_path: Path, snap_compare: Snap) -> None:
    shows = ("scores × weights", "1 prompt has no score: left out of the mean")
    run = showing("f6", "end", shows=shows)
    assert snap_compare(opened(tmp_path), terminal_size=NARROW, run_before=run)

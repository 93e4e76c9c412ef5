"""Pictures of judges at work and done, and of tools. What matters in each is asserted beside it, in words."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.pilot import Pilot

from engine.judging.panel import JudgesAs
from tests.studio.driving import (
    NARROW,
    WIDE,
    analysis_of,
    press,
    runs_of,
    see,
    settle,
    studio_on,
    wait_until,
)
from tests.studio.model_server import ModelServer, verdict

Snap = Callable[..., bool]

RUBRIC = """\
- id: notice
  prompt: May my landlord give notice by mail?
  ideal: No. Notice of 30 days has to be given in writing and signed (section 568).
  should:
    - $icontains: 30 days
    - Says that notice has to be in writing
    - Names section 568
    - Tells what to do next
  should_not:
    - Gives advice on how to avoid paying rent
"""
TOOLS = """\
title: Sums
tools:
  - name: calculator
toolUse: {maxSteps: 1}
---
- id: sum
  prompt: What is 312 * 49?
  prohibitedTools: [search]
  requiredTools: [calculator]
  ideal: |
    TOOL_CALL {"name": "calculator", "arguments": {"expression": "312*94"}}
    - TOOL_CALL {"name": "search", "arguments": {"query": "312*49"}}
    TOOL_CALL {"name": "search", "arguments": {"query": "312*49"}}
  should:
    - $tool_called: calculator
    - $tool_args_match: {name: calculator, where: {expression: "312*49"}}
"""


class Bench:
    """Two judges, `strict` and `kind`; the second waits until it is let go."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def said(self, body: dict[str, Any]) -> str:
        criterion = body["messages"][1]["content"].rpartition("<criterion")[2]
        if body["model"] == "kind":
            self.go_on.wait(60)
        if "next" in criterion:
            return "I'm sorry, but I can't help with that."
        if "avoid paying" in criterion:
            return verdict("CLASS_ABSENT", "Nothing of the kind is said.")
        if body["model"] == "kind":
            return verdict("CLASS_PARTIALLY_PRESENT", "It is there, though only in passing.")
        return verdict("CLASS_MAJORLY_PRESENT", "Named in so many words, but without the reason for it.")


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.go_on.set()


@pytest.fixture
def server(bench: Bench) -> Iterator[ModelServer]:
    with HTTPServer(threaded=True) as server:
        yield ModelServer(server, bench.said)


def blueprint(server: ModelServer) -> str:
    """A long description keeps the server's address, which changes, out of the picture."""
    models = f"models: [{server.model('strict')}, {server.model('kind')}]"
    judges = ", ".join(f"{{model: 'own:{name}', approach: standard, id: {name}}}" for name in ("strict", "kind"))
    description = "description: |\n" + "  What a tenant should know.\n" * 40
    return f"{models}\n{description}evaluationConfig: {{llm-coverage: {{judges: [{judges}]}}}}\n---\n{RUBRIC}"


Run = Callable[[Pilot[Any]], Awaitable[None]]


def judged(bench: Bench, *keys: str, shows: tuple[str, ...], all_of_them: bool = True) -> Run:
    """Run the prompt with judges, `kind` only if `all_of_them`; press `keys`; the screen must show `shows`."""

    async def run(pilot: Pilot[Any]) -> None:
        screen = await settle(pilot)
        runs_of(screen).configuration.judges_as = JudgesAs.DOCUMENTED
        screen.editor.go_to(analysis_of(screen).starts[0] + len(RUBRIC) - 10)
        if all_of_them:
            bench.go_on.set()
        await pilot.press("f5")
        if all_of_them:
            await settle(pilot)
        else:
            trying = runs_of(screen)
            await wait_until(pilot, lambda: trying.selection.run and len(trying.selection.run.judgements) == 4)
        for key in keys:
            await pilot.press(key)
        await see(pilot, *shows)

    return run


def pressed(*keys: str, shows: tuple[str, ...]) -> Run:
    async def run(pilot: Pilot[Any]) -> None:
        screen = await settle(pilot)
        screen.editor.go_to(TOOLS.index("prompt:"))
        await press(pilot, *keys)
        drawn = pilot.app.export_screenshot().replace("&#160;", " ")
        missing = [said for said in shows if said not in drawn]
        assert not missing

    return run


def test_verdicts_arriving(tmp_path: Path, server: ModelServer, bench: Bench, snap_compare: Snap) -> None:
    app = studio_on(tmp_path / "notice.yml", blueprint(server))
    shows = ("waits", "strict: majorly present; waiting for more", "Named in so")
    run = judged(bench, "ctrl+r", "down", shows=shows, all_of_them=False)
    assert snap_compare(app, terminal_size=WIDE, run_before=run)


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_two_judges(
    tmp_path: Path, server: ModelServer, bench: Bench, size: tuple[int, int], snap_compare: Snap
) -> None:
    app = studio_on(tmp_path / "notice.yml", blueprint(server))
    run = judged(bench, "ctrl+r", "down", shows=("2 judges: 75 and 50, mean 62.5, rounded 63",))
    assert snap_compare(app, terminal_size=size, run_before=run)


def test_judges_that_declined(tmp_path: Path, server: ModelServer, bench: Bench, snap_compare: Snap) -> None:
    app = studio_on(tmp_path / "notice.yml", blueprint(server))
    shows = ("no judge could judge it", "strict declined to judge")
    run = judged(bench, "ctrl+r", "down", "down", "down", shows=shows)
    assert snap_compare(app, terminal_size=WIDE, run_before=run)


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_tools(tmp_path: Path, size: tuple[int, int], snap_compare: Snap) -> None:
    app = studio_on(tmp_path / "sums.yml", TOOLS)
    run = pressed("f5", "ctrl+r", "down", "down", shows=("fails 1 of 2", "does not meet $tool_args_match"))
    assert snap_compare(app, terminal_size=size, run_before=run)

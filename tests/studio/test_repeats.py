"""*Repeat this prompt…* on the screen: two numbers and a consent are asked for, then the variation is shown."""

from __future__ import annotations

from pathlib import Path

from pytest_httpserver import HTTPServer

from engine.evaluation.sources import ModelSource
from tests.studio.driving import opened
from tests.studio.test_cli_run_repeat import Bench


async def test_repeats_are_asked_for_and_shown(tmp_path: Path, httpserver: HTTPServer) -> None:
    bench = Bench(httpserver)
    async with opened(tmp_path, bench.blueprint()) as page:
        page.judged()
        await page.choose(ModelSource("own:steady"))
        page.screen.editor.go_to(page.analysis.starts[0])
        await page.settle()
        await page.do("repeat")
        await (await page.asked("How often is the prompt answered")).fill("2")
        await (await page.asked("How often does each judge")).fill("2")
        await page.asked("Send: ")
        await page.hit("enter", asks="100.0 over 2 answers: 100.0, 100.0")
        await page.reply("escape")
        await page.do("repeat")
        await page.asked("Show the last result")
        await page.hit("enter", asks="100.0 over 2 answers: 100.0, 100.0")
    assert bench.sent["steady"] == 2

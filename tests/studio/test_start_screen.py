"""The start screen: what can be opened, how it begins, what is ready; a new file opens in its first placeholder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from engine.evaluation.sources import ModelSource
from engine.files.user_settings import Settings, remember_file
from engine.models.provider_registry import LOOPBACK, FoundServer
from studio.example import EXAMPLE, TEMPLATES, read
from studio.session import run_configuration
from studio.session.run_configuration import Offer
from studio.tui.app import Studio
from tests.studio.driving import Page


@asynccontextmanager
async def started(size: tuple[int, int] = (120, 36)) -> AsyncIterator[Page]:
    app = Studio()
    async with app.run_test(size=size) as pilot:
        page = Page(app, pilot)
        await page.see("Ready")
        yield page


@pytest.mark.parametrize("number", range(len(TEMPLATES)))
async def test_a_new_file_opens_in_its_first_placeholder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.chdir(tmp_path)
    async with started() as page:
        await page.hit("right", *["down"] * number, "enter", asks="The path of the new file")
        await page.hit("enter", until=lambda: page.has_file)
        await page.settle()
        assert page.selected == "A title that says what is evaluated"
        await page.see("Next write your question in the empty place")
        await page.press(*"Mine")
        assert page.text == read(TEMPLATES[number].file).replace("A title that says what is evaluated", "Mine")


async def test_the_example_opens_at_its_top() -> None:
    async with started() as page:
        await page.hit("enter", until=lambda: page.has_file)
        await page.settle()
        assert (page.selected, page.cursor, page.text) == ("", 0, read(EXAMPLE.file))


async def test_what_is_selected_is_shown_with_how_it_begins(tmp_path: Path) -> None:
    for name in ("gone.yml", "here.yml"):
        (tmp_path / name).write_text(f"title: This is {name}\n", "utf-8")
        remember_file(tmp_path / name)
    async with started() as page:
        await page.see("title: This is here.yml")
        (tmp_path / "gone.yml").unlink()
        await page.hit("down")
        await page.see("There is no such file")
        await page.hit("right")
        await page.see("title: Tenants' rights in England")
        await page.hit("left", "up", "enter", until=lambda: page.has_file)
        await page.settle()
        assert page.path == tmp_path / "here.yml"


async def test_the_lists_stand_side_by_side_at_any_width_and_little_is_blank() -> None:
    async with started() as page:
        for size in ((80, 24), (120, 36), (160, 48)):
            await page.pilot.resize_terminal(*size)
            await page.see("Questions")
            names = next(line for line in page.lines if "Recent files" in line)
            assert "The example" in names
            assert "New from template" in names
            await page.until(lambda size=size: sum(not line.strip() for line in page.lines) <= size[1] // 3)


async def test_the_foot_says_what_is_ready_and_what_is_not_with_the_command_that_makes_it_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    missing = Offer("smollm2", "Run `studio models install`.", ModelSource("embedded:smollm2"), is_ready=False)
    monkeypatch.setattr(run_configuration, "embedded", lambda: missing)
    bare = await run_configuration.readiness(())
    assert bare.ready == ["the ideal, your own answers, test answers"]
    assert bare.missing == [
        "a hosted model: set its key, such as OPENAI_API_KEY",
        "a model server: `ollama serve`",
        "the embedded model: `studio models install`",
    ]

    async def servers() -> list[FoundServer]:
        return [FoundServer("ollama", LOOPBACK["ollama"], ("llama",)), FoundServer("vllm", LOOPBACK["vllm"], (), True)]

    monkeypatch.setattr(run_configuration, "discover_loopback", servers)
    monkeypatch.setattr(run_configuration, "embedded", lambda: Offer("smollm2", "", missing.choice))
    monkeypatch.setenv("MISTRAL_API_KEY", "sk-of-a-test-123")
    Settings(servers=["http://127.0.0.1:9/v1"]).save()
    async with started((160, 48)) as page:
        await page.see("Mistral by MISTRAL_API_KEY · Ollama on this machine · the embedded model")
        await page.see("vLLM: set VLLM_API_KEY · http://127.0.0.1:9/v1 does not answer")

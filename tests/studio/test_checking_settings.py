"""The live check keeps to the project's settings, reads them anew when they change, and tells what is wrong in them."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Static

from tests.studio.driving import (
    QUOTED,
    WIDE,
    analysis_of,
    blueprint_screen,
    press,
    settle,
    slugs,
    studio_on,
    wait_until,
)


async def test_the_problems_are_those_that_the_project_asks_for(tmp_path: Path) -> None:
    (tmp_path / "blueprint-studio.toml").write_text('ignore = ["quoted-function"]\n')
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert slugs(screen) == ["single-element-path"]
        assert not screen.query_one("#banner", Static).display


async def test_a_level_of_the_project_is_the_one_on_the_screen(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.blueprint-studio.severity]\nquoted-function = "hint"\n')
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert (analysis_of(screen).total.errors, analysis_of(screen).total.hints) == (0, 1)


async def test_changed_settings_hold_without_a_key(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert slugs(screen) == ["quoted-function", "single-element-path"]
        (tmp_path / "blueprint-studio.toml").write_text('select = ["quoted-function"]\n')
        await wait_until(pilot, lambda: slugs(screen) == ["quoted-function"])
        (tmp_path / "blueprint-studio.toml").unlink()
        await wait_until(pilot, lambda: len(slugs(screen)) == 2)


async def test_a_mistake_in_the_settings_is_told_above_the_text_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "blueprint-studio.toml").write_text('ignore = ["quoted-function"]\nselct = []\n')
    app = studio_on(tmp_path / "x.yml", QUOTED)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        screen = blueprint_screen(app)
        banner = screen.query_one("#banner", Static)
        said = "blueprint-studio.toml, line 2: There is no setting “selct”. Did you mean select?"
        assert str(banner.content) == said
        assert slugs(await press(pilot, "x")) != ["quoted-function", "single-element-path"]
        (tmp_path / "blueprint-studio.toml").write_text("")
        await wait_until(pilot, lambda: not banner.display)

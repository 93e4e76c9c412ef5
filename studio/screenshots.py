"""Draws the pictures of `screenshots/` from scripted walks through the real program.

`python -m studio.screenshots` writes PNGs (it needs Chromium and the fonts Fira Code and DejaVu), `--svg FOLDER` only
the SVGs, `--only NAME` one of them.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from engine.files.processes import Child, child_environment
from engine.text.record import Record

if TYPE_CHECKING:
    from textual.app import App
    from textual.pilot import Pilot

_PICTURES = Path(__file__).parents[1] / "screenshots"
_PATIENCE = 120.0


class Until(Record):
    """Wait until this text is on the screen."""

    text: str


Step: TypeAlias = "str | Until"
"""A key, by Textual's name, or a state to wait for."""


class Walk(Record):
    """One picture: the keys to press and the states to wait for, on a screen of `size` (columns, rows)."""

    name: str
    title: str
    steps: Sequence[Step]
    size: tuple[int, int] = (120, 36)
    start_screen: bool = False


_CHECKED = Until("▲ 4 warnings")
_NARROW = (Until("Next F3"), "f8")
_AT_THE_PATHS = (_CHECKED, "f8")
_RUN = (*_AT_THE_PATHS, "f5", Until("1 of 5 · 50.0"))
_ARITHMETIC = (*_RUN, "ctrl+r", Until("▌Criteria"), "home", Until("▌50.0"), "enter", Until("their mean: 50.0"))
_FIX = (*_ARITHMETIC, "escape", "f4", Until("the score stays"), "down")
_FIXED = (*_FIX, "enter", Until("1 of 5 · 75.0"))
_TEST_ANSWERS = (
    "f9",
    Until("Test answers"),
    *("down",) * 4,
    *("space", "down") * 3,
    "space",
    Until("✓ Criteria pasted"),
)
_COMPARED = (*_FIXED, *_TEST_ANSWERS, "enter", "f5", Until("1 of 5 · 0.0"), "ctrl+r", *"vvv", Until("1 of 5 · 100.0"))
_IDEAL_AGAIN = (*_COMPARED, "f9", Until("Test answers"), "home", "enter", Until("1 of 5 · 75.0"))
_UNQUOTED = (*_IDEAL_AGAIN, "f8", "f8", "f4", Until("▲ 3 warnings"))
_JUDGED = (*_UNQUOTED, "f5", "ctrl+r", Until("40–100"))
_GRADED = (*_JUDGED, "up", "up", "4", Until("◕  75"), "down", "3", Until("3 of 5 · 75.0"))
_WHOLE = (*_GRADED, "f6", "f2", "home", "enter", "ctrl+r", Until("from 5 of 5 prompts"))

WALKS = (
    Walk("start", "studio", (Until("Recent"),), start_screen=True),
    Walk("editing", "studio --example", _AT_THE_PATHS),
    Walk("run", "studio --example", _RUN),
    Walk("fix", "studio --example", _FIX),
    Walk("compared", "studio --example", _COMPARED),
    Walk("graded", "studio --example", _GRADED),
    Walk("blueprint", "studio --example", _WHOLE),
    Walk("arithmetic", "studio --example", _ARITHMETIC),
    Walk("narrow", "studio --example", (*_NARROW, "f3"), size=(80, 24)),
    Walk("narrow-result", "studio --example", (*_NARROW, "f5", Until("1 of 5 · 50.0"), "ctrl+r"), size=(80, 24)),
)
"""The pictures of the README's tour press its keys in its order; `tests/studio/test_tour.py` holds them together."""


async def draw(walk: Walk) -> str:
    """The SVG of one walk. Raises `TimeoutError` if a state that it waits for does not come."""
    from engine.files.open_files import new_file
    from studio.example import EXAMPLE, read
    from studio.tui.app import Studio

    file = None if walk.start_screen else new_file(Path(EXAMPLE.file), read(EXAMPLE.file))
    app = Studio(file)
    async with app.run_test(size=walk.size) as pilot:
        for step in walk.steps:
            match step:
                case Until(text):
                    await _until(pilot, lambda text=text: text in screen_text(app), f"{walk.name}: {text!r}")
                case key:
                    await pilot.press(key)
                    await pilot.pause(0.05)
        await pilot.pause(0.3)
        app.clear_notifications()
        await pilot.pause(0.1)
        return app.export_screenshot(title=walk.title)


async def _until(pilot: Pilot[None], done: Callable[[], bool], what: str) -> None:
    deadline = asyncio.get_running_loop().time() + _PATIENCE
    while not done():
        if asyncio.get_running_loop().time() > deadline:
            raise TimeoutError(f"{what} did not come. On the screen:\n{screen_text(pilot.app)}")
        await pilot.pause(0.05)


def screen_text(app: App[None]) -> str:
    """The text on the screen, line by line."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


def as_png(svg: str, target: Path) -> None:
    """Render an SVG of a terminal with Chromium. Raises `click.ClickException` if Chromium is missing."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        raise click.ClickException("PNGs need Chromium; --svg FOLDER writes the SVGs without it.")
    viewbox = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert viewbox is not None
    width, height = (round(float(side)) for side in viewbox.groups())
    local = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    style = (
        "body{margin:0;background:#fff0} text{font-variant-ligatures:none;font-family:'Fira Code','DejaVu Sans Mono'}"
    )
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(f"<!doctype html><meta charset=utf-8><style>{style}</style>{local}", "utf-8")
        subprocess.run(
            [
                chromium,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--disable-background-networking",
                f"--user-data-dir={folder}/profile",
                f"--window-size={width},{height}",
                f"--screenshot={target}",
                page.as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=120,
            env=child_environment(Child.CHROMIUM),
        )


@click.command()
@click.option("--svg", type=click.Path(path_type=Path), help="Write SVGs into this folder, and no PNG.")
@click.option("--only", help="Draw one picture, by name.")
def command(svg: Path | None, only: str | None) -> None:
    """Draw the pictures of `screenshots/`."""
    folder = svg or _PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    for walk in WALKS:
        if only is not None and walk.name != only:
            continue
        with tempfile.TemporaryDirectory() as home:
            os.environ["BLUEPRINT_STUDIO_HOME"] = home
            drawn = asyncio.run(draw(walk))
        if svg is not None:
            (folder / f"{walk.name}.svg").write_text(drawn, "utf-8")
        else:
            as_png(drawn, folder / f"{walk.name}.png")
        click.echo(f"{walk.name}", err=True)


if __name__ == "__main__":
    command()

"""The look: every ink can be read on every ground (WCAG AA: 4.5 : 1), and what the author chose is remembered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.color import ColorSystem
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from textual.color import Color
from textual.theme import Theme

from engine.files.user_settings import Settings
from studio.tui.app import Look, chosen_look
from studio.tui.theme import DARK, LIGHT, THEMES
from tests.studio.driving import QUOTED, opened

Shown = Callable[[str], str]
"""From a colour to the one that a terminal shows."""


def _luminance(color: Color) -> float:
    def channel(value: int) -> float:
        share = value / 255
        return share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4

    return 0.2126 * channel(color.r) + 0.7152 * channel(color.g) + 0.0722 * channel(color.b)


def _contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_luminance(Color.parse(one)), _luminance(Color.parse(other))), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _too_faint(
    theme: Theme, inks: Iterable[str], grounds: Iterable[str], least: float = 4.5, shown: Shown = str
) -> list[tuple[str, str]]:
    """The inks that cannot be read on a ground, as a terminal shows both."""
    colours = theme.to_color_system().generate() | theme.variables
    pairs = [(ink, ground) for ink in inks for ground in grounds]
    return [pair for pair in pairs if _contrast(*(shown(colours[name]) for name in pair)) < least]


def _of_sixteen(colour: str) -> str:
    """The nearest of the 16 colours that old terminals have."""
    nearest = RichColor.parse(colour).downgrade(ColorSystem.STANDARD)
    return nearest.get_truecolor(DEFAULT_TERMINAL_THEME).hex


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_ink_has_enough_contrast_on_every_ground(theme: Theme) -> None:
    inks = [*(name for name in theme.variables if name.startswith("ink-")), "foreground"]
    assert _too_faint(theme, inks, ("background", "surface", "panel", "row-selected")) == []


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_dividers_and_the_bar_of_the_selected_row_stand_out(theme: Theme) -> None:
    grounds = ("background", "surface", "panel")
    assert _too_faint(theme, ("line", "line-focus"), grounds, 3) == []
    assert _too_faint(theme, ("ink-focus",), (*grounds, "row-selected"), 3) == []


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_ink_can_be_read_in_16_colours(theme: Theme) -> None:
    inks = [*(name for name in theme.variables if name.startswith("ink-")), "foreground"]
    assert _too_faint(theme, inks, ("background", "surface", "panel"), 3, _of_sixteen) == []


async def test_a_bar_marks_the_selected_row_also_without_colours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[list[str]]] = []
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.setenv(name, "1")
        seen.append([])
        async with opened(tmp_path, QUOTED) as page:
            for key in ("f2", "f3", "f9", "ctrl+p"):
                await page.hit(key, until=lambda page=page: any("▌" in line for line in page.lines[1:]))
                await page.pilot.pause()
                seen[-1].append(page.lines)
                await page.hit("escape")
            assert page.app.no_color == (name == "NO_COLOR")
    assert seen[0] == seen[1]


def test_both_themes_know_the_same_names() -> None:
    assert THEMES[0].variables.keys() == THEMES[1].variables.keys()


@pytest.mark.parametrize(
    ("content", "look"),
    [
        (b'{"theme": "studio-light"}', Look(LIGHT)),
        (b'{"theme": "no-such", "wrap": false}', Look(DARK, wrap=False)),
        (b'{"wrap": "no"}', Look()),
        (b"nonsense", Look()),
        (b"[1]", Look()),
    ],
)
def test_the_look_is_that_of_the_settings_where_they_name_one(
    content: bytes, look: Look, clean_environment: Path
) -> None:
    folder = clean_environment / "config"
    folder.mkdir()
    (folder / "settings.json").write_bytes(content)
    assert chosen_look() == look


async def test_whether_long_lines_wrap_is_remembered(tmp_path: Path) -> None:
    for wraps in (False, True):
        async with opened(tmp_path, QUOTED) as page:
            await page.press("f10")
            assert page.screen.editor.soft_wrap is wraps
    assert Settings.load().wrap

"""Every ink can be read on every ground it is drawn on, in both themes (WCAG AA: 4.5 : 1)."""

from __future__ import annotations

import pytest
from textual.color import Color
from textual.theme import Theme

from studio.app import chosen_theme
from studio.theme import DARK, LIGHT, THEMES


def _luminance(color: Color) -> float:
    def channel(value: int) -> float:
        share = value / 255
        return share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4

    return 0.2126 * channel(color.r) + 0.7152 * channel(color.g) + 0.0722 * channel(color.b)


def _contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_luminance(Color.parse(one)), _luminance(Color.parse(other))), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


_CASES = [
    (theme, ink, ground)
    for theme in THEMES
    for ink in (*(name for name in theme.variables if name.startswith("ink-")), "foreground")
    for ground in ("background", "surface", "panel", "row-selected")
]


@pytest.mark.parametrize(("theme", "ink", "ground"), _CASES, ids=lambda each: getattr(each, "name", each))
def test_every_ink_has_enough_contrast_on_every_ground(theme: Theme, ink: str, ground: str) -> None:
    colours = theme.to_color_system().generate() | theme.variables
    assert _contrast(colours[ink], colours[ground]) >= 4.5


def test_both_themes_know_the_same_names() -> None:
    assert THEMES[0].variables.keys() == THEMES[1].variables.keys()


@pytest.mark.parametrize(
    ("content", "theme"),
    [(b'{"theme": "studio-light"}', LIGHT), (b'{"theme": "no-such"}', DARK), (b"nonsense", DARK), (b"[1]", DARK)],
)
def test_the_theme_is_that_of_the_settings_where_they_name_one(content: bytes, theme: str, clean_environment) -> None:
    folder = clean_environment / "config"
    folder.mkdir()
    (folder / "settings.json").write_bytes(content)
    assert chosen_theme() == theme

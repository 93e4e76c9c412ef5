"""The dark and the light theme: the only place that names colours.

Panes use meanings (`$ink-error`, `$ink-met`, …), and each meaning has a mark or a word as well. Every ink has a
contrast of at least 4.5 : 1 on each background and on a selected row, and every line of 3 : 1. A selected row has a bar
beside its ground, in the ink of the focus: terminals of 16 colours, and those without, do not show the ground.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import Theme

from engine.text.record import Record

DARK = "studio-dark"
LIGHT = "studio-light"

_DARK_INKS = {
    "ink-dim": "#a3acba",
    "ink-error": "#ff8a8a",
    "ink-warning": "#e9b65c",
    "ink-hint": "#86b8e8",
    "ink-met": "#86cf96",
    "ink-partly": "#d6d27c",
    "ink-unmet": "#f39a76",
    "ink-closest": "#bfa5ee",
    "ink-yours": "#6fcfd0",
    "ink-focus": "#9cc4f2",
    "line": "#666f7c",
    "line-focus": "#6f93bd",
    "row-selected": "#363f4c",
}

_LIGHT_INKS = {
    "ink-dim": "#586070",
    "ink-error": "#b01f1f",
    "ink-warning": "#835300",
    "ink-hint": "#1d5c99",
    "ink-met": "#1b6f37",
    "ink-partly": "#645c00",
    "ink-unmet": "#9a3d0e",
    "ink-closest": "#643aa8",
    "ink-yours": "#0a666b",
    "ink-focus": "#174f8a",
    "line": "#7f858e",
    "line-focus": "#2f66a5",
    "row-selected": "#d6dde8",
}


class _Grounds(Record):
    """The colours of a theme that are not inks: what text stands on, plain text itself, and the accents."""

    background: str
    surface: str
    panel: str
    foreground: str
    cursor_text: str
    primary: str
    secondary: str


_DARK_GROUNDS = _Grounds("#15181d", "#1b1f25", "#1f242b", "#dfe3e9", "#e6e9ee", "#6f93bd", "#58789c")
_LIGHT_GROUNDS = _Grounds("#fbfaf7", "#f3f2ee", "#edecea", "#20242a", "#20242a", "#2f66a5", "#5b83b3")


def _variables(inks: Mapping[str, str], grounds: _Grounds) -> dict[str, str]:
    """The inks, and Textual's own names for the same meanings, so that stock widgets agree with ours."""
    return {
        **inks,
        "text-muted": inks["ink-dim"],
        "text-error": inks["ink-error"],
        "text-warning": inks["ink-warning"],
        "text-success": inks["ink-met"],
        "text-primary": inks["ink-focus"],
        "text-secondary": inks["ink-hint"],
        "border": inks["line-focus"],
        "border-blurred": inks["line"],
        "scrollbar": inks["line"],
        "scrollbar-hover": inks["line-focus"],
        "scrollbar-active": inks["line-focus"],
        "scrollbar-background": grounds.background,
        "scrollbar-background-hover": grounds.background,
        "scrollbar-corner-color": grounds.background,
        "block-cursor-background": inks["row-selected"],
        "block-cursor-foreground": grounds.cursor_text,
        "block-cursor-blurred-background": inks["row-selected"],
    }


def _theme(name: str, inks: Mapping[str, str], grounds: _Grounds, *, dark: bool) -> Theme:
    return Theme(
        name=name,
        dark=dark,
        primary=grounds.primary,
        secondary=grounds.secondary,
        accent=inks["ink-focus"],
        warning=inks["ink-warning"],
        error=inks["ink-error"],
        success=inks["ink-met"],
        foreground=grounds.foreground,
        background=grounds.background,
        surface=grounds.surface,
        panel=grounds.panel,
        variables=_variables(inks, grounds),
    )


THEMES = (
    _theme(DARK, _DARK_INKS, _DARK_GROUNDS, dark=True),
    _theme(LIGHT, _LIGHT_INKS, _LIGHT_GROUNDS, dark=False),
)

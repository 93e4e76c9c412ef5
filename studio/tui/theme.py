"""The dark and the light theme: the only place that names colours.

Panes use meanings (`$ink-error`, `$ink-met`, …), and each meaning has a mark or a word as well. Every ink has a
contrast of at least 4.5 : 1 on each background and on a selected row, and every line of 3 : 1. A selected row has a bar
beside its ground, in the ink of the focus: terminals of 16 colours, and those without, do not show the ground.
"""

from __future__ import annotations

from textual.theme import Theme

DARK = "studio-dark"
LIGHT = "studio-light"

_COLOURS = {
    "ink-dim": ("#a3acba", "#586070"),
    "ink-error": ("#ff8a8a", "#b01f1f"),
    "ink-warning": ("#e9b65c", "#835300"),
    "ink-hint": ("#86b8e8", "#1d5c99"),
    "ink-met": ("#86cf96", "#1b6f37"),
    "ink-partly": ("#d6d27c", "#645c00"),
    "ink-unmet": ("#f39a76", "#9a3d0e"),
    "ink-closest": ("#bfa5ee", "#643aa8"),
    "ink-yours": ("#6fcfd0", "#0a666b"),
    "ink-focus": ("#9cc4f2", "#174f8a"),
    "line": ("#666f7c", "#7f858e"),
    "line-focus": ("#6f93bd", "#2f66a5"),
    "row-selected": ("#363f4c", "#d6dde8"),
    "background": ("#15181d", "#fbfaf7"),
    "surface": ("#1b1f25", "#f3f2ee"),
    "panel": ("#1f242b", "#edecea"),
    "foreground": ("#dfe3e9", "#20242a"),
    "block-cursor-foreground": ("#e6e9ee", "#20242a"),
    "primary": ("#6f93bd", "#2f66a5"),
    "secondary": ("#58789c", "#5b83b3"),
}
"""The inks and lines by their meaning, what text stands on, plain text, and the accents: of the dark and of the light
theme."""

_SAME = {
    "text-muted": "ink-dim",
    "text-error": "ink-error",
    "text-warning": "ink-warning",
    "text-success": "ink-met",
    "text-primary": "ink-focus",
    "text-secondary": "ink-hint",
    "border": "line-focus",
    "border-blurred": "line",
    "scrollbar": "line",
    "scrollbar-hover": "line-focus",
    "scrollbar-active": "line-focus",
    "scrollbar-background": "background",
    "scrollbar-background-hover": "background",
    "scrollbar-corner-color": "background",
    "block-cursor-background": "row-selected",
    "block-cursor-blurred-background": "row-selected",
}
"""Textual's own names for the same meanings, so that stock widgets agree with ours."""


def _theme(name: str, *, dark: bool) -> Theme:
    colours = {meaning: of_dark if dark else of_light for meaning, (of_dark, of_light) in _COLOURS.items()}
    return Theme(
        name=name,
        dark=dark,
        primary=colours["primary"],
        secondary=colours["secondary"],
        accent=colours["ink-focus"],
        warning=colours["ink-warning"],
        error=colours["ink-error"],
        success=colours["ink-met"],
        foreground=colours["foreground"],
        background=colours["background"],
        surface=colours["surface"],
        panel=colours["panel"],
        variables=colours | {theirs: colours[ours] for theirs, ours in _SAME.items()},
    )


THEMES = (_theme(DARK, dark=True), _theme(LIGHT, dark=False))

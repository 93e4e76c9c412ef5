"""The two themes, and the one place where a colour gets its meaning.

A pane says what it means (`$ink-error`, `$ink-met`, …), never which colour that is. Colour never stands alone: each
meaning has a mark as well. Every ink has at least 4.5 : 1 on the background and on a selected row.
"""

from __future__ import annotations

from textual.theme import Theme

DARK = "studio-dark"
LIGHT = "studio-light"

_DARK_INKS = {
    "ink-dim": "#949dab",
    "ink-error": "#ff8a8a",
    "ink-warning": "#e9b65c",
    "ink-hint": "#86b8e8",
    "ink-met": "#86cf96",
    "ink-partly": "#d6d27c",
    "ink-unmet": "#f39a76",
    "ink-closest": "#bfa5ee",
    "ink-yours": "#6fcfd0",
    "ink-focus": "#9cc4f2",
    "line": "#3a414b",
    "line-focus": "#6f93bd",
    "row-selected": "#29303a",
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
    "line": "#c9ccd2",
    "line-focus": "#5b83b3",
    "row-selected": "#e4e8ef",
}


def _variables(inks: dict[str, str]) -> dict[str, str]:
    """The inks, and Textual's own names for the same meanings, so that stock widgets agree with ours."""
    return inks | {
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
        "block-cursor-background": inks["row-selected"],
        "block-cursor-foreground": "#e6e9ee" if inks is _DARK_INKS else "#20242a",
        "block-cursor-blurred-background": inks["row-selected"],
    }


THEMES = (
    Theme(
        name=DARK,
        dark=True,
        primary="#6f93bd",
        secondary="#58789c",
        accent="#9cc4f2",
        warning=_DARK_INKS["ink-warning"],
        error=_DARK_INKS["ink-error"],
        success=_DARK_INKS["ink-met"],
        foreground="#dfe3e9",
        background="#15181d",
        surface="#1b1f25",
        panel="#1f242b",
        variables=_variables(_DARK_INKS)
        | {
            "scrollbar-background": "#15181d",
            "scrollbar-background-hover": "#15181d",
            "scrollbar-corner-color": "#15181d",
        },
    ),
    Theme(
        name=LIGHT,
        dark=False,
        primary="#2f66a5",
        secondary="#5b83b3",
        accent="#174f8a",
        warning=_LIGHT_INKS["ink-warning"],
        error=_LIGHT_INKS["ink-error"],
        success=_LIGHT_INKS["ink-met"],
        foreground="#20242a",
        background="#fbfaf7",
        surface="#f3f2ee",
        panel="#edecea",
        variables=_variables(_LIGHT_INKS)
        | {
            "scrollbar-background": "#fbfaf7",
            "scrollbar-background-hover": "#fbfaf7",
            "scrollbar-corner-color": "#fbfaf7",
        },
    ),
)

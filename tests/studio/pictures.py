"""A screen as text: its rows, and below them the styles of what does not look plain, by the names of the theme.

A picture says nothing of colours: those are what `studio.tui.theme` gives to the names. Plain text on the plain
ground and the lines between panes are not told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import unified_diff
from pathlib import Path

from rich.style import Style
from textual.app import App
from textual.strip import Strip

FOLDER = Path(__file__).parent / "screens"
_GROUNDS = ("background", "surface", "panel", "foreground", "primary", "secondary")
_PLAIN = "foreground"
_UNTOLD = ("", "line")
_PORT = re.compile(r"(?<=:)\d{5}(?=[/)\s])")
_SECONDS = re.compile(r"\b\d(?:\.\d)?\ss\b")
_ATTRIBUTES = ("bold", "dim", "italic", "underline", "strike", "reverse")


_painting = [False]


def is_painting() -> bool:
    """Whether all frames are painted at present, as a terminal has them."""
    return _painting[0]


@contextmanager
def painting() -> Iterator[None]:
    """Paint all frames until the end."""
    _painting[0] = True
    try:
        yield
    finally:
        _painting[0] = False


def picture(app: App[object]) -> list[str]:
    """The rows of the screen, each between bars, and the styles of each row that has others than plain text."""
    compositor = app.screen._compositor
    update = compositor.render_update(full=True, screen_stack=app._background_screens, simplify=True)
    strips = [Strip.join(row) for row in update.strips]  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
    names = colour_names(app)
    rows = [f"│{_still(''.join(each.text for each in strip))}│" for strip in strips]
    styled = ((number, ", ".join(styles(strip, names))) for number, strip in enumerate(strips, 1))
    return [*rows, *(f"{number:2} {said}" for number, said in styled if said)]


def _still(row: str) -> str:
    """A row without what differs from run to run: ports, and how many seconds something took."""
    return _SECONDS.sub(lambda found: re.sub(r"\d", "0", found[0]), _PORT.sub("PORT_", row))


def colour_names(app: App[object]) -> dict[str, str]:
    """The names of the colours of the theme; of several names of one colour the first."""
    theme = app.current_theme
    variables = {name: str(getattr(theme, name)) for name in _GROUNDS} | theme.variables | app.get_css_variables()
    return {colour.lower(): name.removeprefix("ink-") for name, colour in reversed(variables.items())}


def styles(strip: Strip, names: dict[str, str]) -> Iterator[str]:
    """Each run of one style in a row, with its first and last column, but for what is not told."""
    column, begun, before = 0, 0, ""
    for segment in [*strip, None]:
        said = "" if segment is None else said_of(segment.style or Style(), names, is_blank=not segment.text.strip())
        if said != before or segment is None:
            if before not in _UNTOLD:
                yield f"{begun}-{column - 1} {before}"
            begun, before = column, said
        column += 0 if segment is None else segment.cell_length


def said_of(style: Style, names: dict[str, str], *, is_blank: bool) -> str:
    """A style in words, such as `bold error/panel`: attributes, ink, and ground; "" for plain text."""
    attributes = [name for name in _ATTRIBUTES if getattr(style, name)]
    ink, ground = (_named(colour, names) for colour in (style.color, style.bgcolor))
    if is_blank and not attributes:
        ink = _PLAIN
    shown = [*attributes, *([ink] if ink != _PLAIN else [])]
    on = f"/{ground}" if ground != "background" else ""
    return f"{' '.join(shown)}{on}"


def _named(colour: object, names: dict[str, str]) -> str:
    triplet = getattr(colour, "triplet", None)
    return "default" if triplet is None else names.get(triplet.hex.lower(), "mixed")


def kept(name: str) -> dict[str, list[str]]:
    """The rows of the pictures that are kept of a state, by their sizes."""
    path = FOLDER / f"{name}.txt"
    if not path.exists():
        return {}
    pieces = path.read_text("utf-8").split("\n# ")
    found = (piece.removeprefix("# ").removesuffix("\n").split("\n") for piece in pieces)
    return {size: rows for size, *rows in found}


def keep(name: str, pictures: dict[str, list[str]]) -> None:
    """Keep the pictures of a state."""
    FOLDER.mkdir(exist_ok=True)
    text = "\n".join("\n".join((f"# {size}", *rows)) for size, rows in pictures.items())
    (FOLDER / f"{name}.txt").write_text(f"{text}\n", "utf-8")


def differences(wanted: dict[str, list[str]], found: dict[str, list[str]]) -> list[str]:
    """Every row of the pictures that differs from the one that is kept."""
    told: list[str] = []
    for size in {**wanted, **found}:
        told += unified_diff(wanted.get(size, []), found.get(size, []), f"{size} kept", f"{size} now", "", "", 0, "")
    return told

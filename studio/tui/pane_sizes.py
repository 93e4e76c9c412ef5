"""The sizes that an author gave to panes by moving dividers, for each width of the screen. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import cast

from engine.text.record import Record

WIDE = 100
"""From so many columns on, the panes are beside each other."""
NEAR = 10
"""Within so many columns, widths share what is remembered."""
MOST_WIDTHS = 24
"""The number of widths that are remembered."""

_USUAL_SHARE = 0.28
"""The part of a wide screen that the problems take, if they are many and the author did not move their divider."""
_LEAST_USUAL, _MOST_USUAL, _MOST_NARROW = 8, 15, 12
_REASON, _REASON_NARROW = 4, 5
"""Rows of the reason below the list of problems, as the style sheets have them."""
_LEAST_TEXT = 20
_LEAST_HEIGHT = 5


class Divider(StrEnum):
    """A divider, by the pane whose size it sets. The values are keys of the settings.

    `SHARED` is the one between the text and the result below it, on a narrow screen.
    """

    OUTLINE = "outline"
    SIDE = "side"
    PROBLEMS = "problems"
    SHARED = "shared"


Sizes = Mapping[Divider, int]
"""Columns, or rows for `PROBLEMS` and `SHARED`; without an entry, the usual size."""
Remembered = Mapping[int, Mapping[str, int]]
"""Sizes by the width of the screen, as in the settings."""


class Room(Record):
    """What there is to divide: the size of the screen, and the present widths of outline and side, 0 if not shown."""

    width: int
    height: int
    outline: int = 0
    side: int = 0


def sizes_at(remembered: Remembered, width: int) -> dict[Divider, int]:
    """The sizes at a width: its own, or those of the nearest width that is near and has the same layout."""
    near = [each for each in remembered if abs(each - width) <= NEAR and (each >= WIDE) == (width >= WIDE)]
    if not near:
        return {}
    found = remembered[min(near, key=lambda each: (abs(each - width), each))]
    return {divider: found[divider] for divider in Divider if divider in found}


def with_sizes(remembered: Remembered, width: int, sizes: Sizes) -> dict[int, dict[str, int]]:
    """`remembered` with these sizes for `width`, as its newest entry; of too many widths, the oldest are dropped.

    Without sizes, all widths from which `sizes_at` would take some for `width` are forgotten.
    """
    others = {each: dict(found) for each, found in remembered.items() if each != width}
    if not sizes:
        return {
            each: found
            for each, found in others.items()
            if abs(each - width) > NEAR or (each >= WIDE) != (width >= WIDE)
        }
    kept = list(others.items())[-(MOST_WIDTHS - 1) :]
    return {**dict(kept), width: {str(divider): size for divider, size in sizes.items()}}


def fitted(divider: Divider, size: int, room: Room) -> int:
    """`size` within what leaves the panes, and the text beside them, something to show in."""
    match divider:
        case Divider.OUTLINE if room.width < WIDE:  # it lies over the text
            least, most = 12, room.width - 4
        case Divider.OUTLINE:
            least, most = 12, room.width - room.side - _LEAST_TEXT
        case Divider.SIDE:
            least, most = 24, room.width - room.outline - _LEAST_TEXT
        case Divider.PROBLEMS | Divider.SHARED:
            least, most = _LEAST_HEIGHT, room.height - 2 - _LEAST_HEIGHT
    return max(min(size, most), min(least, max(most, 1)))


def problems_height(rows: int, given: int | None, room: Room) -> int:
    """The height of the pane for so many rows of problems, with its border and the reason below the list.

    At most `given`, the height that the author gave it, or the usual one without. Without rows there is one line.
    """
    is_narrow = room.width < WIDE
    if given is not None:
        most = fitted(Divider.PROBLEMS, given, room)
    elif is_narrow:
        most = max(min(_MOST_NARROW, room.height * 3 // 5), 2)
    else:
        most = max(_LEAST_USUAL, min(_MOST_USUAL, int(room.height * _USUAL_SHARE)))
    needed = 1 + rows + (_REASON_NARROW if is_narrow else _REASON) if rows else 2
    return min(needed, most)


def read_sizes(saved: object) -> dict[int, dict[str, int]]:
    """The sizes in a settings file that is not validated yet; what is not of their form is left out."""
    if not isinstance(saved, dict):
        return {}
    found: dict[int, dict[str, int]] = {}
    for width, sizes in cast("dict[str, object]", saved).items():
        if width.isdecimal() and isinstance(sizes, dict):
            known = cast("dict[str, object]", sizes).items()
            found[int(width)] = {name: size for name, size in known if type(size) is int}
    return found

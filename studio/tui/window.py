"""Which panes are seen, and how wide each is: left the lists, in which an author chooses, right the texts, to read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum

from engine.text.record import Record


class Pane(StrEnum):
    """The panes, in the order in which they are named."""

    OUTLINE = "Outline"
    CRITERIA = "Criteria"
    ANSWERS = "All answers"
    TEXT = "Text"
    ANSWER = "Answer"

    @property
    def is_list(self) -> bool:
        """Whether it stands in the left half."""
        return self not in TEXTS


TEXTS = (Pane.TEXT, Pane.ANSWER)
TWO_HALVES, BOTH_TEXTS, TWO_LISTS = 100, 160, 200
"""The widths from which on a list stands beside a text, both texts are seen, and two lists are."""
_WIDEST_TEXT = 66
_LEAST_LIST = 44
_OUTLINE, _CRITERIA = 30, 47
"""The lists beside each other, at `TWO_LISTS`."""


class Seen(Record):
    """A pane that is seen, and its width in cells. Between neighbours there is a line."""

    pane: Pane
    width: int


def window(
    width: int, focused: Pane, opened: Collection[Pane], *, answers: bool = False, two: bool = False
) -> tuple[Seen, ...]:
    """The panes on a screen of `width` cells, from left to right.

    `focused` has the keys, and is seen at every width. `opened` were seen before: as many of them stay as can.
    `answers` says whether all answers stand in the place of the criteria, `two` whether two of them stand beside each
    other: then they take the place of both texts, unless the text has the keys.
    """
    if width < TWO_HALVES:
        return (Seen(focused, width),)
    second = Pane.ANSWERS if focused is Pane.ANSWERS or (answers and focused is not Pane.CRITERIA) else Pane.CRITERIA
    lists = _run((Pane.OUTLINE, second), 1 + (width >= TWO_LISTS), focused, opened)
    texts = _run(TEXTS, 1 + (width >= BOTH_TEXTS), focused, opened)
    text = _text_width(width)
    rest = width - text * len(texts) - (len(lists) + len(texts) - 1)
    first = rest if len(lists) == 1 else rest * 2 // 5
    right = tuple(Seen(pane, text) for pane in texts)
    if two and len(right) > 1 and focused is not Pane.TEXT:
        right = (Seen(Pane.ANSWER, 2 * text + 1),)
    return (Seen(lists[0], first), *(Seen(pane, rest - first) for pane in lists[1:]), *right)


def _run(panes: Sequence[Pane], count: int, focused: Pane, opened: Collection[Pane]) -> Sequence[Pane]:
    """`count` neighbours of `panes`: those with the keys, and of these the ones that were seen before."""
    runs = [panes[at : at + count] for at in range(len(panes) - count + 1)]
    runs = [run for run in runs if focused in run] or runs
    return max(runs, key=lambda run: len(set(run) & set(opened)))


def _text_width(width: int) -> int:
    """The width of a text: one for each width of the screen, so that nothing wraps anew."""
    if width < BOTH_TEXTS:
        return min(_WIDEST_TEXT, width - _LEAST_LIST - 1)
    if width < TWO_LISTS:
        return min(_WIDEST_TEXT, (width - _LEAST_LIST - 2) // 2)
    return min(_WIDEST_TEXT, (width - _OUTLINE - _CRITERIA - 3) // 2)

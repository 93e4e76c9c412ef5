"""The passage of a text that differs least from a wanted one, by edit distance.

Myers' bit-vector algorithm: one step for each character of the text, whatever the length of the wanted text.
"""

from __future__ import annotations

from engine.record import Record
from engine.text import Span


class Approximation(Record):
    """A passage, and how many characters have to be inserted, deleted or replaced to turn it into the wanted text."""

    span: Span
    distance: int


def closest_substring(wanted: str, text: str, most: int) -> Approximation | None:
    """The substring of `text` with the least edit distance to `wanted`; None beyond `most`.

    Of several, it is the first, and the longest that ends there.
    """
    if not wanted:
        return None
    distance, end = _best_end(wanted, text)
    if distance > most:
        return None
    before = text[:end]
    window = before[max(end - len(wanted) - most, 0) :][::-1]
    length = _best_end(wanted[::-1], window, is_last=True)[1]
    return Approximation(Span(end - length, end), distance)


def _best_end(wanted: str, text: str, *, is_last: bool = False) -> tuple[int, int]:
    """The least edit distance of `wanted` to a substring of `text`, and the first or last place where one ends."""
    bits: dict[str, int] = {}
    for place, character in enumerate(wanted):
        bits[character] = bits.get(character, 0) | 1 << place
    everything, last = (1 << len(wanted)) - 1, 1 << (len(wanted) - 1)
    positive, negative, distance = everything, 0, len(wanted)
    best, end = distance, 0
    for place, character in enumerate(text, 1):
        equal = bits.get(character, 0)
        vertical = equal | negative
        horizontal = (((equal & positive) + positive) ^ positive) | equal
        up, down = negative | (~(horizontal | positive) & everything), positive & horizontal
        distance += bool(up & last) - bool(down & last)
        up, down = (up << 1) & everything, (down << 1) & everything
        positive, negative = down | (~(vertical | up) & everything), up & vertical
        if distance < best or (is_last and distance == best):
            best, end = distance, place
    return best, end

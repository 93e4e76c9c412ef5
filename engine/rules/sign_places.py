"""Which signs a text holds, of a text that is edited: after an edit, only what it changed is searched again."""

from __future__ import annotations

from engine.text import difference


class SignPlaces:
    """The text of the last check, and where the signs that rules asked for stand in it."""

    def __init__(self) -> None:
        self._text = ""
        self._places: dict[str, int] = {}
        """The offset of one place of each sign; -1 for a sign that the text does not hold."""

    def update(self, text: str) -> None:
        """Go on to `text`."""
        change = difference(self._text, text, 0)
        self._text = text
        start, grown = change.span.start, len(change.text) - (change.span.end - change.span.start)
        for sign, place in list(self._places.items()):
            if 0 <= place <= start - len(sign):
                continue
            if place >= change.span.end:
                self._places[sign] = place + grown
                continue
            found = text.find(sign, max(start - len(sign) + 1, 0), change.span.end + grown + len(sign) - 1)
            if found >= 0 or place < 0:
                self._places[sign] = found
            else:
                del self._places[sign]  # it may stand elsewhere

    def holds(self, sign: str) -> bool:
        """Whether `sign`, which is not empty, stands in the text."""
        place = self._places.get(sign)
        if place is None:
            place = self._places[sign] = self._text.find(sign)
        return place >= 0

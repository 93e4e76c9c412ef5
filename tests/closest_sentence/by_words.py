"""An encoder that needs no weights, for tests of all that comes after it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from engine.closest_sentence.encoder import Vector


class ByWords:
    """An encoder whose texts are near where they share words: one number for each word that it knows."""

    WORDS = ("tree", "river", "names", "lease", "statute", "court", "deposit", "other")

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        return [self._vector(each.lower()) for each in texts]

    def _vector(self, said: str) -> Vector:
        found = [1.0 if word in said else 0.0 for word in self.WORDS]
        found[-1] = 1.0 if not any(found) else 0.0
        size = sum(found) ** 0.5
        return array("f", (each / size for each in found))

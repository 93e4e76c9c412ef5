"""Criteria that are levels of one scale: “Score 3: …”."""

from __future__ import annotations

import re
from functools import lru_cache

_LEVEL = re.compile(
    r"""\W*(?P<label>(?:score|level|rating|grade|stufe|niveau|nivel|puntuación|livello|punteggio|poziom|уровень|оценка
        |等级|评分|分数|レベル)\s*\d{1,3}(?:\.\d+)?|\d\s*(?:points?|stars?))
    \s*(?:\([^)]*\)\s*)?[:：=–—-]\s*\S""",
    re.IGNORECASE | re.VERBOSE,
)


@lru_cache(maxsize=4_000)
def level_of(text: str) -> tuple[int, int] | None:
    """Start and end of the label of a level; None if the text does not begin with one."""
    found = _LEVEL.match(text)
    return None if found is None else found.span("label")

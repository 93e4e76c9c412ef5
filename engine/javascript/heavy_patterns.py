"""Patterns that V8 compiles for so long that nothing but the end of its process stops it.

V8 compiles a pattern when it is first run, and looks at no clock meanwhile. It considers what may follow each part that
can be left out, and with many of them in a row this doubles again and again: forty times `a?` and `b^c` take seconds.
Groups within each other cost the square of their depth, or more.
"""

from __future__ import annotations

import re
from itertools import accumulate

_MOST_OPTIONAL = 20
"""Parts that a pattern may do without, loops aside; no pattern of the public collection has more than four."""
_DEEPEST = 100
"""Groups within each other."""
_LONG = 2_000
"""Characters from which on other signs count like parts that can be left out; the longest of the collection has 1,139.

A list of words may be longer.
"""
_SET_ASIDE = re.compile(r"(?P<edge>\\[bB])|(?P<set>\\[dDsSwW]|\[(?:\\.|[^\]\\])*\])|\\.", re.DOTALL)
_WRITTEN_AS = {"edge": "^", "set": ".", None: "x"}
_OPTIONAL = re.compile(
    r"(?<![(*+?}])\?"  # `a?`, and not the sign of a group or of a lazy quantifier
    r"|\{0,\d+\}"
    r"|(?:\(|\?:|\|)[\^$]*(?=[|)])"  # an option that takes no text
)
_SIGN = re.compile(r"[*+^$.]|(?<!\()\?|\{\d|\((?!\?:)")
_STEPS = {"(": 1, ")": -1}


def is_heavy(pattern: str) -> bool:
    """Whether compiling `pattern` may take V8 a tenth of a second and more. Linear in its length."""
    plain = _SET_ASIDE.sub(lambda found: _WRITTEN_AS[found.lastgroup], pattern)
    counted = _OPTIONAL if len(pattern) <= _LONG else _SIGN
    if sum(1 for _ in counted.finditer(plain)) > _MOST_OPTIONAL:
        return True
    steps = (_STEPS[sign] for sign in plain if sign in _STEPS)
    return max(accumulate(steps), default=0) > _DEEPEST

"""Variables of scripts, and what was left open in a question: `$name`, `%s`, `XXX`, `___`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from engine.patterns import lazy
from engine.rules.source.slots import is_quoted_with_more
from engine.text import Span

_VARIABLE = lazy(
    r"""\$(?<![\w$\\]\$)(?:[a-z][a-z_]{2,}|[A-Z]+(?:_[A-Z]+)+)\b(?![$(])
    | %(?<=\s%)[sd](?=[\s.,?!]|$)
    | @(?<![\w@.]@)[a-z_]{2,30}@(?![\w@])""",
    re.VERBOSE,
)
_PROGRAMMING = lazy(
    r"""\b(?:variables?|shell|bash|php|perl|ruby|python|javascript|scripts?|commands?|echo|printf?|code|functions?|strings?
    |regex|latex|sql|program\w*|terminal|environment|format(?:ting)?|syntax|linux|unix|windows|powershell|java|ruby|go
    |perl|c\+\+|excel|localis\w*|localiz\w*|user[- ]interface)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_GAP = lazy(
    r"\b(?:of|on|in|to|by|at|from|for|about|with|is|are|cook|take|use|buy|sell|see|visit|make|called|named|I|my)"
    r"\s+(?P<gap>X{3,}|_{3,})(?![-\w]|\s?\d)"
    r"|\b(?:the|an?|my|our|this)\s+(?P<named>X{3,}|_{3,})\s+[a-z]|(?<!\w)(?P<long>X{4,})(?![-\w]|\s?\d)"
)
_MOST_GAPS = 50
"""How many gaps of a text are looked at: for each of them, all that stands before it."""
_IN_QUESTION = lazy(
    r"\b(?:what|who|whom|which|where|when|why|how|is|are|does|do|did|can|could|should|would|will|explain|describe|tell"
    r"|write|give|list|name|compare|my|I)\b",
    re.IGNORECASE,
)
_NOT_A_GAP = lazy(
    r"\b(?:mean\w*|stands?\s+for|roman|numerals?|rated|ratings?|kiss\w*|chromosom\w*|hangman)\b",
    re.IGNORECASE,
)
"""Beside these, the letters or the dashes are what is spoken of."""
_EXERCISE = lazy(
    r"\b(?:fill|blanks?|complete|missing|gaps?|cloze|choose|options?|sentence|word)\b|\n|\(?\b[A-D1-4][.)]\s",
    re.IGNORECASE,
)


def is_about_programs(text: str) -> bool:
    """Whether a prompt is about a program, in which `$name` and `%s` are right."""
    return _PROGRAMMING.search(text) is not None


def means_letters(text: str) -> bool:
    """Whether a text speaks of letters such as `XX` themselves: numerals, ratings, chromosomes."""
    return _NOT_A_GAP.search(text) is not None


def gaps_in(text: str) -> Iterator[Span]:
    """The variables of a text that is about no program, and the gaps of one that is no exercise."""
    variables = list(_VARIABLE.finditer(text)) if "$" in text or "%" in text or "@" in text else []
    if variables and not is_about_programs(text):
        yield from (Span(*match.span()) for match in variables if match.start())  # at the start, a check was meant
    gaps = list(islice(_GAP.finditer(text), _MOST_GAPS)) if "XXX" in text or "___" in text else []
    if not gaps or _EXERCISE.search(text.strip()) is not None or means_letters(text):
        return
    for match in gaps:
        kind = match.lastgroup or "gap"
        is_asked = match[kind].startswith("X") or _IN_QUESTION.search(text, 0, match.start(kind)) is not None
        if is_asked and not is_quoted_with_more(text, match):
            yield Span(*match.span(kind))

"""Patterns between slashes, as in JavaScript: `/nairobi/i`."""

from __future__ import annotations

import re

from engine import functions
from engine.patterns import lazy
from engine.record import Record

_LITERAL = lazy(r"/(?P<body>(?:[^/\\\n]|\\.)+)/(?P<flags>[dgimsuvy]*)")
_MATCHING = lazy(r"(?:not_)?i?match(?:es)?(?:_all_of|_at_least_n_of)?")
_SEARCHING = lazy(r"(?:not_)?i?contains?")
_PATH = lazy(r"[\w.-]+")


class SlashedPattern(Record):
    """A pattern between slashes, and the function that takes it without them.

    `name` is None if no function takes its flags. `is_certain` says that nothing else can be meant.
    """

    pattern: str
    flags: str
    name: str | None
    is_certain: bool


def slashed_pattern(written: str, function: str) -> SlashedPattern | None:
    """The pattern that `written`, an argument of `function`, contains between slashes; None if it is not one.

    For a function that looks for text, the pattern must have a flag `i` or `g`: otherwise the text may be a path.
    """
    found = _LITERAL.fullmatch(written)
    if found is None or len(set(found["flags"])) < len(found["flags"]):
        return None
    body, flags = found["body"].replace(r"\/", "/"), found["flags"]
    if _MATCHING.fullmatch(function) is not None:
        is_certain = bool(flags) or _PATH.fullmatch(body) is None
        return SlashedPattern(body, flags, _taking(function, flags, body), is_certain)
    if _SEARCHING.fullmatch(function) is not None and set(flags) & set("ig"):
        negation = "not_" if function.startswith("not_") else ""
        name = f"{negation}{'i' if 'icontain' in function else ''}matches"
        return SlashedPattern(body, flags, _taking(name, flags, body), False)
    return None


def _taking(name: str, flags: str, body: str) -> str | None:
    """The function like `name` that takes a pattern with these `flags`; None if there is none."""
    if not set(flags) <= set("giu") or ("u" in flags and re.search(r"\\[pPu]", body) is not None):
        return None
    if "i" in flags and "imatch" not in name:
        name = name.replace("match", "imatch", 1)
    function = functions.find(name)
    if function is None:
        return None
    return name if name not in function.unknown_to_weval else function.weval_name or name

"""Signs of a pattern in a text that is looked for as it stands: `Sucre|La Paz`, `^Yes`, `refugee*`."""

from __future__ import annotations

import re

from engine import functions
from engine.text.patterns import lazy
from engine.text.record import Record

_QUOTED = lazy(
    r"(?<![\w*.)\]])(\*{1,3})(?=[^\s*])[^*\n]*[^\s*]\1(?![\w*])|`[^`\n]*`|\$[^$\n]+\$|\b[A-Za-z]\([^()\n]*\)"
    r"|\\b(?:ack|lack|(?:ar|ecause|egin|eta|f|ig\w{0,2}|in|inom|m|mod|oldsymbol|ot|ox|oxed|reve|ullet)(?![A-Za-z]))"
)
"""Emphasis and code of Markdown, a formula and commands of LaTeX, `f(x)` and `P(A|B)`: they have such signs for their
own."""
_SIGN = lazy(
    r"""(?<=\w)(?<!\b\d)\|(?=\w)(?!None\b) | (?<=[^\W\dA-Z_])\$$ | (?<=[)*+\]])\$$ | \\[.?!]\$$  # Sucre|La Paz, no$
    | ^\^(?=[^\W\d_](?:[^\W\d_]|\$)|[.(\[\\"'])                                     # ^Yes
    | (?:^|(?<=[\s^(|"']))\.[*+]\?? | (?<=[^\W\d_])\.[*+]\??(?=[^\W\d_]|$|[\s)|$])  # .*persecut.*
    | (?<![:\\\w])\\[dDwWsS](?![A-Za-z]) | \\[dDwWsS](?=[+*?]|\{\d) | (?<=\w)\\b(?![A-Za-z])  # \d
    | (?:^|(?<=[\s(|]))\\b(?=[^\W\d_]) # \bno
    | (?<=\w)\\[.?+](?=\w) | \(\?(?:[:=!<]|i\)) | \.\{\d+(?:,\d*)?\}                       # 3\.14, (?i)
    | \b(?!(?:char|int|void|float|double|long)\*)[^\W\d_]{3,}\*(?![\w*])            # refugee*
    | (?<=[a-z])\?(?=[a-z]+(?![\w=])) | (?<=[a-z])\([a-z]{1,4}\)\?                  # colou?r, point(s)?
    | \[\^?(?:[a-z]-[a-z]|[A-Z]-[A-Z]|0-9)[^\]\n]*\] | \[([A-Za-z])(?!\1)(?i:\1)\]  # [Yy]es
    """,
    re.VERBOSE,
)
_CHARACTERS = frozenset("|^$*+?\\[")
_PATH = lazy(r"\b[A-Za-z]:[\\/]|\w[/.]\w[\w/.]*\.\*|://")
"""A path, a package or an address, in which such signs mean something else."""


def pattern_signs(text: str) -> list[str]:
    """The signs of a pattern in `text`, in order; a word with a star for `refugee*`."""
    if _CHARACTERS.isdisjoint(text) or _PATH.search(text) is not None:
        return []
    return [found[0] for found in _SIGN.finditer(_QUOTED.sub(" ", text))]


_SLASHED = lazy(r"/(?P<body>(?:[^/\\\n]|\\.)+)/(?P<flags>[dgimsuvy]*)")
_MATCHING = lazy(r"(?:not_)?i?match(?:es)?(?:_all_of|_at_least_n_of)?")
_SEARCHING = lazy(r"(?:not_)?i?contains?")
_PLAIN_PATH = lazy(r"[\w.-]+")


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
    found = _SLASHED.fullmatch(written)
    if found is None or len(set(found["flags"])) < len(found["flags"]):
        return None
    body, flags = found["body"].replace(r"\/", "/"), found["flags"]
    if _MATCHING.fullmatch(function) is not None:
        is_certain = bool(flags) or _PLAIN_PATH.fullmatch(body) is None
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
    return name if functions.known_to_weval(name) else function.weval_name or name

"""Signs of a pattern in a text that is looked for as it stands: `Sucre|La Paz`, `^Yes`, `refugee*`."""

from __future__ import annotations

import re

from engine.patterns import lazy

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

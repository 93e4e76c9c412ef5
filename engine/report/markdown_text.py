"""Text from elsewhere as Markdown that shows just it: no link, no image, no HTML, no mention."""

from __future__ import annotations

import re

from engine.text import visible

_SIGN = re.compile(r"[\\`*_{}\[\]<>#|~&$]|:(?=//)|(?<=www)\.|\A[-+=]", re.IGNORECASE)
"""What begins or ends something in Markdown, wherever it stands; at the start of a line also lists and rules."""
_NUMBERED = re.compile(r"\A(\d{1,9})([.)])")
_MENTION = re.compile(r"@(?=\w)")
_FENCE = re.compile(r"`+")


def inline(text: str) -> str:
    """`text` on one line, with every character that Markdown would read as a sign escaped."""
    line = " ".join(visible(text).split())
    line = _NUMBERED.sub(r"\1\\\2", _SIGN.sub(r"\\\g<0>", line))
    return _MENTION.sub("@<!-- -->", line)


def fenced(text: str) -> str:
    """`text` word for word between fences that nothing in it can close."""
    shown = visible(text).rstrip("\n")
    longest = max((len(run) for run in _FENCE.findall(shown)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}text\n{shown}\n{fence}"


def cell(text: str) -> str:
    """`text` for a cell of a table."""
    return inline(text) or " "

"""Recognising refusals: a judge that declines has not judged, whatever class follows its refusal (DESIGN, law 4)."""

from __future__ import annotations

import re

_DECLINES = re.compile(
    r"(?:i\s*['’]?\s*a?m\s+(?:very\s+|so\s+|really\s+)?sorry|sorry|i\s+apologi[sz]e|unfortunately|"
    r"as\s+an?\s+(?:ai|(?:large\s+)?language\s+model)\b[^.,]{0,60})?"
    r"[\s,.;:!—–-]*(?:but\s+|however,?\s+)?"
    r"(?:i\s+(?:can(?:no|['’])t|can\s+not|won['’]t|will\s+not|must\s+(?:\w+\s+)?decline|(?:\w+ly\s+)?decline|refuse|"
    r"am\s+(?:unable|not\s+able|not\s+comfortable)|do(?:\s+not|n['’]t)\s+feel\s+comfortable)|"
    r"i['’]m\s+(?:unable|not\s+able|not\s+comfortable))\b(?P<rest>[^.\n]{0,200})",
    re.I,
)
_OF_THE_TASK = re.compile(
    r"\s+(?:to\s+|with\s+)?(?:(?:assist|help(?!\s+(?:but|notic|think|see))|comply|engage|fulfil\w*|participate|"
    r"proceed|continue|discuss)\w*\b|"
    r"(?:assess|evaluat|judg|classify|grad|rat|analy[sz]|review|provid)\w*\s+(?:this|that|the|such|any|an?)\b"
    r"(?!.*\b(?:as|higher|above|more|full\w*|beyond|CLASS_\w+)\b))",
    re.I,
)
_SAYS_SORRY = re.compile(r"(?:i['’]?\s*a?m\s+(?:very\s+|so\s+)?sorry|sorry|i\s+apologi[sz]e)\b", re.I)


def declines_the_task(text: str) -> bool:
    """Whether a reply or a reflection begins by refusing to judge.

    Refusing a better class does not count: "I cannot rate this higher, since …".
    """
    match = _DECLINES.match(_beginning(text))
    return match is not None and _OF_THE_TASK.match(match["rest"]) is not None


def refuses(text: str) -> bool:
    """Whether a reply without a class begins with an apology or any refusal."""
    beginning = _beginning(text.strip(" \t\r\n\"'"))
    return _SAYS_SORRY.match(beginning) is not None or _DECLINES.match(beginning) is not None


def _beginning(text: str) -> str:
    """The first 400 code points without markdown. Quotation marks are kept: a quoted refusal is not the judge's own."""
    return text.strip(" \t\r\n*_`#>-")[:400]

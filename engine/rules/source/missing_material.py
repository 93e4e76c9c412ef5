"""Material that a prompt speaks of and does not hold, such as an attachment. English only."""

from __future__ import annotations

import re

from engine.patterns import lazy
from engine.text import Span

_DOCUMENT = (
    r"(?:pdf|file|report|document|article|letter|e-?mail|contract|table|data|csv|text|transcript|spreadsheet|essay|paper"
    r"|invoice|policy|agreement|notes|minutes|form|r[eé]sum[eé]|cv)s?"
)
_PICTURE = (
    r"(?:image|picture|photo|photograph|screenshot|diagram|chart|graph|map|figure|drawing|video|audio|recording)s?"
)
_MISSING = lazy(
    rf"""\b(?:attached|enclosed|uploaded)\s+(?!to\b)(?:\w+\s+){{0,2}}(?:{_DOCUMENT}|{_PICTURE})\b
    |\b{_PICTURE}\s+(?:(?:shown|provided|given|displayed)\s+)?(?:above|below|attached)\b(?!\s+(?:the|an?|his|her|our|my|its)\b)|\b(?:shown|depicted)\s+in\s+(?:the|this)\s+
      {_PICTURE}\b
    |\b(?:data|samples?|examples?|{_DOCUMENT}|{_PICTURE})\s+(?:samples?\s+)?(?:is|are)\s+(?:provided|attached|enclosed|included)
      (?=\s*(?:[.!]|\Z))
    |\b(?:the\s+following|this|the)\s+(?:\w+\s+){{0,2}}(?:{_DOCUMENT}|sentence|paragraph|passage|poem|review|speech|message)\b
      [^.?!:\n]{{0,60}}:\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_SIGNS = ("ttached", "nclosed", "ploaded", " above", " below", "shown in", "depicted in", "rovided", "ncluded")
_TASK = lazy(
    r"\b(?:read|summari[sz]e|list|translate|rewrite|review|describe|identify|explain|proofread|analy[sz]e|extract|look|use"
    r"|find|what|which|who|how\s+many|correct|edit|turn|convert|check|compare|write|shorten|name|give|tell)\b",
    re.IGNORECASE,
)
_ABOUT_FILES = lazy(r"\b(?:open|send|attach|upload|download|outlook|gmail|virus|malware|scam|phishing|print)\b", re.I)
_LONGEST = 400
"""Characters of a prompt that is a request alone."""


def missing_material(text: str) -> Span | None:
    """Where a short request names material that it does not hold; None if it names none, or has lines of its own."""
    text = text.rstrip()
    if len(text) > _LONGEST or "\n" in text or not (text.endswith(":") or any(sign in text for sign in _SIGNS)):
        return None
    found = _MISSING.search(text)
    if found is None or _TASK.search(text) is None or _ABOUT_FILES.search(text) is not None:
        return None
    return Span(*found.span())

"""Texts that only stand in for one: “to be written”, “Your criterion here”, “[ideal answer]”."""

from __future__ import annotations

import re

from engine.patterns import lazy
from engine.rules.source.slot_nouns import MATERIALS

_TO_BE = (
    r"to\s+be\s+(?:added|written|filled(?:\s+in)?|inserted|completed|determined|decided|confirmed|supplied|provided|done|defined"
    r"|announced|formulated|specified|drafted)"
)
_KIND = (
    r"(?:prompt|question|text|criterion|criteria|point|ideal|answer|ideal\s+(?:answer|response)|response|article|content"
    r"|instructions?|system\s+prompt|rubric|description|expected\s+(?:answer|response|output)|model\s+answer|expectation)"
)
_EXPECTATION = (
    r"(?:an?|another|your|first|second|third)\s+expectation(?:\s+(?:for|of)\s+(?:the|this|an?)\s+(?:response|answer|output))?"
    r"|expectation\s+\d+|an?(?:other)?\s+(?:ideal|expected|model|example|sample)\s+(?:response|answer)"
    r"(?:\s+(?:to|for)\s+(?:the|this|your)\s+(?:prompt|question))?"
)
_REPLACED = (
    rf"(?:replace|change|overwrite)\s+(?:this|me)(?:\s+(?:line|placeholder|{_KIND}))?"
    rf"(?:\s+(?:with|by|to)\s+(?:(?:the|your|an?|own)\s+){{0,2}}{_KIND})?"
    rf"|replace\s+(?:with|by)\s+(?:(?:the|your|an?|own)\s+){{1,2}}{_KIND}"
)
_UNWRITTEN = lazy(
    rf"""(?:<!--|/\*|//|--+)?\s*[\[<({{*]*\s*(?:to[-\s]?do|tb[dca]|fix-?me|placeholder(?:\s+text)?|x{{3,}}|\?{{2,}}|\.{{2,}}|…|_{{3,}}|lorem\s+ipsum\b.*
    |(?:{_KIND}\s+)?{_TO_BE}(?:\s+(?:later|by\s+\w+(?:\s+\w+)?))?
    |(?:(?:the|your|my|an?|some|first|second|third|next|another|\d+(?:st|nd|rd|th))\s+){{0,2}}{_KIND}
      (?:\s+\w+)?\s+(?:goes\s+|comes\s+)?here
    |(?:please\s+)?(?:insert|enter|add|write|put|paste|type|fill\s+in)\s+(?:(?:the|your|an?|some|more|another)\s+)?{_KIND}
      (?:\s+here)?
    |(?:new|another|my|your|example|sample|dummy)\s+(?:prompt|criterion|point|criteria)(?:\s+\d+)?
    |(?:first|second|third)\s+prompt|{_EXPECTATION}|{_REPLACED}
    |(?:prompt|criterion|point)\s+\d+)\s*[\]>)}}*]*[.!:]*\s*(?:-->|\*/|--+)?""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_LONE_SLOT = lazy(
    rf"[\[<]\s*(?:(?:ideal|model|expected)\s+)?(?:{MATERIALS}|ideal|answer|response|criterion)\s*[\]>]", re.I
)
_LONGEST_UNWRITTEN = 60


def is_unwritten(text: str) -> bool:
    """Whether a whole text only stands in for one that is to be written."""
    if len(text) > _LONGEST_UNWRITTEN:
        return False
    text = text.strip()
    return _UNWRITTEN.fullmatch(text) is not None or (text[:1] in ("[", "<") and _LONE_SLOT.fullmatch(text) is not None)

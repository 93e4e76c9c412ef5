"""Criteria that only allow something: “May mention …”."""

from __future__ import annotations

import re
from functools import lru_cache

_SPEAKS = (
    "mention|note|explain|reference|refer|acknowledge|state|clarify|identify|comment|contrast|describe|discuss|cite|"
    "quote|highlight|emphasi[sz]e|express|list|link|allude|point\\s+out|touch\\s+on|add|compare|summari[sz]e"
)


_DOES = (
    "offer|suggest|provide|include|redirect|recommend|ask|prefer|seek|improve|attempt|encourage|propose|invite|use|"
    "see|show|refuse|decline|give|draw|correct|address|warn|advise|share|answer|present|frame|note|begin|end|apologi[sz]e"
)


_ADVERB = r"(?:(?:also|optionally|further|additionally|\w+ly)\s+)?"


_PERMITS = re.compile(
    rf"""\W*(?:
      (?P<answer>(?:(?:the|this|an?|final|first|second|third|last)\s+)*
        (?:response|answer|model|assistant|ai|llm|output|reply|it)\s+(?:may|might|could|can))\s+
        {_ADVERB}(?:{_SPEAKS}|{_DOES})\b
      |(?P<allowed>(?:(?:the|an?)\s+)?(?:response|answer|model|assistant|reply|it)\s+is\s+(?:also\s+)?
        (?:(?:allowed|permitted|free|welcome)\s+to\s+[a-z]+
          |(?:acceptable|fine|okay|ok|permissible|optional|not\s+(?:required|necessary|needed))\s+(?:to|if|for|that)))\b
      |(?P<needless>(?:(?:the|this|an?)\s+)?(?:(?:response|answer|model|assistant|reply|it)\s+)?(?:need\s+not|needn['’]t
        |do(?:es)?(?:\s+not|n['’]t)\s+(?:need|have)\s+to|is\s+not\s+(?:required|obliged)\s+to))\s+
        {_ADVERB}(?:{_SPEAKS}|{_DOES})\b
      |(?P<nice>it\s+(?:would|might)\s+(?:also\s+)?be\s+(?:nice|good|great|helpful|useful|ideal|a\s+plus|a\s+bonus|welcome))\b
      |(?P<plus>(?:an?\s+)?(?:plus|bonus|nice)\s+(?:if|for)|feel\s+free\s+to|(?:extra|bonus)\s+(?:points?|marks?|credit)\s+(?:for|if)
        |(?:would|might)\s+be\s+(?:nice|good|great|helpful|useful|ideal|welcome)\s+(?:to|if)|may\s+or\s+may\s+not
        |not\s+(?:strictly\s+)?(?:necessary|required|needed|essential)(?=\s*[,:])|it['’]s\s+(?:fine|ok|okay|acceptable)\s+(?:to|if)
        |it\s+is\s+up\s+to\s+the\s+(?:model|answer|assistant|response)|(?:perhaps|possibly|maybe)\s+(?=[a-z]+s\b)
        |models?\s+(?:can|may|might|could)\s+(?:also\s+)?(?={_SPEAKS}|{_DOES}))
      |(?P<speaks>may|might|could)\s+{_ADVERB}(?:{_SPEAKS})\b
      |(?P<does>may|might|could)\s+{_ADVERB}(?:{_DOES})\b
      |(?P<optional>optionally|ideally|preferably|(?:if|where|when)\s+possible(?=,)|nice[-\s]to[-\s]have:?|extra\s+credit:?
        |\(?(?:optional|bonus)\)?:?),?\s+\w+
      |[^.;]{{0,200}},?\s+(?P<after>(?:but|though|although)\s+(?:this|it|that)\s+is\s+(?:optional
        |not\s+(?:strictly\s+)?(?:mandatory|required|necessary|essential)))\W*$
      |[^.;]{{0,200}}\s(?P<last>if\s+(?:possible|desired|(?:it|they|the\s+\w+)\s+(?:so\s+)?(?:wish(?:es)?|wants?|likes?))
        |would\s+be\s+(?:nice|welcome|a\s+plus|a\s+bonus)|(?:is|are)\s+(?:welcome|optional|a\s+plus)
        |would\s+earn\s+(?:extra|bonus)\s+(?:points?|marks?|credit))\W*$
      |.*(?P<aside>\((?:optional|bonus|nice\s+to\s+have|if\s+possible|extra\s+credit
        |(?:but\s+)?not\s+(?:strictly\s+)?(?:required|necessary|needed|mandatory|essential))\))\.?$
    )""",
    re.IGNORECASE | re.VERBOSE,
)


_LAW = re.compile(r"\[cite|\b(?:art|article|section|sec|para|clause)\b\.?\s*\d|§", re.IGNORECASE)


@lru_cache(maxsize=4_000)
def permission_in(text: str) -> tuple[int, int, bool] | None:
    """Start and end of the word of permission, and whether the text certainly describes an answer; else None."""
    found = _PERMITS.match(text)
    if found is None or (found["does"] is not None and _LAW.search(text)):
        return None
    for group in (
        "speaks",
        "optional",
        "does",
        "answer",
        "aside",
        "allowed",
        "needless",
        "nice",
        "after",
        "plus",
        "last",
    ):
        if found[group] is not None:
            end = found.end(group)
            start = found.start(group) if group != "answer" else end - len(found[group].split()[-1])
            return start, end, group != "does"
    return None

"""Criteria that only allow something: “May mention …”."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.patterns import lazy

_SPEAKS = (
    "mention|note|explain|reference|refer|acknowledge|state|clarify|identify|comment|contrast|describe|discuss|cite|"
    "quote|highlight|emphasi[sz]e|express|list|link|allude|point\\s+out|touch\\s+on|add|compare|summari[sz]e"
)


_DOES = (
    "offer|suggest|provide|include|redirect|recommend|ask|prefer|seek|improve|attempt|encourage|propose|invite|use|"
    "see|show|refuse|decline|give|draw|correct|address|warn|advise|share|answer|present|frame|note|begin|end|apologi[sz]e"
)


_ADVERB = r"(?:(?:also|optionally|further|additionally|\w+ly)\s+)?"


_PERMITS = lazy(
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
        |\(?(?:optional|bonus)\)?:?
          (?!\s+(?:[\w-]+\s+){{1,6}}?(?:is|are)\s+(?:\w+ly\s+)?(?:\w+ed|given|shown)\b)),?\s+\w+
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


_MATERIAL = (
    r"examples?|mentions?|references?|links?|sources?|citations?|disclaimers?|greetings?|explanations?|details?|comments?|notes?"
    r"|tables?|lists?|diagrams?|formulas?|formulae|footnotes?|quotes?|quotations?|introductions?|summary|summaries|anecdotes?"
    r"|jokes?|emojis?|headings?|bullets?|bullet\s+points|code|wording|phrasing|rounding|synonyms?|variations?|abbreviations?"
    r"|apology|apologies|caveats?|history|proverbs?|metaphors?|images?|pictures?|asides?|warnings?|verses?|songs?|poems?"
    r"|user|author|mentioning|naming|citing|adding|giving|quoting|explaining|listing|including|linking|questions?"
)
"""What an answer is made of, or what it does: laws permit other things."""
_NOT_DUE = (
    r"not\s+(?:strictly\s+|really\s+|absolutely\s+)?(?:required|needed|necessary|mandatory|compulsory|obligatory|essential|expected"
    r"|demanded|a\s+must|a\s+requirement)"
)
_FREE = (
    rf"welcome|optional|desirable|recommended|permitted|permissible|allowed|acceptable|tolerated|appreciated|fine|ok|okay"
    rf"|voluntary|a\s+plus|a\s+bonus|nice(?:\s+to\s+have|\s+touch)?|{_NOT_DUE}"
)
_SPOKEN = (
    r"mentioned|touched\s+(?:up)?on|named|included|added|cited|brought\s+up|noted|discussed|referenced|raised|listed|explained"
    r"|quoted|omitted|left\s+out|skipped|used|asked"
)
_OPTED = lazy(
    rf"""\W*(?:
      (?:(?:an?|the|some|any|short|brief|further|more)\s+(?:\w+\s+){{0,2}}?)?(?:{_MATERIAL})
        (?=\s+(?:is|are|would|will|may|might|could|can|need|does|of|to|for|from|in|on|at|about|with|the|an?)\b)
        (?:(?!\b(?:that|which|who)\b)[^.;:]){{0,60}}?\s
        (?:(?:is|are|would\s+be|will\s+be)\s+(?:also\s+|very\s+|highly\s+|quite\s+|always\s+|a\s+)?(?P<state>{_FREE})
          (?:,?\s+(?:but|though|and)\s+(?:{_NOT_DUE}))?\W*$
          |(?P<may>may|might|could|can|need\s+not|needn['’]t|does\s+not\s+(?:have|need)\s+to)\s+(?:also\s+)?be\s+(?:{_SPOKEN})\b)
      |(?:an?|the|some|any)\s+[^.;:,]{{2,60}}?\s(?P<conditional>would\s+be\s+(?:very\s+)?(?:welcome|desirable|appreciated|a\s+nice\s+touch))\W*$
      |(?:an?|the|some|any)\s+[^.;:,]{{2,60}}?\s(?:is|are)\s+(?P<twist>(?:recommended|welcome|desirable|nice|good|encouraged|fine),?\s+but\s+
        (?:{_NOT_DUE}))\W*$
      |(?:an?|the|some|any)\s+[^.;:,]{{2,60}}?\s(?P<passive>(?:might|may|could|can|need\s+not)\s+(?:also\s+)?be\s+(?:mentioned
        |touched\s+(?:up)?on|brought\s+up|named|alluded\s+to|left\s+out|omitted|skipped))(?:\s+(?:too|as\s+well|briefly|in\s+passing|here))?\W*$
      |(?P<room>(?:if|where|when|as\s+far\s+as)\s+(?:there\s+is\s+(?:room|space|time)|(?:space|length|room|time|the\s+length)\s+(?:permits|allows))),
      |(?P<front>(?:welcome|desirable|optional|recommended|preferable|nice|good|not\s+(?:strictly\s+)?(?:necessary|required|needed|essential|a\s+must)),?\s+
        but\s+(?:{_NOT_DUE}|good|nice|welcome|\w+s\b))
      |(?P<label>(?:desirable|preferable|nice-to-have|voluntary)):
      |(?P<need>there\s+is\s+no\s+need\s+to|it\s+(?:would|does)\s+not\s+hurt\s+to|(?:could|may|might)\s+also\s+\w+
        |can\s+also\s+(?:{_SPEAKS}|{_DOES}|bring|name)|may,?\s+but\s+(?:{_NOT_DUE}|(?:does|do|need)\s+not)|bonus\s+for
        |is\s+(?:free|welcome)\s+to|(?:the\s+user|the\s+reader)\s+(?:can|may|could|might)\s+be\s+asked)\b
      |[^.;]{{2,200}}?[,;(–-]\s*(?P<taken>(?:but\s+|though\s+|although\s+)?(?:(?:this|it|that)\s+(?:is|isn['’]t)\s+)?(?:{_NOT_DUE}
        |(?<=isn['’]t\s)(?:required|needed|necessary|mandatory|expected|obligatory|essential)
        |no\s+penalty(?:\s+(?:if|for|when)\b[^.;]{{0,30}})?|without\s+penalty|at\s+(?:the\s+model['’]s|its|the\s+author['’]s)\s+discretion
        |but\s+it\s+is\s+(?:also\s+)?(?:fine|ok|okay|acceptable)\s+if\s+[^.;]{{2,30}}|not\s+(?:scored|graded|counted)))\)?\W*$
      |[^.;]{{2,200}}?\s(?P<wish>(?:if|where)\s+(?:there\s+is\s+(?:room|space|time)|(?:space|length|room|time)\s+(?:permits|allows)|it\s+fits|it\s+likes))\W*$
    )""",
    re.IGNORECASE | re.VERBOSE,
)
"""A demand that is taken back: what is welcome, not expected, or left to the model."""
_OPTED_SIGN = lazy(
    r"\b(?:welcome|optional|desirable|recommended|permitted|permissible|allowed|acceptable|tolerated|appreciated|fine|ok|okay"
    r"|voluntary|plus|bonus|nice|good|need|needed|penalty|discretion|required|necessary|mandatory|compulsory|obligatory"
    r"|expected|essential|must|space|room|length|time|fits|likes|might|may|could|can|hurt|free|preferable|scored|graded|counted)\b",
    re.IGNORECASE,
)
_LAW = lazy(r"\[cite|\b(?:art|article|section|sec|para|clause)\b\.?\s*\d|§", re.IGNORECASE)

_OF_CONTENT = lazy(r"\b(?:what|which|that|whether|why|when|how)\b", re.IGNORECASE)
"""“Names what is optional” speaks of the world."""


@lru_cache(maxsize=4_000)
def permission_in(text: str) -> tuple[int, int, bool] | None:
    """Start and end of the word of permission, and whether the text certainly describes an answer; else None."""
    found = _PERMITS.match(text)
    if found is None:
        return _opted(text)
    if found["does"] is not None and _LAW.search(text):
        return None
    if found["last"] is not None and found["last"][:2] in ("is", "ar") and _OF_CONTENT.search(text):
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


def _opted(text: str) -> tuple[int, int, bool] | None:
    """What `permission_in` returns for a demand that is taken back."""
    found = _OPTED.match(text[:400]) if _OPTED_SIGN.search(text) is not None else None
    if found is None or found.lastgroup is None or _LAW.search(text) is not None:
        return None
    return *found.span(found.lastgroup), True

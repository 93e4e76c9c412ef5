"""Whether an ideal describes an answer, as in "A JSON object with two keys", instead of being one."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.rules.words import word_set
from engine.text.patterns import lazy

_FORMS = word_set(
    """response responses answer answers reply replies output object array dictionary block list table summary summaries
    explanation text paragraph paragraphs sentence sentences translation code function script program description json
    xml yaml csv html essay poem haiku story email e-mail letter refusal message statement score number word option
    label plan outline recipe greeting apology analysis argument comparison breakdown walkthrough overview set series
    sequence string snippet"""
)
"""Nouns for what an answer is."""
_PHRASE = lazy(
    rf"""\W*
    (?: (?:an?|any|some|the|one|\d+)\s+(?:[\w'-]+,?\s+){{0,4}}? | (?:valid|short|brief|clear|polite|correct)\s+ )?
    (?:{"|".join(sorted(_FORMS))})\b (?:\s+(?:object|block|list|of\s+text))?
    (?:\s+(?:of|about|on|for|from|in)\s+[^.,:;]{{1,60}},)?
    \s*(?:\([^)]*\)\s*)? (?:within\s+\S+\s+tags,?\s+)?
    (?: (?P<relative>that|which|in\s+which|where)
      | with|without|containing|including|describing|listing|explaining|showing|giving|stating|adhering|matching
      | following|covering|comparing|summari[sz]ing|naming|using|written|formatted|only
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""A noun phrase for a form of answer, with what it has: "A JSON object containing the translation"."""
_INSTRUCTION = lazy(
    r"""\W*(?:(?:the|an?|any)\s+)?(?:(?:ideal|good|correct|perfect|best|expected|model|strong)\s+){0,2}
    (?:response|answer|model|assistant|ai|reply|output|llm|chatbot)\s+
    (?:should|must|would|will|shall|needs?\s+to|ought\s+to|is\s+expected\s+to|has\s+to|refuses|explains|provides|includes
      |contains|mentions|acknowledges|describes|declines|gives|lists|names|states)\b
    |\W*(?:should|must)\s+(?:be|not|include|mention|explain|provide|give|state|contain|refuse|name|list)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""What an answer should do: "The ideal response would …", "Should mention …"."""
_VERB = lazy(
    r"""\W*(?:politely\s+|clearly\s+|briefly\s+|correctly\s+)?(?:explains|acknowledges|declines|refuses|mentions|identifies
    |describes|lists|provides|states|recommends|suggests|outlines|clarifies|emphasi[sz]es|highlights|summari[sz]es)\s+
    (?:that|to|the|how|why|what|an?|both|each|all|any)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""What an answer does, without a subject: "Explains that …"."""
_MAIN_VERB = lazy(
    r"\b(?:is|are|was|were|has|have|can|cannot|will|does|do|did|shows?|means?|refers?|describes?|depends?)\b",
    re.IGNORECASE,
)
_COLON_AND_MORE = lazy(r":\s*\S")


@lru_cache(maxsize=4096)
def describes_answer(ideal: str) -> bool:
    """Whether `ideal` says what an answer looks like, in English. A definition ("A list is …") is an answer."""
    text = ideal.strip()
    sentence = re.split(r"(?<=[.!?])\s|\n", text, maxsplit=1)[0]
    if _INSTRUCTION.match(sentence) or _VERB.match(sentence):
        return True
    found = _PHRASE.match(sentence)
    if found is None or _COLON_AND_MORE.search(text):
        return False
    return found["relative"] is not None or not _MAIN_VERB.search(sentence)

"""The subject of a criterion: the answer, a part of it, or its author: “the final answer”, “each step”, “you”."""

from __future__ import annotations

from collections.abc import Sequence

from engine.rules.language.words import Word, word_set

_WRITTEN = word_set(
    """summary explanation translation message advice essay tone language judgment judgement analysis recommendation
    article letter email draft content text sermon story poem speech scene code plan list report review script song
    post copy notice memo proposal abstract paragraph dialogue recipe table title headline argument narrative lesson
    quiz description tweet comment caption biography guide tutorial itinerary feedback assessment conclusion section
    introduction sentence passage wording style conversation output outputs joke rap riddle limerick haiku slogan
    advert advertisement ad image picture drawing svg page website app program function ending plot number figure
    value result reasoning calculation proof derivation definition outline timeline syllabus presentation statement
    announcement invitation toast eulogy obituary examples instructions steps claims statements sources citations
    arguments prose verse lyrics dialog debate interview design layout diagram chart thesis hypothesis label menu
    blurb manual captions minutes agenda legend brochure flyer leaflet poster"""
)
"""What an answer is, or a part of it."""
ANSWERS = _WRITTEN | word_set(
    """response responses answer answers model models assistant ai llm llms reply replies chatbot bot it agent tutor
    teacher coach adviser advisor counsellor counselor narrator writer speaker translator interpreter reviewer
    editor helper coder persona you"""
)
"""Nouns for an answer or its author."""
_BEFORE_ANSWERS = word_set(
    """the this that an a any each every all final first second third fourth fifth last next its it's overall entire
    whole model's models' ai's llm's assistant's response's system's bot's chatbot's initial ai generated chatbot
    language model assistant either both follow-up good perfect helpful short complete written resulting"""
)
_NO_ADVERBS = word_set("rely reply apply comply imply supply multiply family fly likely friendly unfriendly costly")
_VERBS_TOO = _WRITTEN | {"answers", "models", "replies", "model", "answer"}
"""Without an article, these may be verbs as well."""
_ADVERBS = word_set(
    """always also still ever then thus therefore even just both overall however generally ideally furthermore
    additionally absolutely instead once again explicitly"""
)
MODALS = frozenset({"should", "must", "does", "do", "did", "will", "ought"})
MODALS_OF_ANSWERS = MODALS | {"may", "shall", "can", "could", "would", "might", "need"}
"""Without a subject, “may not” and “shall not” are words of a law."""
CONTRACTED = {
    **{f"{modal}n't": modal for modal in ("should", "must", "does", "do", "did", "could", "would")},
    "won't": "will",
    "can't": "can",
    "cannot": "can",
    "dont": "do",
    "doesnt": "does",
    "shouldnt": "should",
    "isn't": "is",
    "aren't": "are",
    "isnt": "is",
    "shan't": "shall",
    "mustnt": "must",
    "needn't": "need",
}
STATES = frozenset({"is", "are", "be", "remains", "stays", "remain", "stay", "was"})


def end_of_subject(words: Sequence[Word], at: int) -> int:
    """The end of a subject that names the answer or its author; `at` if there is none.

    “Summary” may be a verb's object and “answers” a verb: without an article, they are a subject only before an
    auxiliary, as in “answers should name the fee”.
    """
    end = at
    while end < len(words) and words[end].text in _BEFORE_ANSWERS and not words[end].ends_clause:
        end += 1
    if end < len(words) and words[end].text in ANSWERS:
        is_verb = end == at and words[end].text in _VERBS_TOO and not _is_auxiliary(words, end + 1)
        return at if is_verb else end + 1
    if end > at and words[end - 1].text in ANSWERS:  # “the AI”, which may also stand before a noun
        return end
    return at


def _is_auxiliary(words: Sequence[Word], at: int) -> bool:
    text = words[at].text if at < len(words) else ""
    return text in MODALS_OF_ANSWERS or text in CONTRACTED or text in STATES


def after_adverbs(words: Sequence[Word], at: int) -> int:
    """The place after adverbs: “clearly”, “always”."""
    while at < len(words) and is_adverb(words[at].text):
        at += 1
    return at


def is_adverb(text: str) -> bool:
    """Whether a word before a verb only says how: “clearly”, “always”."""
    return text in _ADVERBS or (text.endswith("ly") and text not in _NO_ADVERBS)

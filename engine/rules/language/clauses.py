"""How a criterion begins: its subject, its auxiliary and its negation, up to the verb that says what an answer does.

A criterion is about an answer: its subject is the answer or left out. “They shall not be attacked” and “States that it
is not due” say something of the world, and have no negation in this sense.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import lru_cache

from engine.record import Record
from engine.rules.language.inflections import Form, Inflected
from engine.rules.language.verbs import AVOIDING, verb
from engine.rules.language.words import Word, is_english, phrases, starts_with, word_set, words_of

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
_MODALS = frozenset({"should", "must", "does", "do", "did", "will", "ought"})
_MODALS_OF_ANSWERS = _MODALS | {"may", "shall", "can", "could", "would", "might", "need"}
"""Without a subject, “may not” and “shall not” are words of a law."""
_CONTRACTED = {
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
_STATES = frozenset({"is", "are", "be", "remains", "stays", "remain", "stay", "was"})
_DUTIES = phrases(
    "has to",
    "have to",
    "needs to",
    "need to",
    "ought to",
    "is to",
    "are to",
    "is required to",
    "is expected to",
    "is supposed to",
    *("make sure to", "makes sure to", "be sure to", "try to", "tries to", "aims to", "takes care to"),
)
_CARE = phrases(
    "is careful",
    "be careful",
    "takes care",
    "take care",
    "makes sure",
    "make sure",
    "makes certain",
    "tries",
    "try",
    "attempts",
    "chooses",
    "opts",
    "ensures",
    "ensure",
    "strives",
    "needs",
    "has",
)
"""Words before “not to”."""
_NOT_TO = phrases("not to", "never to")
_ALLOWED = phrases("allowed to", "permitted to", "supposed to", "expected to", "to")
_NEVER = phrases(
    "under no circumstances",
    "under no circumstance",
    "in no way",
    "in no case",
    "at no point",
    "at no time",
    "on no account",
    "by no means",
    "never",
    "nowhere",
)
_FORBIDDEN = phrases("is forbidden from", "is forbidden to", "is prohibited from", "is barred from")
_AVOIDING_PHRASES = phrases(
    *(f"{form} {rest}" for form in ("steers", "steer", "steering") for rest in ("clear of", "away from")),
    *(f"{form} {rest}" for form in ("stays", "stay", "keeps", "keep") for rest in ("clear of", "away from")),
    *(f"{form} from" for form in ("refrains", "refrain", "refraining", "abstains", "abstain", "abstaining")),
    *(f"{form} from" for form in ("desists", "desist", "keeps", "keep", "holds back", "hold back")),
    *(f"{form} into" for form in ("never strays", "does not stray", "never drifts")),
)


class Mood(Enum):
    """How a criterion speaks of what an answer does: “gives”, “does not give”, “avoids giving”, “is”, “is not”."""

    DOES = "does"
    DOES_NOT = "does not"
    AVOIDS = "avoids"
    IS = "is"
    IS_NOT = "is not"


class Clause(Record):
    """The beginning of a criterion.

    `words` are those of the text. The negative words, if any, are `words[negative:after]`; what the answer does, or
    avoids, begins at `words[after]`. `subject` is the number of words before the auxiliary or the verb. `modal` is the
    auxiliary: “should”, “does”, empty if there is none. `names_answer` says that there is a subject.
    """

    words: tuple[Word, ...]
    mood: Mood
    subject: int
    negative: int
    after: int
    modal: str
    names_answer: bool

    @property
    def verb(self) -> Inflected | None:
        """The verb of what the answer does or avoids, if it is known."""
        return verb(self.words[self.after].text) if self.after < len(self.words) else None

    @property
    def is_negative(self) -> bool:
        """Whether the answer is not to do or be something."""
        return self.mood in (Mood.DOES_NOT, Mood.AVOIDS, Mood.IS_NOT)


@lru_cache(maxsize=4_000)
def clause_of(text: str) -> Clause | None:
    """The beginning of a criterion in English; None for another language, and for a sentence about the world."""
    words = words_of(text)
    return clause_at(words, 0) if words and is_english(words) else None


_LEADS = word_set(
    """when if in once where after before unless even although while during overall for at as given on upon"""
)


def clause_after_lead(words: tuple[Word, ...]) -> Clause | None:
    """The clause after a lead that ends with a comma: “when asked for a price, (the adviser does not name one)”."""
    if words[0].text not in _LEADS:
        return None
    comma = next((at for at, word in enumerate(words[:14]) if word.has_comma), None)
    return None if comma is None or comma + 1 >= len(words) else clause_at(words, comma + 1)


def clause_at(words: tuple[Word, ...], at: int) -> Clause | None:
    """The clause that begins at `words[at]`."""
    return None if words[at].is_quoted else _read(words, at)


def _read(words: tuple[Word, ...], first: int) -> Clause | None:
    start = _adverbs(words, first)
    never = starts_with(words, start, _NEVER)
    at = start + never
    subject_end = _subject(words, at)
    names_answer = subject_end > at
    at = _adverbs(words, subject_end)
    if at >= len(words):
        return None
    negative = start if never else -1
    modals = _MODALS_OF_ANSWERS if names_answer or never else _MODALS
    modal = ""
    if never and words[at].text in ("is", "are") and subject_end == at:  # “at no point is the name given”
        return Clause(words, Mood.IS_NOT, start, start, at + 1, words[at].text, names_answer)
    if never and words[at].text in modals:  # “under no circumstances should it name”
        modal = words[at].text
        subject_end = _subject(words, at + 1)
        names_answer = names_answer or subject_end > at + 1
        return Clause(words, Mood.DOES_NOT, start, start, _adverbs(words, subject_end), modal, names_answer)
    if words[at].text == "never":  # after a subject: “the answer never names”
        negative, at = at, _adverbs(words, at + 1)
        if at >= len(words):
            return None
    found = _negated(words, at, modals)
    if found is not None:
        after = _adverbs(words, found.after)
        return Clause(words, found.mood, at, found.negative, after, found.modal, names_answer)
    if words[at].text in modals:
        modal, at = words[at].text, at + 1
        if (inner := starts_with(words, at, _NEVER)) and at + inner < len(words):  # “will at no time name”
            return Clause(words, Mood.DOES_NOT, at, at, _adverbs(words, at + inner), modal, names_answer)
    elif duty := starts_with(words, at, _DUTIES):
        modal, at = "must", at + duty
    at = _adverbs(words, at)
    if at >= len(words):
        return None
    avoiding = _avoiding(words, at)
    if avoiding and negative >= 0:  # “never refrains from naming”
        return Clause(words, Mood.DOES_NOT, negative, negative, at, modal, names_answer)
    if avoiding:
        return Clause(words, Mood.AVOIDS, at, at, at + avoiding, modal, names_answer)
    mood = Mood.IS if words[at].text in _STATES else Mood.DOES
    if negative >= 0:
        mood = Mood.IS_NOT if mood is Mood.IS else Mood.DOES_NOT
        return Clause(words, mood, negative, negative, at + (mood is Mood.IS_NOT), modal, names_answer)
    return Clause(words, mood, at, at, at, modal, names_answer)


class _Negated(Record):
    """A negated verb: the place of the negative words, their end, and the auxiliary, "" if there is none."""

    mood: Mood
    negative: int
    after: int
    modal: str


def _negated(words: Sequence[Word], at: int, modals: frozenset[str]) -> _Negated | None:
    """The negation of the verb at `at`; None if it is not negated."""
    text = words[at].text
    following = words[at + 1].text if at + 1 < len(words) else ""
    if text in _CONTRACTED:
        modal = _CONTRACTED[text]
        if modal in ("is", "are"):
            return _after_is_not(words, at, at + 1)
        return _Negated(Mood.DOES_NOT, at, at + 1, modal) if modal in modals or modal == "can" else None
    if text in modals and following in ("not", "never"):
        end = at + 2
        if end < len(words) and words[end].text == "be":
            return _Negated(Mood.IS_NOT, at + 1, end + 1, text)
        return _Negated(Mood.DOES_NOT, at + 1, end, text)
    if text in ("has", "have") and following in ("not", "never") and at + 2 < len(words):
        known = verb(words[at + 2].text)
        return (
            _Negated(Mood.DOES_NOT, at + 1, at + 2, "does") if known is not None and known.form is Form.PAST else None
        )
    if text in _STATES and following in ("not", "never"):
        return _after_is_not(words, at + 1, at + 2)
    care = starts_with(words, at, _CARE)
    if care and starts_with(words, at + care, _NOT_TO):
        return _Negated(Mood.DOES_NOT, at + care, at + care + 2, "")
    if forbidden := starts_with(words, at, _FORBIDDEN):
        return _Negated(Mood.DOES_NOT, at + 1, at + forbidden, "must")
    if text == "neither" and (known := verb(following)) is not None and known.form in (Form.BASE, Form.THIRD):
        return _Negated(Mood.DOES_NOT, at, at + 1, "")
    if text == "not" and not words[at].ends_clause:
        step = 2 if following == "to" else 1
        known = verb(words[at + step].text) if at + step < len(words) else None
        if known is not None and known.form is Form.BASE:
            return _Negated(Mood.DOES_NOT, at, at + step, "")
    return None


def _after_is_not(words: Sequence[Word], negative: int, after: int) -> _Negated:
    """“is not allowed to name” says what an answer does not do, “is not clear” what it is not."""
    allowed = starts_with(words, after, _ALLOWED)
    return _Negated(Mood.DOES_NOT if allowed else Mood.IS_NOT, negative, after + allowed, "is")


def _avoiding(words: Sequence[Word], at: int) -> int:
    """The number of words for “avoids” or “refrains from” at `at`; 0 if there is none."""
    phrase = starts_with(words, at, _AVOIDING_PHRASES)
    if phrase:
        return phrase
    found = verb(words[at].text)
    forms = (Form.BASE, Form.THIRD, Form.GERUND) if at == 0 else (Form.BASE, Form.THIRD)
    return 1 if found is not None and found.base in AVOIDING and found.form in forms else 0


def _subject(words: Sequence[Word], at: int) -> int:
    """The end of a subject that names the answer or its author; `at` if there is none."""
    end = at
    while end < len(words) and words[end].text in _BEFORE_ANSWERS and not words[end].ends_clause:
        end += 1
    if end < len(words) and words[end].text in ANSWERS:
        is_verb = end == at and words[end].text in _VERBS_TOO and not _may_be_subject(words, end + 1)
        return at if is_verb else end + 1
    if end > at and words[end - 1].text in ANSWERS:  # “the AI”, which may also stand before a noun
        return end
    return at


def _may_be_subject(words: Sequence[Word], after: int) -> bool:
    """Whether an auxiliary follows."""
    text = words[after].text if after < len(words) else ""
    return text in _MODALS_OF_ANSWERS or text in _CONTRACTED or text in _STATES


def _adverbs(words: Sequence[Word], at: int) -> int:
    """The place after adverbs: “clearly”, “always”."""
    while at < len(words) and is_adverb(words[at].text):
        at += 1
    return at


def is_adverb(text: str) -> bool:
    """Whether a word before a verb only says how: “clearly”, “always”."""
    return text in _ADVERBS or (text.endswith("ly") and text not in _NO_ADVERBS)

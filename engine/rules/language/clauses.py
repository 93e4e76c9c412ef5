"""How a criterion begins: its subject, its auxiliary and its negation, up to the verb that says what an answer does.

A criterion is about an answer: its subject is the answer or left out. “They shall not be attacked” and “States that it
is not due” say something of the world, and have no negation in this sense.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from engine.record import Record
from engine.rules.language.inflections import Form, Inflected
from engine.rules.language.negated_verbs import Mood, negated_verb
from engine.rules.language.subjects import MODALS, MODALS_OF_ANSWERS, STATES, after_adverbs, end_of_subject
from engine.rules.language.verbs import AVOIDING, verb
from engine.rules.language.words import Word, is_english, phrases, starts_with, word_set, words_of

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
_AVOIDING_PHRASES = phrases(
    *(f"{form} {rest}" for form in ("steers", "steer", "steering") for rest in ("clear of", "away from")),
    *(f"{form} {rest}" for form in ("stays", "stay", "keeps", "keep") for rest in ("clear of", "away from")),
    *(f"{form} from" for form in ("refrains", "refrain", "refraining", "abstains", "abstain", "abstaining")),
    *(f"{form} from" for form in ("desists", "desist", "keeps", "keep", "holds back", "hold back")),
    *(f"{form} into" for form in ("never strays", "does not stray", "never drifts")),
)


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

    def predicate(self, text: str) -> str:
        """What `text` says of the answer: its words from the negation, or else from the verb on."""
        return text[self.words[self.negative if self.is_negative else self.after].start : self.words[-1].end]

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


class _Head(Record):
    """What stands before an auxiliary or a verb at `at`.

    `negative` is the place of “never” and the like, -1 without one; `names_answer` says that there is a subject.
    """

    at: int
    negative: int
    names_answer: bool

    @property
    def modals(self) -> frozenset[str]:
        """The auxiliaries that may follow: without a subject, “may not” is of a law."""
        return MODALS_OF_ANSWERS if self.names_answer or self.negative >= 0 else MODALS


def _read(words: tuple[Word, ...], first: int) -> Clause | None:
    start = after_adverbs(words, first)
    never = starts_with(words, start, _NEVER)
    subject = end_of_subject(words, start + never)
    head = _Head(after_adverbs(words, subject), start if never else -1, subject > start + never)
    if head.at >= len(words):
        return None
    return (_turned(words, head, subject) if never else None) or _with_verb(words, head)


def _turned(words: tuple[Word, ...], head: _Head, subject: int) -> Clause | None:
    """“At no point is the name given”, “under no circumstances should it name”: the subject follows the auxiliary."""
    modal, negative = words[head.at].text, head.negative
    if modal in ("is", "are") and subject == head.at:
        return Clause(words, Mood.IS_NOT, negative, negative, head.at + 1, modal, head.names_answer)
    if modal in head.modals:
        end = end_of_subject(words, head.at + 1)
        names_answer = head.names_answer or end > head.at + 1
        return Clause(words, Mood.DOES_NOT, negative, negative, after_adverbs(words, end), modal, names_answer)
    return None


def _with_verb(words: tuple[Word, ...], head: _Head) -> Clause | None:
    """The clause of a head and its verb: “(the answer never) names”, “(it) should not name”, “avoids naming”."""
    modals, at, negative = head.modals, head.at, head.negative
    if words[at].text == "never":  # after a subject: “the answer never names”
        negative, at = at, after_adverbs(words, at + 1)
        if at >= len(words):
            return None
    found = negated_verb(words, at, modals)
    if found is not None:
        after = after_adverbs(words, found.after)
        return Clause(words, found.mood, at, found.negative, after, found.modal, head.names_answer)
    modal = ""
    if words[at].text in modals:
        modal, at = words[at].text, at + 1
        inner = starts_with(words, at, _NEVER)
        if inner and at + inner < len(words):  # “will at no time name”
            after = after_adverbs(words, at + inner)
            return Clause(words, Mood.DOES_NOT, at, at, after, modal, head.names_answer)
    elif duty := starts_with(words, at, _DUTIES):
        modal, at = "must", at + duty
    at = after_adverbs(words, at)
    return None if at >= len(words) else _of_verb(words, at, negative, modal, names_answer=head.names_answer)


def _of_verb(words: tuple[Word, ...], at: int, negative: int, modal: str, *, names_answer: bool) -> Clause:
    """The clause of the verb at `at`; `negative` is the place of “never” before it, -1 without one."""
    avoiding = _avoiding(words, at)
    if avoiding and negative >= 0:  # “never refrains from naming”
        return Clause(words, Mood.DOES_NOT, negative, negative, at, modal, names_answer)
    if avoiding:
        return Clause(words, Mood.AVOIDS, at, at, at + avoiding, modal, names_answer)
    is_state = words[at].text in STATES
    if negative >= 0:
        mood = Mood.IS_NOT if is_state else Mood.DOES_NOT
        return Clause(words, mood, negative, negative, at + is_state, modal, names_answer)
    return Clause(words, Mood.IS if is_state else Mood.DOES, at, at, at, modal, names_answer)


def _avoiding(words: Sequence[Word], at: int) -> int:
    """The number of words for “avoids” or “refrains from” at `at`; 0 if there is none."""
    phrase = starts_with(words, at, _AVOIDING_PHRASES)
    if phrase:
        return phrase
    found = verb(words[at].text)
    forms = (Form.BASE, Form.THIRD, Form.GERUND) if at == 0 else (Form.BASE, Form.THIRD)
    return 1 if found is not None and found.base in AVOIDING and found.form in forms else 0

"""Recognises what a negation in a criterion leaves open."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from engine.record import Record, replace
from engine.rules.language.clauses import Clause, Mood, clause_of, is_adverb
from engine.rules.language.faults import STATES, ends_there
from engine.rules.language.inflections import Form, third_person
from engine.rules.language.negations import CACHE_SIZE, FAILING_GERUNDS, negative_word, words_that_take_back
from engine.rules.language.vague_negations import CONTENT_CLAUSES, vague_in, vague_negation
from engine.rules.language.verbs import base_form, verb
from engine.rules.language.words import Word, is_english, phrases, starts_with, word_set, words_of

_ONLY = frozenset({"only", "just", "merely", "simply", "solely"})
_NEGATED_STATES = word_set(
    """unclear unhelpful unkind unfriendly unprofessional unsympathetic unsupportive unreasonable unwilling unaware
    unreadable ungrammatical impolite imprecise impatient incomplete inconsistent insensitive disrespectful
    illogical dishonest incoherent disorganised disorganized unfavourable insufficient unconvincing unrealistic
    unbalanced"""
)
"""Adjectives that are themselves negations."""
_LEFT_OUT = frozenset({"omitted", "missing", "forgotten", "neglected", "lacking", "overlooked", "left"})
_LIMITED = phrases("limited to", "confined to")
_STOPPING = phrases("stop at", "limit itself to")
_IDIOMS = phrases(
    "leave nothing to be desired",
    "leaves nothing to be desired",
    "leave anything to be desired",
    "nothing that is not",
    "nothing that isn't",
    "anything that is not",
)
"""Idioms of two negatives."""
_COMPLETIONS = frozenset({"but", "instead", "rather", "also", "without", "before"})
_STOPS_OF_SCOPE = CONTENT_CLAUSES | {"or", "but", "nor"}
_NOUNS_TOO = word_set(
    """use share press push lead link list number rank print copy format output attack comfort comment try test touch
    mix move note offer order pay plan promise quote reply report run say show answer question cause contact display
    exhibit state name help praise blame insult judge shame spread support stress yield cut drop return request
    result drive drink delay turn guide start stop close open end reference mention claim address detail contrast
    target"""
)
"""Base forms that are nouns as often as verbs."""


_COMPARING = word_set("compare contrast link connect mix treat frame")
_PREPOSITIONS = word_set("of for in at on to from by with as about between both into than that")
SEQUELS = word_set("switch proceed move turn continue jump go start begin inject add append then")
"""What follows on the first action, so that both are one: “abandons the questions and switches to a lecture”."""


class Unclear(Enum):
    """What a negation leaves open."""

    OBJECT = "object"
    ADVICE = "advice"
    TWICE = "twice"
    INCOMPLETE = "incomplete"
    SCOPE = "scope"
    BUNDLE = "bundle"
    REASON = "reason"


class Negation(Record):
    """An unclear negation: what it leaves open, and the place of its negative word, `text[start:end]`.

    The whole negation is `text[begin:until]`. A message quotes `words`, or the two `actions` after one “not”.
    """

    kind: Unclear
    begin: int
    start: int
    end: int
    until: int
    words: str
    actions: tuple[str, ...] = ()


@lru_cache(maxsize=CACHE_SIZE)
def unclear_negation(text: str) -> Negation | None:
    """The unclear negation of a criterion in English; None if its negation is plain, or it has none."""
    words = words_of(text)
    if not words or not is_english(words):
        return None
    clause = clause_of(text)
    found = None
    if clause is not None:
        found = _advice(text, clause) or _twice(text, clause) or _incomplete(text, clause)
    found = found or _twice_elsewhere(text, words) or _vague(text, words)
    return found or (None if clause is None else _scope(text, clause))


def _found(text: str, kind: Unclear, words: tuple[Word, ...], first: int, last: int) -> Negation:
    """The negation in `words[first:last]`, which the message quotes."""
    start, end = words[first].start, words[last - 1].end
    word = negative_word(text, start)
    return Negation(kind, start, word[0], word[1], end, " ".join(text[start:end].split()))


def _vague(text: str, words: tuple[Word, ...]) -> Negation | None:
    """A negation whose object could be anything: the message quotes the object."""
    found = vague_negation(words)
    if found is None:
        return None
    start, end = negative_word(text, words[found.negative].start)
    until = words[found.end - 1].end
    quoted = " ".join(text[words[found.start].start : until].split())
    return Negation(Unclear.OBJECT, start, start, end, until, quoted)


def _twice_elsewhere(text: str, words: tuple[Word, ...]) -> Negation | None:
    """“Explains it without omitting the risk”, “no step is left out”."""
    for at, word in enumerate(words[:-1]):
        if word.is_quoted or word.text in CONTENT_CLAUSES:
            break
        if word.text == "without" and words[at + 1].text in FAILING_GERUNDS:
            return _found(text, Unclear.TWICE, words, at, at + 2)
        idiom = starts_with(words, at, _IDIOMS)
        if idiom:
            return _found(text, Unclear.TWICE, words, at, at + idiom)
    return _none_left_out(text, words)


def _none_left_out(text: str, words: tuple[Word, ...]) -> Negation | None:
    """“No step is left out” means that all are there."""
    if len(words) < 4 or words[0].text not in ("no", "none"):
        return None
    last = next((at for at, word in enumerate(words) if word.text in _LEFT_OUT), 0)
    if last < 2 or words[last - 1].text not in ("is", "are", "be"):
        return None
    if not (last == len(words) - 1 or words[last + 1].text in ("out", "in")):
        return None
    return _found(text, Unclear.TWICE, words, 0, len(words))


def _twice(text: str, clause: Clause) -> Negation | None:
    """“Should not fail to”, “never forgets to”, “avoids omitting”, “does not avoid naming”, “is not unclear”."""
    words, at = clause.words, clause.after
    if at >= len(words):
        return None
    match clause.mood:
        case Mood.DOES_NOT:
            taken = words_that_take_back(words, clause)
            if taken:
                return _found(text, Unclear.TWICE, words, clause.negative, at + taken)
            known = clause.verb
            if known is not None and known.base in ("avoid", "refrain", "abstain"):
                end = at + 1 + (at + 1 < len(words) and words[at + 1].text == "from")
                gerund = verb(words[end].text) if end < len(words) else None
                if gerund is not None and gerund.form is Form.GERUND and gerund.base != "answer":
                    return _found(text, Unclear.TWICE, words, clause.negative, end)
        case Mood.AVOIDS:
            if words[at].text in FAILING_GERUNDS or words[at].text == "not":
                return _found(text, Unclear.TWICE, words, clause.negative, at + 1)
        case Mood.IS_NOT:
            if words[at].text in _NEGATED_STATES and words[at].text not in STATES and ends_there(words, at + 1):
                return _found(text, Unclear.TWICE, words, clause.negative, at + 1)
        case Mood.DOES | Mood.IS:
            pass
    return None


def without_both_negatives(text: str) -> tuple[int, int, str] | None:
    """The edit of `text` that says what the answer does: `text[start:end]` and its replacement.

    None if there is more to say than one verb: two actions, a state, a gerund.
    """
    clause = clause_of(text)
    taken = 0 if clause is None or clause.mood is not Mood.DOES_NOT else words_that_take_back(clause.words, clause)
    if clause is None or not taken or any(word.text in ("or", "and") for word in clause.words):
        return None
    words = clause.words
    last = clause.after + taken - 1
    base = "include"
    if words[last].text == "to":
        last += 1
        known = verb(words[last].text) if last < len(words) else None
        if known is None or known.form is not Form.BASE:
            return None
        base = known.base
    elif words[clause.after].text not in ("omit", "leave"):
        return None
    if last + 1 >= len(words):
        return None
    if clause.modal not in ("does", "do", ""):
        return words[clause.negative].start, words[last].end, base
    start = words[clause.subject].start
    positive = base if clause.modal == "do" else third_person(base)
    return start, words[last].end, positive.capitalize() if text[start].isupper() else positive


def _incomplete(text: str, clause: Clause) -> Negation | None:
    """“Does not just repeat it”, “is not limited to a list”, without what is wanted and without an example."""
    words, at = clause.words, clause.after
    if at >= len(words):
        return None
    end = None
    if clause.mood in (Mood.DOES_NOT, Mood.IS_NOT) and words[at].text in _ONLY:
        end = at + 1
    elif clause.mood in (Mood.DOES_NOT, Mood.IS_NOT) and clause.negative + 1 < at and words[at - 1].text in _ONLY:
        end = at
    elif (clause.mood is Mood.IS_NOT and starts_with(words, at, _LIMITED)) or (
        clause.mood is Mood.DOES_NOT and starts_with(words, at, _STOPPING)
    ):
        end = at + 2
    if end is None or _is_completed(text, words, end):
        return None
    return _found(text, Unclear.INCOMPLETE, words, clause.subject, end)


def _is_completed(text: str, words: tuple[Word, ...], at: int) -> bool:
    """Whether what is wanted, or an example of what is not enough, follows."""
    for index, word in enumerate(words[at:], at):
        if word.text in _COMPLETIONS or (word.is_quoted and _is_example(text, words, index)):
            return True
        if word.ends_clause and word is not words[-1]:
            return True
        if word.has_comma and word is not words[-1]:
            known = verb(words[index + 1].text)
            if known is not None and known.form in (Form.GERUND, Form.THIRD):
                return True
    return len(text) > words[-1].end + 40


def _is_example(text: str, words: tuple[Word, ...], at: int) -> bool:
    """Whether the quoted word at `at` begins an example: after “like”, “with”, “say” or a bracket."""
    before = words[at - 1]
    return (
        before.text in ("with", "like", "as", "using", "saying", "say", "says", "e", "g")
        or "(" in text[before.end : words[at].start]
    )


def _scope(text: str, clause: Clause) -> Negation | None:
    """Two actions after “not”: “does not drop the questions and switch to a lecture”, “does not judge and helps”."""
    if clause.mood is not Mood.DOES_NOT:
        return None
    words = clause.words
    for at in range(clause.after + 1, len(words) - 1):
        word = words[at]
        if word.text == "because" and not any(each.ends_clause for each in words[clause.after : -1]):
            return _found(text, Unclear.REASON, words, clause.negative, at + 1)
        if word.is_quoted or word.text in _STOPS_OF_SCOPE or words[at - 1].ends_clause:
            return None
        second = words[at + 1]
        if word.text != "and" or second.is_quoted:
            continue
        if base_form(second.text) and _is_deed(words, at + 1):
            found = _found(text, Unclear.SCOPE, words, clause.negative, at + 2)
            return replace(found, actions=(words[clause.after].text, second.text))
        if _are_two_things(words, clause.after, at):
            found = _found(text, Unclear.SCOPE, words, clause.negative, len(words))
            return replace(found, actions=(words[at - 1].text, words[-1].text))
        after = at + 1 + (is_adverb(second.text) and at + 2 < len(words))
        known = verb(words[after].text)
        if (
            known is not None
            and known.form is Form.THIRD
            and known.base not in _NOUNS_TOO
            and not words[at - 1].has_comma
        ):
            found = _found(text, Unclear.BUNDLE, words, clause.negative, after + 1)
            return replace(found, actions=(words[clause.after].text, words[after].text))
    return None


def _are_two_things(words: tuple[Word, ...], verb_at: int, joint: int) -> bool:
    """Whether “and” joins two things with which the text ends: “does not suggest a lawyer and mediation”."""
    first, last = words[verb_at + 1 : joint], words[joint + 1 :]
    if not 2 <= len(first) <= 3 or not 1 <= len(last) <= 3 or words[verb_at].text in _COMPARING:
        return False
    known = verb(last[0].text)
    if first[0].text not in ("a", "an", "the") or (known is not None and known.form is Form.THIRD):
        return False
    return not any(word.is_quoted or word.has_comma or word.text in _PREPOSITIONS for word in (*first, *last))


def _is_deed(words: tuple[Word, ...], at: int) -> bool:
    """Whether the word at `at` is a verb: it is no noun as well, or what follows can only be its object."""
    if words[at].text not in _NOUNS_TOO:
        return True
    following = words[at + 1].text if at + 1 < len(words) else ""
    return following in ("the", "a", "an", "it", "them", "its", "their", "to", "with", "that", "into", "on", "any")


def _advice(text: str, clause: Clause) -> Negation | None:
    """A bare command: advice to the user, or a rule for the answer itself."""
    words = clause.words
    if clause.mood is not Mood.DOES_NOT or clause.names_answer or clause.subject or len(words) - clause.after > 2:
        return None
    first = words[0].text
    is_command = first in ("don't", "dont") or (first == "do" and clause.negative == 1)
    known = clause.verb
    if not is_command and not (first == "never" and known is not None and known.form is Form.BASE):
        return None
    if clause.after >= len(words) or vague_in(words, clause) is not None:
        return None
    if text[words[-1].end :].strip(" .!\"'”’\n"):
        return None
    return _found(text, Unclear.ADVICE, words, 0, clause.after + 1)

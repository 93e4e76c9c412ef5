"""Recognises two negatives that take each other back: “does not fail to name”, “no step is skipped”."""

from __future__ import annotations

from engine.rules.language.clauses import Clause
from engine.rules.language.faults import STATES, ends_there
from engine.rules.language.inflections import Form
from engine.rules.language.negated_verbs import Mood
from engine.rules.language.negation import Negation, Unclear, negation_in
from engine.rules.language.negations import FAILING_GERUNDS, words_that_take_back
from engine.rules.language.subjects import is_adverb
from engine.rules.language.vague_scope import CONTENT_CLAUSES
from engine.rules.language.verbs import verb
from engine.rules.language.words import Word, phrases, starts_with, word_set

_NEGATED_STATES = word_set(
    """unclear unhelpful unkind unfriendly unprofessional unsympathetic unsupportive unreasonable unwilling unaware
    unreadable ungrammatical impolite imprecise impatient incomplete inconsistent insensitive disrespectful
    illogical dishonest incoherent disorganised disorganized unfavourable insufficient unconvincing unrealistic
    unbalanced uninformative unspecific unpersuasive unstructured uncooperative unempathetic unresponsive
    unbelievable inadequate inconsiderate inconclusive inconsequential intransparent disorderly discourteous
    unethical unfounded unsubstantiated unsatisfactory unintelligible incomprehensible unconstructive tactless
    careless thoughtless pointless useless senseless meaningless aimless heartless baseless groundless unmotivated
    uncaring unwelcoming unmemorable unoriginal uninteresting uninspired ineffective inefficient inelegant
    inflexible uneven unsuccessful"""
)
"""Adjectives that are themselves negations."""
_LEFT_OUT = word_set(
    """omitted missing forgotten neglected lacking overlooked left skipped ignored missed unmentioned unanswered
    unaddressed unsaid undefined unexplained untouched unnamed undiscussed disregarded passed unresolved unsupported
    uncited unsourced"""
)
_MENTIONED_NOT = word_set(
    """unmentioned unanswered unaddressed unsaid unexplained unnamed undiscussed unnoticed unacknowledged uncited
    unsourced uninformed unresolved unchallenged untold"""
)
_GOING = word_set("go goes going remain remains stay stays leave leaves leaving left be is are get gets")
_OMITTING = word_set(
    "omit omits skip skips neglect neglects forget forgets miss misses overlook overlooks disregard lack"
)
_OMITTING_GERUNDS = FAILING_GERUNDS | word_set("leaving skipping missing overlooking ignoring disregarding lacking")
_ABSENT = word_set("missing absent lacking silent devoid unaware")
_IDIOMS = phrases(
    "leave nothing to be desired",
    "leaves nothing to be desired",
    "leave anything to be desired",
    "nothing that is not",
    "nothing that isn't",
    "anything that is not",
    "never without",
    "not be without",
    "no lack of",
    "not lack",
    "not the case that no",
    "not impossible to",
    "not uncommon to",
    "leaves nothing out",
    "leave nothing out",
    "leaves nothing unsaid",
    "short of nothing",
    "no room for",
)
"""Idioms of two negatives."""
_MARKED = word_set("without nothing anything lack short room impossible uncommon")
"""Words of which each idiom has one, and “without omitting”."""
_LACK = phrases("lack of", "absence of", "shortage of", "want of")


def two_negatives(text: str, clause: Clause | None, words: tuple[Word, ...]) -> Negation | None:
    """The two negatives of a text with these words, which begins with `clause`."""
    return (None if clause is None else _in_clause(text, clause)) or _elsewhere(text, words)


def _in_clause(text: str, clause: Clause) -> Negation | None:
    """“Should not fail to”, “never forgets to”, “avoids omitting”, “does not avoid naming”, “is not unclear”."""
    words, at = clause.words, clause.after
    if at >= len(words):
        return None
    match clause.mood:
        case Mood.DOES_NOT:
            end = _undone(words, clause)
        case Mood.AVOIDS:
            is_failing = words[at].text in FAILING_GERUNDS or words[at].text in ("not", "skipping", "overlooking")
            is_leaving = words[at].text == "leaving" and any(word.text == "out" for word in words[at + 1 : at + 7])
            end = at + 1 if is_failing or is_leaving else None
        case Mood.IS_NOT:
            end = _not_un(words, at)
        case Mood.DOES | Mood.IS:
            end = None
    return None if end is None else negation_in(text, Unclear.TWICE, words, clause.negative, end)


def _undone(words: tuple[Word, ...], clause: Clause) -> int | None:
    """The end of “(does not) fail to”, “skip”, “do without”, “leave … unmentioned”, “refrain from naming”."""
    at, taken = clause.after, words_that_take_back(words, clause)
    if taken:
        return at + taken
    if words[at].text in ("do", "go") and at + 2 < len(words) and words[at + 1].text == "without":
        return at + 2
    if words[at].text in _OMITTING and at + 1 < len(words):
        return at + 1
    known = clause.verb
    if known is not None and known.base in ("avoid", "refrain", "abstain"):
        end = at + 1 + (at + 1 < len(words) and words[at + 1].text == "from")
        gerund = verb(words[end].text) if end < len(words) else None
        return end if gerund is not None and gerund.form is Form.GERUND and gerund.base != "answer" else None
    for after in range(at + 1, min(len(words), at + 9)):
        if words[after].is_quoted or words[after].text in CONTENT_CLAUSES:
            return None
        if words[at].text in _GOING and words[after].text in _MENTIONED_NOT:
            return after + 1
        if after <= at + 3 and starts_with(words, after, _LACK):
            return after + 2
        if words[after].ends_clause:
            return None
    return None


def _not_un(words: tuple[Word, ...], at: int) -> int | None:
    """The end of “(is not) unclear”, “missing the date”, “silent about the risk”, “without a warning”."""
    if words[at].text == "without":
        return at + 1
    if words[at].text in _NEGATED_STATES and words[at].text not in STATES:
        following = words[at + 1].text if at + 1 < len(words) else ""
        return (
            at + 1
            if ends_there(words, at + 1)
            or following in ("about", "on", "regarding", "as", "to", "towards", "toward", "with")
            else None
        )
    if words[at].text in _ABSENT and at + 1 < len(words) and not words[at].ends_clause:
        return at + 1
    return None


def _elsewhere(text: str, words: tuple[Word, ...]) -> Negation | None:
    """“Explains it without omitting the risk”, “no step is left out”, “not unhelpful”."""
    marked = any(word.text in _MARKED for word in words)
    relative = _no_that_is_not(words)
    if relative is not None:
        return negation_in(text, Unclear.TWICE, words, *relative)
    for at, word in enumerate(words[:-1] if marked else ()):
        if word.is_quoted or word.text in CONTENT_CLAUSES:
            break
        following = words[at + 1].text
        if word.text == "without" and following in _OMITTING_GERUNDS and _omits(words, at + 1):
            return negation_in(text, Unclear.TWICE, words, at, at + 2)
        idiom = starts_with(words, at, _IDIOMS)
        if idiom:
            return negation_in(text, Unclear.TWICE, words, at, at + idiom)
    if words[0].text == "not" and len(words) > 1 and not words[0].is_quoted:
        end = _not_un(words, 1)
        if end is not None:
            return negation_in(text, Unclear.TWICE, words, 0, end)
    return _none_left_out(text, words)


def _no_that_is_not(words: tuple[Word, ...]) -> tuple[int, int] | None:
    """The place of “(makes) no claim that is not (sourced)”."""
    for at, word in enumerate(words[:6]):
        if word.is_quoted or word.text in CONTENT_CLAUSES:
            return None
        if word.text == "no" and at + 4 < len(words) and words[at + 2].text in ("that", "which"):
            is_negated = words[at + 4].text == "not" or words[at + 3].text.endswith("n't")
            return (at, at + 5) if is_negated and words[at + 3].text in _BEING else None
    return None


_BEING = word_set("is are has have does do isn't aren't hasn't doesn't")


def _omits(words: tuple[Word, ...], at: int) -> bool:
    """Whether the gerund at `at` leaves something out: “leaving” only before “out” or “unmentioned”."""
    if words[at].text != "leaving":
        return True
    return any(word.text == "out" or word.text in _MENTIONED_NOT for word in words[at + 1 : at + 8])


def _none_left_out(text: str, words: tuple[Word, ...]) -> Negation | None:
    """“No step is left out”, “nothing important is missing”, “no risk goes unmentioned” mean that all are there."""
    first = 0
    if words[0].text not in ("no", "none", "nothing", "neither"):
        joint = next((at for at, word in enumerate(words[:6]) if word.text in ("not", "never", "doesn't", "don't")), 0)
        is_going = joint > 0 and joint + 2 < len(words) and words[joint + 1].text in _GOING
        if not is_going or words[joint + 2].text not in _MENTIONED_NOT or verb(words[0].text) is not None:
            return None
        return negation_in(text, Unclear.TWICE, words, joint, joint + 3)
    last = next((at for at, word in enumerate(words) if word.text in _LEFT_OUT), 0)
    if last < 2:
        return None
    before = last - 1 - is_adverb(words[last - 1].text)
    if words[before].text not in _GOING and words[before].text != "been":
        return None
    if not (last == len(words) - 1 or words[last + 1].text in ("out", "in", "over", "from")):
        return None
    return negation_in(text, Unclear.TWICE, words, first, len(words))

"""Recognises criteria that an answer meets by silence: “panic is not spread”, “no side is taken”, “slang-free”."""

from __future__ import annotations

from engine.rules.language.clauses import Clause
from engine.rules.language.faults import fault_at
from engine.rules.language.inflections import Form
from engine.rules.language.negated_verbs import Mood
from engine.rules.language.subjects import is_adverb
from engine.rules.language.unwanted import BAD_STATES, MENTIONS, UNWANTED, is_wrong_participle
from engine.rules.language.vague_scope import CONTENT_CLAUSES
from engine.rules.language.verbs import CARRYING, SAYING, verb
from engine.rules.language.words import Word, phrases, starts_with, word_set

_NO_SUBJECT = phrases(
    "none of", "none", "no", "neither", "nothing", "nobody", "zero", "not a", "not one", "not a single"
)
_NOT_A_WORD = phrases("not a word", "not one word", "no word", "nothing about", "not a syllable", "not a mention")
_AUXILIARIES = phrases(
    *("is", "are", "be", "should be", "must be", "may be", "can be", "shall be", "has been", "have been", "will be"),
)
_NOT_BE = phrases(
    *(f"{modal} not be" for modal in ("should", "must", "will")),
    *(f"{modal} be" for modal in ("shouldn't", "mustn't", "cannot", "can't", "won't")),
    *("is not", "are not", "isn't", "aren't", "is never", "are never", "has not been", "have not been"),
)
_LEFT = phrases(
    *("is left", "are left", "be left", "is kept", "are kept", "be kept", "stays", "stay", "remains", "remain"),
    *("goes", "go", "is", "are", "be", "gets"),
)
_OUT = phrases(
    *("out", "unmentioned", "unnamed", "unsaid", "anonymous", "avoided", "omitted", "withheld", "excluded", "absent"),
    *(
        "kept from",
        "withheld from",
        "hidden from",
        "undisclosed",
        "unspoken",
        "secret",
        "confidential",
        "private",
        "unidentified",
        "unattributed",
    ),
)
_WITHHELD = phrases(
    *(f"{aux} {kept} from" for aux in ("is", "are", "be") for kept in ("kept", "hidden", "withheld", "concealed")),
)
_ADVISED = word_set("recommend advise suggest propose define require include contain")
_DONE = word_set(
    """spread take draw use do pass pick assign raise reveal disclose invent blame accuse mock shame judge tell"""
)
_TOLD = SAYING | _DONE | (CARRYING - word_set("allow cause hold encourage engage suffer display"))
_SILENT = phrases("silent", "quiet", "mum", "off the subject", "off the topic", "away from", "out of", "off")
_STAYING = word_set("is stays stay remains remain keeps keep")
_WITHOUT = word_set("written phrased worded told does done manages kept gets drafted")
_NONE_THERE = phrases(
    *("there is no", "there are no", "there isn't any", "there aren't any", "there is not any", "there are not any"),
    *("there must be no", "there should be no", "absence of", "the absence of", "lack of", "avoidance of"),
)
_LIMITS = phrases(
    *(f"{start}no {more} than" for start in ("", "is ", "uses ", "has ") for more in ("more", "longer")),
    *("not longer than", "is not longer than", "not more than", "at most", "does not exceed", "is at most", "max"),
)
_OF_ANSWERS = MENTIONS | UNWANTED
_MOST = 7


def said_by_silence(words: tuple[Word, ...], clause: Clause) -> int | None:
    """The index after the negative words of a criterion that an empty answer meets; None if it is none."""
    start = clause.subject if clause.names_answer else 0
    return (
        starts_with(words, 0, _LIMITS)
        or starts_with(words, 0, _NOT_A_WORD)
        or starts_with(words, start, _LIMITS)
        or _none_there(words)
        or _none_is_told(words)
        or _not_told(words)
        or _is_silent(words, start)
        or _is_not_bad(words, clause)
        or _no_more_than_noun(words)
        or None
    )


def _none_there(words: tuple[Word, ...]) -> int:
    """“There are no promises”, “absence of jargon”."""
    lead = starts_with(words, 0, _NONE_THERE)
    ahead = {word.text for word in words[lead : lead + 2]}
    is_of_answer = not ahead.isdisjoint(_OF_ANSWERS) or fault_at(words, lead) is not None
    return lead if lead and is_of_answer else 0


def _no_more_than_noun(words: tuple[Word, ...]) -> int:
    """“No passive voice”, “no sentence above 20 words”: without a verb, it is about the answer."""
    if words[0].text not in ("no", "zero") or not 2 <= len(words) <= _MOST:
        return 0
    has_verb = any(
        word.text in _FINITE or ((known := verb(word.text)) is not None and known.form is Form.PAST and at > 1)
        for at, word in enumerate(words)
    )
    return 0 if has_verb or any(word.is_quoted for word in words) else 1


_FINITE = word_set(
    """is are was were be shall should must may can will has have does do need needs needed required due one person
    state party exists applies longer"""
)


def _none_is_told(words: tuple[Word, ...]) -> int:
    """“No drug is named”, “nothing is said about it”, “neither party is blamed”."""
    lead = starts_with(words, 0, _NO_SUBJECT)
    if not lead:
        return 0
    for at in range(lead, min(len(words) - 1, _MOST)):
        if words[at].is_quoted or words[at].ends_clause:
            return 0
        aux = starts_with(words, at, _AUXILIARIES)
        if aux and at + aux < len(words):
            return at + aux + 1 if _is_told(words[at + aux].text, of_some=words[0].text == "none") else 0
    return 0


def _not_told(words: tuple[Word, ...]) -> int:
    """“Panic is not spread”, “it is not claimed that”, “awards are left unmentioned”, “the name stays out of it”."""
    if not _may_be_noun(words):
        return 0
    for at in range(1, min(len(words) - 1, _MOST)):
        if words[at].is_quoted or words[at - 1].ends_clause:
            return 0
        passive = starts_with(words, at, _NOT_BE)
        if passive and at + passive < len(words):
            return at + passive + 1 if _is_told(words[at + passive].text, of_some=False) else 0
        withheld = starts_with(words, at, _WITHHELD)
        if withheld:
            return at + withheld
        left = starts_with(words, at, _LEFT) or (2 if starts_with(words, at, phrases("must be", "should be")) else 0)
        if left:
            out = at + left + (at + left < len(words) and is_adverb(words[at + left].text))
            if starts_with(words, out, _OUT):
                return out + 1
    return 0


def _may_be_noun(words: tuple[Word, ...]) -> bool:
    """Whether the text may begin with a subject: no verb, unless an auxiliary follows (“names are not given”)."""
    known = verb(words[0].text)
    if words[0].text in CONTENT_CLAUSES and words[0].text not in ("what", "who"):
        return False
    return known is None or (len(words) > 1 and words[1].text in ("is", "are", "of", "must", "should"))


def _is_told(word: str, *, of_some: bool) -> bool:
    """Whether a participle says what an answer does: “named”, “spread”, “taken”."""
    known = verb(word)
    is_deed = known is not None and known.form is Form.PAST and known.base in _TOLD
    is_advice = known is not None and known.base in _ADVISED
    return (is_deed and (of_some or not is_advice)) or is_wrong_participle(word)


def _is_silent(words: tuple[Word, ...], start: int) -> int:
    """“Stays silent on the price”, “is without superlatives”, “keeps the name out of it”, “written without jokes”."""
    if start >= len(words) - 1:
        return 0
    first = words[start].text
    if first in _STAYING and (silent := starts_with(words, start + 1, _SILENT)):
        return start + 1 + silent
    if words[start + 1].text == "without" and (first in _WITHOUT or first in ("is", "are")):
        return start + 2
    if first in ("keeps", "keep", "leaves"):
        for at in range(start + 2, min(len(words), start + _MOST)):
            if words[at].text == "out" or words[at].text in ("unmentioned", "unnamed", "anonymous", "unsaid"):
                return at + 1
            if words[at].ends_clause:
                return 0
    return 0


def _is_not_bad(words: tuple[Word, ...], clause: Clause) -> int:
    """“Isn't sarcastic”, “not sarcastic”, “non-judgmental”, “slang-free”."""
    at = clause.after
    if clause.mood is Mood.IS_NOT and at < len(words) and words[at].text in BAD_STATES:
        return at + 1
    if len(words) == 1:
        return int(words[0].text.endswith("-free") or words[0].text.startswith("non-"))
    return 2 if words[0].text == "not" and words[1].text in BAD_STATES else 0

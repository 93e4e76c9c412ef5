"""Recognises criteria that tell an answer not to do something, for texts under `should_not`."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from engine.rules.language.clauses import Clause, clause_after_lead, clause_at, clause_of
from engine.rules.language.faults import fault_at
from engine.rules.language.inflections import Form
from engine.rules.language.negated_verbs import Mood
from engine.rules.language.negations import CACHE_SIZE, NOTHING
from engine.rules.language.unwanted import (
    BAD_STATES,
    UNWANTED,
    WRONGS,
    is_person_named,
    is_wrong_participle,
    names_unwanted,
)
from engine.rules.language.vague_negations import FREE, free_of
from engine.rules.language.verbs import SAYING, verb
from engine.rules.language.words import Word, is_english, phrases, starts_with, word_set, words_of

_UNFAULTY = word_set("unbiased harmless inoffensive flawless nonjudgmental nonjudgemental impartial unprejudiced")
_SAYING_OR_WRONG = SAYING | WRONGS
_TOLD = SAYING | {"make", "take", "draw", "use"}
_EVADED = word_set(
    """question questions topic topics issue subject matter request responsibility answering addressing engaging
    committing commitment confronting acknowledging admitting accountability truth"""
)
"""Who avoids these does something bad: under `should_not`, “avoids the question” is right."""
_PASSIVE = phrases(
    *(f"{modal} {no} be" for modal in ("should", "must", "may", "can", "shall") for no in ("not", "never")),
    *(f"{modal} be" for modal in ("shouldn't", "mustn't", "cannot", "can't", "won't")),
    *("is not", "are not", "isn't", "aren't"),
)
_NO_UNWANTED = phrases(
    *(
        "there are no",
        "there is no",
        "there won't be any",
        "no",
        "absence of",
        "the absence of",
        "avoidance of",
        "lack of",
    ),
    *("contains no", "has no", "makes no", "free of", "free from", "consistent avoidance of", "lacks", "without"),
    *("excludes", "omits", "leaves out", "none of the"),
    *("zero", "not a single", "not one", "absolutely no", "contains zero", "nothing"),
)
_ORDERS = phrases(
    *(f"there {modal} be no" for modal in ("should", "must", "shall")),
    *("there won't be any", "there won't be a", "there will be no"),
    *(f"{order}{that} no" for order in ("make sure", "makes sure", "ensure", "ensures") for that in ("", " that")),
    *(
        f"there {modal} be any"
        for modal in ("must not", "should not", "mustn't", "shouldn't", "cannot", "can't", "may not")
    ),
    *(
        f"{care} not to"
        for care in ("it is important", "it's important", "it is essential", "it is crucial", "it is vital")
    ),
    *("care is taken not to", "it is forbidden to", "it's forbidden to", "it is prohibited to", "stops short of"),
    *(f"{resist} the {urge} to" for resist in ("resists", "resist") for urge in ("urge", "temptation", "impulse")),
    *("resists the temptation of", "may not", "shall not", "one should not", "one must not", "nobody should"),
    *("zero mentions of", "zero mention of", "zero references to", "no mentions of", "no references to", "zero use of"),
    *(
        "abstention from",
        "abstinence from",
        "refraining from",
        "non-disclosure of",
        "no one should",
        "please do not",
        "please don't",
        "please avoid",
        "please never",
        "not to",
        "no use of",
    ),
    *("no mention of", "no reference to", "not allowed to", "not permitted to", "forbidden to", "prohibited from"),
    *(
        "is no longer than",
        "is not longer than",
        "no longer than",
        "not longer than",
        "is no more than",
        "no more than",
    ),
)


@lru_cache(maxsize=CACHE_SIZE)
def instruction_in(text: str) -> str | None:
    """The words with which a text tells an answer not to do something, in lower case; None if it does not.

    “Should not”, “never”, “avoid” and “no errors” are instructions; “fails to”, “avoids the question”, “is not valid”
    and “without asking” describe what a bad answer does.
    """
    words = words_of(text)
    clause = clause_of(text)
    if clause is not None and (lead := clause_after_lead(words)) is not None:
        clause = lead
    ordered = starts_with(words, 0, _ORDERS)
    end = ordered if ordered or clause is None else _end_of_instruction(clause)
    if not end and words and is_english(words):
        end = _instruction_of_other_subject(words)
    return None if not end else " ".join(text[: words[min(end, len(words)) - 1].end].split()).strip("\"'“‘").lower()


def _end_of_instruction(clause: Clause) -> int:
    """The index after the negative words of an instruction; 0 if the clause is none."""
    words, at = clause.words, clause.after
    match clause.mood:
        case Mood.DOES_NOT:
            is_able = clause.modal == "can" and (clause.verb is None or clause.verb.base not in _HOLDING)
            end = 0 if is_able or _never_does_its_duty(clause) else at
        case Mood.IS_NOT:
            is_good = at < len(words) and (words[at].text in BAD_STATES or _is_said(words[at].text))
            end = at if is_good or clause.modal not in ("", "is") else 0
        case Mood.AVOIDS:
            is_order = clause.modal != "" or words[clause.negative].text in ("avoid", "refrain", "abstain", "steer")
            ahead = {word.text for word in words[at : at + 5]}
            end = at if is_order or _EVADED.isdisjoint(ahead) else 0
        case Mood.IS:
            is_free = free_of(words, at + 1) is not None or starts_with(words, at + 1, FREE) > 0
            is_clean = at + 2 == len(words) and _is_clean(words[at + 1].text)
            end = at + 3 if is_free else at + 2 if is_clean else 0
        case Mood.DOES:
            end = _ordered_nothing(words, clause)
    return end


_RESTRICTING = frozenset({"but", "except", "besides", "beyond", "other"})
"""After “nothing”, these leave one thing: “does nothing but repeat the question”."""
_HOLDING = word_set("contain include have use exceed")
_DUTIES = word_set(
    """ask mention say tell explain warn acknowledge answer address check cite offer refer apologise apologize"""
)


def _never_does_its_duty(clause: Clause) -> bool:
    """“Never asks for consent” is what a bad answer does, unlike “never invents a source” and “never ask”."""
    known = clause.verb
    is_habit = clause.words[clause.negative].text in ("never", "nowhere") and clause.modal == ""
    return is_habit and known is not None and known.form is Form.THIRD and known.base in _DUTIES


def _is_clean(word: str) -> bool:
    """Whether an adjective denies a fault: “jargon-free”, “non-judgmental”, “unbiased”."""
    return word.endswith("-free") or word.startswith("non-") or word in _UNFAULTY


def _is_said(word: str) -> bool:
    """Whether a word is the participle of a verb of saying: “is not named”."""
    known = verb(word)
    return known is not None and known.form is Form.PAST and known.base in SAYING


def _instruction_of_other_subject(words: tuple[Word, ...]) -> int:
    """The end of “the pupil shouldn't be”, “positions cannot be”, “there are no jokes”; 0 if it is none."""
    first = words[0].text
    if first in ("prohibited", "forbidden", "banned") and words[0].ends_clause:
        return 1
    ensured = starts_with(words, 0, _ENSURING)
    if ensured and (order := _passive_instruction(words[ensured:], words[ensured].text)):
        return ensured + order
    lead = starts_with(words, 0, _NO_UNWANTED)
    if lead and names_unwanted(words, lead):
        return lead
    if first in ("not", "without") and len(words) > 2:
        known = verb(words[1].text)
        return 2 if known is not None and known.form is Form.GERUND and known.base in _SAYING_OR_WRONG else 0
    return (
        _wrong_left_undone(words, first)
        or _passive_instruction(words, first)
        or _kept_out(words)
        or _clean_state(words)
        or _no_deed(words)
    )


def _wrong_left_undone(words: tuple[Word, ...], first: str) -> int:
    """The end of “answers without disclosing”, “… and contains no alcohol”, “no quote is made (up)”; 0 without one."""
    for at in range(len(words) - 1):
        text, following = words[at].text, words[at + 1].text
        known = verb(following)
        if text == "without" and at < 2 and names_unwanted(words, at + 1, 2):
            return at + 1
        if text == "without" and at < 4 and known is not None and known.base in WRONGS:
            return at + 2
        if at > 0 and text in ("and", "but"):
            joined = clause_at(words, at + 1)
            is_not = joined is not None and joined.mood in (Mood.DOES_NOT, Mood.AVOIDS) and joined.verb is not None
            if joined is not None and is_not and joined.verb is not None and joined.verb.base in WRONGS:
                return joined.after
        joined = starts_with(words, at, _NO_UNWANTED) if at > 0 and words[at - 1].text == "and" else 0
        if joined and names_unwanted(words, at + joined):
            return at + joined
        if text in ("is", "are") and first in ("no", "none") and is_wrong_participle(following):
            return at + 2
    return 0


_ENSURING = phrases(
    *(f"{ensure}{that}" for ensure in ("ensures", "ensure", "makes sure", "make sure") for that in (" that", "")),
)
_KEPT = phrases(
    *(f"{aux} {out}" for aux in ("is", "are", "must be", "should be") for out in ("avoided", "withheld", "left out")),
    *("must be omitted", "should be omitted", "must be excluded", "should be excluded", "should be kept out"),
    *(f"{stay} {hidden}" for stay in ("remains", "remain", "stays", "stay") for hidden in ("unnamed", "anonymous")),
    *("remain confidential", "remains confidential", "stays confidential", "goes unnamed", "is kept anonymous"),
)
"""What is said of a thing that is kept out of the answer."""
_ALWAYS_KEPT = frozenset({"must", "should", "remains", "remain", "stays", "stay", "goes"})
_HIDDEN = frozenset({"anonymous", "confidential", "unnamed"})


def _kept_out(words: tuple[Word, ...]) -> int:
    """The end of “sarcasm is avoided”, “data must be left out”, “keeps the victim anonymous”; 0 without one."""
    for at in range(1, min(8, len(words) - 1)):
        if words[at].is_quoted or words[at - 1].ends_clause:
            return 0
        kept = starts_with(words, at, _KEPT)
        if kept and (words[at].text in _ALWAYS_KEPT or names_unwanted(words, 0, at)):
            return at + kept
        if words[0].text in ("keeps", "keep", "leaves") and words[at + 1].text in _HIDDEN:
            return at + 2
    if words[0].text in ("omits", "excludes", "withholds") or starts_with(words, 0, _LEAVING_OUT):
        return 1 if names_unwanted(words, 1, 4) else 0
    return 0


_LEAVING_OUT = phrases("leaves out", "leave out", "keeps out")


def _clean_state(words: tuple[Word, ...]) -> int:
    """The end of “not judgmental”, “a non-judgmental tone”, “is neither rude nor condescending”; 0 without one."""
    for at in range(min(5, len(words) - 1)):
        if words[at].is_quoted or words[at].ends_clause:
            return 0
        text, following = words[at].text, words[at + 1].text
        is_linked = at == 0 or words[at - 1].text in ("is", "are", "be", "remains", "stays")
        if text in ("not", "neither") and following in BAD_STATES and is_linked:
            return at + 2
        if (
            at < 2
            and text.startswith("non-")
            and text[4:] in BAD_STATES
            and following in ("tone", "language", "wording")
        ):
            return at + 1
    return 0


def _no_deed(words: tuple[Word, ...]) -> int:
    """The end of “no naming of”, “blames nobody”, “no one is blamed”, “no diagnosis is given”; 0 without one."""
    if len(words) < 2:
        return 0
    first, following = words[0].text, words[1].text
    known = verb(following)
    if first == "no" and known is not None and known.form is Form.GERUND and known.base in _SAYING_OR_WRONG:
        return 2
    known = verb(first)
    if known is not None and known.base in WRONGS and following in ("nobody", "no"):
        return 2
    if first not in ("no", "none", "nobody", "neither", "zero"):
        return 0
    for at in range(1, min(7, len(words) - 1)):
        if words[at].is_quoted or words[at - 1].ends_clause:
            return 0
        if words[at].text in ("is", "are", "be"):
            told = verb(words[at + 1].text)
            is_told = told is not None and told.form is Form.PAST and told.base in _TOLD
            unwanted = is_told and names_unwanted(words, 1, at - 1)
            return at + 2 if unwanted or is_person_named(words, 0, at, words[at + 1].text) else 0
    return 0


_OMITTED = word_set("explain describe clarify outline summarise summarize specify define address acknowledge detail")
"""What “is not explained” is missing, which is a fault, while a name that “is not given” may be kept out."""


_MENTIONED = SAYING - _OMITTED


def _passive_instruction(words: tuple[Word, ...], first: str) -> int:
    """The end of “the pupil shouldn't be (mocked)”, “she isn't (named)”; 0 without one."""
    if verb(first) is not None and not (len(words) > 2 and words[1].text in ("is", "are", "must", "should", "may")):
        return 0
    for at in range(1, min(7, len(words) - 1)):
        if words[at].is_quoted or words[at].ends_clause:
            return 0
        passive = starts_with(words, at, _PASSIVE)
        if passive and at + passive < len(words):
            known = verb(words[at + passive].text)
            is_order = words[at].text not in ("is", "are", "isn't", "aren't")
            participle = words[at + passive].text
            if known is not None and known.form is Form.PAST and (is_order or known.base in _MENTIONED):
                return at + passive
            if is_wrong_participle(participle):
                return at + passive
    return 0


def _ordered_nothing(words: tuple[Word, ...], clause: Clause) -> int:
    """The end of “should contain no” or “no (errors)”; 0 if it is not such an order."""
    at = clause.after
    if any(one.text in NOTHING and other.text in _RESTRICTING for one, other in pairwise(words[at : at + 3])):
        return 0
    if words[at].text in ("no", "zero") and at == 0:
        noun = words[1].text if len(words) > 1 else ""
        return 1 if noun in UNWANTED or fault_at(words, 1) is not None else 0
    if at + 1 < len(words) and words[at + 1].text in NOTHING:
        is_unwanted = not UNWANTED.isdisjoint(word.text for word in words[at + 2 : at + 5])
        if clause.modal or is_unwanted:
            return at + 2
    return at + 1 if clause.modal in ("does", "do") and words[at].text in NOTHING else 0

"""Recognises criteria and instructions that say what an answer does not do."""

from __future__ import annotations

from functools import lru_cache

from engine.rules.language.clauses import Clause, Mood, clause_at, clause_of, is_adverb
from engine.rules.language.faults import STATES, fault_at
from engine.rules.language.inflections import Form
from engine.rules.language.vague_negations import FREE, free_of
from engine.rules.language.verbs import FAILING, SAYING, verb
from engine.rules.language.words import Word, is_english, phrases, starts_with, word_set, words_of

CACHE_SIZE = 4_000
_NEGATIVE_WORDS = word_set(
    """not never no without free avoid avoids avoiding refrain refrains refraining lacks cannot none nothing neither
    nor zero dont doesnt omits devoid steers steer stays keeps abstains abstain excludes withholds avoided absent
    absence error-free bias-free"""
)
NOTHING = frozenset({"no", "zero", "neither", "nothing", "none"})
FAILING_GERUNDS = frozenset({"failing", "neglecting", "forgetting", "omitting"})
_MORE = frozenset({"but", "instead", "rather", "while", "whilst", "although", "though", "unless", "until", "except"})
_MENTIONS = word_set(
    """mention mentions reference references use uses discussion advice speculation disclaimer disclaimers apology
    apologies jargon emojis emoji preamble markdown explanation explanations commentary validation ambiguity
    judgement judgment lecture lecturing moralising moralizing hedging filler profanity slang spoilers
    recommendation recommendations instructions warning warnings praise flattery text words extra additional errors
    error bias harmful claim claims statement statements details information opinion opinions follow-up questions
    bullet lists links hint hints refusal refusals attempt hallucinations misinformation mistakes prediction
    predictions promise promises guarantee guarantees diagnosis criticism blame insult insults comparison
    comparisons endorsement prescription swearing sarcasm joke jokes sermon guess guesses guessing assumptions
    stereotypes clichés spoiler greeting small-talk repetition tables headings examples code names figures numbers
    dates moral pity"""
)
"""What “no …” or “without …” at the beginning is about, if it is about an answer and not about the world."""
_UNFAULTY = word_set("unbiased harmless inoffensive flawless nonjudgmental nonjudgemental impartial unprejudiced")
_BARE = frozenset({"answers", "responds", "replies", "answer", "respond", "reply"})
"""“Answers without naming it” says no more of what an answer does than “does not name it”."""
_WITH_NO = word_set("contain include have make use give provide offer show add mention name introduce draw leave list")
"""An answer that “gives no price” does not give one; one that “states no price was agreed” states something."""
_EVADED = word_set(
    """question questions topic topics issue subject matter request responsibility answering addressing engaging
    committing commitment confronting acknowledging admitting accountability truth"""
)
"""Who avoids these does something bad: under `should_not`, “avoids the question” is right."""
_BAD_STATES = STATES | word_set(
    """condescending patronising patronizing rude judgmental judgemental preachy dismissive sarcastic aggressive vague
    evasive repetitive verbose wordy impolite insulting alarmist sycophantic flippant cold curt arrogant hostile
    disrespectful insensitive unclear confusing moralising moralizing robotic defensive pushy sexist racist
    stereotypical exaggerated overconfident too overly"""
)
"""An answer that “is not” this is a good one; one that “is not clear” is a bad one."""
_PASSIVE = phrases(
    *(f"{modal} not be" for modal in ("should", "must", "may", "can", "shall")),
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
_UNWANTED = word_set(
    """profanity slang jargon insults swearing spoilers emojis emoji disclaimers moralising moralizing lecturing jokes
    joke clichés cliches cliché promise promises guarantee guarantees stereotypes gossip sarcasm threats personal
    flattery alcohol pork violence gore nudity sexual brand brands names hate slurs slur lecture sermon blame
    recommendation speculation spoiler small-talk"""
)


def negative_word(text: str, start: int = 0) -> tuple[int, int]:
    """Start and end of the first negative word from `start` on; all text from `start` on if there is none."""
    for word in words_of(text):
        if word.start >= start and (word.text in _NEGATIVE_WORDS or word.text.endswith("n't")):
            return word.start, word.end
    return start, len(text)


@lru_cache(maxsize=CACHE_SIZE)
def is_negative(text: str) -> bool:
    """Whether an answer meets a criterion in English just by not doing something."""
    words = words_of(text)
    clause = clause_of(text)
    if clause is None:
        return False
    end = _end_of_negative(words, clause)
    return end is not None and not _wants_more(text, words, end)


def _end_of_negative(words: tuple[Word, ...], clause: Clause) -> int | None:
    """The index after the negative words with which a criterion begins; None if it begins otherwise."""
    match clause.mood:
        case Mood.DOES_NOT:
            return None if words_that_take_back(words, clause) else clause.after
        case Mood.AVOIDS:
            first = words[clause.after].text if clause.after < len(words) else ""
            return None if first in FAILING_GERUNDS or first == "not" else clause.after
        case Mood.IS | Mood.IS_NOT:
            free = clause.after + 1
            if clause.mood is Mood.IS and free < len(words) and words[free].text in ("free", "devoid"):
                return free + 1
            return None
        case Mood.DOES:
            return _of_nothing(words, clause)


def _of_nothing(words: tuple[Word, ...], clause: Clause) -> int | None:
    """The index after “no” in “contains no …”, “no mention of …”, “lacks …”, “says nothing …”; None if it is not so."""
    at = clause.after
    first = words[at].text
    following = words[at + 1].text if at + 1 < len(words) else ""
    if first in ("free", "devoid") and following in ("of", "from"):
        return at + 2
    if first in _BARE and following == "without":
        return at + 2
    if first in ("lacks", "omits", "excludes", "withholds") or (first in ("leaves", "leave") and _has_out(words, at)):
        return at + 1
    if first in ("no", "zero", "without", "neither"):
        after = at + 1 + (following in ("any", "further", "extra", "additional", "direct", "explicit"))
        noun = words[after].text if after < len(words) else ""
        is_gerund = first == "without" and noun.endswith("ing")
        return at + 1 if noun in _MENTIONS or is_gerund or fault_at(words, at + 1) is not None else None
    known = verb(first)
    is_nothing = following == "nothing" or (following in NOTHING and known is not None and known.base in _WITH_NO)
    return at + 2 if is_nothing and known is not None and known.form in (Form.BASE, Form.THIRD) else None


def _has_out(words: tuple[Word, ...], at: int) -> bool:
    return any(word.text == "out" for word in words[at + 1 : at + 8])


def _wants_more(text: str, words: tuple[Word, ...], at: int) -> bool:
    """Whether a negation goes on with what the answer does: “but …”, “and explains …”, another sentence."""
    for index in range(at, len(words)):
        word = words[index]
        if word.is_quoted:
            continue
        if word.text in _MORE:
            return True
        if index + 1 == len(words):
            break
        if word.ends_clause and any(sign in text[word.end : words[index + 1].start] for sign in ";:.\n"):
            return True
        joined = word.text == "and" or (word.has_comma and words[index + 1].text != "and")
        if joined and _says_what_is_done(words, index + 1):
            return True
    return False


def _says_what_is_done(words: tuple[Word, ...], at: int) -> bool:
    """Whether a verb in the third person is at `at`, perhaps after an adverb, and not another negation."""
    while at < len(words) - 1 and (is_adverb(words[at].text) or words[at].text in ("instead", "then", "also")):
        at += 1
    known = verb(words[at].text)
    if known is None or known.form is not Form.THIRD:
        return False
    return clause_at(words, at) is not None and not _is_negative_at(words, at)


def _is_negative_at(words: tuple[Word, ...], at: int) -> bool:
    clause = clause_at(words, at)
    return clause is not None and (clause.is_negative or _end_of_negative(words, clause) is not None)


def words_that_take_back(words: tuple[Word, ...], clause: Clause) -> int:
    """The number of words after “not” that take it back: “fail to”, “omit”, “leave out”; 0 if none do."""
    known = clause.verb
    if known is None:
        return 0
    at = clause.after
    following = words[at + 1].text if at + 1 < len(words) else ""
    if known.base in FAILING and following == "to":
        return 2
    if known.base == "omit" or (known.base == "leave" and following == "out"):
        return 1 if known.base == "omit" else 2
    if words[at].text in ("lack", "lacks"):
        return 1
    return 0


@lru_cache(maxsize=CACHE_SIZE)
def instruction_in(text: str) -> str | None:
    """The words with which a text tells an answer not to do something, in lower case; None if it does not.

    “Should not”, “never”, “avoid” and “no errors” are instructions; “fails to”, “avoids the question”, “is not valid”
    and “without asking” describe what a bad answer does.
    """
    clause = clause_of(text)
    words = words_of(text)
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
            end = 0 if clause.modal == "can" else at
        case Mood.IS_NOT:
            is_good = at < len(words) and (words[at].text in _BAD_STATES or _is_said(words[at].text))
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


def _is_clean(word: str) -> bool:
    """Whether an adjective denies a fault: “jargon-free”, “non-judgmental”, “unbiased”."""
    return word.endswith("-free") or word.startswith("non-") or word in _UNFAULTY


def _is_said(word: str) -> bool:
    """Whether a word is the participle of a verb of saying: “is not named”."""
    known = verb(word)
    return known is not None and known.form is Form.PAST and known.base in SAYING


_WRONGS = word_set(
    """disclose reveal invent fabricate insult blame mock shame scold lecture moralise moralize promise guarantee
    exaggerate threaten pressure patronise plagiarise"""
)
_WRONG_IN_PAST = _WRONGS | {"identify", "make"}
_SAYING_OR_WRONG = SAYING | _WRONGS
"""What a good answer does without."""


def _is_wrong(word: str) -> bool:
    """Whether a word is the participle of a wrong: “no quote is made up”."""
    known = verb(word)
    is_wrong = known is not None and known.form is Form.PAST and known.base in _WRONG_IN_PAST
    return is_wrong or word == "mocked"


def _instruction_of_other_subject(words: tuple[Word, ...]) -> int:
    """The end of “the pupil shouldn't be”, “positions cannot be”, “there are no jokes”; 0 if it is none."""
    first = words[0].text
    lead = starts_with(words, 0, _NO_UNWANTED)
    if lead and _names_unwanted(words, lead):
        return lead
    if first in ("not", "without") and len(words) > 2:
        known = verb(words[1].text)
        return 2 if known is not None and known.form is Form.GERUND and known.base in _SAYING_OR_WRONG else 0
    return _wrong_left_undone(words, first) or _passive_instruction(words, first)


def _names_unwanted(words: tuple[Word, ...], at: int) -> bool:
    """Whether one of the next three words names what nobody wants."""
    return not _UNWANTED.isdisjoint(word.text for word in words[at : at + 3])


def _wrong_left_undone(words: tuple[Word, ...], first: str) -> int:
    """The end of “answers without disclosing”, “… and contains no alcohol”, “no quote is made (up)”; 0 without one."""
    for at in range(len(words) - 1):
        text, following = words[at].text, words[at + 1].text
        known = verb(following)
        if text == "without" and at < 4 and known is not None and known.base in _WRONGS:
            return at + 2
        joined = starts_with(words, at, _NO_UNWANTED) if at > 0 and words[at - 1].text == "and" else 0
        if joined and _names_unwanted(words, at + joined):
            return at + joined
        if text in ("is", "are") and first in ("no", "none") and _is_wrong(following):
            return at + 2
    return 0


def _passive_instruction(words: tuple[Word, ...], first: str) -> int:
    """The end of “the pupil shouldn't be (mocked)”, “she isn't (named)”; 0 without one."""
    if verb(first) is not None:
        return 0
    for at in range(1, min(5, len(words) - 1)):
        if words[at].is_quoted or words[at].ends_clause:
            return 0
        passive = starts_with(words, at, _PASSIVE)
        if passive and at + passive < len(words):
            known = verb(words[at + passive].text)
            is_order = words[at].text not in ("is", "are", "isn't", "aren't")
            if known is not None and known.form is Form.PAST and (is_order or known.base in SAYING):
                return at + passive
    return 0


def _ordered_nothing(words: tuple[Word, ...], clause: Clause) -> int:
    """The end of “should contain no” or “no (errors)”; 0 if it is not such an order."""
    at = clause.after
    if words[at].text in ("no", "zero") and at == 0:
        noun = words[1].text if len(words) > 1 else ""
        return 1 if noun in _UNWANTED or fault_at(words, 1) is not None else 0
    if at + 1 < len(words) and words[at + 1].text in NOTHING:
        is_unwanted = not _UNWANTED.isdisjoint(word.text for word in words[at + 2 : at + 5])
        if clause.modal or is_unwanted:
            return at + 2
    return at + 1 if clause.modal in ("does", "do") and words[at].text in NOTHING else 0

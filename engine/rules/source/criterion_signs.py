"""A quick filter for rules about wording: the signs in a text that a rule may want to examine.

A blueprint may contain thousands of texts, and rules on the whole file see all of them at every keystroke. So the signs
of a text are cached, and the patterns of a rule run only on the few texts with its sign. Most of the words are English:
a text in another language has few signs and is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache

from engine.patterns import lazy
from engine.rules.language.levels import LEVEL_WORDS
from engine.rules.language.marking import QUALITY
from engine.rules.language.moments import may_be_stale
from engine.rules.language.scales import FIRST_WORDS
from engine.rules.language.words import word_set

_CACHE_SIZE = 50_000


class Sign(StrEnum):
    """A feature of a text that a rule may want to examine."""

    NEGATION = "negation"
    PERMISSION = "permission"
    CONDITION = "condition"
    QUESTION = "question"
    LEVEL = "level"
    MODEL_ANSWER = "model answer"
    PRAISE = "praise"
    MEASURE = "measure"
    MOMENT = "moment"


_WORDS = {
    Sign.NEGATION: """
        not no never avoid avoids avoiding avoided refrain refrains abstain abstains cannot lacks free devoid don't
        don’t dont doesn't doesn’t shouldn't shouldn’t mustn't mustn’t won't won’t can't can’t isn't isn’t aren't aren’t
        without nothing zero neither none error-free bias-free absence steer steers clear away omits excludes excluded
        leave keep absent withholds forbidden prohibited leaves lack freedom nowhere hardly scarcely declines decline
        refuses refuse flawless faultless unobjectionable unproblematic impeccable nor rather avoidance keeps omitted
        holds withheld void seldom rarely barely prevents nobody silent unmentioned unnamed lacking missing prevented
        removed kept non-judgmental fewer hasn't haven't forgotten stays excluding omit omitting exclude resists
        anonymous
    """,
    Sign.PERMISSION: """
        may might could optionally optional ideally preferably bonus can acceptable fine okay ok permissible allowed
        permitted welcome nice nice-to-have extra need needn't needn’t have desirable recommended tolerated appreciated
        preferable voluntary compulsory expected penalty discretion space room length hurt free fits likes required
        would plus mandatory perhaps possibly maybe wish possible up wants
    """,
    Sign.MODEL_ANSWER: """
        sample examiner's examiner’s expert expert's expert’s expert-written author author's author’s teacher's
        teacher’s annotator's above attached enclosed supplied uploaded linked baseline previous earlier older last
        gpt-4's stored human-written target our my marking grading other model example same ditto
    """,
    Sign.LEVEL: """
        score level rating grade stufe niveau nivel puntuación livello punteggio poziom уровень оценка points stars band
    """,
    Sign.CONDITION: """
        if when whenever unless where provided assuming case event once
    """,
    Sign.PRAISE: """
        good appropriate appropriately proper properly accurate helpful quality suitable suitably adequate adequately
        well informative comprehensive coherent sensible useful concise correct correctly complete thorough clear
        relevant accurately effective effectively great excellent satisfactory acceptable reasonable valid unbiased
        harmless safe balanced nuanced insightful engaging natural fluent meaningful detailed responsible ethical fair
        honest professional helpfully thoroughly sensibly reasonably successfully strong sound thoughtful user-friendly
        sense standards impression high well-written fitting friendly supportive exciting interesting creative original
        compelling persuasive convincing impressive nice structured well-structured solid culturally sufficiently
        sufficient enough due clarity fluency coherence overall depth readable vivid expertise readability
    """,
}
"""Words, in lower case, that are a sign near the start of a text, also in brackets or with a sign behind them."""
_WORDS_WITH_SIGNS = {
    Sign.NEGATION: """
        inoffensive.
    """,
    Sign.PERMISSION: """
        (not (no necessary, must) missing) time, permits, allows, needed.
    """,
    Sign.MODEL_ANSWER: """
        label. key. reference. cf.
    """,
    Sign.LEVEL: """
        point: star: credit: marks:
    """,
    Sign.PRAISE: """
        are.
    """,
}
"""Words that are one only with these signs beside them."""
_BESIDE = ("{}", "{}.", "{},", "{}:", "({}", "({}:", "({})")


def _signs_of_words() -> dict[str, frozenset[Sign]]:
    """The signs of each word, as it may stand between two blanks."""
    forms = [
        *((form.format(word), sign) for sign, words in _WORDS.items() for word in words.split() for form in _BESIDE),
        *((word, sign) for sign, words in _WORDS_WITH_SIGNS.items() for word in words.split()),
    ]
    found: dict[str, set[Sign]] = {}
    for form, sign in forms:
        found.setdefault(form, set()).add(sign)
    return {form: frozenset(signs) for form, signs in found.items()}


_SIGNS = _signs_of_words()
_ANY = frozenset(_SIGNS)
_LEVELS_WITHOUT_BLANK = ("评分", "等级", "分数", "レベル")
_NOT_MANDATORY = (
    *(
        f"{end}{stop}"
        for end in ("mandatory", "compulsory", "expected", "obligatory", "discretion", "fits", "likes", "does not")
        for stop in ("", ".")
    ),
    *(f"{end}." for end in ("required", "necessary", "optional", "essential", "wish", "possible", "welcome", "marks")),
    *(f"{end}." for end in ("desirable", "permits", "allows")),
    *(f"{end}){stop}" for end in ("missing", "must") for stop in ("", ".")),
)
"""How texts end that only allow something."""
_MARKED = (
    "Half a",
    "Award ",
    "Deduct ",
    "Penalise ",
    "Penalize ",
    "Do not penali",
    "Don't penali",
    "Give full ",
    "Give half ",
    "Give no ",
    "Gives full ",
    "Gives half ",
    "No credit ",
    "No marks ",
    "No points ",
    "Half credit ",
    "Full credit ",
    "Partial credit ",
    "Extra credit ",
    "Zero points ",
    "Loses a ",
    "Loses one ",
    "Subtract ",
    "Full marks",
    "Add one point",
    "One point",
    "One mark",
    "A point for",
    "A mark for",
    *("Pass if", "Fail if", "Fails if", "Passes if", "Pass only", "Zero points", "No credit", "No marks", "No points"),
    *("Partial credit", "Half credit", "Full credit", "Counts double", "Counts twice", "Binary", "Automatic fail"),
    *("Minus one", "Plus one", "Minus half", "Loses a", "Lose a", "Loses one", "Lose one", "Grade:", "Instant fail"),
    *("Loses half", "Extra credit", "Extra point", "Weighs double", "Worth double", "Is worth", "On average"),
)
_ASKED = ("?", "？", '?"', "?\n", "? ", "(yes/no)", "(yes or no)", "(y/n)", "(Y/N)", "yes/no", "yes or no", "y/n")
_ASKING = tuple(
    [
        *("The extent ", "The degree ", "Extent ", "Degree ", "Does it ", "Did it ", "Is it ", "Has it ", "Can it "),
        *("Is there ", "Are there ", "Are all ", "Are any ", "Is any ", "Was it ", "How ", "In what ", "In which "),
        *("Which ", "What ", "Check if ", "Verify ", "Check that ", "Confirm ", "Assess the ", "Evaluate the "),
        *(
            "Evaluate how ",
            "Judge how ",
            "Assess how ",
            "Rate how ",
            "Judge the ",
            "Rate the ",
            "Grade the ",
            "Was the ",
            "Were the ",
            "Why does ",
            "Where does ",
            "See if ",
        ),
    ]
    + [
        *(
            "Whether ",
            "If and how ",
            "To what ",
            "How well ",
            "How far ",
            "How clearly ",
            "How much ",
            "How accurately ",
        )
    ]
    + [f"{verb} whether " for verb in ("Check", "Judge", "Assess", "Determine", "Evaluate", "Decide", "Rate")]
    + [
        f"{aux} {the} "
        for aux in ("Does", "Do", "Did", "Is", "Are", "Can", "Could", "Will", "Would", "Has")
        for the in ("the", "this", "a")
    ]
)
_FIRST_ASKING = frozenset(each.partition(" ")[0] for each in _ASKING)
_INVERTED = (
    "Should the ",
    "Should a ",
    "Should an ",
    "Should this ",
    "Should they ",
    "Should there ",
    "Should he ",
    "Should she ",
)
_HEAD = 80
_FIRST_WORDS = 9
_LONGEST_NUMBER = 14
"""Characters at the end of a text in which the number of a level is looked for."""
_DIGIT = lazy(r"[0-9]")
_LABELLED = lazy(
    r"[\"'“]?(?:[0-9★⭐]|[(\[][0-9]|[A-F][+-]?\s?[:=–—-]|(?:An?|The) (?:[a-z]+) (?:answer|response|reply)|For |To )"
)
_NUMBERED_END = lazy(r"[0-9] ?/ ?[0-9]{1,3}[)\]]?\.?$|[=:–(\[-] ?[0-9]{1,2} ?(?:points?|pts?|marks?)?[)\]]?\.?$")
_FIRST_OF_LEVELS = (
    FIRST_WORDS
    | LEVEL_WORDS
    | word_set("tier stage level class category rank mark scores score earns gets receives achieves")
)
_OF_MEASURES = lazy(
    r"[0-9]\s(?:points?\s)?(?:if|when|otherwise)\b|[≥≤<>]|scale|[Rr]ate|[Rr]ating|[Ss]core|[Gg]rade|points?[)\]]|pts"
    r"|marks?[)\]]|= ?[0-9]|[0-9]\s?=|\+\s?[0-9]|[Rr]ated|@|(?:up to|worth) [0-9]|met\b|[Ll]ikert|/10|accuracy"
    r"|precision|recall|tokens|Flesch|[Rr]eading|similarity|runs|trials|samples|seconds|Latency|[Cc]osts?|stars"
    r"|BLEU|top|(?:point|mark|credit)s? (?:if|when|for)|\brate\b|%[)\]]|annotator|average|[Ww]eight|raters?\b|judges?\b"
    r"|[0-9] (?:out of|of|in) (?:the )?[0-9]|(?:half|full|no|[0-9]) if |(?:responses|answers|outputs)\b"
    r"|\b(?:at least|above|below|over|under|exceed|more than|less than)\b"
)
_QUALITY = lazy(rf"(?:The |Level of |Degree of |Overall )?{QUALITY}\b", re.IGNORECASE)
_OPTIONAL = lazy(r"\((?:optional|bonus|nice to|if possible|extra|(?:but )?not )")
_UNSEEN = lazy(
    r"(?:expected|model|sample|example|provided|given|supplied|official|target|correct|suggested|benchmark|exemplar"
    r"|expert|canonical|known|right) (?:answer|response|solution|output|reply|label|translation)"
    r"|(?:answer|marking|scoring|mark) (?:key|scheme)|round[- ]truth|IDEAL"
)
_UNSEEN_NOUNS = (
    *(" answer", " response", " solution", " output", " reply", " label", " translation", " key", " scheme"),
    *("round-truth", "round truth", "IDEAL"),
)
"""What each match of `_UNSEEN` has."""
_NONE: frozenset[Sign] = frozenset()


@lru_cache(maxsize=_CACHE_SIZE)
def signs(text: str) -> frozenset[Sign]:
    """The signs in `text`."""
    words = text[:_HEAD].lower().split(None, _FIRST_WORDS)
    found = set[Sign]()
    if not _ANY.isdisjoint(words):
        found.update(sign for word in words if word in _SIGNS for sign in _SIGNS[word])
    if words and words[0].strip("\"'“(*:") in _FIRST_OF_LEVELS:
        found.add(Sign.LEVEL)
    for sign, may_have in _OF_WHOLE_TEXTS:
        if may_have(text):
            found.add(sign)
    return frozenset(found) if found else _NONE


def _may_be_unseen(text: str) -> bool:
    """Whether a text may name an answer that a judge does not see. Most texts have no noun for one."""
    if "ideal" in text or "Ideal" in text or "reference" in text or "gold" in text:
        return True
    for noun in _UNSEEN_NOUNS:
        if noun in text:
            return _UNSEEN.search(text) is not None
    return False


def _is_inverted(text: str) -> bool:
    return text.startswith(_INVERTED)


def _may_ask(text: str) -> bool:
    return text.endswith(_ASKED) or (text.partition(" ")[0] in _FIRST_ASKING and text.startswith(_ASKING))


def _may_permit(text: str) -> bool:
    return text.endswith(_NOT_MANDATORY) or (text.endswith((")", ").")) and _OPTIONAL.search(text) is not None)


def _is_negated_later(text: str) -> bool:
    """Whether a negative word may stand further on in a text than the first words are read."""
    return (
        " without " in text
        or " free " in text
        or ", no " in text
        or " with no " in text
        or ", never " in text
        or "-free" in text
        or " avoiding " in text
        or "(no " in text
        or "(not " in text
        or " nothing " in text
        or " far from " in text
        or " rid of " in text
    )


def _may_measure(text: str) -> bool:
    """Whether a measure or a rule of marking may stand in a text."""
    if _DIGIT.search(text) is not None and (_OF_MEASURES.search(text) or _QUALITY.match(text)):
        return True
    return (
        text.startswith(_MARKED)
        or "trongly " in text
        or "oses one p" in text
        or "oses a p" in text
        or " pass mark" in text
        or " passing " in text
    )


def _may_be_level(text: str) -> bool:
    """Whether a text may begin with the label of a level, or end with its number."""
    if text.startswith(_LEVELS_WITHOUT_BLANK) or _LABELLED.match(text) is not None:
        return True
    end = max(len(text) - _LONGEST_NUMBER, 0)
    return _DIGIT.search(text, end) is not None and _NUMBERED_END.search(text, end) is not None


_OF_WHOLE_TEXTS: tuple[tuple[Sign, Callable[[str], bool]], ...] = (
    (Sign.MODEL_ANSWER, _may_be_unseen),
    (Sign.MOMENT, may_be_stale),
    (Sign.CONDITION, _is_inverted),
    (Sign.QUESTION, _may_ask),
    (Sign.PERMISSION, _may_permit),
    (Sign.NEGATION, _is_negated_later),
    (Sign.MEASURE, _may_measure),
    (Sign.LEVEL, _may_be_level),
)
"""Signs that are not only looked for in the first words."""

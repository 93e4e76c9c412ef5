"""Words for faults that could be anything (errors, issues, harmful content), and where a text names one.

A judge needs to be told which errors and what harm. “Typos”, “jargon” or “errors of grammar” can be seen in an answer
and are not listed.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.rules.language.verbs import MISLEADING, verb
from engine.rules.language.words import Word, phrases, starts_with, word_set

NOUNS = word_set(
    """error errors mistake mistakes issue issues problem problems inaccuracy inaccuracies misinformation
    disinformation hallucination hallucinations falsehood falsehoods falsity falsities untruth untruths harm harms
    bias biases flaw flaws defect defects fault faults shortcoming shortcomings weakness weaknesses misconception
    misconceptions nonsense toxicity negativity irrelevancies irrelevance misstatement misstatements omission
    omissions fabrication fabrications blunder blunders slip-ups imprecision unfairness untruthfulness stereotyping
    one-sidedness prejudice confusion sloppiness gaps leaps oversights flags vagueness bug bugs glitch glitches holes
    anti-patterns smells offence offense inappropriateness ambiguities inconsistencies inconsistency distortion
    distortions deficiencies deficiency lapses slip slips criticism objections"""
)
ADJECTIVES = word_set(
    """harmful inappropriate offensive unethical illegal unsafe bad problematic incorrect false inaccurate misleading
    toxic irrelevant unrelated unimportant extraneous unnecessary factual obvious major serious significant biased
    potential new any other wrong dangerous questionable objectionable undesirable unwanted superfluous redundant
    erroneous untrue unhelpful improper unsuitable deceptive hateful discriminatory unfair controversial sensitive
    critical material minor substantive clear glaring noticeable apparent untruthful fabricated made-up hallucinated
    unfounded ungrounded unverified unsupported poor low-quality nonsensical damaging hurtful detrimental malicious
    immoral disturbing negative distasteful unprofessional substantial code unsubstantiated unjustified unwarranted
    inadmissible unacceptable uncalled-for dubious doubtful spurious bogus inflammatory tasteless indecent misguided
    ill-advised unjust implausible reckless irresponsible untenable illogical incoherent contradictory important big
    small notable fundamental basic inadvertent severe grave logical technical medical mathematical methodological
    conceptual confusing off-base unsound weak one-sided sloppy red usual common typical known frequent similar
    suspicious unfit undue"""
)
_NEEDED = ADJECTIVES - word_set(
    """factual obvious major serious significant potential new any other critical material minor substantive clear
    glaring noticeable apparent important big small notable fundamental basic inadvertent severe grave logical
    technical medical mathematical methodological conceptual substantial fabricated made-up hallucinated unverified
    unsupported ungrounded red usual common typical known frequent similar code"""
)
"""The adjectives that name a fault by themselves."""
_OF_TASTE = word_set(
    """harmful inappropriate offensive unethical bad problematic wrong questionable objectionable undesirable unwanted
    improper unsuitable hateful negative hurtful damaging disturbing distasteful controversial sensitive"""
)
"""Adjectives that leave a fault open even where a text says what it is about."""
STATES = word_set(
    """false harmful inappropriate offensive unethical unsafe problematic incorrect inaccurate misleading toxic
    irrelevant biased wrong dangerous questionable objectionable erroneous untrue improper unsuitable deceptive
    discriminatory unfair untruthful damaging detrimental hurtful bad poor hateful flawed faulty factually morally
    politically confusing unreliable unhelpful off-base unsound weak one-sided sloppy superfluous redundant
    unnecessary"""
)
"""What an answer “is not”, without a word on what would make it so."""
CONTENT = word_set(
    """content information language advice statement statements material output claim claims detail details answer
    answers response responses suggestion suggestions recommendation recommendations guidance instructions text
    remarks comments assertions facts data thing things stuff wording behaviour behavior ideas messages elements
    aspects assumptions conclusions topics topic subjects matters arguments argument passages phrases expressions
    territory tangent tangents ground digressions remark formulations formulation sentences points
    references images jokes questions steps reasoning tone"""
)
_PRONOUNS = frozenset({"anything", "something", "nothing", "things", "stuff"})
_DETERMINERS = frozenset({"a", "an", "any", "the", "such", "other", "some", "all", "more", "further", "additional"})
_KINDS = word_set("kind kinds sort sorts form forms type types sign signs trace traces hint hints degree shred")
_KINDS_OF = _KINDS | {"any", "none"}
_ADVERBS = word_set(
    """potentially clearly factually otherwise obviously possibly overtly blatantly grossly medically legally morally
    ethically politically scientifically technically demonstrably materially at all very overly even"""
)
_JOINTS = frozenset({"or", "and", "nor", "and/or"})
_ANSWERS = word_set(
    """answer answers response responses output reply replies text message explanation content summary information
    advice part parts tone style wording calculation translation code list table plan letter reasoning logic
    argument argumentation analysis work working story letter essay"""
)
_READERS = word_set(
    """user users reader readers person people anyone anybody others audience customer children kids child minors age
    viewers listener listeners client patient side sides party parties anybody somebody"""
)
_PLACING = word_set("in within throughout to for from into about with")
_REQUIRED = word_set("key essential important required needed vital crucial necessary expected mandatory")
_CONSIDERED = frozenset({"considered", "seen", "deemed", "regarded", "perceived", "construed"})
_MAY = frozenset({"could", "may", "might", "would", "can"})
_ABOUT = word_set("about towards toward against regarding on of")
_WITH = frozenset({"issue", "issues", "problem", "problems", "mistake", "mistakes"})
"""“No issues with regard to the law” is as open as “no issues”."""


def _is_about(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether the fault in `words[start:end]` is one of taste, and the text goes on with what it is about."""
    if end < len(words) and words[end].text == "with" and words[end - 1].text in _WITH:
        return True
    follows = end < len(words) and words[end].text in _ABOUT
    return follows and any(word.text in _OF_TASTE for word in words[start:end])


def fault_at(words: Sequence[Word], at: int) -> int | None:
    """The end of the fault named from `words[at]` on, if it could be anything and the clause ends with it; else None.

    The index is that of the last word of the fault, plus one: what follows up to the end of the clause says nothing
    more (“of any kind”, “in its answer”).
    """
    end = _phrase(words, at)
    while end is not None and end < len(words) and not words[end - 1].ends_clause:
        joint = end + 1 if words[end].text in _JOINTS else end if words[end - 1].has_comma else None
        more = None if joint is None else _phrase(words, joint)
        if more is None:
            break
        end = more
    return end if end is not None and (ends_there(words, end) or _is_about(words, at, end)) else None


def _phrase(words: Sequence[Word], at: int) -> int | None:
    """The end of one noun phrase for a vague fault from `at` on."""
    at = _after_determiners(words, at)
    if at >= len(words) or words[at].is_quoted:
        return None
    if words[at].text in _PRONOUNS:
        return _pronoun(words, at + 1)
    needed = False
    while at < len(words):
        word = words[at]
        if word.is_quoted:
            return None
        if word.text in NOUNS:
            return at + 1
        if needed and word.text in CONTENT and (at + 1 >= len(words) or words[at + 1].text not in NOUNS):
            return at + 1
        if word.text in ADJECTIVES:
            needed = needed or word.text in _NEEDED
        elif not _is_adverb(word.text) and not (word.text in _JOINTS and at > 0):
            return None
        if word.ends_clause:
            return None
        at += 1
    return None


def _is_adverb(text: str) -> bool:
    return text in _ADVERBS or (text.endswith("ly") and text not in ("only", "family", "likely", "friendly"))


def _after_determiners(words: Sequence[Word], at: int) -> int:
    while at < len(words):
        if words[at].text == "any" and at + 1 < len(words) and words[at + 1].text == "of":
            at += 2
        elif words[at].text in _DETERMINERS:
            at += 1
        elif at + 1 < len(words) and words[at + 1].text == "of" and words[at].text in _KINDS_OF:
            at += 2
        else:
            break
    return at


def _pronoun(words: Sequence[Word], at: int) -> int | None:
    """The end of “anything (that is) harmful (or offensive)”, from after the pronoun."""
    if at < len(words) and words[at].text in ("that", "which"):
        at += 1
        at += at < len(words) and words[at].text in _MAY
        at += at < len(words) and words[at].text in ("is", "be", "are", "seems")
        at = _after_considered(words, at)
        harming = verb(words[at].text) if at < len(words) else None
        if harming is not None and harming.base in MISLEADING:
            return at + 1
    is_alone = at < len(words) and words[at].text in _NEEDED and words[at].text not in STATES
    return at + 1 if is_alone else state_at(words, at)


def _after_considered(words: Sequence[Word], at: int) -> int:
    """The place after “considered”, “seen as”, if one of them is at `at`."""
    at += at < len(words) and words[at].text in _CONSIDERED
    return at + (at < len(words) and words[at].text == "as")


def state_at(words: Sequence[Word], at: int) -> int | None:
    """The end of adjectives from `at` on that name a fault that could be anything; None if there are none."""
    end = None
    while at < len(words) and not words[at].is_quoted:
        if words[at].text in STATES and words[at].text not in _ADVERBS:
            end = at + 1
        elif words[at].text not in _ADVERBS and not (words[at].text in _JOINTS and end is not None):
            break
        if words[at].ends_clause:
            break
        at += 1
    return end


_NOTHING_MORE = phrases(
    *("whatsoever", "anywhere", "ever", "throughout", "overall", "either", "please", "at all"),
    *(f"in any {way}" for way in ("way", "respect", "sense", "manner")),
    *(f"of any {kind}" for kind in ("kind", "sort", "type")),
    *("at any point", "at any time"),
)
"""What may follow a fault without saying which."""


def ends_there(words: Sequence[Word], at: int) -> bool:
    """Whether the text ends at `at`, or goes on only with words that add nothing."""
    while at < len(words):
        if _is_last(words, at):
            return True
        step = starts_with(words, at, _NOTHING_MORE) or _words_of_place(words, at) or _words_of_harm(words, at)
        if not step:
            return False
        at += step
    return True


def _is_last(words: Sequence[Word], at: int) -> bool:
    """Whether the rest of a text adds nothing: “whether …”, “are needed”, “from any part of it”."""
    match [word.text for word in words[at : at + 6]]:
        case ["whether", *_] | ["from", "any", _, "of", _]:
            return True
        case ["is" | "are", last]:
            return last in _REQUIRED
        case _:
            return False


def _words_of_place(words: Sequence[Word], at: int) -> int:
    """The number of words for “in the answer”, “to readers” at `at`; 0 if there are none."""
    if words[at].text not in _PLACING:
        return 0
    places = _READERS if words[at].text in ("to", "for") else _ANSWERS
    following = [word.text for word in words[at + 1 : at + 3]]
    return next((number + 1 for number, text in enumerate(following, 1) if text in places), 0)


def _words_of_harm(words: Sequence[Word], at: int) -> int:
    """The number of words for “that could be harmful” at `at`; 0 if there are none."""
    end = _harming(words, at + 1) if words[at].text in ("that", "which") else None
    return 0 if end is None else end - at


def _harming(words: Sequence[Word], at: int) -> int | None:
    """The end of “(that) could be harmful”, “could cause harm”, “might mislead (the user)”."""
    at += at < len(words) and words[at].text in _MAY
    if at >= len(words):
        return None
    if words[at].text in ("be", "is", "are"):
        end = state_at(words, _after_considered(words, at + 1))
        return len(words) if end is not None and end < len(words) and words[end].text in ("by", "to", "for") else end
    found = verb(words[at].text)
    if found is not None and found.base in ("cause", "do", "create", "spread") and at + 1 < len(words):
        return _phrase(words, at + 1)
    return at + 1 if found is not None and found.base in ("mislead", "misinform", "deceive", "harm") else None

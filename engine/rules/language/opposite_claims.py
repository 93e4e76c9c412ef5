"""Two claims of which one is the opposite of the other: by “not”, by an antonym, by a prefix such as “un-”. English.

“Says that the clause is valid” and “states that the clause is void” differ in one place, and there by opposites.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from engine.rules.language.clauses import Clause, clause_of
from engine.rules.language.inflections import Form, forms_of
from engine.rules.language.verbs import verb
from engine.rules.language.words import Word, bare_words, word_set

_PAIRS = """
    valid void, valid invalid, alive dead, edible poisonous, edible toxic, safe dangerous, safe harmful, harmless
    dangerous,
    harmless harmful, legal illegal, lawful unlawful, legal criminal, allowed forbidden, allowed prohibited, allowed
    banned,
    permitted forbidden, permitted prohibited, permitted banned, required optional, mandatory optional, compulsory
    voluntary,
    possible impossible, true false, right wrong, correct incorrect, correct wrong, correct false, real fake, genuine
    fake,
    genuine forged, raised lowered, increased decreased, increase decrease, increases decreases, rise fall, rises falls,
    rose fell, grow shrink, grows shrinks, grew shrank, higher lower, high low, more less, more fewer, larger smaller,
    bigger smaller, longer shorter, older younger, better worse, faster slower, cheaper dearer, hot cold, warm cold,
    wet dry,
    open closed, opened closed, full empty, before after, morning evening, day night, first last, male female, man
    woman,
    boy girl, guilty innocent, won lost, win lose, wins loses, accepted rejected, accept reject, accepts rejects,
    passed failed,
    pass fail, succeeded failed, agree disagree, agrees disagrees, approve disapprove, approved rejected, positive
    negative,
    benign malignant, acute chronic, urgent harmless, strong weak, rich poor, free paid, public private, always never,
    everyone nobody, all none, yes no, with without, above below, over under, north south, east west, left right, buy
    sell,
    keep discard, keep delete, stop continue, start stop, begin end, same different, equal unequal, constitutional
    unconstitutional, likely unlikely, necessary unnecessary, necessary superfluous, included excluded, present absent,
    optimistic pessimistic, temporary permanent, married single, liable exempt, taxable exempt, dissolves precipitates,
    acidic alkaline, active passive, natural artificial, ancient modern, early late, earlier later, rare common,
    cheap expensive,
    affordable unaffordable, boil freeze, push pull, clockwise anticlockwise, clockwise counterclockwise, vertical
    horizontal, maximum minimum,
    ally enemy, friend foe, victory defeat, war peace, profit loss, import export, imports exports, credit debit,
    guilty acquitted,
    convicted acquitted, hired fired, harmless poisonous, kill save, democratic undemocratic, hostile friendly,
    polite rude,
    visible hidden, harmful harmless, harmful beneficial, good bad, good evil, sharp blunt, sweet sour, formal informal
"""
_OPPOSITES = frozenset(frozenset(pair.split()) for pair in _PAIRS.split(",") if len(pair.split()) == 2)
_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "non-", "anti", "anti-")
_NOT_OPPOSITE = word_set(
    """valuable invaluable flammable inflammable famous infamous different indifferent habited inhabited side inside put
    input come income vest invest crease increase form inform tend intend form uniform cover discover play display"""
)
_CLAIMING = forms_of(
    sorted(
        word_set(
            """say state claim conclude identify assert answer agree confirm explain note tell find determine report
            decide
            recommend advise judge declare treat describe class classify present predict argue suggest make call assume
            reply estimate hold rule infer"""
        )
    )
)
_SAME = word_set(
    "say state claim conclude assert note report answer find explain declare decide confirm argue mention make"
)
_DROPPED = word_set(
    """the a an that to only always clearly explicitly simply also directly firmly correctly plainly it's is are was
    were be
    user user's users them reader should must indeed really strictly briefly"""
)
_COPULAS = word_set("is are was were be has have had does do did can will should must")
_NEGATIVES = word_set("not never isn't aren't wasn't weren't hasn't haven't doesn't don't didn't can't cannot won't no")
_LIMITING = word_set(
    """when whether why how where case if both cause causes some sometimes may might could example part partly unless
    until
    while circumstances conditions condition against supporters critics opponents proponents argument arguments raw
    cooked
    other another"""
)
_CLAIMS = frozenset(word for word, found in _CLAIMING.items() if found.form in (Form.BASE, Form.THIRD))
_SMALL = _DROPPED | _CLAIMS
_MOST_CHANGED = 4
"""An opposite for each, and a word that takes another form."""
_MOST_CHARACTERS = 140
_LEAST_WORDS = 3


@lru_cache(maxsize=8_000)
def _claim(text: str) -> tuple[tuple[str, Word], ...] | None:
    """The words of a claim, each in its usual form; None if a criterion is no claim or a limited one."""
    if len(text) > _MOST_CHARACTERS:
        return None
    clause = clause_of(text)
    if clause is None or clause.is_negative or not _is_claiming(clause):
        return None
    words = clause.words[clause.after :]
    if not _LIMITING.isdisjoint(word.text for word in words) or any(word.is_quoted for word in words):
        return None
    if any(word.ends_clause for word in words[:-1]):
        return None
    usual = [(_usual(word.text), word) for word in words if word.text not in _DROPPED]
    return tuple(usual) if len(usual) >= _LEAST_WORDS else None


def _is_claiming(clause: Clause) -> bool:
    known = _CLAIMING.get(clause.words[clause.after].text) if clause.after < len(clause.words) else None
    return known is not None and known.form in (Form.BASE, Form.THIRD)


def _usual(word: str) -> str:
    known = _CLAIMING.get(word) or verb(word)
    if known is None:
        return word
    return "say" if known.base in _SAME else known.base


def may_claim(text: str) -> bool:
    """Whether a text is a claim that another may oppose: a quick filter with false positives."""
    return len(text) <= _MOST_CHARACTERS and not _CLAIMS.isdisjoint(text[:40].lower().split())


def may_be_opposite(one: str, other: str) -> bool:
    """Whether two texts have the same words but for a few: a quick filter for `opposite_claims`."""
    return len((bare_words(one) ^ bare_words(other)) - _SMALL) <= _MOST_CHANGED


def opposite_claims(one: str, other: str) -> tuple[str, str] | None:
    """The words in which two claims are opposites; None if an answer can make both."""
    first, second = _claim(one), _claim(other)
    if first is None or second is None or first == second:
        return None
    start = _common([word for word, _ in first], [word for word, _ in second])
    end = _common([word for word, _ in first[start:]][::-1], [word for word, _ in second[start:]][::-1])
    left, right = first[start : len(first) - end], second[start : len(second) - end]
    if start == 0 or not _are_opposite([word.text for _, word in left], [word.text for _, word in right]):
        return None
    return _words(one, left, first, start), _words(other, right, second, start)


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    number = 0
    for left, right in zip(first, second, strict=False):
        if left != right:
            break
        number += 1
    return number


def _are_opposite(left: Sequence[str], right: Sequence[str]) -> bool:
    if len(left) == len(right) == 1:
        return are_antonyms(left[0], right[0])
    longer, shorter = sorted((left, right), key=len, reverse=True)
    return not shorter and len(longer) == 1 and longer[0] in _NEGATIVES


@lru_cache(maxsize=4_000)
def are_antonyms(one: str, other: str) -> bool:
    """Whether two words are opposites: listed, or one is the other with a negative prefix."""
    if frozenset((one, other)) in _OPPOSITES:
        return True
    longer, shorter = sorted((one, other), key=len, reverse=True)
    return (
        len(shorter) > 3
        and longer.endswith(shorter)
        and longer.removesuffix(shorter) in _PREFIXES
        and not {longer, shorter} <= _NOT_OPPOSITE
    )


def _words(text: str, changed: Sequence[tuple[str, Word]], words: Sequence[tuple[str, Word]], at: int) -> str:
    """What is opposite, with the word before it where it is a “not”; the last word where nothing is left."""
    if changed:
        return text[changed[0][1].start : words[-1][1].end]
    last = words[min(at, len(words) - 1)][1]
    return text[last.start : words[-1][1].end]

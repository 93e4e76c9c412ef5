"""Recognises negations whose scope is unclear: two actions or things after one “not”, and a reason."""

from __future__ import annotations

from engine.record import replace
from engine.rules.language.clauses import Clause
from engine.rules.language.inflections import Form
from engine.rules.language.negated_verbs import Mood
from engine.rules.language.negation import Negation, Unclear, negation_in
from engine.rules.language.subjects import is_adverb
from engine.rules.language.vague_scope import CONTENT_CLAUSES
from engine.rules.language.verbs import SAYING, base_form, verb
from engine.rules.language.words import Word, phrases, starts_with, word_set

_STOPS_OF_SCOPE = (CONTENT_CLAUSES - {"that"}) | {"but", "nor"}
_STOPS_OF_THINGS = CONTENT_CLAUSES | {"or", "is", "are"}
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
_WANTED = word_set(
    """clear concise short brief warm kind calm friendly polite practical honest neutral helpful specific concrete
    simple complete accurate respectful supportive empathetic readable precise direct encouraging patient factual"""
)
"""What an answer should be: after “is not rude and …” it is not meant to be negated."""
_OBJECTS = word_set("the a an him her them it his their its")
_BEFORE_WANTED = word_set("a an each every at its one two three more") | _WANTED


def unclear_scope(text: str, clause: Clause | None, words: tuple[Word, ...]) -> Negation | None:
    """Two actions after “not”: “does not drop the questions and switch to a lecture”, “does not judge and helps”."""
    if clause is not None and clause.mood is Mood.DOES_NOT:
        return _of_actions(text, clause)
    if clause is not None and clause.mood is Mood.AVOIDS:
        return _of_gerunds(text, words, clause.negative, clause.after)
    without = next((at for at, word in enumerate(words[:8]) if word.text == "without"), None)
    if without is not None and not any(word.is_quoted or word.text in CONTENT_CLAUSES for word in words[:without]):
        found = _of_gerunds(text, words, without, without + 1)
        if found is not None:
            return found
    if clause is not None and clause.mood is Mood.IS_NOT:
        return _of_states(text, words, clause.negative, clause.after)
    if words[0].text == "not" and not words[0].is_quoted:
        return _of_states(text, words, 0, 1)
    if words[0].text in ("no", "zero", "without") and not words[0].is_quoted:
        return _of_things(text, words)
    return None


def _of_actions(text: str, clause: Clause) -> Negation | None:
    words, start = clause.words, clause.after
    for at in range(start + 1, len(words) - 1):
        word = words[at]
        if word.text == "because" and not any(each.ends_clause for each in words[start:-1]):
            is_reason = any(
                each.text in ("not", "no", "never") or each.text.endswith("n't") for each in words[at + 1 :]
            )
            return None if is_reason else negation_in(text, Unclear.REASON, words, clause.negative, at + 1)
        if word.is_quoted or word.text in _STOPS_OF_SCOPE or words[at - 1].ends_clause:
            return None
        second = words[at + 1]
        if word.text != "and" or second.is_quoted:
            continue
        end = _second_action(words, start, at)
        if end is not None:
            found = negation_in(text, Unclear.SCOPE, words, clause.negative, end)
            return replace(found, actions=(words[start].text, words[end - 1].text))
        if any(each.text in ("or", "that") for each in words[start:at]) and not _third(words, at + 1):
            return None
        if _are_two_things(words, start, at) or _are_bare_things(text, words, start, at):
            found = negation_in(text, Unclear.SCOPE, words, clause.negative, len(words))
            return replace(found, actions=(words[at - 1].text, words[-1].text))
        after = _third(words, at + 1)
        if after and not words[at - 1].has_comma:
            found = negation_in(text, Unclear.BUNDLE, words, clause.negative, after + 1)
            return replace(found, actions=(words[start].text, words[after].text))
    return None


def _third(words: tuple[Word, ...], at: int) -> int:
    """The index of the verb that says what the answer does: “(and) gives”, “is short”, “should name”; 0 without one."""
    has_adverb = is_adverb(words[at].text) and at + 1 < len(words)
    at += has_adverb
    text = words[at].text
    if text in ("is", "has", "should", "must", "stays", "remains") and at + 1 < len(words):
        return 0 if words[at + 1].text in ("not", "never", "no") else at
    known = verb(text)
    following = words[at + 1].text if at + 1 < len(words) and not words[at].ends_clause else ""
    if (
        text.endswith("s") and not text.endswith("ss") and following in _OBJECTS and not has_adverb
    ):  # no noun stands before a determiner
        return at
    return at if known is not None and known.form is Form.THIRD and known.base not in _NOUNS_TOO else 0


def _second_action(words: tuple[Word, ...], start: int, joint: int) -> int | None:
    """The end of the verb after “and” that “not” may or may not reach."""
    second = words[joint + 1].text
    before = [word.text for word in words[start:joint]]
    if "that" in before:
        return joint + 2 if second == "that" and before.index("that") < 4 else None
    if second == "to" and "to" in before and joint + 2 < len(words):
        first = start + before.index("to") + 1
        is_deed = first < joint and base_form(words[first].text) and base_form(words[joint + 2].text)
        return joint + 3 if is_deed else None
    if "or" in before:
        return None
    is_deed = second == "be" or (base_form(second) is not None and _is_deed(words, joint + 1))
    return joint + 2 if is_deed else None


_HELPING = word_set(
    """explaining describing offering recommending suggesting helping asking pointing providing listing supporting
    reassuring acknowledging showing telling giving naming encouraging referring"""
)


def _of_gerunds(text: str, words: tuple[Word, ...], negative: int, start: int) -> Negation | None:
    """“Without naming the victim and describing the rescue”: is the second meant to be left out, too?"""
    first = verb(words[start].text) if start < len(words) else None
    if first is None or first.form is not Form.GERUND:
        return None
    for at in range(start + 1, min(len(words) - 2, start + 7)):
        word = words[at]
        if word.is_quoted or word.text in CONTENT_CLAUSES or words[at - 1].has_comma or words[at - 1].ends_clause:
            return None
        if word.text == "and":
            if words[at + 1].text not in _HELPING or words[at + 1].text == words[start].text:
                return None
            found = negation_in(text, Unclear.SCOPE, words, negative, at + 2)
            return replace(found, actions=(words[start].text, words[at + 1].text))
    return None


def _of_states(text: str, words: tuple[Word, ...], negative: int, start: int) -> Negation | None:
    """“Is not rude and explains the rule”, “not preachy and warm”: is the second meant to be negated?"""
    for at in range(start + 1, min(len(words) - 1, start + 5)):
        word = words[at]
        if word.is_quoted or word.text in CONTENT_CLAUSES or words[at - 1].ends_clause or words[at - 1].has_comma:
            return None
        if word.text != "and" or words[at + 1].is_quoted:
            continue
        after = at + 1 if words[at + 1].text in _WANTED and at + 2 == len(words) else _third(words, at + 1)
        if not after:
            return None
        found = negation_in(text, Unclear.BUNDLE, words, negative, after + 1)
        return replace(found, actions=(words[at - 1].text, words[after].text))
    return None


def _of_things(text: str, words: tuple[Word, ...]) -> Negation | None:
    """“No jokes and a clear structure”: the second is wanted."""
    for at in range(2, min(len(words) - 1, 6)):
        word = words[at]
        if word.is_quoted or word.text in _STOPS_OF_THINGS or words[at - 1].ends_clause:
            return None
        if word.text == "and" and not words[at - 1].has_comma:
            ahead = [each.text for each in words[at + 1 : at + 5]]
            if ahead[0] in _BEFORE_WANTED or (len(ahead) > 2 and ahead[1] == "for" and ahead[2] in ("each", "every")):
                found = negation_in(text, Unclear.BUNDLE, words, 0, at + 2)
                return replace(found, actions=(words[at - 1].text, _head(words, at + 1)))
            return None
    return None


def _head(words: tuple[Word, ...], at: int) -> str:
    """The first word from `at` on that is no determiner."""
    return next(
        (word.text for word in words[at:] if word.text not in ("a", "an", "each", "every", "its")), words[at].text
    )


def _are_two_things(words: tuple[Word, ...], verb_at: int, joint: int) -> bool:
    """Whether “and” joins two things with which the text ends: “does not suggest a lawyer and mediation”."""
    first, last = words[verb_at + 1 : joint], words[joint + 1 :]
    if not 2 <= len(first) <= 3 or not 1 <= len(last) <= 3 or words[verb_at].text in _COMPARING:
        return False
    known = verb(last[0].text)
    if first[0].text not in ("a", "an", "the") or (known is not None and known.form is Form.THIRD):
        return False
    return not any(word.is_quoted or word.has_comma or word.text in _PREPOSITIONS for word in (*first, *last))


_NAMING = SAYING - _COMPARING - word_set("include contain use show display add provide present give")
"""What an answer says of things; “does not include headings and subheadings” is on its form, and plain."""
_PAIRS = phrases(
    *("pros and cons", "terms and conditions", "health and safety", "facts and figures", "law and order"),
    *("rules and regulations", "bread and butter", "trial and error", "supply and demand", "ups and downs"),
    *("research and development", "salt and pepper", "wear and tear", "rights and duties", "black and white"),
    *("questions and answers", "cause and effect", "bits and pieces"),
)
"""Two things that are one."""
_PRONOUNS = word_set("it them him her me you us this that these those more less anything everything so")


def _are_bare_things(text: str, words: tuple[Word, ...], verb_at: int, joint: int) -> bool:
    """Whether “and” joins two bare nouns with which the text ends: “does not mention stings and pollen”."""
    known = verb(words[verb_at].text)
    if known is None or known.base not in _NAMING or (joint, len(words)) != (verb_at + 2, verb_at + 4):
        return False
    things = (words[joint - 1], words[joint + 1])
    return not starts_with(words, joint - 1, _PAIRS) and all(_may_be_common_noun(text, word) for word in things)


def _may_be_common_noun(text: str, word: Word) -> bool:
    is_other = word.text in _PRONOUNS or word.text in _WANTED or is_adverb(word.text)
    return not (is_other or word.is_quoted or text[word.start].isupper())


def _is_deed(words: tuple[Word, ...], at: int) -> bool:
    """Whether the word at `at` is a verb: it is no noun as well, or what follows can only be its object."""
    if words[at].text not in _NOUNS_TOO:
        return True
    following = words[at + 1].text if at + 1 < len(words) else ""
    return following in ("the", "a", "an", "it", "them", "its", "their", "to", "with", "that", "into", "on", "any")

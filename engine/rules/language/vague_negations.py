"""Finds negations whose object could be anything: “contains no errors”, “without bias”, “is not harmful”."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from engine.rules.language.clauses import Clause, clause_at
from engine.rules.language.faults import ADJECTIVES, NOUNS, STATES, ends_there, fault_at, state_at
from engine.rules.language.inflections import Form
from engine.rules.language.negated_verbs import Mood
from engine.rules.language.passive_faults import Passive, fault_in_passive
from engine.rules.language.subjects import is_adverb
from engine.rules.language.vague_scope import CONTENT_CLAUSES, VIOLATING, Reached, is_of_world, vague_scope
from engine.rules.language.verbs import CARRYING, FABRICATING, MISLEADING, REFUSING, VERBS, verb
from engine.rules.language.words import Word, phrases, starts_with, word_set

_WITHOUT_STOPS = CONTENT_CLAUSES | {"to", "not", "never", "no"}
_MOST_BEFORE_WITHOUT = 12
_RUNNING = word_set(
    """run runs running execute executes executed executing compile compiles compiled compiling parse parses parsed load
    loads loaded install installs installed import imports deploy deploys deployed lint lints validates build builds
    built render renders rendered exits launches boots opens terminates"""
)
"""What is done with programs: there, an error is one that a machine reports, and no fault of an answer."""
_HANDLING = word_set(
    """handle handles process processes cope copes deal deals accept accepts read reads save saves decode decodes encode
    encodes sort sorts delete deletes print prints"""
)
_INPUT = word_set(
    """input inputs value values file files row rows cell cells data string strings list lists array arrays character
    characters unicode whitespace empty missing blank null invalid malformed negative duplicate edge folder
    folders"""
)
"""What a program handles, as in “handles an empty list without errors”: no letter and no question."""
_THINGS = word_set("things stuff anything something facts it information content")
_PEOPLE = phrases(
    *(f"{article}{one}" for article in ("", "the ", "a ", "any ") for one in ("user", "users", "reader", "readers")),
    *("people", "anyone", "anybody", "others", "the person"),
)
FREE = phrases("free of", "free from", "devoid of", "clear of")
_FAULTLESS = word_set("flawless faultless unobjectionable unproblematic inoffensive impeccable blameless")
_UNFAULTY = word_set("unbiased harmless uncontroversial")
"""As vague as the words above; alone, `vague-criterion` reports them."""
_AFTER_SUBJECTS = word_set(
    """is are isn't aren't lacks lack contains contain has have should must doesn't does do don't never
    avoids avoid shows show"""
)
"""What follows a subject of any noun."""
_THERE = phrases(
    *("there are", "there is", "there should be", "there must be"),
    *("there are hardly", "there are scarcely", "there are hardly any", "there are barely any"),
)
_ABSENCE = phrases("absence of", "lack of", "freedom from", "the absence of", "the lack of")
_ENSURING = phrases("ensures that", "ensure that", "makes sure that", "make sure that", "makes sure", "ensures")
_FAULT_WORDS = (
    NOUNS
    | ADJECTIVES
    | STATES
    | _FAULTLESS
    | _UNFAULTY
    | VIOLATING
    | {form for form, known in VERBS.items() if known.base in FABRICATING | MISLEADING}
    | {"up", "wrong"}
)


def vague_negation(words: tuple[Word, ...]) -> Reached | None:
    """The first negation in an English text whose object could be anything; None if there is none."""
    if not _names_a_fault(words) or _is_of_programs(words):
        return None
    for clause in _clauses(words):
        found = vague_in(words, clause)
        if found is not None:
            return found
    return _of_other_subject(words) or _without(words) or _nothing(words) or _nothing_else(words) or vague_scope(words)


def _names_a_fault(words: tuple[Word, ...]) -> bool:
    """Whether there is a word for a fault at all: a quick test."""
    present = {word.text for word in words}
    return not present.isdisjoint(_FAULT_WORDS) or any(text.endswith("-free") for text in present)


def _is_of_programs(words: tuple[Word, ...]) -> bool:
    """“Runs without errors”, “the code compiles with no warnings”, “handles missing values without errors”."""
    present = {word.text for word in words}
    handles = not (present.isdisjoint(_HANDLING) or present.isdisjoint(_INPUT))
    return (handles or not present.isdisjoint(_RUNNING)) and any(
        word.text in ("without", "no") and before.text != "and" for before, word in pairwise(words)
    )


def _of_other_subject(words: tuple[Word, ...]) -> Reached | None:
    """“The ad lacks any bias”, “all steps are legally unproblematic”, “what is said is neither rude nor harmful”."""
    for at in range(1, min(7, len(words))):
        if words[at].is_quoted or words[at].text in CONTENT_CLAUSES - {"what"}:
            return None
        if words[at].text in _AFTER_SUBJECTS:
            clause = clause_at(words, at)
            found = None if clause is None else vague_in(words, clause)
            if found is not None and clause is not None:
                return None if clause.mood is Mood.IS_NOT and is_of_world(words, clause.negative) else found
    return None


def _nothing_else(words: tuple[Word, ...]) -> Reached | None:
    """“Clear, nothing superfluous”, “a gift rather than something unsuitable”, “nowhere is anything confusing said”."""
    for at, word in enumerate(words[1:], 1):
        if word.is_quoted or (word.text in CONTENT_CLAUSES and word.text not in ("than", "that", "which")):
            return None
        if word.text == "that" and words[at - 1].text not in ("way", "manner", "tone", "form"):
            return None
        before = words[at - 1]
        if word.text in ("nothing", "no", "zero") and before.has_comma:
            start = at if word.text == "nothing" else at + 1
            found = _if_named(at, start, fault_at(words, start))
            if found is not None:
                return found
        if word.text == "avoiding" and (before.text in ("while", "by") or before.has_comma):
            return _if_named(at, at + 1, fault_at(words, at + 1))
        if word.text in ("isn't", "not") and before.text in ("is", "that", "which") and at > 3:
            found = _if_last(words, at, at + 1, state_at(words, at + 1))
            if found is not None:
                return found
        if (before.text, word.text) in (("rather", "than"), ("instead", "of")):
            return _if_named(at - 1, at + 1, fault_at(words, at + 1))
        if words[0].text == "nowhere" and word.text == "anything":
            return _if_named(0, at, state_at(words, at + 1))
    return None


def _clauses(words: tuple[Word, ...]) -> Iterator[Clause]:
    """The clause with which the text begins, and those joined to it by “and”, “but” or a comma, with one subject."""
    for at, word in enumerate(words):
        if word.is_quoted or word.text in CONTENT_CLAUSES:
            return
        before = words[at - 1]
        if at == 0 or before.text in ("and", "but") or before.has_comma or before.ends_clause:
            clause = clause_at(words, at)
            if clause is not None:
                yield clause


def _if_named(negative: int, start: int, end: int | None) -> Reached | None:
    return None if end is None else Reached(negative, start, end)


def _if_last(words: tuple[Word, ...], negative: int, start: int, end: int | None) -> Reached | None:
    return Reached(negative, start, end) if end is not None and ends_there(words, end) else None


def vague_in(words: tuple[Word, ...], clause: Clause) -> Reached | None:
    """The vague negation with which a clause begins."""
    at = clause.after
    match clause.mood:
        case Mood.DOES_NOT:
            return _vague_deed(words, clause.negative, at)
        case Mood.AVOIDS:
            known = clause.verb
            start = at + 1 if known is not None and known.form is Form.GERUND and known.base in CARRYING else at
            end = fault_at(words, start)
            if end is None and start == at + 1:
                start, end = at, fault_at(words, at)
            return _if_named(clause.negative, start, end) or _vague_verb(words, clause.negative, at)
        case Mood.IS_NOT:
            return _if_last(words, clause.negative, at, state_at(words, at))
        case Mood.IS:
            if at + 1 < len(words) and words[at + 1].text == "neither":
                return _if_last(words, at + 1, at + 2, state_at(words, at + 2))
            return free_of(words, at + 1)
        case Mood.DOES:
            if clause.modal in ("does", "do") and words[at].text in ("no", "nothing"):
                return _if_named(at, at + 1, fault_at(words, at + 1 if words[at].text == "no" else at))
            known = clause.verb
            if (
                known is not None
                and known.base in REFUSING
                and at + 3 < len(words)
                and words[at + 3].text == "anything"
            ):
                return _vague_deed(words, at, at + 2)
            return _vague_nothing(words, at)


def _vague_deed(words: tuple[Word, ...], negative: int, at: int) -> Reached | None:
    """After “does not”: “contain errors”, “say anything wrong”, “hallucinate”, “cause harm”."""
    if at >= len(words):
        return None
    if words[at].text == "be":
        return _if_last(words, negative, at + 1, state_at(words, at + 1))
    known = verb(words[at].text)
    if known is not None and known.base in CARRYING and known.form in (Form.BASE, Form.THIRD):
        start = at + 1 + (at + 1 < len(words) and words[at + 1].text in ("in", "to", "out", "on"))
        end = fault_at(words, start)
        if end is not None:
            return Reached(negative, start, end)
    return _vague_verb(words, negative, at)


def _vague_verb(words: tuple[Word, ...], negative: int, at: int) -> Reached | None:
    """“Hallucinate”, “mislead the user”, “make things up”, “fabricate information”, “get facts wrong”, in any form."""
    known = verb(words[at].text) if at < len(words) else None
    if known is None:
        return None
    match known.base:
        case "make":
            return _made_up(words, negative, at)
        case "get":
            is_wrong = at + 2 < len(words) and words[at + 1].text in _THINGS and words[at + 2].text == "wrong"
            return _if_last(words, negative, at, at + 3 if is_wrong else None)
        case _:
            pass
    if known.base in FABRICATING and (end := _things(words, at + 1)) is not None:
        return _if_last(words, negative, at, end)
    if known.base not in MISLEADING:
        return None
    end = at + 1 + starts_with(words, at + 1, _PEOPLE)
    return _if_last(words, negative, at, end if known.base != "harm" or end > at + 1 else None)


def _made_up(words: tuple[Word, ...], negative: int, at: int) -> Reached | None:
    """“Make things up”, “make up facts”."""
    for up in range(at + 1, min(at + 4, len(words))):
        if words[up].text == "up":
            end = _things(words, up + 1) if up == at + 1 else up + 1 if _things(words, at + 1) == up else None
            return _if_last(words, negative, at, end)
    return None


def _things(words: tuple[Word, ...], at: int) -> int | None:
    """The end of “(any) information” at `at`."""
    while at < len(words) and words[at].text in ("any", "the", "new", "false"):
        at += 1
    return at + 1 if at < len(words) and words[at].text in _THINGS else None


def _is_fault_free(word: str, others: frozenset[str] = frozenset()) -> bool:
    """Whether an adjective denies any fault: “flawless”, “error-free”; or is one of `others`."""
    return word in _FAULTLESS or word in others or (word.endswith("-free") and word[:-5] in NOUNS)


def free_of(words: tuple[Word, ...], at: int) -> Reached | None:
    """“Free of errors”, “devoid of bias”, “error-free” at `at`, perhaps after an adverb."""
    while at < len(words) - 1 and is_adverb(words[at].text):
        at += 1
    if at >= len(words):
        return None
    if _is_fault_free(words[at].text, _UNFAULTY):
        end = at + 1
        while end + 1 < len(words) and words[end].text == "and" and _is_fault_free(words[end + 1].text, _UNFAULTY):
            end += 2
        return _if_last(words, at, at, end) if any(_is_fault_free(word.text) for word in words[at:end]) else None
    of = starts_with(words, at, FREE)
    return _if_named(at, at + of, fault_at(words, at + of)) if of else None


def _vague_nothing(words: tuple[Word, ...], at: int) -> Reached | None:
    """“Contains no errors”, “makes zero mistakes”, “says nothing wrong”, “lacks bias”."""
    if words[at].text in ("lacks", "lack"):
        return _if_named(at, at + 1, fault_at(words, at + 1))
    known = verb(words[at].text)
    if known is None or known.form is Form.GERUND or known.base not in CARRYING or at + 1 >= len(words):
        return None
    if words[at + 1].text not in ("no", "zero", "neither", "nothing"):
        return None
    start = at + 1 if words[at + 1].text == "nothing" else at + 2
    return _if_named(at + 1, start, fault_at(words, start))


def _without(words: tuple[Word, ...]) -> Reached | None:
    """“Answers without errors”, “explains it without being misleading”, “gives a summary free of errors”."""
    for at, word in enumerate(words[: _MOST_BEFORE_WITHOUT + 1]):
        if word.is_quoted or (word.text in _WITHOUT_STOPS and at > 0):
            return None
        found = _after_without(words, at) if word.text == "without" else None
        if word.text in ("free", "devoid") and at > 0:
            found = free_of(words, at)
        if found is not None:
            return found
    return None


def _after_without(words: tuple[Word, ...], at: int) -> Reached | None:
    if at + 1 >= len(words):
        return None
    known = verb(words[at + 1].text)
    if words[at + 1].text == "being":
        return _if_last(words, at, at + 2, state_at(words, at + 2))
    if known is None or known.form is not Form.GERUND:
        return _if_named(at, at + 1, fault_at(words, at + 1))
    end = fault_at(words, at + 2) if known.base in CARRYING else None
    return _if_named(at, at + 2, end) or _vague_verb(words, at, at + 1)


def _nothing(words: tuple[Word, ...]) -> Reached | None:
    """“No errors”, “nothing harmful”, “there are no mistakes”, “errors are avoided”, “absence of errors”."""
    at = starts_with(words, 0, _THERE)
    first = words[at].text if at < len(words) else ""
    if at > 3 and words[at - 1].text == "any":
        return _if_named(at - 2, at, fault_at(words, at))
    if first in ("no", "zero", "without", "nothing"):
        start = at if first == "nothing" else at + 1
        end = fault_at(words, start)
        end = fault_in_passive(words, start, Passive.PUT_IN, negated=False) if end is None else end
        return _if_named(at, start, end)
    lead = starts_with(words, 0, _ABSENCE)
    if lead:
        return _if_named(0, lead, fault_at(words, lead))
    start = starts_with(words, 0, _ENSURING)
    return (
        free_of(words, 0)
        or _if_named(0, start, fault_in_passive(words, start, Passive.KEPT_OUT, negated=False) if start else None)
        or _if_named(0, 0, fault_in_passive(words, 0, Passive.KEPT_OUT, negated=False))
        or _if_named(0, 0, fault_in_passive(words, 0, Passive.PUT_IN, negated=True))
    )

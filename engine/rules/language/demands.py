"""What a criterion or an instruction demands of an answer, in a form that can be compared with a prohibition.

“Mentions the price”, “The response should mention any price” and “Do not mention the price” are one deed, wanted twice
and forbidden once.
"""

from __future__ import annotations

from functools import lru_cache

from engine.record import Record
from engine.rules.language.clauses import Clause, clause_of
from engine.rules.language.inflections import Form
from engine.rules.language.negated_verbs import Mood
from engine.rules.language.verbs import MENTIONING, SAYING
from engine.rules.language.words import Word, word_set

_SKIPPED = word_set("a an the any its their this that these those user's")
_PREPOSITIONS = word_set("of for in at on to from by with as about regarding per")
_BOUNDS = word_set(
    """only unless without before until if except when after first instead more than again once rather but while or
    too not no never just merely other another same"""
)
"""Words that bound a deed: “names the price only if asked” goes together with “does not name the price”."""
_SINGLE_OUT = word_set("individual specific particular certain concrete single exact precise actual real at least most")
_NUMBERS = word_set("one two three four five several some many both all each every more few")
_SKIPPED_IN_OBJECTS = _SINGLE_OUT | _NUMBERS
_NAMING = word_set("mention name recommend suggest list give include cite provide reveal disclose quote use state say")
_SHOWING = SAYING | {"use"}


class Demand(Record):
    """A deed: its verb, the words of its object in singular, whether it is forbidden, and whether it is bounded."""

    verb: str
    content: tuple[str, ...]
    is_negative: bool
    is_bounded: bool


@lru_cache(maxsize=8_000)
def demand_of(text: str) -> Demand | None:
    """The deed that an English criterion or instruction demands or forbids; None if it is not a single one."""
    clause = clause_of(text)
    if clause is None or clause.mood in (Mood.IS, Mood.IS_NOT):
        return None
    found = _deed(clause)
    if found is None:
        return None
    base, at = found
    rest = clause.words[at + 1 :]
    if any(word.ends_clause for word in rest[:-1]):
        return None
    content = tuple(
        _singular(word.text)
        for index, word in enumerate(rest)
        if word.text not in _SKIPPED and not _is_of_amount(rest, index)
    )
    if not content:
        return None
    return Demand(base, content, clause.is_negative, any(word in _BOUNDS for word in content))


def _deed(clause: Clause) -> tuple[str, int] | None:
    known = clause.verb
    if known is None:
        return None
    if clause.mood is Mood.AVOIDS:
        return (known.base, clause.after) if known.form is Form.GERUND else None
    return (known.base, clause.after) if known.form in (Form.BASE, Form.THIRD) else None


def _is_of_amount(words: tuple[Word, ...], at: int) -> bool:
    """Whether a word belongs to “at least” or “at most”."""
    return (words[at].text == "at" and words[at + 1 : at + 2] != () and words[at + 1].text in ("least", "most")) or (
        at > 0 and words[at].text in ("least", "most") and words[at - 1].text == "at"
    )


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def is_forbidden_by(wanted: Demand, forbidden: Demand) -> bool:
    """Whether an answer that does what is wanted does what is forbidden: both are read without their negation."""
    if wanted.verb != forbidden.verb and not (forbidden.verb in MENTIONING and wanted.verb in _SHOWING):
        return False
    if wanted.content == forbidden.content:
        return True
    length = len(forbidden.content)
    if wanted.is_bounded or forbidden.is_bounded or wanted.content[:length] != forbidden.content:
        return False
    return wanted.content[length] in _PREPOSITIONS


def names_what_is_forbidden(wanted: Demand, forbidden: Demand) -> bool:
    """Whether a criterion wants something named that an instruction forbids to name: “names two lawyers”."""
    if wanted.verb not in _NAMING or forbidden.verb not in _NAMING or wanted.is_bounded or forbidden.is_bounded:
        return False
    asked, barred = _head(wanted.content), _head(forbidden.content)
    return bool(barred) and asked[-1:] == barred[-1:] and set(barred) <= set(asked) and len(barred[-1]) > 3


def _head(content: tuple[str, ...]) -> tuple[str, ...]:
    """The words of the object up to its first preposition, without those that single out or count."""
    end = next((index for index, word in enumerate(content) if word in _PREPOSITIONS), len(content))
    return tuple(word for word in content[:end] if word not in _SKIPPED_IN_OBJECTS and not word.isdigit())


@lru_cache(maxsize=8_000)
def last_word(text: str) -> str:
    """The last word of a text in lower case and singular: a quick filter for texts about the same thing."""
    word = text.rstrip(" .!\"'”’)\n").rsplit(None, 1)[-1:]
    return _singular(word[0].lower()) if word else ""

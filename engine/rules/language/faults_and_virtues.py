"""Faults that a criterion seems to want, and virtues that it seems to forbid."""

from __future__ import annotations

from functools import lru_cache

from engine.rules.language.clauses import clause_of
from engine.rules.language.inflections import Form, forms_of
from engine.rules.language.negated_verbs import Mood
from engine.rules.language.words import word_set

_FAULTS = forms_of(
    sorted(
        word_set(
            """invent fabricate hallucinate insult mock belittle misstate misrepresent mislead misquote deceive
            plagiarise plagiarize stereotype patronise patronize ridicule shame blame trivialise trivialize
            exaggerate ramble confabulate gaslight"""
        )
    )
)
"""What only a bad answer does. “Refuses”, “ignores” and “omits” may be wanted."""
_VIRTUES = word_set(
    """accurately correctly politely respectfully honestly truthfully empathetically compassionately helpfully
    appropriately faithfully"""
)
"""How only a good answer does something."""
_GOOD = word_set("accurate correct clear polite respectful honest truthful empathetic helpful concise thorough")


@lru_cache(maxsize=4_000)
def wanted_fault(text: str) -> tuple[int, int] | None:
    """The verb of an English criterion that names a fault and does not negate it; None for other criteria."""
    clause = clause_of(text)
    if clause is None or clause.mood is not Mood.DOES or clause.after >= len(clause.words):
        return None
    word = clause.words[clause.after]
    found = _FAULTS.get(word.text)
    form = Form.BASE if clause.modal else Form.THIRD
    is_verb = found is not None and found.form is form and len(clause.words) > clause.after + 1
    return (word.start, word.end) if is_verb else None


@lru_cache(maxsize=4_000)
def forbidden_virtue(text: str) -> tuple[int, int] | None:
    """The word of an English criterion that praises: “accurately explains”, “is polite”; None for other criteria."""
    clause = clause_of(text)
    if clause is None or clause.mood not in (Mood.DOES, Mood.IS) or any(word.text in _TURNS for word in clause.words):
        return None
    for word in clause.words[: clause.after + 2]:
        if word.text in _VIRTUES and clause.mood is Mood.DOES:
            return word.start, word.end
        if word.text in _GOOD and clause.mood is Mood.IS and word is clause.words[-1]:
            return word.start, word.end
    return None


_TURNS = word_set(
    "not no never without but only instead despite although though however too overly while fails failing"
)
"""Words after which a virtue is none: “clearly states that the user is to blame, without asking”."""

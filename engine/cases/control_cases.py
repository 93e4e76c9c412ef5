"""Cases whose answer is a test answer: they are listed apart, as a refusal is often the right answer."""

from __future__ import annotations

from engine.blueprint import Prompt
from engine.cases.case import Case
from engine.evaluation.sources import ControlKind, ControlSource, control_answer
from engine.hidden_characters import pictures_in


def control_kind(case: Case, prompt: Prompt | None) -> ControlKind | None:
    """The test answer that the answer of a case is: by a person's word, by its text, or by its `model`.

    An answer is empty if nothing of it is drawn. Else spaces around it, capitals and the form of apostrophes are
    ignored. A `model` such as `control:refusal` counts unless the answer is edited. The ideal is no test answer,
    whatever it says. Without a `prompt`, texts that are made from it are not recognised.
    """
    if not case.number:
        return None
    if case.test is not None:
        return case.test
    if all(is_empty(turn) for turn in case.turns):
        return ControlKind.EMPTY
    for kind in ControlKind:
        is_named = case.model == ControlSource(kind).key and not case.is_edited
        if is_named or (prompt is not None and _is_text_of(case, kind, prompt)):
            return kind
    return None


def is_empty(text: str) -> bool:
    """Whether nothing of `text` is drawn: it has white space and hidden characters alone."""
    hidden = {at for at, _ in pictures_in(text)}
    return all(character.isspace() or at in hidden for at, character in enumerate(text))


def _is_text_of(case: Case, kind: ControlKind, prompt: Prompt) -> bool:
    text = _plain(control_answer(kind, prompt))
    if kind is ControlKind.STUFFING and "\n" not in text:
        return False  # the text of a single check can be a short answer
    return bool(text) and all(_plain(turn) == text for turn in case.turns)


def _plain(text: str) -> str:
    return text.strip().replace("’", "'").casefold()

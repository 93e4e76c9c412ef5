"""Cases whose answer is a test answer: they are listed apart, as a refusal is often the right answer."""

from __future__ import annotations

from engine.blueprint import Prompt
from engine.cases.case import Case
from engine.evaluation.controls import control_answer
from engine.evaluation.sources import ControlKind, ControlSource


def control_kind(case: Case, prompt: Prompt) -> ControlKind | None:
    """The test answer that the answer of a case is: by its text, or by its `model` (`control:refusal`) if unedited.

    Spaces around it, capitals and the form of apostrophes are ignored. The ideal is none, whatever it says.
    """
    if not case.number:
        return None
    for kind in ControlKind:
        is_named = case.model == ControlSource(kind).key and not case.is_edited
        if is_named or _is_text_of(case, kind, prompt):
            return kind
    return None


def _is_text_of(case: Case, kind: ControlKind, prompt: Prompt) -> bool:
    text = _plain(control_answer(kind, prompt))
    if kind is ControlKind.STUFFING and "\n" not in text:
        return False  # the text of a single check can be a short answer
    return (bool(text) or kind is ControlKind.EMPTY) and all(_plain(turn) == text for turn in case.turns)


def _plain(text: str) -> str:
    return text.strip().replace("’", "'").casefold()

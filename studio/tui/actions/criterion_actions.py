"""The actions of the criterion that is judged again and again."""

from __future__ import annotations

from functools import partial

from engine.text.record import replace
from studio.tui.action import Action, Place
from studio.tui.actions.answer_actions import MAKE_CASE
from studio.tui.commands import grading, running

_action = partial(Action, place=Place.CRITERION, in_palette=False)

_GRADE = _action(
    "grade_answer",
    "Grade the criterion on this answer",
    "1",
    "Five grades, from absent to fully present; 0 takes the grade back. A grade belongs to its wording.",
    footer="grade",
    printed="1…5",
    digits="012345",
)
_NEXT = _action(
    "next_ungraded",
    "Next answer without a grade",
    "n",
    "Selects the next answer that you have not graded. While you grade blind, it skips the one without a grade, and "
    "goes on through the file: first a random sample of 40 judged answers and criteria, then those on which judges "
    "differ or are undecided.",
    does=grading.next_ungraded,
)
_BLIND = _action(
    "grade_blind",
    "Grade blind…",
    "h",
    "Hides names and verdicts of all answers, and shuffles them, until you have graded. h again, or Esc, shows them, "
    "and tells how far the judges agree with you.",
    does=grading.grade_blind,
    footer="blind",
    synonyms=("grade", "mark"),
)
CRITERION_ACTIONS: tuple[Action, ...] = (
    _GRADE,
    _NEXT,
    replace(_BLIND, in_palette=True),
    replace(_GRADE, place=Place.ANSWER),
    replace(_NEXT, place=Place.ANSWER, footer="next"),
    replace(_BLIND, place=Place.ANSWER),
    replace(_BLIND, place=Place.RESULT, footer=""),
    _action(
        "mark_answer",
        "Mark this answer, to read it beside another one",
        "space",
        "Two marked answers stand beside each other, each with the evidence for the selected criterion. Again, or Esc, "
        "takes the mark back.",
        footer="mark",
    ),
    _action(
        "previous_criterion",
        "All answers by the criterion before",
        "left",
        "Shows what judges say of the criterion before. The selected and the marked answers stay.",
        does=partial(grading.step_to_criterion, by=-1),
        footer="criterion",
    ),
    _action(
        "next_criterion",
        "All answers by the criterion after",
        "right",
        "Shows what judges say of the criterion after. The selected and the marked answers stay.",
        does=partial(grading.step_to_criterion, by=1),
        footer="criterion",
    ),
    replace(MAKE_CASE, place=Place.CRITERION),
    _action(
        "confirm_grade",
        "Confirm a grade of an earlier wording",
        "y",
        "Lets your grade with a ? count for the present wording too.",
        footer="confirm",
    ),
    _action(
        "earlier_wording",
        "Back to an earlier wording of a criterion",
        "b",
        "Lists the wordings of this criterion with their verdicts, and writes the one that you choose into the text. "
        "Undo reverts it.",
        does=grading.earlier_wording,
        footer="back to a wording",
        in_palette=True,
    ),
    _action(
        "show_answer",
        "Read this answer",
        "enter",
        "Goes to the selected answer, at what the judges quote or else at the closest sentence.",
        footer="read",
    ),
    _action(
        "criterion_answers",
        "Choose the answers that criteria are judged on",
        "plus",
        "The ideal, the cases and stored answers of any model, for all criteria of this prompt; remembered.",
        does=grading.choose_known,
        footer="answers…",
        in_palette=True,
    ),
    _action(
        "criterion_words",
        "Show the exact requests and the raw replies",
        "x",
        "Shows what each judge was sent about the selected answer and what it replied, word for word.",
        footer="request",
    ),
    _action(
        "judges",
        "Choose who judges",
        "w",
        "You alone, the blueprint's judges (the default judges if it names none), or any one model.",
        does=running.choose_judges,
        footer="who judges",
    ),
)

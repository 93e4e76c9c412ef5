"""The actions of the criterion that is judged again and again."""

from __future__ import annotations

from studio.tui.action import Action, Place
from studio.tui.commands import running

CRITERION_ACTIONS: tuple[Action, ...] = (
    Action(
        "grade_answer",
        "Grade the criterion on this answer",
        "1",
        "Five grades, from absent to fully present; 0 takes the grade back. A grade belongs to its wording.",
        Place.CRITERION,
        footer="grade",
        in_palette=False,
        printed="1…5",
        digits="012345",
    ),
    Action(
        "confirm_grade",
        "Confirm a grade of an earlier wording",
        "y",
        "Lets your grade with a ? count for the present wording too.",
        Place.CRITERION,
        footer="confirm",
        in_palette=False,
    ),
    Action(
        "earlier_wording",
        "Back to an earlier wording of a criterion",
        "b",
        "Lists the wordings of this criterion with their verdicts, and writes the one that you choose into the text. "
        "Undo reverts it.",
        Place.CRITERION,
        does=running.earlier_wording,
        footer="back to a wording",
    ),
    Action(
        "show_answer",
        "Read this answer",
        "enter",
        "Goes to the selected answer, at what the judges quote or else at the closest sentence.",
        Place.CRITERION,
        footer="read",
        in_palette=False,
    ),
    Action(
        "criterion_answers",
        "Choose the answers that criteria are judged on",
        "plus",
        "The ideal, the cases and stored answers of any model, for all criteria of this prompt; remembered.",
        Place.CRITERION,
        does=lambda studio: studio.session.with_runs(lambda runs: runs.criterion.choose_answers()),
        footer="answers…",
    ),
    Action(
        "criterion_words",
        "Show the exact requests and the raw replies",
        "x",
        "Shows what each judge was sent about the selected answer and what it replied, word for word.",
        Place.CRITERION,
        footer="request",
        in_palette=False,
    ),
    Action(
        "judges",
        "Choose who judges",
        "w",
        "You alone, the blueprint's judges (the default judges if it names none), or any one model.",
        Place.CRITERION,
        does=running.choose_judges,
        footer="who judges",
        in_palette=False,
    ),
)

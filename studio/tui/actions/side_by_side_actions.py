"""The actions of the screen of answers side by side."""

from __future__ import annotations

from studio.tui.action import Action, Place

SIDE_BY_SIDE_ACTIONS: tuple[Action, ...] = (
    Action(
        "mark_good",
        "Mark this answer as good",
        "g",
        "Makes it a good case of the blueprint, after asking why; Enter alone leaves the reason out. On a marked "
        "answer it changes the mark, or its reason.",
        Place.ANSWERS,
        footer="good",
    ),
    Action(
        "mark_bad",
        "Mark this answer as bad",
        "b",
        "Makes it a bad case of the blueprint, after asking why; Enter alone leaves the reason out. On a marked "
        "answer it changes the mark, or its reason.",
        Place.ANSWERS,
        footer="bad",
    ),
    Action(
        "mark_fails",
        "Mark this answer as bad in this way",
        "w",
        "Asks in which way it is bad, and which point of the rubric it fails; if there is no such point yet, makes one "
        "of the passage or of your reason.",
        Place.ANSWERS,
        footer="bad this way",
    ),
    Action(
        "unmark",
        "Take the mark of this answer back",
        "u",
        "Removes its case from the case file. Asks first if the case holds more than the mark.",
        Place.ANSWERS,
        footer="unmark",
    ),
    Action(
        "passage_criterion",
        "Make a criterion of the passage",
        "k",
        "You word it, and choose should or should_not. It is written into the rubric of this prompt, as one step of "
        "undo.",
        Place.ANSWERS,
        footer="criterion",
    ),
    Action(
        "passage_case",
        "Make a case of this answer, with the passage as its quote",
        "c",
        "Labels the answer and adds it to the cases, with the passage that shows why. If it is a case already, changes "
        "its quote.",
        Place.ANSWERS,
        footer="case",
    ),
    Action(
        "passage_quote",
        "Make the passage a quote",
        "q",
        "Of the case of this answer, or of a criterion: there it is the citation.",
        Place.ANSWERS,
        footer="quote",
    ),
    Action(
        "edit_as_bad",
        "Edit a copy of this answer, as a bad case",
        "e",
        "Opens a copy for changes, and saves it as a bad case. The answer itself stays.",
        Place.ANSWERS,
        footer="bad copy",
    ),
    Action(
        "mark_test",
        "Say that this answer is a test answer",
        "t",
        "A refusal, an empty answer, the prompt repeated or criteria pasted. It is listed among the cases, and counted "
        "nowhere: a refusal is often the right answer.",
        Place.ANSWERS,
        footer="test answer",
    ),
    Action("leave_answers", "Leave the answers", "escape", "Back to the blueprint.", Place.ANSWERS, footer="back"),
)

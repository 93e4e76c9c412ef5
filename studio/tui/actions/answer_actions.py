"""The actions of an answer: its text, its conversation, and earlier runs."""

from __future__ import annotations

from engine.text.record import replace
from studio.tui.action import Action, Place

_EARLIER_RUNS = Action(
    "history",
    "Earlier runs of this prompt…",
    "r",
    "Lists the runs of this prompt, also those of earlier sessions, with the scores of then. Enter shows the "
    "answer of one, scored by the present rubric; c compares the shown result with it. Nothing is sent.",
    Place.ANSWER,
    footer="earlier runs",
    of_screen=True,
)
ANSWER_ACTIONS: tuple[Action, ...] = (
    Action(
        "go_to_turn",
        "Go to this turn",
        "enter",
        "Puts the cursor where the selected turn is written.",
        Place.ANSWER,
        footer="go there",
        in_palette=False,
    ),
    Action(
        "next_variant",
        "Show the next answer",
        "v",
        "Where several answer sources or variants were chosen, shows the answer and the result of the next one.",
        Place.ANSWER,
        footer="next answer",
        in_palette=False,
        of_screen=True,
    ),
    Action(
        "filter",
        "Find in this answer",
        "slash",
        "Lights the words that you type. Enter goes to the next place, ↑ to the one before, Esc ends it.",
        Place.ANSWER,
        footer="find",
        in_palette=False,
        printed="/",
    ),
    Action(
        "edit_response",
        "Edit this answer",
        "e",
        "Opens the answer, or the selected turn, for changes. It is scored again at once; nothing is sent. It is "
        "marked as edited by you.",
        Place.ANSWER,
        footer="edit",
        in_palette=False,
    ),
    Action(
        "original",
        "Restore the original answer",
        "u",
        "Undoes your changes to this answer.",
        Place.ANSWER,
        footer="original",
        in_palette=False,
    ),
    Action(
        "generate_turn",
        "Generate this turn again",
        "R",
        "Requests the answer, or the selected turn and those after it, from the model again. The turns before it stay.",
        Place.ANSWER,
        footer="generate again",
        in_palette=False,
    ),
    Action(
        "make_case",
        "Make a case of this answer",
        "m",
        "Labels the answer as good, bad, or bad in one way, and adds it to the cases of the blueprint. `studio test` "
        "holds the rubric against them.",
        Place.ANSWER,
        footer="make a case",
        of_screen=True,
    ),
    _EARLIER_RUNS,
    replace(_EARLIER_RUNS, place=Place.RESULT, footer=""),
    Action(
        "side_by_side",
        "Read the answers side by side",
        "o",
        "The newest answer of each model to this prompt, without scores, also before there is a rubric. Mark them as "
        "good or bad, and make criteria, cases and quotes of passages. Nothing is sent.",
        Place.ANSWER,
        footer="side by side",
        of_screen=True,
        synonyms=("read", "beside"),
    ),
)

"""The actions of an answer: its text, its conversation, and earlier runs."""

from __future__ import annotations

from functools import partial

from engine.text.record import replace
from studio.tui.action import Action, Place
from studio.tui.commands import grading

_action = partial(Action, place=Place.ANSWER, in_palette=False)

_EARLIER_RUNS = _action(
    "history",
    "Earlier runs of this prompt…",
    "r",
    "Lists the runs of this prompt, also those of earlier sessions, with the scores of then. Enter shows the "
    "answer of one, scored by the present rubric; c compares the shown result with it. Nothing is sent.",
    does=lambda studio: studio.show_history(),
    footer="earlier runs",
    in_palette=True,
)
MAKE_CASE = _action(
    "make_case",
    "Make a case of this answer",
    "m",
    "Labels the answer as good, bad, or bad in one way, and adds it to the cases of the blueprint; of a case, changes "
    "the label. `studio test` holds the rubric against them.",
    does=grading.make_case,
    footer="make a case",
    in_palette=True,
)
ANSWER_ACTIONS: tuple[Action, ...] = (
    _action(
        "go_to_turn",
        "Go to this turn",
        "enter",
        "Puts the cursor where the selected turn is written.",
        footer="go there",
    ),
    _action(
        "next_variant",
        "Show the next answer",
        "v",
        "Where several answer sources or variants were chosen, shows the answer and the result of the next one.",
        does=lambda studio: studio.session.with_runs(lambda runs: runs.show_next_candidate()),
        footer="next answer",
    ),
    _action(
        "filter",
        "Find in this answer",
        "slash",
        "Lights the words that you type. Enter goes to the next place, ↑ to the one before, Esc ends it.",
        footer="find",
    ),
    _action(
        "edit_response",
        "Edit this answer",
        "e",
        "Opens the answer, or the selected turn, for changes. It is scored again at once; nothing is sent. It is "
        "marked as edited by you.",
        footer="edit",
    ),
    _action(
        "original",
        "Restore the original answer",
        "u",
        "Undoes your changes to this answer.",
        does=lambda studio: studio.session.with_runs(lambda runs: runs.edits.undo()),
        footer="original",
    ),
    _action(
        "generate_turn",
        "Generate this turn again",
        "R",
        "Requests the answer, or the selected turn and those after it, from the model again. The turns before it stay.",
        footer="generate again",
    ),
    MAKE_CASE,
    _EARLIER_RUNS,
    replace(_EARLIER_RUNS, place=Place.RESULT, footer=""),
)

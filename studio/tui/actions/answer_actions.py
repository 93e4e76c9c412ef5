"""The actions of an answer: its text, its conversation, and earlier runs."""

from __future__ import annotations

from studio.tui.action import Action, Place

ANSWER_ACTIONS: tuple[Action, ...] = (
    Action(
        "edit_response",
        "Edit this answer",
        "e",
        "Opens the answer for changes. It is scored again at once; nothing is sent. It is marked as edited by you.",
        Place.RESPONSE,
        footer="edit",
        in_palette=False,
    ),
    Action(
        "original",
        "Restore the original answer",
        "u",
        "Undoes your changes to this answer.",
        Place.RESPONSE,
        in_palette=False,
    ),
    Action(
        "make_case",
        "Make a case of this answer",
        "c",
        "Labels the answer as good, bad, or bad in one way, and adds it to the cases of the blueprint. `studio test` "
        "holds the rubric against them.",
        Place.RESPONSE,
        footer="make a case",
        of_screen=True,
    ),
    Action(
        "side_by_side",
        "Read the answers side by side",
        "o",
        "The newest answer of each model to this prompt, without scores, also before there is a rubric. Mark them as "
        "good or bad, and make criteria, cases and quotes of passages. Nothing is sent.",
        Place.RESPONSE,
        footer="side by side",
        of_screen=True,
    ),
    Action(
        "go_to_turn",
        "Go to this turn",
        "enter",
        "Puts the cursor where the selected turn is written.",
        Place.CONVERSATION,
        footer="go there",
        in_palette=False,
    ),
    Action(
        "generate_turn",
        "Generate this turn again",
        "g",
        "Requests the selected turn and those after it from the model again. The turns before it stay.",
        Place.CONVERSATION,
        footer="generate again",
        in_palette=False,
    ),
    Action(
        "edit_turn",
        "Edit this turn",
        "e",
        "Opens the selected turn for changes. The answer is scored again at once; nothing is sent. It is marked as "
        "edited by you.",
        Place.CONVERSATION,
        footer="edit",
        in_palette=False,
    ),
    Action(
        "original",
        "Restore the original answer",
        "u",
        "Undoes your changes to this answer.",
        Place.CONVERSATION,
        in_palette=False,
    ),
    Action(
        "open_run",
        "Open this run",
        "enter",
        "Shows the answer of this run, scored by the present rubric with your grades and its verdicts. Nothing is "
        "sent.",
        Place.HISTORY,
        footer="open",
        in_palette=False,
    ),
    Action(
        "compare_run",
        "Compare the shown result with this run",
        "c",
        "What of the difference is due to the answer, to the rubric, or to another verdict on the same question, and "
        "the answers by words. Nothing is sent.",
        Place.HISTORY,
        footer="compare",
        in_palette=False,
        of_screen=True,
    ),
    Action(
        "newest_run",
        "Back to the newest run",
        "n",
        "Shows the newest run again, after an earlier one was opened. Esc in the result does the same.",
        Place.HISTORY,
        in_palette=False,
    ),
)

"""The actions of the lists that lead somewhere: problems, outline, and the start screen."""

from __future__ import annotations

from studio.tui.action import Action, Place

LIST_ACTIONS: tuple[Action, ...] = (
    Action(
        "go_to_problem",
        "Go to this problem",
        "enter",
        "Puts the cursor where the problem is, and closes the list. On a row with a count, such as ×23, goes to the "
        "place at the cursor, or the next one after it; F8 goes on from there.",
        Place.PROBLEMS,
        footer="go there",
        in_palette=False,
    ),
    Action(
        "fix_problem",
        "Fix this problem",
        "f",
        "Fixes the selected problem. Shows the diff first if the score changes. On a row with a count, shows the diff "
        "of the place that Enter goes to; a there applies the same fix to all.",
        Place.PROBLEMS,
        footer="fix",
        in_palette=False,
    ),
    Action(
        "fix_rule",
        "Fix all problems of the rule of this row",
        "a",
        "Applies one fix to all problems of the selected row's rule in this file, after showing one diff. Then lists "
        "what changed.",
        Place.PROBLEMS,
        footer="fix all",
        in_palette=False,
    ),
    Action(
        "explain_problem",
        "Why this is a problem",
        "question_mark",
        "Opens the page of the rule: what it looks for, why that matters for the score, a bad and a good example.",
        Place.PROBLEMS,
        footer="why",
        in_palette=False,
        printed="?",
    ),
    Action(
        "go_to_prompt",
        "Go to this prompt",
        "enter",
        "Puts the cursor at the beginning of the prompt.",
        Place.OUTLINE,
        footer="go there",
        in_palette=False,
    ),
    Action(
        "open_row",
        "Open this",
        "enter",
        "Opens the selected file, the example, or a new blueprint from a template.",
        Place.START,
        footer="open",
        in_palette=False,
    ),
)

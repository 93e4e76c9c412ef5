"""The actions of the lists that lead somewhere: problems, outline, and the start screen."""

from __future__ import annotations

from functools import partial

from studio.tui.action import Action, Place

_on_problem = partial(Action, place=Place.PROBLEMS, in_palette=False)
LIST_ACTIONS: tuple[Action, ...] = (
    _on_problem(
        "go_to_problem",
        "Go to this problem",
        "enter",
        "Puts the cursor where the problem is, and closes the list. On a row with a count, such as ×23, goes to the "
        "place at the cursor, or the next one after it; F8 goes on from there.",
        does=lambda studio: studio.problems.choose(),
        footer="go there",
    ),
    _on_problem(
        "fix_problem",
        "Fix this problem",
        "f",
        "Fixes the selected problem. Shows the diff first if the score changes. On a row with a count, shows the diff "
        "of the place that Enter goes to; a there applies the same fix to all.",
        does=lambda studio: studio.fixing.fix_selected(),
        footer="fix",
    ),
    _on_problem(
        "fix_rule",
        "Fix all problems of the rule of this row",
        "a",
        "Applies one fix to all problems of the selected row's rule in this file, after showing one diff. Then lists "
        "what changed.",
        does=lambda studio: studio.fixing.fix_selected(whole_rule=True),
        footer="fix all",
    ),
    _on_problem(
        "explain_problem",
        "Why this is a problem",
        "question_mark",
        "Opens the page of the rule: what it looks for, why that matters for the score, a bad and a good example.",
        does=lambda studio: studio.explain(),
        footer="why",
    ),
    Action(
        "go_to_prompt",
        "Go to this prompt",
        "enter",
        "Puts the cursor at the beginning of the prompt.",
        Place.OUTLINE,
        does=lambda studio: studio.outline.choose(),
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

"""The actions of the criteria, and of what if among them."""

from __future__ import annotations

from functools import partial

from studio.tui.action import Action, Place
from studio.tui.commands import running

_action = partial(Action, place=Place.RESULT, in_palette=False)

RESULT_ACTIONS: tuple[Action, ...] = (
    _action(
        "choose",
        "Go to this criterion",
        "enter",
        "Puts the cursor of the text on the selected criterion. On the score, opens its arithmetic; on a tool call, "
        "shows it in the answer.",
        footer="go there",
    ),
    _action(
        "fix",
        "Fix this criterion",
        "f",
        "Fixes the problem where the selected criterion is written, after showing the change.",
        footer="fix",
    ),
    _action(
        "grade",
        "Grade this criterion",
        "1",
        "Five grades, from not at all to fully, for a criterion in words; 0 takes the grade back. In what if, tries "
        "a verdict.",
        footer="grade",
        printed="1…5",
        digits="012345",
    ),
    _action(
        "word_for_word",
        "Show the exact request and the raw reply",
        "x",
        "Shows what each judge of the selected criterion was sent and what it replied, word for word.",
        footer="request",
    ),
    _action(
        "judge",
        "Have this answer judged",
        "J",
        "Asks the chosen judges (w) about open criteria in words and verdicts before this edit. The answer stays.",
        does=lambda studio: studio.session.with_runs(lambda runs: runs.judge_or_stop()),
        footer="judge",
    ),
    _action(
        "next_variant",
        "Show the next variant",
        "v",
        "Where several answer sources or variants were chosen, shows the result of the next one.",
        does=lambda studio: studio.session.with_runs(lambda runs: runs.show_next_candidate()),
        footer="next variant",
    ),
    _action(
        "judges",
        "Choose who judges",
        "w",
        "You alone, the blueprint's judges (the default judges if it names none), or any one model.",
        does=running.choose_judges,
        footer="who judges",
    ),
    _action(
        "what_if",
        "Try changes: what if",
        "i",
        "Another verdict, another weight, a criterion off, all of a way required, a check loosened: the score, and "
        "those of all labelled answers, follow each key. Nothing is written until you apply it.",
        does=running.what_if,
        footer="what if",
    ),
    _action(
        "apply_what_if",
        "What if: apply the changes to the text",
        "a",
        "Writes the changes that are tried into the text, as one step of undo, and saves the grades.",
        does=lambda studio: studio.fixing.apply_what_if(),
        footer="apply",
    ),
    _action(
        "lighter",
        "What if: less weight",
        "left",
        "Steps the weight of the selected criterion down, as far as 0.1. On a way, makes all of it required, or not.",
        footer="weight",
    ),
    _action(
        "heavier",
        "What if: more weight",
        "right",
        "Steps the weight of the selected criterion up, as far as 10. On a way, makes all of it required, or not.",
        footer="weight",
    ),
    _action(
        "switch_off",
        "What if: without this criterion",
        "o",
        "Shows the score without the selected criterion, or with it again. Applied, its lines become a comment; in "
        "brackets it is removed.",
        footer="off",
    ),
    _action(
        "loosen",
        "What if: loosen this check, or not",
        "l",
        "Lets the selected check accept its nearest miss in the answer too, and runs it on all labelled answers.",
        footer="loosen",
    ),
    _action(
        "target",
        "Show what an expected score takes",
        "t",
        "Asks what score you expected, and lists the smallest sets of criteria that an answer has to meet for it, and "
        "what no answer can reach. Pressed again, takes the list away.",
        does=running.target,
        footer="target",
    ),
    _action(
        "sort",
        "Sort the criteria",
        "s",
        "The dearest first, as in the file, or the lowest score first. No verdict and no grade sorts them anew.",
        footer="sort",
    ),
    _action(
        "plan",
        "Preview what a run would send",
        "p",
        "Shows who would receive what, in how many requests, at what cost and how long, and the cap. Sends nothing.",
        does=lambda studio: studio.session.with_runs(lambda runs: runs.preview(all_prompts=False)),
        in_palette=True,
    ),
    _action(
        "compare",
        "Compare this result with another one",
        "c",
        "With another model, an earlier run or a result file: what is due to the answer, to the rubric, or to another "
        "verdict on the same question, and the answers by words. Nothing is sent.",
        does=lambda studio: studio.compare(),
        synonyms=("difference", "versus"),
        in_palette=True,
    ),
    _action(
        "grid",
        "Models: all answers beside each other",
        "g",
        "The matrix: scores of all prompts × all models that were run, or, with the cursor in a prompt, its criteria × "
        "models: differences, each judge alone, what all pass or all fail. Nothing is sent.",
        does=lambda studio: studio.show_matrix(),
        footer="models",
        synonyms=("table", "matrix", "grid"),
        in_palette=True,
    ),
    _action(
        "filter",
        "Filter the criteria",
        "slash",
        "Leaves those that have the words that you type, or are failing, open, should_not, or such that judges differ. "
        "Esc shows all.",
    ),
    _action(
        "more",
        "Read on below the list",
        "space",
        "The next page of what belongs to the selected criterion; from its end, the first page.",
    ),
)

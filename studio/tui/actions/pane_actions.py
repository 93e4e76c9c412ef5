"""The actions of the panes: problems, outline, criteria, all answers, the answer, and the matrix."""

from __future__ import annotations

from functools import partial

from engine.text.record import replace
from studio.tui.action import Action, Place
from studio.tui.actions.screen_actions import EXPLAIN, FIX_RULE, JUDGES
from studio.tui.commands import grading, running

_on_problem = partial(Action, Place.PROBLEMS, in_palette=False)
_of_criterion = partial(Action, Place.RESULT, in_palette=False)
_of_all_answers = partial(Action, Place.CRITERION, in_palette=False)
_in_matrix = partial(Action, Place.MATRIX)
_of_answer = partial(Action, Place.ANSWER, in_palette=False)

_GRADE = _of_all_answers(
    "grade_answer",
    "Grade the criterion on this answer",
    "1",
    "Five grades, from absent to fully present; 0 takes the grade back. A grade belongs to its wording.",
    footer="grade",
    digits="012345",
)
_NEXT = _of_all_answers(
    "next_ungraded",
    "Next answer without a grade",
    "n",
    "Selects the next answer that you have not graded. While you grade blind, it skips the one without a grade, and "
    "goes on through the file: first a random sample of 40 judged answers and criteria, then those on which judges "
    "differ or are undecided.",
    does=grading.next_ungraded,
)
_BLIND = _of_all_answers(
    "grade_blind",
    "Grade blind…",
    "h",
    "Hides names and verdicts of all answers, and shuffles them, until you have graded. h again, or Esc, shows them, "
    "and tells how far the judges agree with you.",
    does=grading.grade_blind,
    footer="blind",
    synonyms=("grade", "mark"),
)
_EARLIER_RUNS = _of_answer(
    "history",
    "Earlier runs of this prompt…",
    "r",
    "Those of earlier sessions too, to be shown, scored by the present rubric, or to be compared. Nothing is sent.",
    does=lambda studio: studio.show_history(),
    footer="earlier runs",
    in_palette=True,
)
_MAKE_CASE = _of_answer(
    "make_case",
    "Make a case of this answer",
    "m",
    "Labels the answer as good, bad, or bad in one way, and adds it to the cases of the blueprint; of a case, changes "
    "the label. `studio test` holds the rubric against them.",
    does=grading.make_case,
    footer="make a case",
    in_palette=True,
)
_NEXT_ANSWER = _of_answer(
    "next_variant",
    "Show the next answer",
    "v",
    "Where several answer sources or variants were chosen, shows the answer and the result of the next one.",
    does=lambda studio: studio.session.with_runs(lambda runs: runs.show_next_candidate()),
    footer="next answer",
)
_JUDGES = replace(JUDGES, place=Place.RESULT, key="w", footer="who judges", in_palette=False)
PANE_ACTIONS: tuple[Action, ...] = (
    _on_problem(
        "go_to_problem",
        "Go to this problem",
        "enter",
        "Puts the cursor where the problem is, and closes the list. On a row with a count, such as ×23, goes to the "
        "place at the cursor, or the next one after it; F8 goes on from there.",
        does=lambda studio: studio.problems.choose(),
        footer="go there",
    ),
    _on_problem("fix_problem", "Fix this problem", "f", does=lambda studio: studio.fixing.fix(), footer="fix"),
    replace(FIX_RULE, place=Place.PROBLEMS, key="a", footer="fix all", in_palette=False),
    _on_problem("explain_problem", "Why this is a problem", "question_mark", does=EXPLAIN.does, footer="why"),
    Action(
        Place.OUTLINE,
        "go_to_prompt",
        "Go to this prompt",
        "enter",
        does=lambda studio: studio.outline.choose(),
        footer="go there",
        in_palette=False,
    ),
    _of_criterion(
        "choose",
        "Go to this criterion",
        "enter",
        "Puts the cursor of the text on the selected criterion. On the score, opens its arithmetic; on a tool call, "
        "shows it in the answer.",
        footer="go there",
    ),
    _of_criterion("fix", "Fix this criterion", "f", footer="fix"),
    _of_criterion(
        "grade",
        "Grade this criterion",
        "1",
        "Five grades, from not at all to fully, for a criterion in words; 0 takes the grade back. In what if, tries "
        "a verdict.",
        footer="grade",
        digits="012345",
    ),
    _of_criterion("word_for_word", "Show the exact request and the raw reply", "x", footer="request"),
    _of_criterion(
        "judge",
        "Have this answer judged",
        "J",
        "Asks the chosen judges (w) about open criteria in words and verdicts before this edit. The answer stays.",
        does=lambda studio: studio.session.with_runs(lambda runs: runs.judge_or_stop()),
        footer="judge",
    ),
    replace(_NEXT_ANSWER, place=Place.RESULT, footer="next variant"),
    _JUDGES,
    _of_criterion(
        "what_if",
        "Try changes: what if",
        "i",
        "Another verdict, another weight, a criterion off, all of a way required, a check loosened: the score, and "
        "those of all labelled answers, follow each key. Nothing is written until you apply it; Esc forgets it.",
        does=running.what_if,
        footer="what if",
    ),
    _of_criterion(
        "apply_what_if",
        "What if: apply the changes to the text",
        "a",
        "Writes the changes that are tried into the text, as one step of undo, and saves the grades.",
        does=lambda studio: studio.fixing.apply_what_if(),
        footer="apply",
    ),
    _of_criterion(
        "lighter",
        "What if: less weight",
        "left",
        "Steps the weight of the selected criterion, from 0.1 to 10. On a way, makes all of it required, or not.",
        footer="weight",
    ),
    _of_criterion("heavier", "What if: more weight", "right", footer="weight"),
    _of_criterion(
        "switch_off",
        "What if: without this criterion",
        "o",
        "Shows the score without the selected criterion, or with it again. Applied, its lines become a comment; in "
        "brackets it is removed.",
        footer="off",
    ),
    _of_criterion(
        "loosen",
        "What if: loosen this check, or not",
        "l",
        "Lets the selected check accept its nearest miss in the answer too, and runs it on all labelled answers.",
        footer="loosen",
    ),
    _of_criterion(
        "target",
        "Show what an expected score takes",
        "t",
        "Asks what score you expected, and lists the smallest sets of criteria that an answer has to meet for it, and "
        "what no answer can reach. Pressed again, takes the list away.",
        does=running.target,
        footer="target",
    ),
    _of_criterion(
        "sort",
        "Sort the criteria",
        "s",
        "The dearest first, as in the file, or the lowest score first. No verdict and no grade sorts them anew.",
        footer="sort",
    ),
    _of_criterion(
        "plan",
        "Preview what a run would send",
        "p",
        "Shows who would receive what, in how many requests, at what cost and how long, and the cap. Sends nothing.",
        does=lambda studio: studio.session.with_runs(lambda runs: runs.preview(all_prompts=False)),
        in_palette=True,
    ),
    _of_criterion(
        "compare",
        "Compare this result with another one",
        "c",
        "With another model, an earlier run or a result file: what is due to the answer, to the rubric, or to another "
        "verdict on the same question, and the answers by words. Nothing is sent.",
        does=lambda studio: studio.compare(),
        synonyms=("difference", "versus"),
        in_palette=True,
    ),
    _of_criterion(
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
    _of_criterion("filter", "Filter the criteria", "slash"),
    _of_criterion("more", "Read on below the list", "space"),
    _GRADE,
    _NEXT,
    replace(_BLIND, in_palette=True),
    replace(_GRADE, place=Place.ANSWER),
    replace(_NEXT, place=Place.ANSWER, footer="next"),
    replace(_BLIND, place=Place.ANSWER),
    replace(_BLIND, place=Place.RESULT, footer=""),
    _of_all_answers(
        "mark_answer",
        "Mark this answer, to read it beside another one",
        "space",
        "Two marked answers stand beside each other, each with the evidence for the selected criterion. Again, or Esc, "
        "takes the mark back.",
        footer="mark",
    ),
    _of_all_answers(
        "previous_criterion",
        "All answers by the criterion before",
        "left",
        "Shows what judges say of the criterion before. The selected and the marked answers stay.",
        does=partial(grading.step_to_criterion, by=-1),
        footer="criterion",
    ),
    _of_all_answers(
        "next_criterion",
        "All answers by the criterion after",
        "right",
        "Shows what judges say of the criterion after. The selected and the marked answers stay.",
        does=partial(grading.step_to_criterion, by=1),
        footer="criterion",
    ),
    replace(_MAKE_CASE, place=Place.CRITERION),
    _of_all_answers("confirm_grade", "Confirm a grade of an earlier wording", "y", footer="confirm"),
    _of_all_answers(
        "earlier_wording",
        "Back to an earlier wording of a criterion",
        "b",
        "Lists the wordings of this criterion with their verdicts, and writes the one that you choose into the text. "
        "Undo reverts it.",
        does=grading.earlier_wording,
        footer="back to a wording",
        in_palette=True,
    ),
    _of_all_answers("show_answer", "Read this answer", "enter", footer="read"),
    _of_all_answers(
        "criterion_answers",
        "Choose the answers that criteria are judged on",
        "plus",
        "The ideal, the cases and stored answers of any model, for all criteria of this prompt; remembered.",
        does=grading.choose_known,
        footer="answers…",
        in_palette=True,
    ),
    _of_all_answers("criterion_words", "Show the exact requests and the raw replies", "x", footer="request"),
    replace(_JUDGES, place=Place.CRITERION),
    _of_answer("go_to_turn", "Go to this turn", "enter", footer="go there"),
    _NEXT_ANSWER,
    _of_answer("filter", "Find in this answer", "slash", footer="find"),
    _of_answer(
        "edit_response",
        "Edit this answer",
        "e",
        "Opens the answer, or the selected turn, for changes. It is scored again at once; nothing is sent. It is "
        "marked as edited by you.",
        footer="edit",
    ),
    _of_answer(
        "original",
        "Restore the original answer",
        "u",
        "Undoes your changes to this answer.",
        does=lambda studio: studio.session.with_runs(lambda runs: runs.edits.undo()),
        footer="original",
    ),
    _of_answer(
        "generate_turn",
        "Generate this turn again",
        "R",
        "Requests the answer, or the selected turn and those after it, from the model again. The turns before it stay.",
        footer="generate again",
    ),
    _MAKE_CASE,
    _EARLIER_RUNS,
    replace(_EARLIER_RUNS, place=Place.RESULT, footer=""),
    _in_matrix("open_cell", "Open this result", "enter", footer="open"),
    _in_matrix(
        "sort",
        "Sort the rows",
        "s",
        "The greatest spread first, the greatest cost first, or as in the file.",
        footer="sort",
    ),
    _in_matrix("switch", "Switch between prompts and criteria", "tab", footer="criteria/prompts"),
    _in_matrix(
        "second_run",
        "Lay a second result under this one",
        "c",
        "The runs before these, another answer or an earlier run of the prompt, or a result file: cells then show the "
        "difference and its cause (answer, rubric or verdict). Again: takes it away. Nothing is sent.",
        footer="compare",
    ),
    _in_matrix(
        "close_verdicts",
        "Have the missing verdicts judged",
        "J",
        "Asks judges for the verdicts that the comparison of the selected answers lacks, with recipients and price "
        "first. The ranges close.",
        footer="ask judges",
    ),
    _in_matrix("leave", "Leave the matrix", "escape", "Back to the blueprint.", footer="back"),
    _in_matrix(
        "difference",
        "Show differences between models",
        "d",
        "Each column less the selected one; again, each less the mean of the others; again, the scores. The parts of "
        "the criteria add up to the difference of the prompt, and those of the prompts to that of the means.",
        footer="difference",
    ),
    _in_matrix(
        "judge",
        "Show the scores under each judge alone",
        "w",
        "The scores that the verdicts of one judge alone would give; then of the next judge, then of all together. "
        "A criterion that the judge did not judge is open.",
        footer="each judge",
    ),
)

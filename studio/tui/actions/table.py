"""The rows of the table, a place after another, in the order of footer, palette and help."""

from __future__ import annotations

from functools import partial

from studio.tui.action import Action, Place, action
from studio.tui.actions import files, fixing, going, grading, results, running

_anywhere = partial(action, Place.APP)
_action = partial(action, Place.BLUEPRINT)
_in_text = partial(action, Place.EDITOR)
_at_start = partial(action, Place.START, in_palette=False)
_on_problem = partial(action, Place.PROBLEMS, in_palette=False)
_in_outline = partial(action, Place.OUTLINE, in_palette=False)
_of_criterion = partial(action, Place.RESULT, in_palette=False)
_of_all_answers = partial(action, Place.CRITERION, in_palette=False)
_of_answer = partial(action, Place.ANSWER, in_palette=False)
_in_matrix = partial(action, Place.MATRIX)
_JUDGES, _BLIND = "Choose who judges criteria in words", "Grade blind…"
_NEXT, _CASE = "Next answer without a grade", "Make a case of this answer"
_FIX_RULE, _VARIANT = "Fix all of this rule in the file", "Show the next answer"
_SORT, _FILTER = ("sort", "Sort the rows", "s"), ("filter", "Filter the rows", "slash")
_READ_ON = "more", "Read on below the list", "space"
_GRADE, _GRADES = "Grade the criterion on this answer", "012345"

ACTIONS: tuple[Action, ...] = (
    _action(running.run, "Run this prompt", "f5", footer="run", synonyms=("try", "start", "stop", "cancel")),
    _action(running.run_all, "Run all prompts", "f6", footer="run all", synonyms=("everything", "whole file")),
    _action(results.export_results, "Export the results", "", synonyms=("download", "results file")),
    _action(
        running.plan_all,
        "Preview what running all prompts would send",
        "",
        synonyms=("price", "cost", "money", "budget", "how much"),
    ),
    _action(
        running.choose_answers,
        "Choose where answers come from",
        "f9",
        footer="answers…",
        synonyms=("model", "key", "api key", "provider", "server", "source"),
    ),
    _action(running.run_fresh, "Run with a fresh answer", "ctrl+n"),
    _action(running.choose_judges, _JUDGES, "", synonyms=("judge", "grader", "evaluator")),
    _action(going.previous_problem, "Go to the previous problem", "f7", footer="problems"),
    _action(
        going.next_problem, "Go to the next problem", "f8", footer="problems", synonyms=("next error", "next mistake")
    ),
    _action(going.last_typed, "Go back to where you were typing", "ctrl+j"),
    _action(fixing.fix, "Fix the problem at the cursor", "f4", footer="fix", synonyms=("repair", "correct")),
    _action(fixing.fix_rule, _FIX_RULE, "ctrl+l"),
    _action(fixing.fix_all, "Apply all safe fixes", ""),
    _action(fixing.fixes_applied, "List what the last fixes changed", ""),
    _action(
        fixing.draft_points, "Draft criteria from the ideal", "", synonyms=("generate", "suggest", "write criteria")
    ),
    _action(results.repeat, "Repeat this prompt…", "", synonyms=("variance", "reliability", "how sure")),
    _action(results.repeat_all, "Repeat all prompts…", ""),
    _action(results.report, "Report…", "", synonyms=("print", "share", "send", "html", "pdf")),
    _action(fixing.explain, "Explain the problem or check at the cursor", "ctrl+e", synonyms=("why", "meaning")),
    _action(files.save, "Save", "ctrl+s", footer="save"),
    _action(going.outline, "Go to the outline", "f2", footer="outline", synonyms=("prompts", "contents")),
    _action(going.problems, "Go to the problems", "f3", footer="problems", synonyms=("errors", "mistakes", "warnings")),
    _action(going.result, "Go to the criteria", "ctrl+r", footer="criteria", synonyms=("score", "result", "verdicts")),
    _action(grading.all_answers, "Go to all answers of a criterion", "ctrl+k", synonyms=("one criterion", "wording")),
    _action(going.next_pane, "Go to the next pane", "", letters=("tab",)),
    _action(going.previous_prompt, "Go to the previous prompt", "", footer="prompt", letters=("less_than_sign",)),
    _action(
        going.next_prompt,
        "Go to the next prompt",
        "",
        footer="prompt",
        letters=("greater_than_sign",),
        synonyms=("next prompt", "next question"),
    ),
    _action(
        going.zoom,
        "Give this pane the whole width",
        "f12",
        footer="all panes",
        letters=("z",),
        synonyms=("bigger", "full screen", "maximise"),
    ),
    _action(going.back_to_text, "Back to the text", "escape"),
    _action(files.save_as, "Save under another name", "", synonyms=("rename", "duplicate")),
    _action(files.recover, "Recover unsaved text", "", synonyms=("restore", "lost", "backup")),
    _action(files.reload, "Reload the file from disk", ""),
    _action(files.start_screen, "Open another blueprint", "ctrl+o", synonyms=("new", "template", "example")),
    _in_text("complete", "Complete at the cursor", "ctrl+@", synonyms=("suggestions", "functions")),
    _in_text("find", "Find and replace", "ctrl+f", synonyms=("search",)),
    _in_text("go_to_line", "Go to a line", "ctrl+g"),
    _in_text("toggle_wrap", "Wrap long lines", "f10", synonyms=("line break",)),
    _in_text(
        "toggle_comment",
        "Comment lines out, or back in",
        "",
        aliases=("ctrl+underscore", "ctrl+slash"),
        synonyms=("disable",),
    ),
    _in_text("undo", "Undo", "ctrl+z", synonyms=("take back",)),
    _in_text("redo", "Redo", "ctrl+y"),
    _in_text("copy", "Copy", "ctrl+c"),
    _in_text("cut", "Cut", "ctrl+x"),
    _in_text("paste", "Paste", "ctrl+v"),
    _at_start("choose", "Open this", "enter", footer="open"),
    _at_start(*_SORT),
    _at_start(*_FILTER),
    _anywhere("help", "Help", "f1", footer="help", synonyms=("keys", "shortcuts", "manual", "what can I do")),
    _anywhere("palette", "All actions", "ctrl+p", footer="actions"),
    _anywhere(
        "theme", "Switch between dark and light", "", synonyms=("theme", "colour", "color", "appearance", "dark mode")
    ),
    _anywhere("author_name", "Your name in cases", "", synonyms=("my name", "who am I")),
    _anywhere("quit", "Quit", "ctrl+q", footer="quit", synonyms=("exit", "close", "leave")),
    _on_problem("go_to_problem", "Go to this problem", "enter", footer="go there"),
    _on_problem(fixing.fix_problem, "Fix this problem", "f", footer="fix"),
    _on_problem(fixing.fix_rule, _FIX_RULE, "a", footer="fix all"),
    _on_problem(fixing.explain, "Why this is a problem", "question_mark", footer="why"),
    _on_problem(*_SORT, footer="sort"),
    _on_problem(*_FILTER),
    _on_problem(*_READ_ON),
    _in_outline("choose", "Go to this prompt", "enter", footer="go there"),
    _in_outline(*_SORT, footer="sort"),
    _in_outline(*_FILTER),
    _in_outline(*_READ_ON),
    _of_criterion("choose", "Go to this criterion", "enter", footer="go there"),
    _of_criterion("fix", "Fix this criterion", "f", footer="fix"),
    _of_criterion("grade", "Grade this criterion", "1", footer="grade", digits=_GRADES),
    _of_criterion("word_for_word", "Show the exact request and the raw reply", "x", footer="request"),
    _of_criterion(running.judge, "Have this answer judged", "J", footer="judge"),
    _of_criterion(running.next_variant, _VARIANT, "v", footer="next variant"),
    _of_criterion(running.choose_judges, _JUDGES, "w", footer="who judges"),
    _of_criterion(running.what_if, "Try changes: what if", "i", footer="what if"),
    _of_criterion(fixing.apply_what_if, "What if: apply the changes to the text", "a", footer="apply"),
    _of_criterion("lighter", "What if: less weight", "left", footer="weight"),
    _of_criterion("heavier", "What if: more weight", "right", footer="weight"),
    _of_criterion("switch_off", "What if: without this criterion", "o", footer="off"),
    _of_criterion("loosen", "What if: loosen this check, or not", "l", footer="loosen"),
    _of_criterion(running.target, "Show what an expected score takes", "t", footer="target"),
    _of_criterion(*_SORT, footer="sort"),
    _of_criterion(running.plan, "Preview what a run would send", "p", in_palette=True),
    _of_criterion(
        results.compare, "Compare this result with another one", "c", synonyms=("difference", "versus"), in_palette=True
    ),
    _of_criterion(
        results.grid,
        "Models: all answers beside each other",
        "g",
        footer="models",
        synonyms=("table", "matrix", "grid"),
        in_palette=True,
    ),
    _of_criterion(*_FILTER),
    _of_criterion(*_READ_ON),
    _of_criterion(grading.grade_blind, _BLIND, "h", synonyms=("grade", "mark")),
    _of_criterion(results.history, "Earlier runs of this prompt…", "r", in_palette=True),
    _of_all_answers("grade_answer", _GRADE, "1", footer="grade", digits=_GRADES),
    _of_all_answers(grading.next_ungraded, _NEXT, "n"),
    _of_all_answers(grading.grade_blind, _BLIND, "h", footer="blind", synonyms=("grade", "mark"), in_palette=True),
    _of_all_answers("mark_answer", "Mark this answer, to read it beside another one", "space", footer="mark"),
    _of_all_answers(grading.previous_criterion, "All answers by the criterion before", "left", footer="criterion"),
    _of_all_answers(grading.next_criterion, "All answers by the criterion after", "right", footer="criterion"),
    _of_all_answers(grading.make_case, _CASE, "m", footer="make a case", in_palette=True),
    _of_all_answers("confirm_grade", "Confirm a grade of an earlier wording", "y", footer="confirm"),
    _of_all_answers(
        grading.earlier_wording,
        "Back to an earlier wording of a criterion",
        "b",
        footer="back to a wording",
        in_palette=True,
    ),
    _of_all_answers("choose", "Read this answer", "enter", footer="read"),
    _of_all_answers(
        grading.criterion_answers,
        "Choose the answers that criteria are judged on",
        "plus",
        footer="answers…",
        in_palette=True,
    ),
    _of_all_answers("criterion_words", "Show the exact requests and the raw replies", "x", footer="request"),
    _of_all_answers(running.choose_judges, _JUDGES, "w", footer="who judges"),
    _of_all_answers(*_SORT, footer="sort"),
    _of_all_answers(*_FILTER),
    _of_answer("grade_answer", _GRADE, "1", footer="grade", digits=_GRADES),
    _of_answer(grading.next_ungraded, _NEXT, "n", footer="next"),
    _of_answer(grading.grade_blind, _BLIND, "h", footer="blind", synonyms=("grade", "mark")),
    _of_answer("go_to_turn", "Go to this turn", "enter", footer="go there"),
    _of_answer(running.next_variant, _VARIANT, "v", footer="next answer"),
    _of_answer("filter", "Find in this answer", "slash", footer="find"),
    _of_answer("edit_response", "Edit this answer", "e", footer="edit"),
    _of_answer(running.original, "Restore the original answer", "u", footer="original"),
    _of_answer("generate_turn", "Generate this turn again", "R", footer="generate again"),
    _of_answer(grading.make_case, _CASE, "m", footer="make a case", in_palette=True),
    _of_answer(results.history, "Earlier runs of this prompt…", "r", footer="earlier runs", in_palette=True),
    _in_matrix("open_cell", "Open this result", "enter", footer="open"),
    _in_matrix(*_SORT, footer="sort"),
    _in_matrix("switch", "Switch between prompts and criteria", "tab", footer="criteria/prompts"),
    _in_matrix("second_run", "Lay a second result under this one", "c", footer="compare"),
    _in_matrix("close_verdicts", "Have the missing verdicts judged", "J", footer="ask judges"),
    _in_matrix("leave", "Leave the matrix", "escape", footer="back"),
    _in_matrix("difference", "Show differences between models", "d", footer="difference"),
    _in_matrix("judge", "Show the scores under each judge alone", "w", footer="each judge"),
)

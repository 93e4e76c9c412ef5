"""The actions that need no pane: those of the app, of each screen, and of the text."""

from __future__ import annotations

from functools import partial

from studio.tui.action import Action, Place
from studio.tui.commands import going, grading, running
from studio.tui.window import Pane

_anywhere = partial(Action, Place.APP)
_action = partial(Action, Place.BLUEPRINT)
_in_text = partial(Action, Place.EDITOR)

FIX_RULE = _action(
    "fix_rule",
    "Fix all of this rule in the file",
    "ctrl+l",
    "Applies one fix to all problems of the rule at the cursor, or of the row selected in the problems, after "
    "showing one diff. Then lists what changed.",
    does=lambda studio: studio.fixing.fix(whole_rule=True),
)
EXPLAIN = _action(
    "explain",
    "Explain the problem or check at the cursor",
    "ctrl+e",
    "Opens the page of the rule: what it looks for, why that matters for the score, a bad and a good example. "
    "If there is no problem, opens the page of the $function at the cursor.",
    does=lambda studio: studio.explain(),
    synonyms=("why", "meaning"),
)
JUDGES = _action(
    "judges",
    "Choose who judges criteria in words",
    "",
    "You alone, the blueprint's judges (the default judges if it names none), as documented or as on Weval today, "
    "or any one model. Remembered for this file.",
    does=lambda studio: studio.session.with_runs(lambda runs: runs.choose_judges()),
    synonyms=("judge", "grader", "evaluator"),
)
SCREEN_ACTIONS: tuple[Action, ...] = (
    _action(
        "run",
        "Run this prompt",
        "f5",
        "Runs the prompt under the cursor with the answers chosen (F9); with all answers on the screen, the criterion "
        "on these answers. While it runs, the same key stops it; what has arrived stays.",
        does=running.run,
        footer="run",
        synonyms=("try", "start", "stop", "cancel"),
    ),
    _action(
        "run_all",
        "Run all prompts",
        "f6",
        "Runs every prompt with the answers chosen (F9); where several variants are chosen, with the one shown. "
        "While anything runs, the same key stops it; what has arrived stays.",
        does=running.run_all,
        footer="run all",
        synonyms=("everything", "whole file"),
    ),
    _action(
        "export_results",
        "Export the results",
        "",
        "Writes all runs of this file as a Weval result file: beside it, above blueprints/, or to a path that you "
        "choose.",
        does=lambda studio: studio.session.with_runs(lambda runs: runs.export()),
        synonyms=("download", "results file"),
    ),
    _action(
        "plan_all",
        "Preview what running all prompts would send",
        "",
        "Shows who would receive what, in how many requests, at what cost and how long, and the cap. Sends nothing.",
        does=lambda studio: studio.session.with_runs(lambda runs: runs.preview(all_prompts=True)),
        synonyms=("price", "cost", "money", "budget", "how much"),
    ),
    _action(
        "answers",
        "Choose where answers come from",
        "f9",
        "The ideal, your own answer, a test answer, a fixtures file, or models, with the key that each of them needs. "
        "Space marks several sources and variants. Remembered for this file.",
        does=running.choose_answers,
        footer="answers…",
        synonyms=("model", "key", "api key", "provider", "server", "source"),
    ),
    _action(
        "run_fresh",
        "Run with a fresh answer",
        "ctrl+n",
        "Sends the request to the model again. F5 uses the cached answer to the same request and sends nothing.",
        does=running.run_fresh,
    ),
    JUDGES,
    _action(
        "previous_problem",
        "Go to the previous problem",
        "f7",
        "Moves the cursor to the problem before it; from the first one to the last.",
        does=lambda studio: going.step_to_problem(studio, forwards=False),
        footer="problems",
    ),
    _action(
        "next_problem",
        "Go to the next problem",
        "f8",
        "Moves the cursor to the problem after it; from the last one to the first.",
        does=lambda studio: going.step_to_problem(studio, forwards=True),
        footer="problems",
        synonyms=("next error", "next mistake"),
    ),
    _action("last_typed", "Go back to where you were typing", "ctrl+j", does=going.last_typed),
    _action(
        "fix",
        "Fix the problem at the cursor",
        "f4",
        "Fixes the problem at the cursor, or the nearest on its line. If the fix changes what is scored or causes "
        "another problem, or if there are several fixes, you see the diff first.",
        does=lambda studio: studio.fixing.fix(),
        footer="fix",
        synonyms=("repair", "correct"),
    ),
    FIX_RULE,
    _action(
        "fix_all",
        "Apply all safe fixes",
        "",
        "Applies the safe fixes of the errors and warnings of this file, as `studio check --fix` does, and lists the "
        "changes. Undo reverts them.",
        does=lambda studio: studio.fixing.fix_all(),
    ),
    _action("fixes_applied", "List what the last fixes changed", "", does=lambda studio: studio.fixing.list_applied()),
    _action(
        "draft_points",
        "Draft criteria from the ideal",
        "",
        "For a prompt that has an ideal and no criteria: a judge's model drafts criteria from the ideal, shown as a "
        "diff to accept or reject. Undo reverts them.",
        does=lambda studio: studio.fixing.draft_points(),
        synonyms=("generate", "suggest", "write criteria"),
    ),
    _action(
        "repeat",
        "Repeat this prompt…",
        "",
        "Has the prompt at the cursor answered several times, and each answer judged several times, past every cache. "
        "It shows how far scores vary by generation and by judging, apart. Requests and price are shown first.",
        does=lambda studio: studio.repeat(),
        synonyms=("variance", "reliability", "how sure"),
    ),
    _action(
        "repeat_all",
        "Repeat all prompts…",
        "",
        "Has all prompts answered several times, and each answer judged several times, past every cache. It shows how "
        "far the scores of each prompt vary. Requests and price are shown first.",
        does=lambda studio: studio.repeat(all_prompts=True),
    ),
    _action(
        "report",
        "Report…",
        "",
        "Writes one HTML file, or Markdown, for people who have no studio: what was asked, the newest answers with "
        "their evidence, points, costs, cases, and who judged. Nothing is sent.",
        does=lambda studio: studio.session.with_runs(lambda runs: runs.report()),
        synonyms=("print", "share", "send", "html", "pdf"),
    ),
    EXPLAIN,
    _action(
        "save",
        "Save",
        "ctrl+s",
        "Writes the file. Asks first if another program has changed it.",
        does=lambda studio: studio.run_worker(studio.session.file.save(), group="file"),
        footer="save",
    ),
    _action(
        "outline",
        "Go to the outline",
        "f2",
        "The prompts of this file, with their problems and last scores. From there, F2 goes back to the text.",
        does=lambda studio: studio.open_pane(Pane.TEXT if studio.outline.has_focus else Pane.OUTLINE),
        footer="outline",
        synonyms=("prompts", "contents"),
    ),
    _action(
        "problems",
        "Go to the problems",
        "f3",
        "All problems of this file, in a drawer below; F3 again, or Esc, closes it.",
        does=lambda studio: studio.close_problems() or studio.open_problems(),
        footer="problems",
        synonyms=("errors", "mistakes", "warnings"),
    ),
    _action(
        "result",
        "Go to the criteria",
        "ctrl+r",
        "The criteria of the prompt under the cursor: what each earned and costs, and what each judge says. From "
        "there, the same key goes to the answer.",
        does=lambda studio: studio.open_pane(Pane.ANSWER if studio.halves.focused is Pane.CRITERIA else Pane.CRITERIA),
        footer="criteria",
        synonyms=("score", "result", "verdicts"),
    ),
    _action(
        "all_answers",
        "Go to all answers of a criterion",
        "ctrl+k",
        "The answers to this prompt, with what each judge says of one criterion: the selected one, or the one at the "
        "cursor. There F5 runs this criterion on these answers.",
        does=grading.all_answers,
        synonyms=("one criterion", "wording"),
    ),
    _action("next_pane", "Go to the next pane", "", does=going.next_pane, letters=("tab",)),
    _action(
        "previous_prompt",
        "Go to the previous prompt",
        "",
        "Shows the prompt before this one, in all panes.",
        does=lambda studio: studio.step_to_prompt(-1),
        footer="prompt",
        letters=("less_than_sign",),
    ),
    _action(
        "next_prompt",
        "Go to the next prompt",
        "",
        "Shows the prompt after this one, in all panes.",
        does=lambda studio: studio.step_to_prompt(1),
        footer="prompt",
        letters=("greater_than_sign",),
        synonyms=("next prompt", "next question"),
    ),
    _action(
        "zoom",
        "Give this pane the whole width",
        "f12",
        "Shows the pane with the keys alone; the same key, or Esc, shows its neighbours again. In a list z does it.",
        does=lambda studio: studio.halves.zoom(),
        footer="all panes",
        letters=("z",),
        synonyms=("bigger", "full screen", "maximise"),
    ),
    _action("editor", "Back to the text", "escape", does=going.back_to_text),
    _action(
        "save_as",
        "Save under another name",
        "",
        "Writes the text to another file and continues with that one.",
        does=lambda studio: studio.run_worker(studio.session.file.save_as(), group="file"),
        synonyms=("rename", "duplicate"),
    ),
    _action(
        "recover",
        "Recover unsaved text",
        "",
        "Lists the texts of this file that were not saved, of the last 30 days, and shows what each of them changes.",
        does=lambda studio: studio.run_worker(studio.session.file.recover(), group="file"),
        synonyms=("restore", "lost", "backup"),
    ),
    _action(
        "reload",
        "Reload the file from disk",
        "",
        "Discards unsaved changes, after asking.",
        does=lambda studio: studio.run_worker(studio.session.file.reload(), group="file"),
    ),
    _action(
        "start_screen",
        "Open another blueprint",
        "ctrl+o",
        "Leaves this file for the start screen: recent files, the example, new from template.",
        does=lambda studio: studio.run_worker(studio.leave(), group="file"),
        synonyms=("new", "template", "example"),
    ),
    _in_text(
        "complete",
        "Complete at the cursor",
        "ctrl+@",
        "Lists what can follow at the cursor: point functions, keys, values, names of models and tools. Tab or Enter "
        "accepts the selected one, Esc closes the list. While you type a point function, the list opens by itself.",
        synonyms=("suggestions", "functions"),
    ),
    _in_text("find", "Find and replace", "ctrl+f", synonyms=("search",)),
    _in_text("go_to_line", "Go to a line", "ctrl+g", "Asks for the number of a line and goes there."),
    _in_text("toggle_wrap", "Wrap long lines", "f10", synonyms=("line break",)),
    _in_text(
        "toggle_comment",
        "Comment lines out, or back in",
        "",
        "Puts # before the selected lines, or removes it. In most terminals Ctrl+/ does it too.",
        aliases=("ctrl+underscore", "ctrl+slash"),
        synonyms=("disable",),
    ),
    _in_text("undo", "Undo", "ctrl+z", "Takes back the last change of the text.", synonyms=("take back",)),
    _in_text("redo", "Redo", "ctrl+y", "Makes the change again that was taken back last."),
    _in_text("copy", "Copy", "ctrl+c", "Copies what is selected, or else the line of the cursor."),
    _in_text("cut", "Cut", "ctrl+x", "Copies what is selected, or else the line of the cursor, and removes it."),
    _in_text("paste", "Paste", "ctrl+v", "Inserts what was copied, indented to its place."),
    Action(Place.START, "open_row", "Open this", "enter", footer="open", in_palette=False),
    _anywhere("help", "Help", "f1", footer="help", synonyms=("keys", "shortcuts", "manual", "what can I do")),
    _anywhere("palette", "All actions", "ctrl+p", footer="actions"),
    _anywhere(
        "theme", "Switch between dark and light", "", synonyms=("theme", "colour", "color", "appearance", "dark mode")
    ),
    _anywhere(
        "author_name",
        "Your name in cases",
        "",
        "Asks for the name that stands in case files as who says so; empty for none. Remembered in the settings.",
        synonyms=("my name", "who am I"),
    ),
    _anywhere("quit", "Quit", "ctrl+q", footer="quit", synonyms=("exit", "close", "leave")),
)

"""The actions of the screen of a blueprint, whichever of its panes has the focus."""

from __future__ import annotations

from studio.tui.action import Action, Place

BLUEPRINT_ACTIONS: tuple[Action, ...] = (
    Action(
        "run",
        "Run this prompt",
        "f5",
        "Runs the prompt under the cursor with the answers chosen (F9); with all answers on the screen, the criterion "
        "on these answers. While it runs, the same key stops it; what has arrived stays.",
        Place.BLUEPRINT,
        footer="run",
    ),
    Action(
        "run_all",
        "Run all prompts",
        "f6",
        "Runs every prompt with the answers chosen (F9); where several variants are chosen, with the one shown. "
        "While anything runs, the same key stops it; what has arrived stays.",
        Place.BLUEPRINT,
        footer="run all",
    ),
    Action(
        "export_results",
        "Export the results",
        "",
        "Writes all runs of this file as a Weval result file: beside it, above blueprints/, or to a path that you "
        "choose.",
        Place.BLUEPRINT,
    ),
    Action(
        "plan_all",
        "Preview what running all prompts would send",
        "",
        "Shows who would receive what, in how many requests, at what cost and how long, and the cap. Sends nothing.",
        Place.BLUEPRINT,
    ),
    Action(
        "answers",
        "Choose where answers come from",
        "f9",
        "The ideal, your own answer, a test answer, a fixtures file, or models. Space marks several sources and "
        "variants. Remembered for this file.",
        Place.BLUEPRINT,
        footer="answers…",
    ),
    Action(
        "run_fresh",
        "Run with a fresh answer",
        "ctrl+n",
        "Sends the request to the model again. F5 uses the cached answer to the same request and sends nothing.",
        Place.BLUEPRINT,
    ),
    Action(
        "judges",
        "Choose who judges points in words",
        "",
        "You alone, or also the blueprint's judges (the default judges if it names none): as documented, or as Weval "
        "runs them today. Remembered for this file.",
        Place.BLUEPRINT,
    ),
    Action(
        "previous_problem",
        "Go to the previous problem",
        "f7",
        "Moves the cursor to the problem before it; from the first one to the last.",
        Place.BLUEPRINT,
        footer="problems",
    ),
    Action(
        "next_problem",
        "Go to the next problem",
        "f8",
        "Moves the cursor to the problem after it; from the last one to the first.",
        Place.BLUEPRINT,
        footer="problems",
    ),
    Action(
        "last_typed",
        "Go back to where you were typing",
        "ctrl+j",
        "Returns the cursor to the last place where you typed or pasted, for example after F8 or F4.",
        Place.BLUEPRINT,
    ),
    Action(
        "fix",
        "Fix the problem at the cursor",
        "f4",
        "Fixes the problem at the cursor, or the nearest on its line. If the fix changes what is scored or causes "
        "another problem, or if there are several fixes, you see the diff first.",
        Place.BLUEPRINT,
        footer="fix",
    ),
    Action(
        "fix_rule",
        "Fix all of this rule in the file",
        "ctrl+l",
        "Applies one fix to all problems of the rule at the cursor, or of the row selected in the problems, after "
        "showing one diff. Then lists what changed.",
        Place.BLUEPRINT,
    ),
    Action(
        "fix_all",
        "Apply all safe fixes",
        "",
        "Applies the safe fixes of the errors and warnings of this file, as `studio check --fix` does, and lists the "
        "changes. Undo reverts them.",
        Place.BLUEPRINT,
    ),
    Action(
        "fixes_applied",
        "List what the last fixes changed",
        "",
        "Each place with its line, its rule, and its text before and after: Enter goes there, u reverts one fix.",
        Place.BLUEPRINT,
    ),
    Action(
        "draft_points",
        "Draft points from the ideal",
        "",
        "For a prompt that has an ideal and no points: a judge's model drafts points from the ideal, shown as a diff "
        "to accept or reject. Undo reverts them.",
        Place.BLUEPRINT,
    ),
    Action(
        "repeat",
        "Repeat this prompt…",
        "",
        "Has the prompt at the cursor answered several times, and each answer judged several times, past every cache. "
        "It shows how far scores vary by generation and by judging, apart. Requests and price are shown first.",
        Place.BLUEPRINT,
    ),
    Action(
        "repeat_all",
        "Repeat all prompts…",
        "",
        "Has all prompts answered several times, and each answer judged several times, past every cache. It shows how "
        "far the scores of each prompt vary. Requests and price are shown first.",
        Place.BLUEPRINT,
    ),
    Action(
        "report",
        "Report…",
        "",
        "Writes one HTML file, or Markdown, for people who have no studio: what was asked, the newest answers with "
        "their evidence, points, costs, cases, and who judged. Nothing is sent.",
        Place.BLUEPRINT,
    ),
    Action(
        "explain",
        "Explain the problem or check at the cursor",
        "ctrl+e",
        "Opens the page of the rule: what it looks for, why that matters for the score, a bad and a good example. "
        "If there is no problem, opens the page of the $function at the cursor.",
        Place.BLUEPRINT,
    ),
    Action(
        "save",
        "Save",
        "ctrl+s",
        "Writes the file. Asks first if another program has changed it.",
        Place.BLUEPRINT,
        footer="save",
    ),
    Action(
        "outline",
        "Go to the outline",
        "f2",
        "The prompts of this file, with their problems and last scores. From there, F2 goes back to the text.",
        Place.BLUEPRINT,
        footer="outline",
    ),
    Action(
        "problems",
        "Go to the problems",
        "f3",
        "All problems of this file, in a drawer below; F3 again, or Esc, closes it.",
        Place.BLUEPRINT,
        footer="problems",
    ),
    Action(
        "result",
        "Go to the criteria",
        "ctrl+r",
        "The criteria of the prompt under the cursor: what each earned and costs, and what each judge says. From "
        "there, the same key goes to the answer.",
        Place.BLUEPRINT,
        footer="criteria",
    ),
    Action(
        "all_answers",
        "Go to all answers of a criterion",
        "ctrl+k",
        "The answers to this prompt, with what each judge says of one criterion: the selected one, or the one at the "
        "cursor. There F5 runs this criterion on these answers.",
        Place.BLUEPRINT,
    ),
    Action(
        "next_pane",
        "Go to the next pane",
        "",
        "Gives the keys to the next pane, in the order of the names at the top. In the text, Tab indents.",
        Place.BLUEPRINT,
        letters=("tab",),
        printed="Tab",
    ),
    Action(
        "previous_prompt",
        "Go to the previous prompt",
        "",
        "Shows the prompt before this one, in all panes.",
        Place.BLUEPRINT,
        letters=("less_than_sign",),
        printed="<",
    ),
    Action(
        "next_prompt",
        "Go to the next prompt",
        "",
        "Shows the prompt after this one, in all panes.",
        Place.BLUEPRINT,
        letters=("greater_than_sign",),
        printed=">",
    ),
    Action(
        "zoom",
        "Give this pane the whole width",
        "f12",
        "Shows the pane with the keys alone; the same key, or Esc, shows its neighbours again. In a list z does it.",
        Place.BLUEPRINT,
        footer="all panes",
        letters=("z",),
    ),
    Action(
        "editor",
        "Back to the text",
        "escape",
        "Returns to the blueprint, with the cursor where it was.",
        Place.BLUEPRINT,
    ),
    Action(
        "save_as",
        "Save under another name",
        "",
        "Writes the text to another file and continues with that one.",
        Place.BLUEPRINT,
    ),
    Action(
        "recover",
        "Recover unsaved text",
        "",
        "Lists the texts of this file that were not saved, of the last 30 days, and shows what each of them changes.",
        Place.BLUEPRINT,
    ),
    Action(
        "reload",
        "Reload the file from disk",
        "",
        "Discards unsaved changes, after asking.",
        Place.BLUEPRINT,
    ),
    Action(
        "start_screen",
        "Open another blueprint",
        "ctrl+o",
        "Leaves this file for the start screen: recent files, the example, new from template.",
        Place.BLUEPRINT,
    ),
)

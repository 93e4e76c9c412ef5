"""The actions of the screen of a blueprint, whichever of its panes has the focus."""

from __future__ import annotations

from studio.tui.action import Action, Place

BLUEPRINT_ACTIONS: tuple[Action, ...] = (
    Action(
        "run",
        "Run this prompt",
        "f5",
        "Runs the prompt under the cursor with the answers chosen (F9). While it runs, the same key stops it; what has "
        "arrived stays.",
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
        "The prompts of this file, with their problems and last scores. On a narrow screen it slides in; F2 again "
        "closes it.",
        Place.BLUEPRINT,
        footer="outline",
    ),
    Action(
        "problems",
        "Go to the problems",
        "f3",
        "All problems of this file. On a narrow screen the list slides in from below; F3 again closes it.",
        Place.BLUEPRINT,
        footer="problems",
    ),
    Action(
        "result",
        "Go to the result",
        "ctrl+r",
        "The result of the prompt under the cursor. On a narrow screen it replaces the editor; the next press shows "
        "both, and the next the editor alone.",
        Place.BLUEPRINT,
        footer="result",
    ),
    Action(
        "run_criterion",
        "Run this criterion",
        "ctrl+k",
        "Judges the point at the cursor, and no other one: on the ideal, on the cases, and on the answers that you "
        "choose. After a rewording, the same answers again. Shows who receives what before it sends anything.",
        Place.BLUEPRINT,
    ),
    Action(
        "next_tab",
        "Next tab: result, response, conversation, history, criterion",
        "ctrl+t",
        "Shows the next of the five tabs on the right.",
        Place.BLUEPRINT,
    ),
    Action(
        "zoom",
        "Zoom the focused pane",
        "f12",
        "Gives the whole screen to the pane that has the focus; the same key, or Esc, shows all panes again. Outside "
        "the text, z does it too.",
        Place.BLUEPRINT,
        footer="all panes",
        letters=("z",),
    ),
    Action(
        "divider_back",
        "Move the nearest divider to the left, or up",
        "",
        "Moves the edge of the focused pane, or in the text that of the result. You can drag it with the mouse too. "
        "Remembered for this width of the screen.",
        Place.BLUEPRINT,
        letters=("left_square_bracket",),
        printed="[",
    ),
    Action(
        "divider_on",
        "Move the nearest divider to the right, or down",
        "",
        "Moves the edge of the focused pane, or in the text that of the result. You can drag it with the mouse too. "
        "Remembered for this width of the screen.",
        Place.BLUEPRINT,
        letters=("right_square_bracket",),
        printed="]",
    ),
    Action(
        "reset_panes",
        "Restore the usual sizes of the panes",
        "",
        "Forgets how dividers were moved at this width of the screen.",
        Place.BLUEPRINT,
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

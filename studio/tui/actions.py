"""Everything a key can do, in one table: bindings, palette, footer and help are made from it.

An action's id is the name of the method that does it (`run` → `action_run`). To add one: a row here, and that method on
the screen or pane that its place names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from textual.binding import Binding


class Place(StrEnum):
    """Where an action can be had: everywhere, on a screen, or while one pane has the focus."""

    APP = "app"
    BLUEPRINT = "blueprint"
    START = "start"
    EDITOR = "editor"
    OUTLINE = "outline"
    PROBLEMS = "problems"
    RESULT = "result"
    RESPONSE = "response"
    HISTORY = "history"
    CONVERSATION = "conversation"


PANES = {
    Place.BLUEPRINT: (
        Place.EDITOR,
        Place.OUTLINE,
        Place.PROBLEMS,
        Place.RESULT,
        Place.RESPONSE,
        Place.CONVERSATION,
        Place.HISTORY,
    ),
}
"""The panes of a screen, where it has any."""


@dataclass(frozen=True, slots=True)
class Action:
    """One action. `foot` is its word in the footer, "" where it is not shown there; neighbours that share one share it.

    `key` is Textual's name of the key, "" for what only the palette offers. `also` are further keys for the same, for
    hands that know another program; they are not advertised. `in_palette` is False for what needs a selected row.
    `printed` is how the keys are shown where one action has several, and `digits` are those of them that say which of
    several is meant: each is handed to the method. `of_screen` tells that the method is the screen's.
    """

    id: str
    label: str
    key: str
    help: str
    where: Place
    foot: str = ""
    also: tuple[str, ...] = ()
    in_palette: bool = True
    printed: str = ""
    digits: str = ""
    of_screen: bool = False

    @property
    def done_by(self) -> tuple[Place, str]:
        """Where its method is, and its id: the same for two rows that are one action with two keys."""
        return (Place.BLUEPRINT if self.of_screen else self.where), self.id

    @property
    def method(self) -> str:
        """What Textual runs, seen from a widget in its place."""
        return f"screen.{self.id}" if self.of_screen else self.id

    @property
    def bound(self) -> dict[str, str]:
        """Each key that it is bound to, with what Textual runs then."""
        keys = {key: self.method for key in (self.key, *self.also) if key}
        return keys | {digit: f"{self.method}({digit})" for digit in self.digits}

    @property
    def keys(self) -> str:
        """Its key as printed, "" where it has none."""
        return self.printed or (key_label(self.key) if self.key else "")


ACTIONS: tuple[Action, ...] = (
    Action(
        "run",
        "Run this prompt",
        "f5",
        "Runs the prompt under the cursor with the answers chosen (F9). While it runs, the same key stops it; what has "
        "arrived stays.",
        Place.BLUEPRINT,
        foot="run",
    ),
    Action(
        "run_all",
        "Run all prompts",
        "f6",
        "Runs every prompt with the answers chosen (F9); where several variants are chosen, with the one shown. "
        "While anything runs, the same key stops it; what has arrived stays.",
        Place.BLUEPRINT,
        foot="run all",
    ),
    Action(
        "export_results",
        "Export the results",
        "",
        "Writes all that was run of this file as one of Weval's result files: beside it, above blueprints/, or "
        "where you say.",
        Place.BLUEPRINT,
    ),
    Action(
        "plan_all",
        "Look at what running all prompts would send",
        "",
        "Who would receive what, in how many requests, for how much and how long, and where it stops. Sends nothing.",
        Place.BLUEPRINT,
    ),
    Action(
        "answers",
        "Choose where answers come from",
        "f9",
        "The ideal, your own answer, a test answer, a fixtures file, or models; several, in several variants, "
        "where you mark them with Space. Remembered for this file.",
        Place.BLUEPRINT,
        foot="answers…",
    ),
    Action(
        "run_fresh",
        "Run with a fresh answer",
        "ctrl+n",
        "Sends the request to the model again. F5 uses a cached answer to the same request, and sends nothing.",
        Place.BLUEPRINT,
    ),
    Action(
        "judges",
        "Choose who judges points in words",
        "",
        "You alone, or the judges that the blueprint names, else the default judges: as documented, or as Weval has "
        "them today. Remembered for this file.",
        Place.BLUEPRINT,
    ),
    Action(
        "previous_problem",
        "Go to the previous problem",
        "f7",
        "Moves the cursor to the problem before it, round the end of the file.",
        Place.BLUEPRINT,
        foot="problems",
    ),
    Action(
        "next_problem",
        "Go to the next problem",
        "f8",
        "Moves the cursor to the problem after it, round the end of the file.",
        Place.BLUEPRINT,
        foot="problems",
    ),
    Action(
        "fix",
        "Fix the problem at the cursor",
        "f4",
        "Fixes the problem at the cursor, or the nearest on its line. Where the fix changes what is scored or would "
        "bring another problem, or where there are several, it is shown as a diff first.",
        Place.BLUEPRINT,
        foot="fix",
    ),
    Action(
        "fix_all",
        "Apply all safe fixes",
        "",
        "Fixes the errors and warnings of the file that can only mean one thing, as `studio check --fix` does, and "
        "lists what changed. Undo takes it back.",
        Place.BLUEPRINT,
    ),
    Action(
        "fixes_applied",
        "List what the last fixes changed",
        "",
        "Each place with its line, its rule, and its text before and after: Enter goes there, u takes one fix back.",
        Place.BLUEPRINT,
    ),
    Action(
        "draft_points",
        "Draft points from the ideal",
        "",
        "Where the prompt at the cursor has an ideal and no points: a judge's model drafts points from it, shown "
        "as a change of the text, to take or to leave. Undo takes it back.",
        Place.BLUEPRINT,
    ),
    Action(
        "explain",
        "Explain the problem or check at the cursor",
        "ctrl+e",
        "Opens the page of the rule: what it looks for, why that matters for the score, a bad and a good example. "
        "Where there is no problem, the page of the $function that is written there.",
        Place.BLUEPRINT,
    ),
    Action(
        "save",
        "Save",
        "ctrl+s",
        "Writes the file. If something else changed it meanwhile, you are asked first.",
        Place.BLUEPRINT,
        foot="save",
    ),
    Action(
        "outline",
        "Go to the outline",
        "f2",
        "The prompts of this file, with their problems and last scores. On a narrow screen it slides in; F2 again "
        "closes it.",
        Place.BLUEPRINT,
        foot="outline",
    ),
    Action(
        "problems",
        "Go to the problems",
        "f3",
        "All problems of this file. On a narrow screen the list slides in from below; F3 again closes it.",
        Place.BLUEPRINT,
        foot="problems",
    ),
    Action(
        "result",
        "Go to the result",
        "ctrl+r",
        "The result of the prompt under the cursor. On a narrow screen it replaces the editor; once more, both share "
        "the height; once more, the editor is alone again.",
        Place.BLUEPRINT,
        foot="result",
    ),
    Action(
        "next_tab",
        "Next tab: result, response, conversation, history",
        "ctrl+t",
        "Shows the next of the four on the right side.",
        Place.BLUEPRINT,
    ),
    Action(
        "editor",
        "Back to the text",
        "escape",
        "Puts the cursor back into the blueprint, where it was.",
        Place.BLUEPRINT,
    ),
    Action(
        "save_as",
        "Save under another name",
        "",
        "Writes the text to another file, and goes on with that one.",
        Place.BLUEPRINT,
    ),
    Action(
        "reload",
        "Load the file from disk again",
        "",
        "Gives up unsaved changes, after asking.",
        Place.BLUEPRINT,
    ),
    Action(
        "start_screen",
        "Open another blueprint",
        "ctrl+o",
        "Leaves this file for the start screen: recent files, the example, new from template.",
        Place.BLUEPRINT,
    ),
    Action(
        "go_to_problem",
        "Go to this problem",
        "enter",
        "Puts the cursor where the problem is.",
        Place.PROBLEMS,
        foot="go there",
        in_palette=False,
    ),
    Action(
        "fix_problem",
        "Fix this problem",
        "f",
        "Fixes the selected problem. Shows the diff first if the score changes.",
        Place.PROBLEMS,
        foot="fix",
        in_palette=False,
    ),
    Action(
        "explain_problem",
        "Why this is a problem",
        "w",
        "Opens the page of the rule: what it looks for, why that matters for the score, a bad and a good example.",
        Place.PROBLEMS,
        foot="why",
        in_palette=False,
    ),
    Action(
        "go_to_prompt",
        "Go to this prompt",
        "enter",
        "Puts the cursor at the beginning of the prompt.",
        Place.OUTLINE,
        foot="go there",
        in_palette=False,
    ),
    Action(
        "open_row",
        "Open this",
        "enter",
        "Opens the selected file, the example, or a new blueprint from a template.",
        Place.START,
        foot="open",
        in_palette=False,
    ),
    Action(
        "complete",
        "Complete what is being written",
        "ctrl+@",
        "Lists what can stand at the cursor: point functions, keys, values, names of models and tools. Tab or Enter "
        "takes the selected one, Esc closes the list. While a point function is typed, the list comes by itself.",
        Place.EDITOR,
        printed="Ctrl+Space",
    ),
    Action(
        "find",
        "Find and replace",
        "ctrl+f",
        "Searches the text; Enter and the arrow keys go from one place to the next.",
        Place.EDITOR,
    ),
    Action("go_to_line", "Go to a line", "ctrl+g", "Asks for the number of a line and goes there.", Place.EDITOR),
    Action(
        "toggle_wrap",
        "Wrap long lines",
        "f10",
        "Shows long lines on several rows, broken between words, or lets them run past the right edge; remembered.",
        Place.EDITOR,
    ),
    Action(
        "toggle_comment",
        "Make comments of lines, or lines of comments",
        "",
        "Puts # before the selected lines, or takes it away. In most terminals Ctrl+/ does it too.",
        Place.EDITOR,
        also=("ctrl+underscore", "ctrl+slash"),
    ),
    Action(
        "choose",
        "Go to this point",
        "enter",
        "Puts the cursor on the line of the selected row. On a tool call, shows it in the response; on a prompt, shows "
        "its result.",
        Place.RESULT,
        foot="go there",
        in_palette=False,
    ),
    Action(
        "sort",
        "Sort the prompts",
        "s",
        "With the cursor in the header: by what each costs the blueprint's score, by score, as in the file. A click on "
        "the name of a column does it too.",
        Place.RESULT,
        foot="sort",
        in_palette=False,
    ),
    Action(
        "more",
        "Scroll the text below the list",
        "space",
        "The next page of the selected row's text; from its end, the first page.",
        Place.RESULT,
        in_palette=False,
    ),
    Action(
        "grade",
        "Grade this point",
        "1",
        "Five grades, from absent to fully present, for a point in words; 0 takes the grade back.",
        Place.RESULT,
        foot="grade",
        in_palette=False,
        printed="1…5",
        digits="012345",
    ),
    Action(
        "judge",
        "Have this answer judged",
        "a",
        "Asks the judges chosen (w) about open points in words and carried-over verdicts. The answer stays.",
        Place.RESULT,
        in_palette=False,
        of_screen=True,
    ),
    Action(
        "next_variant",
        "Show the next variant",
        "v",
        "Where several answer sources or variants were chosen, shows the result of the next one.",
        Place.RESULT,
        in_palette=False,
        of_screen=True,
    ),
    Action(
        "judges",
        "Choose who judges",
        "w",
        "You alone, or judges too: those that the blueprint names, else the default judges.",
        Place.RESULT,
        foot="who judges",
        in_palette=False,
        of_screen=True,
    ),
    Action(
        "plan",
        "Look at what a run would send",
        "p",
        "Who would receive what, in how many requests, for how much and how long, and where it stops. Sends nothing.",
        Place.RESULT,
        of_screen=True,
    ),
    Action(
        "fix",
        "Apply this advice",
        "f",
        "Makes the change that the selected advice under “Why low” offers, after showing it.",
        Place.RESULT,
        in_palette=False,
    ),
    Action(
        "word_for_word",
        "Show the exact request and the raw reply",
        "x",
        "What each judge of the selected point was sent, and what it answered, word for word.",
        Place.RESULT,
        in_palette=False,
    ),
    Action(
        "edit_response",
        "Edit this answer",
        "e",
        "Opens the answer for changes. It is scored again at once; nothing is sent. It is marked as edited by you.",
        Place.RESPONSE,
        foot="edit",
        in_palette=False,
    ),
    Action(
        "original",
        "Back to what was answered",
        "u",
        "Undoes your changes to this answer.",
        Place.RESPONSE,
        in_palette=False,
    ),
    Action(
        "go_to_turn",
        "Go to this turn",
        "enter",
        "Puts the cursor where the selected turn is written.",
        Place.CONVERSATION,
        foot="go there",
        in_palette=False,
    ),
    Action(
        "generate_turn",
        "Generate this turn again",
        "g",
        "Asks the model again for the selected turn and those after it. The turns before it stay.",
        Place.CONVERSATION,
        foot="generate again",
        in_palette=False,
    ),
    Action(
        "edit_turn",
        "Edit this turn",
        "e",
        "Opens the selected turn for changes. The answer is scored again at once; nothing is sent. It is marked as "
        "edited by you.",
        Place.CONVERSATION,
        foot="edit",
        in_palette=False,
    ),
    Action(
        "original",
        "Back to what was answered",
        "u",
        "Undoes your changes to this answer.",
        Place.CONVERSATION,
        in_palette=False,
    ),
    Action(
        "open_run",
        "Open this run",
        "enter",
        "Shows the answer of this run, scored against the present rubric with your grades and its verdicts. Nothing is "
        "sent.",
        Place.HISTORY,
        foot="open",
        in_palette=False,
    ),
    Action(
        "newest_run",
        "Back to the newest run",
        "n",
        "Shows the newest run again, after an earlier one was opened. Esc in the result does the same.",
        Place.HISTORY,
        in_palette=False,
    ),
    Action("help", "Help", "f1", "Explains the pane that has the focus, and its keys.", Place.APP, foot="help"),
    Action("palette", "All actions", "ctrl+p", "Finds every action by name.", Place.APP, foot="actions"),
    Action("theme", "Switch between dark and light", "", "Changes the colours; remembered.", Place.APP),
    Action(
        "quit", "Quit", "ctrl+q", "Leaves the studio; asks first when something is not saved.", Place.APP, foot="quit"
    ),
)

_KEY_NAMES = {"enter": "Enter", "escape": "Esc", "ctrl": "Ctrl", "space": "Space", "tab": "Tab", "shift": "Shift"}


def key_label(key: str) -> str:
    """A key as it is printed on the screen: `f5` is F5, `ctrl+s` is Ctrl+S, a plain letter stays as it is."""
    parts = key.split("+")
    return "+".join(
        _KEY_NAMES.get(part) or (part.upper() if len(parts) > 1 or part[1:].isdigit() else part) for part in parts
    )


def at(place: Place) -> Iterator[Action]:
    """The actions of one place, in the order of the table."""
    return (action for action in ACTIONS if action.where is place)


def keys_that(*ids: str) -> str:
    """The keys of the actions with these ids, as one binding has several: for what the same key closes again."""
    return ",".join(dict.fromkeys(action.key for action in ACTIONS if action.id in ids and action.key))


def bindings(place: Place) -> list[Binding]:
    """The key bindings of one place.

    Those of the app and of whole screens come before a focused widget's own, since the text area binds some of them.
    Escape must not: a dialog or a list has its own use for it.
    """
    whole_screen = place in (Place.APP, Place.BLUEPRINT, Place.START)
    return [
        Binding(
            key,
            runs,
            action.label,
            show=False,
            priority=whole_screen and key not in ("escape", "enter"),
            id=f"{place}.{action.id}" if key == action.key else None,
        )
        for action in at(place)
        for key, runs in action.bound.items()
    ]


@dataclass(frozen=True, slots=True)
class FootEntry:
    """One entry of the footer: the keys as printed, and what they do."""

    keys: str
    words: str
    action: str


def foot_entries(actions: Iterable[Action], words: dict[str, str]) -> list[FootEntry]:
    """The footer for `actions`; `words` replaces the word of single actions by what it says now (by id).

    What is said once is not said again of a key further out: in the problems `f` is the fix, and `F4` is it elsewhere.
    """
    entries: list[FootEntry] = []
    for action in actions:
        said = words.get(action.id, action.foot)
        if not said or said in [entry.words for entry in entries[:-1]]:
            continue
        keys = action.keys
        if entries and entries[-1].words == said:
            entries[-1] = FootEntry(f"{entries[-1].keys}/{keys}", said, action.id)
        else:
            entries.append(FootEntry(keys, said, action.id))
    return entries

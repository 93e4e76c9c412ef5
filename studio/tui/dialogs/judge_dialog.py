"""The choice of who judges points in words: the author alone, or also the blueprint's judges."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static
from textual.widgets.option_list import Option

from engine.blueprint import Header
from engine.judging.panel import BackupWhen, JudgesAs, Panel, panel
from engine.scoring.explanation import listed
from studio.session.questions import JudgeChoice
from studio.tui.dialogs.ask import Dialog, choice_prompt
from studio.tui.option_lists import Options

_NOBODY = "nobody"
_HELP = "A point in words stays open until someone judges it. Your own grades count before any judge's."
_CLOSEST = (
    "For the selected point, the closest sentence of the answer is lit up: a place to look, not a verdict. It is found "
    "on this machine."
)
_LABELS = {
    JudgesAs.DOCUMENTED: "Judges as documented",
    JudgesAs.WEVAL_TODAY: "Judges as Weval runs them today",
}
_WHEN = {
    BackupWhen.ALL_FAILED: "where none of them judges a point",
    BackupWhen.ANY_FAILED: "where one of them does not judge a point",
}


class ChooseJudges(Dialog[JudgeChoice]):
    """Answers with who judges the points in words of this file."""

    def __init__(self, header: Header, current: JudgesAs | None) -> None:
        super().__init__()
        self._header = header
        self._current = current

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content("Who judges points in words?")
            dialog.border_subtitle = Content("Enter chooses, for this file · Esc keeps the current choice")
            yield Static(Content(_HELP), classes="dialog-text", markup=False)
            yield Options(*self._options(), markup=False)
            yield Static(Content(_CLOSEST), classes="dialog-text", markup=False)

    def on_mount(self) -> None:
        """Highlight the current choice."""
        options = self.query_one(Options)
        options.highlighted = options.get_option_index(self._current or _NOBODY)

    def _options(self) -> list[Option]:
        mark = "✓ You alone" if self._current is None else "  You alone"
        rows = [Option(choice_prompt(mark, "  keys 1 to 5 in the result; nothing is sent"), id=_NOBODY)]
        for judges_as in JudgesAs:
            found = panel(self._header, judges_as)
            label = f"{'✓' if judges_as is self._current else ' '} {_LABELS[judges_as]}"
            prompt = choice_prompt(label, f"  {judges_text(found)}", ready=bool(found.judges))
            rows.append(Option(prompt, id=judges_as, disabled=not found.judges))
        return rows

    def on_option_list_option_selected(self, event: Options.OptionSelected) -> None:
        """Answer with the choice."""
        self.dismiss(JudgeChoice(None if event.option_id == _NOBODY else JudgesAs(event.option_id or "")))


def judges_text(found: Panel) -> str:
    """The judges, the size of their scale, and the backup judge."""
    if not found.judges:
        return f"none can be asked: {'; '.join(found.left_out)}"
    whose = "this blueprint names " if found.custom else ""
    text = f"{whose}{listed(judge.model for judge in found.judges)}; {len(found.scale.steps)} classes"
    if found.backup is not None:
        text += f"; {found.backup.model} {_WHEN[found.backup_when]}"
    return text

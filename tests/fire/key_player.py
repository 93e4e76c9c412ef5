"""Plays a sequence of keys against the studio beside a model of its text, and says what is wrong."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.files.open_files import open_file
from engine.files.own_files import config_dir
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import Checker
from engine.rules.selection import SettingsCache
from engine.text.diagnostics import Diagnostic
from engine.text.record import replace
from engine.text.spans import Span
from studio.session.runs import Runs
from studio.tui.app import Studio
from studio.tui.dialogs.ask import Ask
from studio.tui.dialogs.fix_dialog import AppliedFixes, AskWithDifference, ChooseFix
from studio.tui.dialogs.page import Help
from studio.tui.editor import BlueprintEditor
from studio.tui.editor.find_bar import FindBar
from studio.tui.editor.source_edit import SourceEdit
from studio.tui.palette import Palette
from studio.tui.panes.criteria import Criteria
from studio.tui.panes.problems import Problems
from studio.tui.screens.start_screen import StartScreen
from tests.benchmarks.model_server import model
from tests.fire.driven_studio import Broken, Driven, driven
from tests.fire.key_sequences import Do, KeySequence, Setup, Step
from tests.fire.text_model import Kind, Law, Outcome, State, TextModel
from tests.world import own_home


def fresh_problems(path: Path, text: str, javascript: JavaScript) -> tuple[Diagnostic, ...]:
    """What a checker that has seen nothing before says of the text."""
    selection = SettingsCache().of(path).selection
    found = selection.reported(Checker(selection.rules()).check(parse(text, path), javascript))
    return tuple(sorted(found, key=lambda each: (each.span.start, each.severity.rank)))


def place(diagnostic: Diagnostic) -> tuple[Span, str, str]:
    """By what problems are sorted to be compared."""
    return diagnostic.span, diagnostic.code, diagnostic.message


def only_in(these: Sequence[Diagnostic], those: Sequence[Diagnostic]) -> list[str]:
    """The first of `these` that are not among `those`, by name and place."""
    return [f"{each.slug} at {each.span}" for each in these if each not in those][:5]


_MAY_CHANGE = {
    ChooseFix: {"enter", "a"},
    AppliedFixes: {"u", "ctrl+z"},
    Palette: {"enter"},
    FindBar: {"enter", "ctrl+r"},
    Ask: {"enter"},
    AskWithDifference: {"enter"},
    Problems: {"f", "f4"},
    Criteria: {"f", "f4"},
    BlueprintEditor: {"f4"},
}
"""The keys that may change the text without being keys of the editor, by the dialog or widget with the focus."""

_MARK = "\ufeff"
"""Pasted at the beginning of the text, it is a byte order mark of the file."""
_LATE = 4.0
"""Seconds within which a change that a key began must be in the text."""


class Failed(Exception):
    """Step `number` (from 0; the number of steps for the checks at the end) went wrong."""

    def __init__(self, number: int, step: Step | None, why: str) -> None:
        super().__init__(f"step {number} ({'the checks at the end' if step is None else step}): {why}")
        self.number = number


async def play(attack: KeySequence, url: str = "") -> None:
    """Play one sequence in a home of its own. `url` is a server of models. Raises `Failed`."""
    with own_home(), tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fire.yml"
        app = opened(attack.setup, path, url)
        number, step = -1, None
        try:
            async with driven(app, attack.setup.size) as studio:
                player = Player(studio, path)
                await player.begin()
                for number, step in enumerate(attack.steps):  # noqa: B007
                    try:
                        await player.do(step)
                    except Broken:
                        if app._exit or isinstance(app.screen, StartScreen):  # the palette leads there, too
                            return
                        raise
                number, step = len(attack.steps), None
                if app._exit:
                    return
                await player.finish()
        except Broken as broken:
            raise Failed(number, step, str(broken)) from broken


def opened(setup: Setup, path: Path, url: str) -> Studio:
    """The application on a file of the setup, which is written to `path`; a server at `url` answers for its model."""
    text = setup.text
    settings: dict[str, object] = {"theme": setup.theme, "wrap": setup.wrap}
    if setup.with_model and url:
        text = f"models: {json.dumps([model('m', url)])}\n---\n{text.partition('---')[2] or text}"
        settings["answers"] = {str(path): {"kind": "model", "value": "own:m"}}
    path.write_bytes(text.encode("utf-8"))
    config_dir().mkdir(parents=True, exist_ok=True)
    (config_dir() / "settings.json").write_text(json.dumps(settings), "utf-8")
    file = open_file(path)
    return Studio(replace(file, read_only="for this test") if setup.read_only else file)


class Player:
    """One studio, and what its text must be."""

    def __init__(self, studio: Driven, path: Path) -> None:
        self.studio = studio
        self.path = path

    async def begin(self) -> None:
        """Wait for the first frame; from then on every key counts."""
        await self.studio.until(lambda: self.studio.in_editor, "the editor has no focus")
        editor = self.editor
        self.model = TextModel(editor.text_out(), read_only=editor.read_only)
        self._loaded = self.studio.screen.session.state.file.loaded.number
        self._written = _identity(self.path)
        if self.model.text != open_file(self.path).text:
            raise Broken("the text is not that of the file")

    @property
    def editor(self) -> BlueprintEditor:
        """The editor of the open file."""
        return self.studio.screen.editor

    # --- Steps

    async def do(self, step: Step) -> None:
        """Do one step. Raises `Broken`."""
        match step.do:
            case Do.KEY:
                await self._press(step.text)
            case Do.TYPE:
                for character in step.text:
                    await self._type(character)
            case Do.PASTE:
                await self._paste(step.text)
            case Do.BURST:
                await self._burst(*step.text.split())
            case Do.CLICK:
                await self._elsewhere(lambda: self.studio.click(step.x, step.y), may_change=self._may_change("click"))
            case Do.WHEEL:
                down = step.text == "down"
                await self._elsewhere(lambda: self.studio.scroll(step.x, step.y, down=down))
            case Do.RESIZE:
                width, height = map(int, step.text.split("x"))
                await self._elsewhere(lambda: self.studio.resize(width, height))

    async def _press(self, key: str) -> None:
        if len(key) == 1 or key == "space":
            await self._type(" " if key == "space" else key)
            return
        await self._ready()
        if self.studio.in_editor:
            may_change = self._may_change(key)
            law = self.model.law(key)
            await self._in_editor(lambda: self.studio.press(key), law, may_change=may_change)
        else:
            is_undo = key in ("ctrl+z", "ctrl+y") and self.studio.app.screen is self.studio.screen
            laws = [self.model.law(key)] if is_undo else []
            await self._elsewhere(lambda: self.studio.press(key), laws, may_change=self._may_change(key))

    async def _type(self, character: str) -> None:
        await self._ready()
        if self.studio.in_editor:
            law = self.model.law("", character)
            await self._in_editor(lambda: self.studio.type(character), law)
        else:
            await self._elsewhere(lambda: self.studio.type(character), may_change=self._may_change(character))

    async def _paste(self, text: str) -> None:
        await self._ready()
        if self.studio.in_editor:
            self.model.law("")
            law = self.model.pasted(text.replace("\x1b", "\u241b").replace("\0", ""))
            await self._in_editor(lambda: self.studio.paste(text), law)
        else:
            await self._elsewhere(lambda: self.studio.paste(text))

    async def _burst(self, line: str, letters: str) -> None:
        """Go to a line and type there, all at once: no key may reach the dialog that the ones before have closed."""
        await self._ready()
        if self.studio.in_editor:
            law = self.model.typed_on_line(int(line), letters)
            await self._in_editor(lambda: self.studio.type(f"\x07{line}\r{letters}"), law)

    async def _ready(self) -> None:
        """Wait until the list of completions is as the text asks, so that it is known who gets the key."""
        await self.studio.quiet()
        await self.studio.until(lambda: not self.editor._reporting, "an edit is not reported")
        await self.studio.quiet()
        self._follow_file()
        if self.studio.in_editor and self.editor.text_out() == self.model.text:
            self._follow_cursor()  # a fix moves it after the text

    def _follow_file(self) -> None:
        """A text that is saved, over its file or under another name, can be edited also where it was read-only."""
        self.path = self.studio.screen.session.state.path
        if _identity(self.path) != self._written:
            self._written, self.model.read_only = _identity(self.path), False

    def _may_change(self, key: str) -> bool:
        """Whether a key that is no key of the editor may change the text now."""
        screen = self.studio.app.screen
        dialogs = (screen, self.studio.screen.focused) if screen is self.studio.screen else (screen,)
        for owner, keys in _MAY_CHANGE.items():
            if any(isinstance(each, owner) for each in dialogs):
                return key in keys or (key == "click" and screen is not self.studio.screen)
        return False

    async def _in_editor(self, send: Callable[[], None], law: Law, *, may_change: bool = False) -> None:
        """Send something to the text, and hold the text against `law`."""
        completing = self.editor.completing.is_open
        completes_nothing = self._completes_nothing()
        before = self.studio.app.screen
        send()
        await self.studio.quiet()
        if (
            self.studio.app.screen is not before
            or not self.studio.in_editor
            or may_change
            or law == self.model.unchanged
        ):
            await self.studio.answered()  # a key that leaves the text alone may open a dialog
        went_elsewhere = self.studio.app.screen is not before or not self.studio.in_editor
        laws = [law]
        if completing:
            laws.append(self._completed)
        if went_elsewhere or completes_nothing:
            laws.append(self.model.unchanged)
        if may_change:
            laws.append(self._announced)
        await self._hold(laws)

    async def _elsewhere(self, send: Callable[[], None], laws: Sequence[Law] = (), *, may_change: bool = False) -> None:
        """Send something that is not meant for the text, or that by `laws` may change it from a pane, too."""
        if self.editor.completing.is_open:
            may_change = True
        self.model.ends_at = None
        send()
        await self.studio.answered()
        others = [self._announced, self._completed] if may_change else []
        await self._hold([self.model.unchanged, *laws, *others])
        self.model.clipboard = self.editor.clipboard

    async def _hold(self, laws: Sequence[Law]) -> None:
        """Wait until the text fulfils one of `laws`."""
        found: list[Outcome] = []

        def fulfilled() -> bool:
            text = self.editor.text_out()
            outcome = next((outcome for law in laws if (outcome := law(text)) is not None), None)
            if outcome is not None:
                found.append(outcome)
            return outcome is not None

        if self._was_loaded():
            return
        if not fulfilled():
            try:
                await asyncio.wait_for(self.studio.until(fulfilled, ""), _LATE)
            except TimeoutError:
                raise Broken(
                    f"the text is not the model's: {_difference(self.model.text, self.editor.text_out())}"
                ) from None
        if not found[0].states or (found[0].states[-1].kind is Kind.ALONE and len(laws) > 1):
            self.model.ends_at = None
        self.model.accept(found[0])
        self._follow_cursor()

    def _was_loaded(self) -> bool:
        """Whether another text was loaded, by reading the file again or recovering a text: a step of undo."""
        loaded = self.studio.screen.session.state.file.loaded
        if loaded.number == self._loaded or self.editor.text_out() != loaded.text:
            return False
        self._loaded = loaded.number
        self.model.replace(loaded.text)
        self.model.read_only = self.editor.read_only
        self._follow_cursor()
        return True

    def _follow_cursor(self) -> None:
        selection = self.editor.selection
        anchor, cursor = (self.model.offset_of(at) for at in (selection.start, selection.end))
        if anchor is None or cursor is None:
            raise Broken(f"the selection {selection} lies outside the text")
        wanted, self.model.ends_at = self.model.ends_at, None
        is_within_line_end = wanted is not None and self.model.text[wanted - 1 : wanted + 1] == "\r\n"
        if wanted is not None and not is_within_line_end and (anchor, cursor) != (wanted, wanted):
            raise Broken(f"the cursor is at {cursor} and not at {wanted}")
        self.model.anchor, self.model.cursor = anchor, cursor

    # --- What other keys may do

    def _completes_nothing(self) -> bool:
        """Whether the list of completions offers what stands there already."""
        completing = self.editor.completing
        found, chosen = completing._found, completing._chosen()
        if found is None or chosen is None:
            return False
        return self.model.text[found.span.start : found.span.end] == chosen.text

    def _completed(self, text: str) -> Outcome | None:
        """Accepting a completion changes nothing outside the cursor's line."""
        model = self.model
        row = model.row_at(model.cursor)
        start = model.text.rfind("\n", 0, model.cursor) + 1
        end = model.end_of(row)
        tail = model.text[end:]
        inside = len(text) >= start + len(tail) and text.startswith(model.text[:start]) and text.endswith(tail)
        return Outcome((State(text, Kind.ALONE),)) if inside and text != model.text else None

    def _announced(self, text: str) -> Outcome | None:
        """Fixes and replacements are steps of undo, and say exactly what they change; or one of them is undone."""
        undone = self.model.law("ctrl+z")(text)
        if undone is not None and text != self.model.text:
            return undone
        states, now = [], self.model.text
        for edit in self._edits_since():
            for change in edit.changes:
                if now[change.start : change.start + len(change.removed)] != change.removed:
                    return None
                now = now[: change.start] + change.inserted + now[change.start + len(change.removed) :]
            states.append(State(now, Kind.ALONE))
        return Outcome(states) if now == text else None

    def _edits_since(self) -> list[SourceEdit]:
        """The edits at the end of the undo history whose result is not yet known: from the model's text on."""
        edits = [edit for batch in self.editor.history.undo_stack for edit in batch if isinstance(edit, SourceEdit)]
        text, since = self.editor.text_out(), []
        for edit in reversed(edits):
            if text == self.model.text:
                break
            for change in reversed(edit.changes):
                text = text[: change.start] + change.removed + text[change.start + len(change.inserted) :]
            since.append(edit)
        return since[::-1]

    # --- The end

    async def finish(self) -> None:
        """All that must hold after any sequence. Raises `Broken`."""
        await self.studio.back()
        await self._still_alive()
        await self._undo_and_redo()
        await self._checked()
        await self._saved()
        self.studio.press("ctrl+q")
        await self.studio.until(lambda: not self.studio.app.is_running, "Ctrl+Q does not quit")

    async def _still_alive(self) -> None:
        """A letter, undo, the help, the palette and a run all answer."""
        await self._type("z")
        await self._press("ctrl+z")
        for key, dialog in (("f1", Help), ("ctrl+p", Palette)):
            self.studio.press(key)
            await self.studio.until(lambda dialog=dialog: isinstance(self.studio.app.screen, dialog), f"{key} is dead")
            await self.studio.back()
        await self._runs()
        await self.studio.back()

    async def _runs(self) -> None:
        """F6 runs, asks, or says why not."""
        screen = self.studio.screen
        await self.studio.settled()
        runs = screen.session.runs
        assert runs is not None

        if runs.queue.is_running:
            await self._stop(runs)
        app, before = self.studio.app, screen.session.state.runs
        notified = self.studio.notified
        self.studio.press("f6")
        await self.studio.until(
            lambda: (
                screen.session.state.runs is not before or app.screen is not screen or self.studio.notified > notified
            ),
            "F6 is dead",
        )
        await self._stop(runs)

    async def _stop(self, runs: Runs) -> None:
        runs.queue.stop()
        await self.studio.until(lambda: not runs.queue.is_running, "a run does not stop")

    async def _undo_and_redo(self) -> None:
        """Undo leads to the first text and redo to the last, also where all presses come at once."""
        model, times = self.model, len(self.model.states) + 2
        for key, wanted, at in (("ctrl+z", model.first, 0), ("ctrl+y", model.last, len(model.states) - 1)):
            for _ in range(times):
                self.studio.press(key)
            await self.studio.quiet()
            if self.editor.text_out() != wanted:
                raise Broken(f"{key} does not lead to the end: {_difference(wanted, self.editor.text_out())}")
            model.accept(Outcome(at=at))
            self._follow_cursor()

    async def _checked(self) -> None:
        await self.studio.settled()
        session = self.studio.screen.session
        if session.state.text.text != self.model.text:
            raise Broken("the session has another text than the editor")
        analysis = session.state.analysis
        assert analysis is not None
        javascript = self.studio.app.resources.javascript()
        fresh = await asyncio.to_thread(fresh_problems, self.path, self.model.text, javascript)
        found = analysis.diagnostics or ()
        if found != fresh:
            raise Broken(f"the problems {only_in(found, fresh)} are not {only_in(fresh, found)}")
        view = session.problems()
        listed = [each.diagnostic for row in view.rows for each in row.places] if view is not None else []
        if sorted(listed, key=place) != sorted(fresh, key=place):
            raise Broken(f"the problems that are listed, {only_in(listed, fresh)}, are not {only_in(fresh, listed)}")

    async def _saved(self) -> None:
        if self.model.read_only:
            return
        await self._press("ctrl+s")
        await self.studio.answered()
        if self.path.read_bytes().decode("utf-8").removeprefix(_MARK) != self.model.text.removeprefix(_MARK):
            raise Broken("the file does not hold the text after Ctrl+S")


def _identity(path: Path) -> tuple[int, int]:
    """What a file's inode and time of change say of whether it was written."""
    about = path.stat()
    return about.st_ino, about.st_mtime_ns


def _difference(wanted: str, found: str) -> str:
    """Where two texts first differ, and what each has there."""
    at = next((at for at, (one, other) in enumerate(zip(wanted, found, strict=False)) if one != other), None)
    at = min(len(wanted), len(found)) if at is None else at
    around = slice(max(0, at - 30), at + 40)
    return f"at {at} {wanted[around]!r} is now {found[around]!r}"

"""Keys that arrive at once take effect in order, each where the focus is after the one before."""

from __future__ import annotations

import asyncio
import importlib
import random
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual import events

from studio.tui import type_ahead
from studio.tui.app import Studio
from studio.tui.editor import BlueprintEditor
from studio.tui.editor.source_document import Replacement
from studio.tui.editor.source_edit import Change
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.terminal import PasteSafeParser
from studio.tui.window import Pane
from tests.processor_time import costs_less_than
from tests.studio.driving import NARROW, SECONDS, WIDE, Page, blueprint_screen, opened, settle, studio_on, wait_until
from tests.studio.test_closing import TEXT
from tests.studio.test_fixes import ONE, OPTIONAL
from tests.thoroughness import one_in, tried

CONTROL = {"ctrl+g": "\x07", "ctrl+f": "\x06", "ctrl+p": "\x10", "ctrl+s": "\x13", "ctrl+home": "\x1b[1;5H"}
CTRL_R, F4, F8 = "\x12", "\x1bOS", "\x1b[19~"
LETTERS = "abcdefgh"
ENTER, ESCAPE, END, HOME, TAB, BACKSPACE = "\r", "\x1b[27u", "\x1b[F", "\x1b[H", "\t", "\x7f"
"""What a terminal sends for keys. Escape is that of Kitty's protocol, so that it does not begin a sequence."""

OPENED = {
    "go to line": ("ctrl+g", "1"),
    "find": ("ctrl+f",),
    "help": ("f1",),
    "choose_answers": ("f9",),
    "fixes": ("f8", "f8", "f4"),
    "the page of a rule": ("f8", "ctrl+e"),
    "palette": ("ctrl+p",),
}


def burst(app: Studio, data: str) -> None:
    """Send what a terminal sends, all at once."""
    for message in PasteSafeParser().feed(data):
        app.post_message(message.set_sender(app))


async def handled(page: Page) -> str:
    """The text of the editor, once no key waits."""
    await page.settle()
    return page.text


async def test_keys_after_the_number_of_a_line_reach_the_editor(tmp_path: Path) -> None:
    async with opened(tmp_path / "tea.yml", TEXT) as page:
        burst(page.app, f"{CONTROL['ctrl+g']}4{ENTER}{END}x{ENTER}y")
        assert await handled(page) == TEXT.replace("hot?\n", "hot?x\ny\n")


@pytest.mark.parametrize("keys", one_in(3, [*OPENED.values()]), ids="-".join)
async def test_what_is_typed_right_after_a_dialog_is_closed_reaches_the_editor(
    tmp_path: Path, keys: tuple[str, ...]
) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await Page(app, pilot).press(*keys)
        screen = blueprint_screen(app)
        await wait_until(pilot, lambda: not isinstance(app.screen, BlueprintScreen))
        at = screen.editor.cursor_offset
        burst(app, f"{ESCAPE}xyz")
        text = await handled(Page(app, pilot))
        at = at if "xyz" not in text else text.index("xyz")
        assert text == f"{TEXT[:at]}xyz{TEXT[at:]}"


async def test_dialogs_opened_and_closed_in_one_burst_take_no_letter(tmp_path: Path) -> None:
    async with opened(tmp_path / "tea.yml", TEXT) as page:
        burst(page.app, f"{CONTROL['ctrl+g']}1{ENTER}ab{BACKSPACE}" * 8)
        assert await handled(page) == "a" * 8 + TEXT


async def test_a_burst_finds_replaces_and_goes_on_in_the_text(tmp_path: Path) -> None:
    async with opened(tmp_path / "tea.yml", TEXT) as page:
        burst(page.app, f"{CONTROL['ctrl+f']}warm{TAB}cold{ENTER}{ESCAPE}{CONTROL['ctrl+home']}x")
        assert await handled(page) == f"x{TEXT.replace('warm', 'cold')}"


async def test_keys_after_the_palette_reach_the_dialog_that_it_opens(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        await Page(app, pilot).press("ctrl+p", *"go to a line")
        burst(app, f"{ENTER}4{ENTER}{END}x")
        assert await handled(Page(app, pilot)) == TEXT.replace("hot?", "hot?x")


async def test_what_is_typed_right_after_a_fix_is_asked_for_comes_after_the_fix(tmp_path: Path) -> None:
    async with opened(tmp_path / "quoted.yml", ONE) as page:
        burst(page.app, f"{F8}{F4}{CONTROL['ctrl+home']}xyz")
        assert await handled(page) == "xyz" + ONE.replace('"$', "$").replace("'\"", "'")


async def test_enter_right_after_a_fix_is_asked_for_is_for_its_choice(tmp_path: Path) -> None:
    async with opened(tmp_path / "optional.yml", OPTIONAL) as page:
        burst(page.app, f"{F8}{F4}{END}{ENTER}")
        await handled(page)
        await page.until(lambda: page.text != OPTIONAL)
        assert page.text.splitlines()[4] == ("    - May mention 0 # studio: ignore[optional-point] as intended")


async def test_an_action_that_does_not_end_holds_keys_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type_ahead, "_LONGEST", 2.0)
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.begin(asyncio.sleep(600))
        started = time.monotonic()
        for number, letter in enumerate(LETTERS, 1):
            burst(app, letter)
            await wait_until(pilot, lambda number=number: screen.editor.text_out() == LETTERS[:number] + TEXT)
        assert time.monotonic() - started < 2.0 * len(LETTERS)  # held for each, they take longer


async def test_letters_typed_just_before_saving_are_saved(tmp_path: Path) -> None:
    async with opened(tmp_path / "tea.yml", TEXT) as page:
        burst(page.app, f"abc{CONTROL['ctrl+s']}def")
        await handled(page)
        await page.until(lambda: (tmp_path / "tea.yml").read_text() != TEXT)
        assert (tmp_path / "tea.yml").read_text().startswith("abc")


async def test_a_burst_sent_before_the_first_frame_is_typed(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        burst(app, "abc")
        assert await handled(Page(app, pilot)) == f"abc{TEXT}"


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_keys_after_the_result_is_asked_for_reach_it_though_its_pane_is_not_built_yet(
    size: tuple[int, int], tmp_path: Path
) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=size) as pilot:
        burst(app, f"{CTRL_R}xyz")
        assert await handled(Page(app, pilot)) == TEXT
        screen = app.screen
        assert isinstance(screen, BlueprintScreen)
        await wait_until(pilot, lambda: screen.halves.frames[Pane.CRITERIA].has_focus_within)


async def test_keys_are_not_typed_into_the_text_while_the_result_takes_long_to_be_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type_ahead, "_LONGEST", 0.2)
    may_load = threading.Event()
    load = importlib.import_module
    monkeypatch.setattr("importlib.import_module", lambda name: may_load.wait(60) and load(name))
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        burst(app, CTRL_R)
        screen = app.screen
        assert isinstance(screen, BlueprintScreen)
        await wait_until(pilot, lambda: screen.focused is None)
        burst(app, "xyz")
        await wait_until(pilot, lambda: len(app.type_ahead) == 0)
        assert screen.editor.text_out() == TEXT
        may_load.set()


async def test_no_key_waits_for_a_handler_that_does_not_end(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        ends = asyncio.Event()
        screen.call_later(ends.wait)
        burst(app, "abc")
        async with asyncio.timeout(SECONDS):
            while screen.editor.text_out() != f"abc{TEXT}":
                await asyncio.sleep(0.01)
        ends.set()


async def test_many_changes_of_focus_are_joined(tmp_path: Path) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    heard: list[events.Event] = []
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        app.message_signal.subscribe(screen, lambda event: heard.append(event))  # pyright: ignore
        burst(app, "\x1b[O\x1b[I" * 200 + "x")
        assert await handled(Page(app, pilot)) == f"x{TEXT}"
        assert sum(isinstance(event, events.AppBlur) for event in heard) in range(1, 10)


async def test_other_threads_may_work_again_once_a_key_is_in_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = studio_on(tmp_path / "tea.yml", TEXT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        told: list[str] = []
        monkeypatch.setattr("engine.text.pacing.hold", lambda: told.append("hold"))
        monkeypatch.setattr(
            "engine.text.pacing.release", lambda: told.append(f"release {screen.editor.text_out()[:1]}")
        )
        burst(app, "x")
        await wait_until(pilot, lambda: len(told) > 1)
        assert told == ["hold", "release x"]


# --- Many letters that wait are inserted together, and do what they do one by one


PIECES = ("word ", "-", "- ", " ", "$icontains: x", "é", "\u4f60", "\r", "\r", "\x7f", "'", "---", "\x1b[D", "x" * 120)
"""What a terminal sends for letters, Enter, Backspace and the left arrow."""


def changes_of(editor: BlueprintEditor) -> list[Change]:
    """The changes of the text from now on."""
    changes: list[Change] = []
    changed = editor.text_changed

    def noted(change: Change, lines: Replacement) -> None:
        changes.append(change)
        changed(change, lines)

    editor.text_changed = noted
    return changes


async def typed(path: Path, data: Sequence[str], *, at_once: bool) -> tuple[str, list[str]]:
    """The text after `data`, and the texts that undo leads to."""
    async with opened(path, TEXT, keys=("ctrl+end",)) as page:
        if at_once:
            burst(page.app, "".join(data))
            await page.until(lambda: not page.app.type_ahead)
        else:
            for one in (key for each in data for key in ([each] if each.startswith("\x1b") else each)):
                burst(page.app, one)
                await page.until(lambda: not page.app.type_ahead)
        await page.settle()
        text, undone = page.text, []
        while page.screen.editor.history.undo_stack:
            page.screen.editor.undo()
            undone.append(page.text)
        return text, undone


@pytest.mark.parametrize("seed", range(tried(1, 6)))
async def test_a_burst_leads_to_the_text_that_single_keys_lead_to(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    data = chance.choices(PIECES, k=12)
    one, _ = await typed(tmp_path / "one.yml", data, at_once=False)
    other, undone = await typed(tmp_path / "other.yml", data, at_once=True)
    assert other == one
    assert undone[-1] == TEXT


async def test_letters_that_wait_are_few_edits_and_one_change_when_they_are_undone(tmp_path: Path) -> None:
    async with opened(tmp_path, TEXT) as page:
        changes = changes_of(page.screen.editor)
        burst(page.app, "word " * 1000)
        await page.settle()
        assert page.text == "word " * 1000 + TEXT
        assert len(changes) < 20
        await page.rewrite(TEXT)
        await page.press("ctrl+home")
        burst(page.app, "x" * 90)
        await page.settle()
        changes.clear()
        page.screen.editor.undo()
        page.screen.editor.redo()
        assert changes == [Change(0, "x" * 90, ""), Change(0, "", "x" * 90)]
        assert page.screen.editor.cursor_location == (0, 90)


async def test_letters_are_undone_together_however_they_came_but_after_undo_they_are_a_step_of_their_own(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, TEXT) as page:
        for letters in (["abcdef"], list("abcdef"), ["ab", "cd", "ef"]):
            for some in letters:
                burst(page.app, some)
                await page.until(lambda: not page.app.type_ahead)
            await page.settle()
            page.screen.editor.undo()
            assert page.text == TEXT
        burst(page.app, "\x1fx\x1ay\x1a")  # comment the line out, type, undo, type, undo
        await page.settle()
        assert page.text == f"# {TEXT}"


async def test_letters_that_wait_replace_the_selection_open_completions_and_change_no_read_only_text(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, TEXT, keys=("ctrl+end",)) as page:
        burst(page.app, "  - $word")
        await page.until(lambda: page.screen.editor.completing.is_open)
        await page.press("escape", "ctrl+a")
        burst(page.app, "abc")
        await page.settle()
        assert page.text == "abc"
        page.screen.editor.read_only = True
        burst(page.app, "def")
        await page.settle()
        assert page.text == "abc"


async def test_lines_typed_ahead_cost_little_processor_time(tmp_path: Path) -> None:
    async with opened(tmp_path, TEXT, keys=("ctrl+end",)) as page:
        with costs_less_than(1.5):
            burst(page.app, "a line of text that is typed\r" * 15)
            while page.app.type_ahead:
                await asyncio.sleep(0.1)
        await page.settle()
        assert page.text.count("a line of text that is typed") == 15

"""Nothing typed is lost: saving, a file that others change or replace, reloading, recovering, and leaving.

What the session does of it apart from any screen is in `tests/session`; every test here needs the editor, its undo, or
a dialog and its keys.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.events import AppBlur, Key

from engine.evaluation.sources import ModelSource
from engine.files.journal import Journal
from engine.files.open_files import new_file
from engine.files.user_settings import recent_files
from studio.example import EXAMPLE, read
from studio.session import blueprint_file, unsaved_text
from studio.session.host import EditQuestion
from studio.tui.app import Studio
from studio.tui.dialogs.dialog_host import DialogHost
from studio.tui.screens.blueprint_screen import BlueprintScreen
from studio.tui.screens.start_screen import StartScreen
from tests.studio.driving import NARROW, QUOTED, SECONDS, WIDE, Page, blueprint_screen, opened, running, studio_on
from tests.thoroughness import one_in

TEXT = "- id: a\n  prompt: b\n"
THEIRS = "- id: a\n  prompt: theirs\n"
LEFT = "- id: a\n  prompt: lost and found\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.yml"


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blueprint_file, "FIRST_SECONDS", 0.02)
    monkeypatch.setattr(blueprint_file, "REST_SECONDS", 0.02)


async def loaded(page: Page, text: str) -> None:
    await page.until(lambda: page.text == text)
    await page.settle()


async def left(page: Page) -> None:
    await page.until(lambda: page.has_left)


# --- Saving


async def test_ctrl_s_writes_what_was_typed_the_mark_goes_and_undoing_it_is_a_change(path: Path) -> None:
    async with opened(path, TEXT, keys=("#", "x")) as page:
        assert "not saved" in page.status()
        await page.hit("ctrl+s", until=lambda: not page.unsaved)
        await page.settle()
        assert "not saved" not in page.status()
        assert path.read_text("utf-8") == "#x" + TEXT
        await page.press("ctrl+z")
        assert page.unsaved


async def test_a_slip_that_is_typed_back_need_not_be_saved(path: Path) -> None:
    async with opened(path, TEXT, keys=("#", "x", "backspace", "backspace")) as page:
        assert (page.text, page.unsaved) == (TEXT, False)
        await page.hit("ctrl+q")
        await left(page)


async def test_what_is_undone_need_not_be_saved_and_nothing_is_kept_of_it_for_recovery(path: Path) -> None:
    async with opened(path, TEXT, keys=("#",)) as page:
        await page.until(lambda: Journal().pending(path))
        await page.press("ctrl+z")
        assert (page.text, page.unsaved) == (TEXT, False)
        await page.until(lambda: Journal().pending(path) is None)
        await page.press("ctrl+y")
        assert page.unsaved


async def test_the_bundled_example_is_written_only_where_the_author_saves_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with running(Studio(new_file(Path(EXAMPLE.file), read(EXAMPLE.file)))) as page:
        assert list(tmp_path.iterdir()) == []
        await page.hit("ctrl+s", until=(tmp_path / EXAMPLE.file).exists)
        await page.until(lambda: [each.name for each in recent_files()] == [EXAMPLE.file])


# --- The journal


async def test_the_journal_is_written_at_once_when_the_terminal_loses_the_focus_and_forgotten_when_it_is_saved(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unsaved_text, "JOURNAL_SECONDS", 3600.0)
    async with opened(path, TEXT, keys=("#",)) as page:
        page.app.post_message(AppBlur())
        await page.until(lambda: Journal().pending(path))
        await page.hit("ctrl+s", until=lambda: Journal().pending(path) is None)


async def test_what_a_crash_left_is_offered_with_what_it_changes_comes_back_unsaved_and_can_be_undone(
    path: Path,
) -> None:
    Journal().write(path, LEFT, None)
    app = studio_on(path, TEXT)
    async with app.run_test(size=WIDE) as pilot:
        page = Page(app, pilot)
        await page.asked("prompt: lost and found")
        await page.see("+   prompt: lost and found", "-   prompt: b")
        await page.hit("escape")
        await page.settle()
        await page.do("recover")
        await page.asked()
        await page.hit("enter")
        await loaded(page, LEFT)
        assert page.unsaved
        await page.press("ctrl+z")
        assert (page.text, page.unsaved) == (TEXT, False)
    assert path.read_text("utf-8") == TEXT


# --- Changed by others


TITLE = "title: Sixty\n---\n"
PROMPTS = "".join(f"- id: p{number}\n  prompt: Question {number}?\n  ideal: Answer {number}.\n" for number in range(60))
SIXTY = TITLE + PROMPTS


@pytest.mark.usefixtures("_quick")
async def test_lines_added_above_and_below_leave_cursor_selection_and_row_where_they_are(
    path: Path,
) -> None:
    async with opened(path, SIXTY, at="Question 30", size=NARROW) as page:
        await page.press("shift+down")
        before = (page.cursor_row, page.line, page.selected)
        theirs = TITLE + "# one\n# two\n# three\n" + PROMPTS.replace("Answer 51", "Another answer") + "# end\n"
        path.write_text(theirs, "utf-8")
        await loaded(page, theirs)
        assert (page.cursor_row, page.line, page.selected) == before
        assert not page.unsaved
        await page.press("ctrl+z")
        assert (page.text, page.line, page.unsaved) == (SIXTY, before[1], True)


@pytest.mark.usefixtures("_quick")
async def test_what_is_scrolled_to_stays_though_the_cursor_is_elsewhere(path: Path) -> None:
    async with opened(path, SIXTY) as page:
        editor = page.screen.editor
        editor.scroll_to(y=90, animate=False, immediate=True)
        await page.settle()
        path.write_text("# one\n" + SIXTY, "utf-8")
        await loaded(page, "# one\n" + SIXTY)
        assert (editor.scroll_offset.y, page.number) == (91, 2)


@pytest.mark.usefixtures("_quick")
async def test_a_changed_text_asks_with_the_difference_a_stray_enter_answers_nothing_and_theirs_can_be_undone(
    path: Path,
) -> None:
    async with opened(path, SIXTY, keys=tuple("#mine")) as page:
        mine, theirs = page.text, SIXTY.replace("Answer 2.", "Their answer.")
        path.write_text(theirs, "utf-8")
        asked = await page.asked("Something else changed the file", "Keep your text", "Load what is on disk")
        assert [line for line in asked.diff.splitlines() if line[:1] in "+-"] == [
            "- #minetitle: Sixty",
            "+ title: Sixty",
            "-   ideal: Answer 2.",
            "+   ideal: Their answer.",
        ]
        await page.reply("enter")
        assert page.text == mine
        await page.hit("ctrl+s")
        await (await page.asked("Save anyway")).choose("Load what is on disk")
        await loaded(page, theirs)
        assert not page.unsaved
        await page.press("ctrl+z")
        assert (page.text, page.unsaved) == (mine, True)


# --- Reloaded


async def reloaded(page: Page, text: str) -> None:
    """Reload, and answer the question where there is one by its first choice."""
    await page.do("reload")
    await page.until(lambda: page.question or page.text == text)
    if page.question:
        await page.hit("enter")
    await loaded(page, text)


async def test_undoing_a_reload_brings_the_typed_text_back_unsaved_and_it_can_be_saved(path: Path) -> None:
    async with opened(path, TEXT, keys=("#",)) as page:
        path.write_text(THEIRS, "utf-8")
        await reloaded(page, THEIRS)
        assert not page.unsaved
        await page.press("ctrl+z")
        assert (page.text, page.unsaved) == ("#" + TEXT, True)
        await page.press("ctrl+y")
        assert (page.text, page.unsaved) == (THEIRS, False)
        await page.press("ctrl+z", "ctrl+s")
        await page.until(lambda: path.read_text("utf-8") == "#" + TEXT)


async def test_what_is_typed_in_the_instant_of_a_reload_can_be_brought_back(path: Path) -> None:
    async with opened(path, TEXT) as page:
        path.write_text(THEIRS, "utf-8")
        await page.screen.session.file.reload()  # read, and not shown yet
        page.screen.editor.insert("typed", (0, 0))
        await loaded(page, THEIRS)
        await page.press("ctrl+z")
        assert page.text == "typed" + TEXT


async def test_a_reload_keeps_the_cursor_and_one_that_is_read_only_keeps_a_version_and_is_not_undone(
    path: Path,
) -> None:
    async with opened(path, TEXT, keys=("down", "end")) as page:
        path.write_text("# new\n" + TEXT, "utf-8")
        await reloaded(page, "# new\n" + TEXT)
        assert (page.number, page.line) == (3, "  prompt: b")
        await page.press("x")
        typed = page.text
        path.write_bytes(b"a\0b")
        await page.do("reload")
        await page.asked()
        await page.hit("enter", until=lambda: page.read_only)
        await page.settle()
        text = page.text
        await page.press("ctrl+z")
        assert page.text == text
    assert [version.text for version in Journal().state(path).left] == [typed]


# --- Replaced, or with hard links

posix = pytest.mark.skipif(sys.platform == "win32", reason="named pipes and links of POSIX")


@posix
async def test_a_hard_link_is_named_and_separated_only_when_the_author_agrees(path: Path) -> None:
    other = path.with_name("y.yml")
    app = studio_on(path, TEXT)
    os.link(path, other)
    async with running(app, keys=("#",)) as page:
        await page.hit("ctrl+s", asks="hard links")
        assert path.samefile(other)
        await page.hit("enter", until=lambda: not page.unsaved)
        assert (path.read_text("utf-8"), other.read_text("utf-8")) == ("#" + TEXT, TEXT)


# --- Leaving

DIALOGS = [("f1",), ("ctrl+p",), ("f9",), ("ctrl+f",), ("ctrl+g",), ("f8", "ctrl+e"), ("f8", "f8", "f4")]
UNSAVED, UNFINISHED = "changes that are not saved", "not been accepted yet"


async def test_ctrl_q_leaves_from_every_dialog_but_asks_about_unsaved_text_over_it(path: Path) -> None:
    async with opened(path, QUOTED, keys=("space",)) as page:
        for keys in one_in(3, DIALOGS):
            await page.press("ctrl+home")
            await page.hit(*keys)
            dialog = await page.asked()
            await page.hit("ctrl+q", asks=UNSAVED)
            await page.hit("escape", until=lambda dialog=dialog: dialog.is_there)
            assert not page.has_left
            await page.reply("escape")
        await page.press("ctrl+z")
        await page.hit("f1", asks="")
        await page.hit("ctrl+q")
        await left(page)


async def test_while_it_asks_it_does_not_ask_again_and_can_save_first(path: Path) -> None:
    async with opened(path, QUOTED, keys=("space",)) as page:
        await page.hit("ctrl+q", "ctrl+q", "ctrl+q", asks=UNSAVED)
        await page.hit("ctrl+q")
        assert len(page.app.screen_stack) == page.app.screen_stack.index(page.screen) + 2
        await page.reply("escape")
        assert (page.unsaved, page.has_left) == (True, False)
        await page.hit("ctrl+q", asks=UNSAVED)
        await page.hit("enter")
        await left(page)
    assert path.read_text("utf-8") == " " + QUOTED


async def test_discarding_leaves_the_file_and_no_journal(path: Path) -> None:
    async with opened(path, TEXT, keys=("#",)) as page:
        await page.until(lambda: Journal().pending(path))
        await page.hit("ctrl+q", asks=UNSAVED)
        await page.hit("down", "enter")
        await left(page)
    assert path.read_text("utf-8") == TEXT
    assert Journal().pending(path) is None


async def test_ctrl_s_and_at_once_ctrl_q_saves_and_leaves_without_a_question(path: Path) -> None:
    async with opened(path, QUOTED, keys=("space",)) as page:
        page.app.screen.post_message(Key("ctrl+s", None))
        page.app.screen.post_message(Key("ctrl+q", None))
        await page.until(lambda: page.has_left or page.question)
        assert page.question is None
    assert path.read_text("utf-8") == " " + QUOTED


async def test_going_to_the_start_screen_does_not_cancel_a_save(path: Path) -> None:
    async with opened(path, QUOTED, keys=("space",)) as page:
        await page.do("save")
        await page.do("start_screen")
        await page.until(lambda: isinstance(page.app.screen, StartScreen))
    assert path.read_text("utf-8") == " " + QUOTED
    assert Journal().state(path).left == ()


async def test_a_line_that_is_being_typed_is_not_lost_without_a_question(path: Path) -> None:
    async with opened(path, QUOTED) as page:
        await page.do("save_as")
        asked = await page.asked()
        await page.hit("end", "2", "ctrl+q", asks=UNFINISHED)
        await page.hit("enter", until=lambda: asked.is_there)
        assert asked.field().value.endswith("x.yml2")
        await page.hit("ctrl+q", asks=UNFINISHED)
        await page.hit("down", "enter")
        await left(page)


async def test_an_answer_that_is_being_edited_is_not_lost_without_a_question_and_given_up_no_draft(path: Path) -> None:
    typed: list[str] = []
    question = EditQuestion("Edit the answer", "30", "It is 30", typed.append)
    async with opened(path, QUOTED) as page:
        page.app.run_worker(DialogHost(page.app).ask(question))
        await page.asked("Edit the answer")
        await page.see("It is 30")
        await page.hit("M", until=lambda: typed == ["MIt is 30"])
        await page.hit("ctrl+q", asks=UNFINISHED)
        await page.hit("escape")
        await page.see("MIt is 30")
        await page.hit("ctrl+q", asks=UNFINISHED)
        await page.hit("down", "enter")
        await left(page)
    assert typed == ["MIt is 30", "30"]


async def test_a_cap_that_is_being_typed_is_not_lost_without_a_question(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test-123")
    async with opened(path, TEXT) as page:
        await page.choose(ModelSource("openai:gpt-4o-mini"))
        await page.hit("f5")
        (await page.asked("api.openai.com")).field("#dollars").value = "0.20"
        await page.hit("ctrl+q", asks=UNFINISHED)


@asynccontextmanager
async def filling(app: Studio) -> AsyncIterator[BlueprintScreen]:
    """Run `app` up to the moment in which the right side is being built; it has ended without a fault at the end."""
    ends = asyncio.create_task(app.run_async(headless=True, size=WIDE))
    while not any(isinstance(screen, BlueprintScreen) and screen.is_filling for screen in app.screen_stack):
        await asyncio.sleep(0)
    with app._context():  # else what the test calls may meet the app of an earlier test
        yield blueprint_screen(app)
    await asyncio.wait_for(ends, SECONDS)
    assert app._exception is None


async def test_it_leaves_while_the_right_side_is_being_built(path: Path) -> None:
    app = studio_on(path, QUOTED)
    async with filling(app):
        app.post_message(Key("ctrl+q", None))


async def test_the_start_screen_opens_while_the_right_side_is_being_built_and_it_leaves_from_its_dialogs(
    path: Path,
) -> None:
    app = studio_on(path, QUOTED)
    async with filling(app) as screen:
        screen.action_do("blueprint.start_screen")
        while not isinstance(app.screen, StartScreen):
            await asyncio.sleep(0.01)
        app.post_message(Key("f1", None))
        while isinstance(app.screen, StartScreen):
            await asyncio.sleep(0.01)
        app.post_message(Key("ctrl+q", None))


@pytest.mark.parametrize("turns", one_in(3, range(1, 4)))
async def test_it_leaves_while_a_dialog_opens(turns: int, path: Path) -> None:
    async with opened(path, QUOTED) as page:
        page.app.post_message(Key("f9", None))
        for _ in range(turns):
            await asyncio.sleep(0)
        page.app.post_message(Key("ctrl+q", None))
        await left(page)

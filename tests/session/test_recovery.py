"""A file that two studios have open, and text that was left: nothing is lost, whatever the author answers."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from engine.files.atomic import is_locked
from engine.files.journal import Journal
from engine.files.own_files import state_dir
from studio.session import blueprint_file, unsaved_text
from studio.session.host import Choose, DifferenceQuestion
from studio.session.unsaved_text import JournalThread, Unsaved
from tests.session.faces import SECONDS, Face, open_face
from tests.session.other_studio import other_studio
from tests.session.small_file import MINE, TEXT, THEIRS, left, texts_left

# --- Two studios


@pytest.mark.parametrize("answer", ["read_only", None])
async def test_the_other_studio_is_named_and_read_only_leaves_it_its_file_and_its_text(
    path: Path, answer: str | None
) -> None:
    with other_studio(path) as other:
        other.does("write", THEIRS)
        face = await open_face(path, answer)
        (question,) = face.author.asked
        assert isinstance(question, Choose)
        assert f"open in another studio, pid {other.pid}" in question.text
        assert [choice.id for choice in question.choices] == ["read_only", "take_over", "copy"]
        assert face.session.state.is_read_only
        assert not await face.session.file.save()
        await face.close()
        assert other.does("wait")["read_only"] is None
        other.killed()
    assert texts_left(path) == [THEIRS]


async def test_saving_in_one_studio_leaves_the_text_of_the_other(path: Path) -> None:
    with other_studio(path) as other:
        face = await open_face(path, "copy")
        face.write(MINE)
        await face.session.file.write_journal()
        other.does("write", THEIRS)
        other.does("save")
        copy = face.session.state.path
        await face.close()
        assert texts_left(copy) == [MINE]


async def test_a_copy_is_written_only_when_it_is_saved(path: Path) -> None:
    with other_studio(path) as other:
        other.does("write", THEIRS)
        face = await open_face(path, "copy")
        copy = face.session.state.path
        assert (copy.name, copy.exists()) == ("x-copy.yml", False)
        face.write(MINE)
        assert await face.session.file.save()
        assert (copy.read_text("utf-8"), path.read_text("utf-8")) == (MINE, TEXT)


async def test_taking_over_makes_the_other_studio_read_only_and_offers_its_text(path: Path) -> None:
    with other_studio(path) as other:
        other.does("write", THEIRS)
        face = await open_face(path, "take_over", "take")
        assert isinstance(face.author.asked[1], DifferenceQuestion)
        await face.until(lambda: face.text == THEIRS)
        assert f"pid {os.getpid()}" in other.does("read-only")["read_only"]
        other.does("save")
        assert path.read_text("utf-8") == TEXT
        assert await face.session.file.save()
        assert path.read_text("utf-8") == THEIRS


async def test_a_studio_that_hangs_is_read_only_as_soon_as_it_goes_on(path: Path) -> None:
    with other_studio(path) as other:
        other.does("write", THEIRS)
        os.kill(other.pid, signal.SIGSTOP)
        face = await open_face(path, "take_over")
        assert any("does not answer" in message for message in face.author.messages)
        assert not face.session.state.is_read_only
        os.kill(other.pid, signal.SIGCONT)
        other.does("save")
        assert path.read_text("utf-8") == TEXT
        assert other.does("read-only")["text"] == THEIRS


async def test_a_studio_that_was_killed_is_not_called_open(path: Path) -> None:
    with other_studio(path) as other:
        other.does("write", THEIRS)
        other.killed()
    face = await open_face(path, "later")
    (question,) = face.author.asked
    assert isinstance(question, DifferenceQuestion)
    assert (question.before, question.after) == (TEXT, THEIRS)


async def test_a_studio_that_was_closed_leaves_nothing(path: Path) -> None:
    with other_studio(path) as other:
        other.does("write", THEIRS)
        other.does("save")
        other.does("close")
    face = await open_face(path)
    assert face.author.asked == []


async def test_a_read_only_file_can_be_loaded_again_once_the_other_studio_is_gone(path: Path) -> None:
    with other_studio(path) as other:
        face = await open_face(path, "read_only")
        await face.session.file.reload()
        assert face.session.state.is_read_only
        other.killed()
        await face.session.file.reload()
        assert not face.session.state.is_read_only


# --- What was left


async def test_deciding_later_and_typing_leaves_both_texts(path: Path) -> None:
    left(path, "older\n")
    face = await open_face(path, "later")
    face.write("newer\n")
    await face.close()
    assert texts_left(path) == ["newer\n", "older\n"]


async def test_saving_after_deciding_later_leaves_the_older_text(path: Path) -> None:
    left(path, "older\n")
    face = await open_face(path, "later")
    face.write("newer\n")
    assert await face.session.file.save()
    await face.close()
    assert texts_left(path) == ["older\n"]


async def test_each_of_several_versions_can_be_taken_up(path: Path) -> None:
    left(path, "one\n", "two\n", "three\n")
    face = await open_face(path, "1", "take")
    await face.until(lambda: face.text == "two\n")


async def test_giving_one_version_up_leaves_the_others(path: Path) -> None:
    left(path, "one\n", "two\n", "three\n")
    face = await open_face(path, "0", "drop", "later")
    await face.close()
    assert texts_left(path) == ["two\n", "one\n"]


async def test_a_version_that_was_taken_up_is_not_offered_again_and_stays_in_the_list(path: Path) -> None:
    left(path, "one\n")
    face = await open_face(path, "take")
    await face.until(lambda: face.text == "one\n")
    assert await face.session.file.save()
    face.write(TEXT)
    assert await face.session.file.save()
    assert len(face.author.asked) == 1
    face.author.answers = ["take"]
    await face.session.file.recover()
    await face.until(lambda: face.text == "one\n")


async def test_unsaved_text_that_a_version_replaces_is_a_version(path: Path) -> None:
    left(path, "one\n")
    face = await open_face(path, "later")
    face.write("typed\n")
    face.author.answers = ["take"]
    await face.session.file.recover()
    await face.until(lambda: face.text == "one\n")
    assert "typed\n" in texts_left(path)


async def test_without_versions_recovering_says_so(path: Path) -> None:
    face = await open_face(path)
    await face.session.file.recover()
    assert any("no earlier text" in message for message in face.author.messages)


async def test_saving_under_another_name_leaves_nothing_of_either(path: Path, tmp_path: Path) -> None:
    face = await open_face(path)
    face.write(MINE)
    await face.session.file.write_journal()
    face.author.answers = [str(tmp_path / "other.yml")]
    assert await face.session.file.save_as()
    await face.close()
    assert texts_left(path) == texts_left(tmp_path / "other.yml") == []


async def test_a_version_that_cannot_be_written_again_is_still_offered(
    path: Path, reports: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    left(path, "one\n")

    def refused(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Journal, "write", refused)
    face = await open_face(path, "take")
    await face.until(lambda: face.text == "one\n")
    assert [line for line in reports if "No space left" in line] == reports
    assert len(reports) == 1
    await face.close()
    assert [version.is_listed for version in Journal().state(path).left] == [False]


# --- The journal in use


async def test_the_journal_is_written_before_a_run(path: Path) -> None:
    face = await open_face(path, text="- id: a\n  prompt: b\n  ideal: c\n  should:\n    - $icontains: c\n")
    face.replace("prompt: b", "prompt: changed")
    face.cursor_at("changed")
    await face.until(lambda: face.session.state.is_current)
    face.session.file.hand_over()
    before: list[bool] = []
    real = face.runs.evaluator.wanted

    def seen(launch: Any) -> Any:
        found = Journal().pending(path)
        before.append(found is not None and "changed" in found.text)
        return real(launch)

    face.runs.evaluator.wanted = seen
    face.runs.run_or_stop()
    await face.until(lambda: before)
    await face.settled()
    assert before == [True]


async def test_the_journal_is_written_while_the_event_loop_is_busy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unsaved_text, "JOURNAL_SECONDS", 0.05)
    face = await open_face(path)
    face.write(MINE)
    end = time.monotonic() + SECONDS
    while (found := Journal().pending(path)) is None and time.monotonic() < end:  # nothing else runs on the loop
        time.sleep(0.01)
    assert found is not None
    assert found.text == MINE


@pytest.mark.parametrize("place", ["state", "state/journal"])
async def test_a_file_in_the_place_of_a_folder_gives_way(
    path: Path, place: str, clean_environment: Path, reports: list[str]
) -> None:
    (clean_environment / place).parent.mkdir(exist_ok=True)
    (clean_environment / place).write_text("x")
    face = await open_face(path)
    face.write(MINE)
    await face.session.file.write_journal()
    [line] = reports
    assert line.startswith(f"{clean_environment / place} could not be used: ")
    assert face.author.messages == []
    assert await face.session.file.save()


async def test_a_damaged_journal_is_reported_in_one_line_and_the_file_opens(path: Path, reports: list[str]) -> None:
    left(path, "one\n")
    (entry,) = (state_dir() / "journal").glob("*.json")
    entry.write_bytes(b"[" * 200_000)
    await open_face(path)
    [line] = reports
    assert line.startswith(f"{entry} could not be used: it is damaged.")


async def test_a_text_that_no_file_can_hold_stays_unsaved_and_says_why(path: Path) -> None:
    face = await open_face(path, "stay")
    face.write(TEXT + "# \ud83d\n")
    assert not await face.session.file.save()
    [question] = face.author.asked
    assert isinstance(question, Choose)
    assert "Line 3, column 3" in question.text
    assert face.session.state.unsaved
    assert path.read_text("utf-8") == TEXT


# --- A file that another studio takes over, copies or saves over: both authors know, and both texts are there


def taken_over(path: Path) -> None:
    """As another studio does it. Blocks."""
    journal = Journal()
    journal.claim(path)
    journal.take_over(path)


async def opened_and_taken_over(path: Path) -> Face:
    """A session that typed `MINE` before another studio took the file over."""
    face = await open_face(path)
    face.write(MINE)
    await asyncio.to_thread(taken_over, path)
    await face.until(lambda: face.session.state.is_read_only)
    return face


def locked_entries() -> list[Path]:
    return [entry for entry in (state_dir() / "journal").glob("*.json") if is_locked(entry)]


async def test_the_owner_is_told_though_nothing_is_due_for_the_journal(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unsaved_text, "JOURNAL_SECONDS", 3600.0)
    face = await open_face(path)
    taking = asyncio.create_task(asyncio.to_thread(taken_over, path))
    await face.until(lambda: face.session.state.is_read_only)
    await taking


async def test_a_file_taken_over_while_it_is_saved_stays_read_only(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = blueprint_file.save

    def saved_late(*given: Any, **options: Any) -> Any:
        taken_over(path)
        return real(*given, **options)

    face = await open_face(path)
    face.write(MINE)
    monkeypatch.setattr(blueprint_file, "save", saved_late)
    assert await face.session.file.save()
    await face.until(lambda: face.session.state.is_read_only)
    assert (path.read_text("utf-8"), face.session.state.unsaved) == (MINE, False)


async def test_the_former_owner_writes_no_journal_of_its_own(path: Path) -> None:
    face = await opened_and_taken_over(path)
    await face.session.file.write_journal()  # as before a run
    assert locked_entries() == []
    assert texts_left(path) == [MINE]


async def test_what_the_former_owner_typed_in_the_last_moment_is_a_version(path: Path) -> None:
    face = await opened_and_taken_over(path)
    face.write(MINE + "# last\n")
    await face.session.file.write_journal()
    assert locked_entries() == []
    assert MINE + "# last\n" in texts_left(path)


async def test_the_name_of_the_file_itself_is_asked_about_once_it_is_taken_over(path: Path) -> None:
    face = await opened_and_taken_over(path)
    path.write_text(THEIRS, "utf-8")
    face.author.answers = [str(path), "stay"]
    assert not await face.session.file.save_as()
    assert "there already" in face.author.asked[-1].text  # pyright: ignore[reportAttributeAccessIssue]
    assert path.read_text("utf-8") == THEIRS


async def test_a_file_that_another_studio_has_open_is_saved_over_only_by_choice(path: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yml"
    mine.write_text(TEXT, "utf-8")
    with other_studio(path) as other:
        face = await open_face(mine)
        face.write(MINE)
        face.author.answers = [str(path), "stay"]
        assert not await face.session.file.save_as()
        question = face.author.asked[-1]
        assert isinstance(question, Choose)
        assert f"pid {other.pid}, which becomes read-only" in question.text
        assert path.read_text("utf-8") == TEXT


async def test_a_studio_whose_file_is_saved_over_is_read_only(path: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yml"
    mine.write_text(TEXT, "utf-8")
    with other_studio(path) as other:
        other.does("write", THEIRS)
        face = await open_face(mine)
        face.write(MINE)
        face.author.answers = [str(path), "overwrite"]
        assert await face.session.file.save_as()
        assert other.does("read-only")["text"] == THEIRS
        assert (path.read_text("utf-8"), texts_left(path)) == (MINE, [THEIRS])


async def test_two_copies_have_two_names(path: Path) -> None:
    with other_studio(path), other_studio(path, "copy"):
        face = await open_face(path, "copy")
        assert face.session.state.path.name == "x-copy-2.yml"


async def test_a_copy_does_not_take_the_name_of_text_that_was_left(path: Path) -> None:
    left(path.with_name("x-copy.yml"), "left\n")
    with other_studio(path):
        face = await open_face(path, "copy")
        assert face.session.state.path.name == "x-copy-2.yml"


async def test_a_text_that_is_not_shown_yet_is_not_saved_over(path: Path) -> None:
    """The file is read, and the editor still has the text of before, when the author saves."""
    face = await open_face(path)
    path.write_text(THEIRS, "utf-8")
    face.stops_showing()
    await face.session.file.reload()
    assert not await face.session.file.save()
    assert path.read_text("utf-8") == THEIRS


async def test_what_is_replaced_is_what_the_author_was_told_of(path: Path) -> None:
    face = await open_face(path)
    face.write(MINE)
    path.write_text("first\n", "utf-8")

    def changes_again(_: Any) -> str:
        path.write_text("second\n", "utf-8")
        return "overwrite"

    face.author.answers = [changes_again, "stay"]
    assert not await face.session.file.save()
    assert len(face.author.asked) == 2
    assert path.read_text("utf-8") == "second\n"


async def test_a_file_that_appears_while_its_name_is_chosen_is_asked_about(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.yml"
    real = blueprint_file.save

    def created_first(*given: Any, **options: Any) -> Any:
        other.write_text(THEIRS, "utf-8")
        return real(*given, **options)

    face = await open_face(path)
    face.write(MINE)
    monkeypatch.setattr(blueprint_file, "save", created_first)
    face.author.answers = [str(other), "stay"]
    assert not await face.session.file.save_as()
    assert other.read_text("utf-8") == THEIRS
    assert face.session.state.path == path


# --- The journal is at most two seconds behind the keys, also while a write takes long


SECONDS_BEHIND = 2.0
SECONDS_OF_A_WRITE = 0.7


class Clock:
    """Seconds that pass only while the thread waits or writes. It is its own waker, too."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.is_woken = False

    def monotonic(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        self.now += seconds
        return self.is_woken

    def set(self) -> None:
        self.is_woken = True

    def clear(self) -> None:
        self.is_woken = False


class SlowJournal(Journal):
    """Each write takes long. The author types `second` as the first one begins."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock
        self.thread: JournalThread | None = None
        self.typed: float | None = None
        self.behind: float | None = None

    def write(self, path: Path, text: str, base_digest: str | None) -> None:
        assert self.thread is not None
        if self.typed is None:
            self.typed = self.clock.now
            self.thread.put(Unsaved(path, "second", None))
        self.clock.now += SECONDS_OF_A_WRITE
        super().write(path, text, base_digest)
        if text == "second":
            self.behind = self.clock.now - self.typed
            self.thread.stop()


def test_a_text_that_is_typed_while_the_journal_writes_is_there_within_two_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, clock = tmp_path / "x.yml", Clock()
    monkeypatch.setattr(unsaved_text, "time", clock)
    journal = SlowJournal(clock)
    journal.thread = thread = JournalThread(journal, Unsaved(path, None, None), taken_over=lambda *_: None)
    monkeypatch.setattr(thread, "_wake", clock)
    thread.put(Unsaved(path, "first", None))
    thread.start()
    thread.join()
    assert journal.behind is not None
    assert journal.behind < SECONDS_BEHIND

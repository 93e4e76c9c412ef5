"""A few kills of the installed studio in a real terminal, and the model of the text that judges them."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.files.journal import Journal, Recovered
from tests.fire import kill, kill_aftermath
from tests.fire.blueprints import Generated
from tests.fire.draft import Draft
from tests.fire.kill_aftermath import Aftermath, Kind, Story
from tests.fire.kill_deeds import Activity
from tests.fire.killed_window import await_end, descendants
from tests.terminal import needs_tmux


@needs_tmux
def test_nothing_is_torn_or_lost_by_a_kill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kill_aftermath, "LIMIT", 6.0)  # seconds, for a machine that is busy with other tests
    plan = kill.Plan("1 0", (Activity.SAVING,), long=False)
    assert [each.wrongs for each in kill.killings(plan)] == [()]


def test_every_activity_is_killed_as_often_as_the_others() -> None:
    counts = Counter(activity for plan in kill.plans(1, 7) for activity in plan.activities)
    assert counts == dict.fromkeys(Activity, 7)


def test_the_same_seed_is_the_same_attack() -> None:
    assert kill.plans(5, 9) == kill.plans(5, 9)


# --- The model of the text


def test_each_key_makes_a_state() -> None:
    draft = Draft("ab\r\ncd")
    draft.go_to(0)
    draft.type("xy")
    draft.delete(1)
    assert (draft.text, draft.number) == ("abx\r\ncd", 3)
    assert [draft.latest(text) for text in ("ab\r\ncd", "abxy\r\ncd", "abx\r\ncd", "aby\r\ncd")] == [0, 2, 3, None]


def test_pasted_lines_have_the_line_ends_of_the_text() -> None:
    draft = Draft("a\r\nb")
    draft.go_to(1)
    draft.paste("\nc")
    assert (draft.text, draft.number) == ("a\r\nb\r\nc", 1)


def test_what_was_seen_too_late_need_not_survive() -> None:
    draft = Draft("")
    draft.type("a")
    draft.seen(10.0)
    draft.type("b")
    draft.seen(11.0)
    assert [draft.newest_seen(until) for until in (9.9, 10.0, 10.9, 11.0)] == [0, 1, 1, 2]


# --- What is found wrong


OLD = Generated("title: Old\n", bom=False)


class Scene:
    """A file after a kill at 100 seconds: `ab` was typed below it and seen, `a` at 97 seconds, `b` at 99."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "a.yml"
        self.path.write_bytes(OLD.encoded())
        self.path.chmod(0o600)
        self.home = folder / "home"
        self.journal = Journal(self.home / "state" / "journal")
        self.draft = Draft(OLD.text)
        self.draft.go_to(1)
        self.draft.type("a")
        self.draft.seen(97.0)
        self.draft.type("b")
        self.draft.seen(99.0)

    def leaves(self, text: str) -> Path:
        """A version in the journal."""
        self.journal.write(self.path, text, None)
        self.journal.release()
        return next((self.home / "state" / "journal").iterdir())

    def wrongs(self, *left: Recovered, saved: tuple[int, ...] = (), gives_up: bool = False) -> list[Kind]:
        """What is found wrong. `left` was in the journal before."""
        story = Story(self.draft, OLD.encoded(), left, saved, gives_up, at=100.0)
        return [wrong.kind for wrong in Aftermath(self.path, self.home, OLD, 0o600).wrongs(story)]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


@pytest.mark.parametrize("text", ["title: Old\na", "title: Old\nab"])
def test_a_text_of_two_seconds_or_a_newer_one_in_the_journal_is_right(scene: Scene, text: str) -> None:
    scene.leaves(text)
    assert scene.wrongs() == []


@pytest.mark.parametrize("text", ["title: Old\na", "title: Old\nab"])
def test_a_text_of_two_seconds_or_a_newer_one_in_the_file_is_right(scene: Scene, text: str) -> None:
    scene.path.write_text(text)
    assert scene.wrongs(saved=(1,)) == []


def test_a_text_of_two_seconds_that_is_nowhere_is_lost(scene: Scene) -> None:
    assert scene.wrongs() == [Kind.LOST]


def test_a_text_that_was_given_up_is_not_lost(scene: Scene) -> None:
    assert scene.wrongs(gives_up=True) == []


def test_a_text_in_the_journal_that_never_was_one_is_torn(scene: Scene) -> None:
    scene.leaves("title: Old\nax")
    assert scene.wrongs() == [Kind.TORN, Kind.LOST]


def test_a_version_that_is_gone_from_the_journal_is_lost(scene: Scene) -> None:
    scene.leaves("title: Old\nab")
    before = Recovered("title: Older\n", None, datetime.now(UTC), scene.path)
    assert scene.wrongs(before) == [Kind.LOST]


@pytest.mark.parametrize("content", [b"", b"title: Ol", b"title: Old\nabc", b"\xff", b"\xef\xbb\xbftitle: Old\nab"])
def test_a_file_that_never_was_a_text_is_torn(scene: Scene, content: bytes) -> None:
    scene.leaves("title: Old\nab")
    scene.path.write_bytes(content)
    assert scene.wrongs(saved=(1,)) == [Kind.TORN]


def test_a_file_with_text_that_nobody_saved_is_torn(scene: Scene) -> None:
    scene.path.write_text("title: Old\nab")
    assert scene.wrongs() == [Kind.TORN]


def test_a_file_with_a_text_from_before_the_save_is_torn(scene: Scene) -> None:
    scene.leaves("title: Old\nab")
    scene.path.write_text("title: Old\na")
    assert scene.wrongs(saved=(2,)) == [Kind.TORN]


def test_another_mode_is_torn(scene: Scene) -> None:
    scene.leaves("title: Old\nab")
    scene.path.chmod(0o644)
    assert scene.wrongs() == [Kind.TORN]


def test_a_damaged_entry_of_the_journal_is_found(scene: Scene) -> None:
    scene.leaves("title: Old\nab").write_bytes(b"{")
    assert scene.wrongs() == [Kind.LOST, Kind.DAMAGED]


def test_a_damaged_database_is_found(scene: Scene) -> None:
    scene.leaves("title: Old\nab")
    (scene.home / "data").mkdir()
    (scene.home / "data" / "studio.sqlite3").write_bytes(b"no database" * 1000)
    assert scene.wrongs() == [Kind.DAMAGED]


def test_a_process_that_stays_is_found() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        assert await_end([process.pid], 0.1) == [process.pid]
        process.kill()
    assert await_end([process.pid], 5) == []


def test_the_children_of_children_are_found() -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1, flush=True); input()'])"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert len(descendants(process.pid)) == 1
        process.kill()

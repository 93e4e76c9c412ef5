"""A few kills and schedules of studios, and the models that say what was lost."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.files.journal import Journal, Recovered
from tests.fire import kill, kill_aftermath, kill_in_save, process_handle, processes
from tests.fire.blueprints import Generated
from tests.fire.deaths import NO_DEATH, Death, Way
from tests.fire.kill_aftermath import Aftermath, Draft, Kind, Story
from tests.fire.kill_deeds import Activity
from tests.fire.kill_in_save import Done, done
from tests.fire.killed_window import await_end, descendants
from tests.fire.process_handle import Handle
from tests.fire.process_world import Fault, World
from tests.fire.processes import Pool, play, schedule, stage
from tests.fire.studio_process import Chose, Deed, Flushed, Order, Shown, Typed
from tests.terminal import needs_tmux
from tests.thoroughness import one_in, tried

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the system cannot fork")

# --- Kills in a terminal


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
    assert kill_in_save.planned(7, 3) == kill_in_save.planned(7, 3)
    assert schedule(1, 5) == schedule(1, 5) != schedule(1, 6)


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

    def damages_database(self) -> None:
        (self.home / "data").mkdir()
        (self.home / "data" / "studio.sqlite3").write_bytes(b"no database" * 1000)

    def wrongs(self, left: Recovered | None = None, saved: tuple[int, ...] = (), gives_up: bool = False) -> list[Kind]:
        """What is found wrong. `left` was in the journal before."""
        before = () if left is None else (left,)
        story = Story(self.draft, OLD.encoded(), before, saved, gives_up, at=100.0)
        return [wrong.kind for wrong in Aftermath(self.path, self.home, OLD, 0o600).wrongs(story)]


LEFT: dict[str, tuple[Callable[[Scene], object], dict[str, Any], list[Kind]]] = {
    "a text of two seconds in the journal": (lambda scene: scene.leaves("title: Old\na"), {}, []),
    "a newer one in the journal": (lambda scene: scene.leaves("title: Old\nab"), {}, []),
    "a text of two seconds in the file": (lambda scene: scene.path.write_text("title: Old\na"), {"saved": (1,)}, []),
    "a newer one in the file": (lambda scene: scene.path.write_text("title: Old\nab"), {"saved": (1,)}, []),
    "a text of two seconds is nowhere": (lambda scene: None, {}, [Kind.LOST]),
    "a text that was given up is nowhere": (lambda scene: None, {"gives_up": True}, []),
    "a text in the journal that never was one": (
        lambda scene: scene.leaves("title: Old\nax"),
        {},
        [Kind.TORN, Kind.LOST],
    ),
    "a version is gone from the journal": (
        lambda scene: scene.leaves("title: Old\nab"),
        {"left": Recovered("title: Older\n", None, datetime.now(UTC), Path("a.yml"))},
        [Kind.LOST],
    ),
    "a text in the file that nobody saved": (
        lambda scene: scene.path.write_text("title: Old\nab"),
        {},
        [Kind.TORN],
    ),
    "a text in the file from before the save": (
        lambda scene: (scene.leaves("title: Old\nab"), scene.path.write_text("title: Old\na")),
        {"saved": (2,)},
        [Kind.TORN],
    ),
    "another mode": (lambda scene: (scene.leaves("title: Old\nab"), scene.path.chmod(0o644)), {}, [Kind.TORN]),
    "a damaged entry of the journal": (
        lambda scene: scene.leaves("title: Old\nab").write_bytes(b"{"),
        {},
        [Kind.LOST, Kind.DAMAGED],
    ),
    "a damaged database": (
        lambda scene: (scene.leaves("title: Old\nab"), scene.damages_database()),
        {},
        [Kind.DAMAGED],
    ),
    **{
        f"a file that never was a text: {content!r}": (
            lambda scene, content=content: (scene.leaves("title: Old\nab"), scene.path.write_bytes(content)),
            {"saved": (1,)},
            [Kind.TORN],
        )
        for content in (b"", b"title: Ol", b"title: Old\nabc", b"\xff", b"\xef\xbb\xbftitle: Old\nab")
    },
}


@pytest.mark.parametrize("what", LEFT)
def test_what_a_kill_leaves_is_judged(what: str, tmp_path: Path) -> None:
    scene, (arrange, told, wrongs) = Scene(tmp_path), LEFT[what]
    arrange(scene)
    assert scene.wrongs(**told) == wrongs


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


# --- Kills within a save

TEXT = "title: Old\n"
SAVED = "title: New\n" * 1000


def saved(folder: Path, death: Death) -> Done:
    path = folder / "a.yml"
    path.write_text(TEXT)
    write, save = (
        Order(deed, path, folder / "home", "", SAVED, is_last=deed is Deed.SAVE) for deed in (Deed.WRITE, Deed.SAVE)
    )
    return done([write, save], death)


def test_nothing_is_torn_lost_or_left() -> None:
    assert [row for row in kill_in_save.run(1, tried(1, 4)).rows if row.met is False] == []


def test_every_deed_and_every_way_to_die_occurs() -> None:
    planned = [kill_in_save.planned(1, number) for number in range(100)]
    assert {each.deed for each in planned} == {*kill_in_save.DEEDS}
    assert {each.way for each in planned} == {*Way} - {Way.COUNT}


def test_a_save_has_moments_at_which_it_can_be_killed(tmp_path: Path) -> None:
    found = saved(tmp_path, NO_DEATH)
    last = found.events[-1]
    assert isinstance(last, Shown)
    assert (found.is_done, last.moments > 40) == (True, True)
    assert (tmp_path / "a.yml").read_text() == SAVED


@pytest.mark.parametrize("death", [Death(Way.AT_MOMENT, 1), Death(Way.AT_BYTE, 4096)], ids=str)
def test_a_killed_save_is_not_done(tmp_path: Path, death: Death) -> None:
    found = saved(tmp_path, death)
    assert (found.is_done, found.failure) == (False, "")
    assert (tmp_path / "a.yml").read_text() == TEXT


def test_a_save_killed_by_the_clock_leaves_the_text_of_before_or_its_own(tmp_path: Path) -> None:
    found = saved(tmp_path, Death(Way.TIMED, 0))
    assert found.failure == ""
    assert (tmp_path / "a.yml").read_text() in (TEXT, SAVED)


# --- Several studios on one file

LINE = "# line-0-1"


@pytest.fixture(scope="module")
def staged() -> Iterator[tuple[Pool, str]]:
    with stage() as both:
        yield both


@pytest.mark.parametrize("number", one_in(2, [13, 4]))
def test_several_studios_lose_nothing(staged: tuple[Pool, str], number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # For a machine that is busy with other tests.
    monkeypatch.setattr(process_handle, "SECONDS_VISIBLE", 4.0)
    monkeypatch.setattr(processes, "SECONDS_VISIBLE", 4.0)
    monkeypatch.setattr(processes, "_SECONDS_TO_AGREE", 60.0)
    assert play(1, number, *staged).faults == []


# --- The model


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path, "http://127.0.0.1:9/v1/chat/completions")


@pytest.fixture(scope="module")
def studio() -> Iterator[Handle]:
    handle = Handle()
    yield handle
    handle.close()


def typed(world: World, studio: Handle) -> None:
    world.note(studio, None, Typed(f"{LINE}\n"))


def test_a_line_that_is_nowhere_is_lost(world: World, studio: Handle) -> None:
    typed(world, studio)
    world.check_lines([], "now")
    assert [fault for fault, _ in world.faults] == [Fault.LOST]


def test_a_line_that_was_given_up_is_not_lost(world: World, studio: Handle) -> None:
    typed(world, studio)
    world.note(studio, None, Chose("reload", "reload", frozenset({LINE})))
    world.check_lines([], "now")
    assert world.faults == []


def test_a_line_that_a_file_has_is_not_lost(world: World, studio: Handle) -> None:
    typed(world, studio)
    (world.work / "other.yml").write_text(f"{LINE}\n", "utf-8")
    world.check_lines([], "now")
    assert world.faults == []


def test_a_line_that_leaves_the_disk_is_lost(world: World, studio: Handle) -> None:
    world.file.write_text(f"{LINE}\n", "utf-8")
    world.check_lines([], "before")
    world.file.write_text("another\n", "utf-8")
    world.check_lines([], "now")
    assert [fault for fault, _ in world.faults] == [Fault.LOST]


def test_a_lock_that_an_author_is_told_of_is_a_fault(world: World, studio: Handle) -> None:
    world.note(studio, None, Shown(messages=("x.sqlite3 cannot be written: database is locked.",)))
    assert [fault for fault, _ in world.faults] == [Fault.ERRORS]


def test_a_studio_does_what_it_is_ordered_and_tells_of_it(world: World, studio: Handle) -> None:
    studio.send(Order(Deed.TYPE, world.file, world.home, world.models, "0-1"))
    events = list(studio.answers())
    assert [type(event) for event in events] == [Typed, Flushed, Shown]
    world.check_lines([studio], "now")
    assert world.disagreements([studio]) == []
    studio.send(Order(Deed.CLOSE, world.file, world.home, world.models, answers={"leave": "discard"}))
    assert [type(event) for event in studio.answers()] == [Chose, Shown]

"""Kills within a save: of the blueprint, of a copy, of the journal, the settings, the database and an export.

A studio is killed at the beginning or the end of a call into the system, by the system at a byte of a write, or by
another process after a while. Then the studio is started again: each file is the old or the new one, whole, with its
mode, no text is lost, and no temporary file is left. One start in `_REAL_STARTS` is that of the installed program in a
terminal; the others are those of a session. Needs a system with `fork`, and tmux.
"""

from __future__ import annotations

import json
import queue
import random
import shutil
import sqlite3
import stat
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.files.journal import read_entry
from engine.text.record import replace
from tests.benchmarks import programs
from tests.benchmarks.window import TooSlow, Window
from tests.fire.blueprints import Generated, generated
from tests.fire.deaths import NO_DEATH, Death, Way
from tests.fire.figures import Figure, Figures
from tests.fire.kill_aftermath import state_of_database
from tests.fire.process_handle import SECONDS_TO_ANSWER, Handle
from tests.fire.studio_process import Armed, Chose, Deed, Event, Faulted, Order, Reported, Shown

ROUNDS = 1000
_AT_ONCE = 2
_FEW = 20
"""Rounds for which a second process is not worth its start."""
_REAL_STARTS = 25
_WAYS = (Way.AT_MOMENT, Way.AT_MOMENT, Way.AT_BYTE, Way.TIMED)
_BEFORE: dict[Deed, tuple[Deed, ...]] = {
    Deed.SAVE: (Deed.OPEN, Deed.WRITE),
    Deed.SAVE_AS: (Deed.OPEN, Deed.WRITE),
    Deed.WRITE: (Deed.OPEN, Deed.WRITE),
    Deed.AGREE: (Deed.OPEN,),
    Deed.RUN: (Deed.OPEN,),
    Deed.EXPORT: (Deed.OPEN, Deed.RUN),
    Deed.ANSWER: (Deed.OPEN, Deed.ANSWER),
    Deed.OPEN: (),
    Deed.CLOSE: (Deed.OPEN, Deed.WRITE),
}
"""What the studio does when it is killed, and what it did before."""
DEEDS = (*(Deed.SAVE,) * 6, *(Deed.SAVE_AS,) * 3, *_BEFORE)
_SAVES = (Deed.SAVE, Deed.CLOSE)
_KEEPS = (*_SAVES, Deed.SAVE_AS, Deed.WRITE)
_OLD_ANSWER = "It is."
_MODES = (0o600, 0o640, 0o644, 0o664, 0o755)
_MOST_SECONDS = 0.08
"""The longest time to a timed kill; most saves take less."""

TORN = "files neither old nor new"
LOST = "texts lost"
LEFT = "temporary files after the next start"
DAMAGED = "own files damaged"
FAILED = "studios that did not do or start"
_WRONGS = (TORN, LOST, LEFT, DAMAGED, FAILED)


@dataclass(frozen=True, slots=True)
class Wrong:
    """What was wrong in a round: one of the kinds above, and the details."""

    kind: str
    details: str


@dataclass(frozen=True, slots=True)
class Done:
    """What a studio told until it was gone, and whether it did all of its last order."""

    events: tuple[Event, ...]
    is_done: bool

    @property
    def failure(self) -> str:
        """How it failed, "" if it did not."""
        return "".join(event.trace for event in self.events if isinstance(event, Faulted))


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a round. `is_within`: the studio was killed before it had done all of its deed."""

    wrongs: tuple[Wrong, ...]
    is_within: bool


@dataclass(frozen=True, slots=True)
class Round:
    """One round: what is saved, by which name, and how the studio dies.

    `is_link`: the blueprint is opened by a symlink from another folder. `is_first`: nothing of the program is there
    yet.
    """

    number: int
    deed: Deed
    way: Way
    where: float
    """Between 0 and 1: early or late."""
    old: Generated
    new: Generated
    mode: int
    is_link: bool
    is_first: bool
    replaces: bool
    """Whether there is a file at the other path already."""


def run(seed: int, rounds: int) -> Figures:
    """Kill `rounds` studios, some at the same time. What goes wrong is printed to stderr at once."""
    played = list(_played(seed, rounds))
    counts = Counter(wrong.kind for each in played for wrong in each.wrongs)
    rows = [Figure(kind, str(counts[kind]), "0", counts[kind] == 0) for kind in _WRONGS]
    rows.append(Figure("killed before the save was done", f"{sum(each.is_within for each in played)} of {rounds}"))
    return Figures("kill_in_save", seed, rounds, tuple(rows))


def planned(seed: int, number: int) -> Round:
    """The round of that number, from 0."""
    chance = random.Random(f"{seed} {number}")
    old = generated(chance)
    new = Generated(f"# edited\n{generated(chance).text}", old.bom)
    return Round(
        number,
        chance.choice(DEEDS),
        chance.choice(_WAYS),
        chance.random(),
        old,
        new,
        chance.choice(_MODES),
        is_link=chance.random() < 0.2,
        is_first=chance.random() < 0.2,
        replaces=chance.random() < 0.5,
    )


def _played(seed: int, rounds: int) -> Iterator[Played]:
    with ExitStack() as stack:
        stages = queue.SimpleQueue[Stage]()
        for _ in range(_AT_ONCE if rounds > _FEW else 1):
            folder = Path(stack.enter_context(TemporaryDirectory()))
            stages.put(Stage(folder.resolve()))

        def one(number: int) -> Played:
            stage = stages.get()
            try:
                found = stage.play(planned(seed, number))
            finally:
                stages.put(stage)
            for wrong in found.wrongs:
                print(f"kill_in_save, seed {seed}, round {number}: {wrong.kind}: {wrong.details}", file=sys.stderr)
            return found

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            yield from pool.map(one, range(rounds))


class Stage:
    """A folder in which rounds are played one after the other: the blueprint, and a home of the program."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._home = folder / "home"
        self._moments: dict[tuple[Deed, bool], int] = {}
        self._used = folder / "used"
        self._prepare_used_home()

    def _prepare_used_home(self) -> None:
        """A home in which there are settings, a database with a run, and recent files."""
        text = generated(random.Random(0), long=False)
        for deed in (Deed.AGREE, Deed.RUN):
            plan = Round(0, deed, Way.COUNT, 0, text, text, 0o644, is_link=False, is_first=False, replaces=False)
            self._put(plan)
            _finished(done(self.orders(plan), NO_DEATH))
        shutil.copytree(self._home, self._used)

    def play(self, planned: Round) -> Played:
        """Kill a studio, and start the next one."""
        self._set_up(planned)
        death = self._death(planned)
        found = done(self.orders(planned), death)
        return Played(tuple(self._wrongs(planned, found)), not found.is_done)

    def _wrongs(self, planned: Round, found: Done) -> Iterator[Wrong]:
        if found.failure:
            yield Wrong(FAILED, found.failure)
            return
        yield from self._torn(planned)
        saved = self._blueprint.read_bytes()
        if planned.number % _REAL_STARTS == _REAL_STARTS - 1:
            yield from self._after_a_real_start()
        again = done([self._order(Deed.OPEN), self._order(Deed.CLOSE)], NO_DEATH)
        if again.failure or not again.is_done:
            yield Wrong(FAILED, again.failure or "the next start took too long")
            return
        yield from self._lost(planned, saved, again)
        yield from self._lost_answer(planned)
        yield from self._left_over()
        yield from self._damaged(planned, found, again)

    # --- Before

    @property
    def _path(self) -> Path:
        """The name by which the blueprint is opened."""
        return self._folder / "work" / "a.yml"

    @property
    def _blueprint(self) -> Path:
        return self._path.resolve()

    @property
    def _other(self) -> Path:
        return self._folder / "elsewhere" / "b.yml"

    def _set_up(self, planned: Round) -> None:
        shutil.rmtree(self._home, ignore_errors=True)
        if not planned.is_first:
            shutil.copytree(self._used, self._home)
        self._put(planned)

    def _put(self, planned: Round) -> None:
        for folder in ("work", "elsewhere", "target"):
            shutil.rmtree(self._folder / folder, ignore_errors=True)
            (self._folder / folder).mkdir()
        target = self._folder / "target" / "real.yml" if planned.is_link else self._path
        target.write_bytes(planned.old.encoded())
        target.chmod(planned.mode)
        if planned.is_link:
            self._path.symlink_to(target)
        if planned.replaces:
            self._other.write_bytes(_REPLACED)

    def orders(self, planned: Round) -> list[Order]:
        """What leads to the deed, and the deed."""
        answers = {"name": str(self._other), "replace": "overwrite", "leave": "save"}
        texts = {Deed.ANSWER: _OLD_ANSWER, Deed.WRITE: _before(planned)}
        before = [self._order(deed, texts.get(planned.deed, planned.new.text)) for deed in _BEFORE[planned.deed]]
        return [*before, replace(self._order(planned.deed, planned.new.text), answers=answers, is_last=True)]

    def _order(self, deed: Deed, text: str = "") -> Order:
        return Order(deed, self._path, self._home, "", text)

    def _death(self, planned: Round) -> Death:
        match planned.way:
            case Way.COUNT:
                return Death(Way.COUNT)
            case Way.AT_MOMENT:
                return Death(Way.AT_MOMENT, 1 + int(planned.where * self._count(planned)))
            case Way.AT_BYTE:
                largest = len(planned.new.encoded()) if planned.where < 0.7 else 4096
                return Death(Way.AT_BYTE, int(planned.where / 0.7 % 1 * largest))
            case Way.TIMED:
                return Death(Way.TIMED, planned.where * _MOST_SECONDS)

    def _count(self, planned: Round) -> int:
        """The moments of the same deed that is not interrupted. The files are put back after that."""
        key = (planned.deed, planned.is_first)
        if key not in self._moments:
            last = _finished(done(self.orders(planned), NO_DEATH)).events[-1]
            self._moments[key] = last.moments if isinstance(last, Shown) else 0
            self._set_up(planned)
        return self._moments[key]

    # --- After

    def _torn(self, planned: Round) -> Iterator[Wrong]:
        allowed = {planned.old.encoded()}
        if planned.deed in _SAVES:
            allowed.add(planned.new.encoded())
        content = self._blueprint.read_bytes()
        if content not in allowed:
            yield Wrong(TORN, f"the blueprint has {len(content)} bytes after {_how(planned)}")
        mode = stat.S_IMODE(self._blueprint.stat().st_mode)
        if mode != planned.mode:
            yield Wrong(TORN, f"the mode is {mode:o}, not {planned.mode:o}, after {_how(planned)}")
        yield from self._torn_other(planned)

    def _torn_other(self, planned: Round) -> Iterator[Wrong]:
        if not self._other.exists():
            if planned.replaces:
                yield Wrong(TORN, f"the file to be replaced is gone after {_how(planned)}")
            return
        content = self._other.read_bytes()
        if planned.replaces and content == _REPLACED:
            return
        if planned.deed is Deed.EXPORT:
            whole = content.rstrip().endswith(b"}") and isinstance(json.loads(content), dict)
        else:
            whole = planned.deed is Deed.SAVE_AS and content == planned.new.encoded()
        if not whole:
            yield Wrong(TORN, f"the other file has {len(content)} bytes after {_how(planned)}")

    def _lost(self, planned: Round, saved: bytes, again: Done) -> Iterator[Wrong]:
        """The text that was in the journal before is in the file or offered; nothing else is offered."""
        offered = {event.offered for event in again.events if isinstance(event, Chose)}
        known = {planned.new.text, _before(planned)} if planned.deed is Deed.WRITE else {planned.new.text}
        if not offered <= known:
            yield Wrong(TORN, f"a text was offered that never was one, after {_how(planned)}")
        is_saved = saved == planned.new.encoded() or self._is_saved_elsewhere(planned)
        if planned.deed in _KEEPS and not is_saved and not offered:
            yield Wrong(LOST, f"nothing was offered after {_how(planned)}")

    def _lost_answer(self, planned: Round) -> Iterator[Wrong]:
        """The author's own answer is the old or the new one."""
        if planned.deed is Deed.ANSWER:
            found = [json.loads(path.read_bytes())["answers"] for path in self._home.glob("state/answers/*.json")]
            if found not in ([{"p0": _OLD_ANSWER}], [{"p0": planned.new.text}]):
                yield Wrong(LOST, f"no answer after {_how(planned)}")

    def _is_saved_elsewhere(self, planned: Round) -> bool:
        return self._other.exists() and self._other.read_bytes() == planned.new.encoded()

    def _left_over(self) -> Iterator[Wrong]:
        for path in self._temporaries():
            yield Wrong(LEFT, str(path.relative_to(self._folder)))

    def _temporaries(self) -> list[Path]:
        """All files that are neither those of the author nor those that the program keeps."""
        home = self._home
        kept = {self._path, self._blueprint, self._other, home / "config" / "settings.json"}
        kept |= {home / "state" / name for name in ("recent.json", "cursors.json")}
        kept |= {*(home / "data").glob("studio.sqlite3*")}
        kept |= set((home / "state" / "locks").glob("*.lock"))  # empty, and of a fixed number
        kept |= {*(home / "state").glob("journal/[0-9a-f]*.json"), *(home / "state").glob("answers/[0-9a-f]*.json")}
        kept |= {*self._folder.rglob("*damaged*"), *self._folder.rglob("*set-aside*")}  # reported as such
        folders = [self._folder / name for name in ("work", "elsewhere", "target", "home")]
        return [path for folder in folders for path in folder.rglob("*") if not path.is_dir() and path not in kept]

    def _damaged(self, planned: Round, found: Done, again: Done) -> Iterator[Wrong]:
        reports = [event.text for event in again.events if isinstance(event, Reported)]
        messages = [text for event in again.events if isinstance(event, Shown) for text in event.messages]
        for report in (*reports, *messages):
            yield Wrong(DAMAGED, f"{report} After {_how(planned)}")
        for name in ("settings.json", "recent.json", "cursors.json"):
            for path in self._home.rglob(name):
                json.loads(path.read_bytes())
        journal = [*(self._home / "state" / "journal").glob("*.json")]
        if without := [path for path in journal if read_entry(path).text is None]:
            yield Wrong(LEFT, f"{len(without)} entries of the journal without text after {_how(planned)}")
        yield from self._damaged_database(planned, is_done=found.is_done)

    def _damaged_database(self, planned: Round, *, is_done: bool) -> Iterator[Wrong]:
        with closing(sqlite3.connect(self._home / "data" / "studio.sqlite3")) as database:
            (runs,) = database.execute("SELECT count(*) FROM run").fetchone()
        before = 0 if planned.is_first else 1
        more = 1 if planned.deed in (Deed.RUN, Deed.EXPORT) else 0
        state = state_of_database(self._home)
        if state != "ok" or not before + more * is_done <= runs <= before + more:
            yield Wrong(DAMAGED, f"the database is {state} with {runs} runs after {_how(planned)}")

    def _after_a_real_start(self) -> Iterator[Wrong]:
        """Start the installed program in a terminal, and wait until it has cleared what was left."""
        try:
            with Window(programs.studio(self._path), self._home) as window:
                window.start()
                window.wait(lambda screen: "Ctrl+S" in screen or "Take them up" in screen)
                end = time.monotonic() + 5
                while (left := self._temporaries()) and time.monotonic() < end:
                    time.sleep(0.05)
        except TooSlow as error:
            yield Wrong(FAILED, str(error))
            return
        for path in left:
            yield Wrong(LEFT, f"{path.relative_to(self._folder)} after a start in a terminal")


_REPLACED = b"title: Replaced\n"


def _before(planned: Round) -> str:
    """What the journal has before another text is written."""
    return f"{planned.old.text}# before\n"


def done(orders: Sequence[Order], death: Death) -> Done:
    """Carry out `orders` in a process of its own, until that is gone. One that takes too long has a fault then."""
    studio = Handle(death)
    events: list[Event] = []
    try:
        for order in orders:
            studio.send(order)
            for event in studio.events(SECONDS_TO_ANSWER):
                events.append(event)
                if isinstance(event, Armed) and death.way is Way.TIMED:
                    time.sleep(death.at)
                    studio.process.kill()
            if studio.is_busy:
                break
        if studio.is_busy:
            studio.process.join(1)
            events += [Faulted("it took too long")] if studio.process.is_alive() else []
        return Done(tuple(events), not studio.is_busy)
    finally:
        studio.close()


def _finished(found: Done) -> Done:
    if found.failure or not found.is_done:
        raise RuntimeError(found.failure)
    return found


def _how(planned: Round) -> str:
    link = " by a symlink" if planned.is_link else ""
    return f"“{planned.deed}”{link}, {planned.way} ({planned.where:.3f})"

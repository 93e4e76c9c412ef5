"""The files, the journal and the database of one schedule, and a model of what has to be there.

The model counts lines, each written once by one author: a line that was somewhere after one step is somewhere after the
next, unless an author gave it up meanwhile. Somewhere: in a file, in the journal, or in the unsaved text of a studio.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from enum import StrEnum
from pathlib import Path

from engine.files.atomic import is_locked, write_atomically
from engine.files.journal import DamagedEntry, Journal, read_entry
from tests.fire.kill_aftermath import state_of_database
from tests.fire.process_handle import Handle
from tests.fire.studio_process import Agreed, Chose, Event, Faulted, Graded, Order, Ran, Shown, Typed, lines_of
from tests.pieces import whole_text

BLUEPRINT = whole_text("fire.txt")


class Fault(StrEnum):
    """What may not happen: a line of the figures each."""

    LOST = "texts lost"
    CONFLICT = "conflicts not told"
    JOURNAL = "journals of living studios gone"
    RECORDS = "runs, verdicts, answers and grades not saved"
    SETTINGS = "consents and recent files lost"
    DATABASE = "databases damaged"
    ERRORS = "errors shown to an author"
    LEFT = "temporary files left"


class World:
    """The place of one schedule. `faults` are those found so far, with a line each; `log` is all that happened."""

    def __init__(self, folder: Path, models: str) -> None:
        self.home = folder / "home"
        self.work = folder / "work"
        self.file = self.work / "x.yml"
        self.models = models
        self.work.mkdir()
        self.file.write_text(BLUEPRINT.format(models=models), "utf-8")
        self.faults: list[tuple[Fault, str]] = []
        self.log: list[str] = []
        self.journal = self.home / "state" / "journal"
        self._known: frozenset[str] = frozenset()
        self._given_up: dict[Handle, frozenset[str]] = {}
        self._deleted: frozenset[str] = frozenset()
        self._ran = self._verdicts = 0
        self._grades: set[str] = set()
        self._agreed: set[str] = set()
        self._opened: set[Path] = set()

    def fault(self, fault: Fault, text: str) -> None:
        """Note something that may not happen."""
        self.log.append(f"{fault.upper()}: {text}")
        self.faults.append((fault, text))

    def write(self, line: str) -> None:
        """Another program writes a line into the file."""
        text = f"{self.file.read_text('utf-8')}# line-{line}\n"
        write_atomically(self.file, text.encode())
        self._known |= lines_of(text)
        self.log.append(f"another program writes {line}")

    # --- What is told

    def note(self, studio: Handle, order: Order | None, event: Event) -> None:
        """Take up what a studio told."""
        self.log.append(f"{studio.pid} {event}")
        match event:
            case Typed(text, removed):
                self._known |= lines_of(text)
                self._deleted |= removed  # they leave the disk when their author saves
            case Chose("recovery", "drop" | "take", given_up):
                self._deleted |= (
                    given_up  # a studio that was taken over may still show it, or the file have it until saved
                )
            case Chose(given_up=given_up):
                self.give_up(studio, given_up)
            case Ran(verdicts):
                self._ran += 1
                self._verdicts += verdicts
            case Graded(grade):
                self._grades.add(grade)
            case Agreed(recipient):
                self._agreed.add(recipient)
            case Faulted(trace):
                self.fault(Fault.ERRORS, f"{order}: {trace}")
            case Shown(path=path, messages=messages):
                if path is not None and path.exists():
                    self._opened.add(path)
                for message in messages:
                    if "cannot be" in message or "locked" in message or "damaged" in message:
                        self.fault(Fault.ERRORS, message)
            case _:
                pass

    def give_up(self, studio: Handle, lines: frozenset[str]) -> None:
        """An author discards `lines` by what they do now."""
        self._given_up[studio] = self._given_up.get(studio, frozenset()) | lines

    # --- Lines

    def check_lines(self, studios: Sequence[Handle], when: str) -> None:
        """Note each line that was somewhere before and is nowhere now."""
        given_up = self._deleted.union(*self._given_up.values())
        present = self._present(studios)
        if lost := self._known - given_up - present:
            self.fault(Fault.LOST, f"{when}: {', '.join(sorted(lost))}")
        self._known = present - self._deleted
        self._given_up = {studio: lines for studio, lines in self._given_up.items() if studio.is_busy}

    def check_whole(self, text: str) -> None:
        """The studio with this text was killed: note if the text is not there as it was."""
        if text not in self.durable():
            self.fault(Fault.LOST, "the text of a killed studio is not there as a whole")

    def _present(self, studios: Iterable[Handle]) -> frozenset[str]:
        unsaved = [studio.shown.text for studio in studios if studio.shown.unsaved or studio.is_busy]
        return frozenset[str]().union(*map(lines_of, (*unsaved, *self.durable())))

    def durable(self) -> list[str]:
        """The texts of all files and of the journal."""
        return [*(path.read_text("utf-8") for path in self.work.glob("*.yml")), *self._journaled()]

    def _journaled(self) -> list[str]:
        texts: list[str] = []
        for path in self._entries():
            with suppress(FileNotFoundError):
                text = read_entry(path).text
                texts += [] if text is None else [text]
        return texts

    def _entries(self) -> list[Path]:
        return sorted(self.journal.glob("*.json"))

    def check_restorable(self) -> None:
        """Once no studio runs: note each line that neither a file has nor a version that can be restored."""
        journal = Journal(self.journal)
        files = {json.loads(entry.read_bytes().partition(b"\n")[0])["path"] for entry in self._entries()}
        versions = [version.text for file in files for version in journal.state(Path(file)).left]
        texts = [file.read_text("utf-8") for file in self.work.glob("*.yml")] + versions
        if lost := self._known - frozenset[str]().union(*map(lines_of, texts)):
            self.fault(Fault.LOST, f"not restorable at the end: {', '.join(sorted(lost))}")

    # --- Who owns what

    def disagreements(self, studios: Sequence[Handle]) -> list[tuple[Fault, str]]:
        """What is wrong with who may write which file, and with the journals of those who may."""
        writing = [studio for studio in studios if studio.shown.path is not None and studio.shown.read_only is None]
        found = [
            (Fault.CONFLICT, f"{count} studios may write {path}")
            for path, count in Counter(studio.shown.path for studio in writing).items()
            if count > 1
        ]
        for studio in studios:
            if studio.shown.path is not None:
                found += self._journal_of(studio)
        return found

    def _journal_of(self, studio: Handle) -> list[tuple[Fault, str]]:
        """What is wrong with the entries of a studio that has a file open."""
        owned: list[str | None] = []
        for path in self._entries():
            with suppress(FileNotFoundError, DamagedEntry):
                if f".{studio.pid}-" in path.name and is_locked(path):
                    owned.append(read_entry(path).text)
        shown = studio.shown
        if shown.read_only is not None:
            if missing := self._missing(shown) if shown.unsaved else None:
                return [(Fault.JOURNAL, f"{studio.pid} was taken over, and is nowhere: {', '.join(sorted(missing))}")]
            return [(Fault.CONFLICT, f"{studio.pid} is read-only and has a journal")] if owned else []
        if not owned:
            return [(Fault.JOURNAL, f"{studio.pid} has none")]
        if shown.unsaved and studio.flushed == shown.text and owned != [shown.text]:
            return [(Fault.JOURNAL, f"{studio.pid} has another text in it")]
        return []

    def _missing(self, shown: Shown) -> frozenset[str]:
        """The lines on a screen that are neither in a file nor in the journal, and were not given up."""
        return lines_of(shown.text) - self._deleted - frozenset[str]().union(*map(lines_of, self.durable()))

    # --- The database, the settings, what is left

    def check_records(self, killed_runs: int) -> None:
        """Once no studio runs: note what the database and the settings should have."""
        self._check_settings()
        if (state := state_of_database(self.home)) != "ok":
            self.fault(Fault.DATABASE, state)
        database = self.home / "data" / "studio.sqlite3"
        with closing(sqlite3.connect(database if database.exists() else ":memory:")) as connection:
            self._check_runs(connection, killed_runs)

    def _check_runs(self, connection: sqlite3.Connection, killed_runs: int) -> None:
        """`killed_runs` may be saved without having been told of."""
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        if not {"run", "judgement"} <= tables:  # a studio was killed before it had made them
            if self._ran:
                self.fault(Fault.RECORDS, f"no tables after {self._ran} runs")
            return
        (scored,) = connection.execute(
            "SELECT count(*) FROM run JOIN response ON response.id = run.response WHERE state = 'scored'"
        ).fetchone()
        (verdicts,) = connection.execute("SELECT count(*) FROM run_judge_reply").fetchone()
        grades = {grade for (grade,) in connection.execute("SELECT classification FROM judgement")}
        if not (self._ran <= scored <= self._ran + killed_runs and self._verdicts <= verdicts):
            self.fault(Fault.RECORDS, f"{scored} runs of {self._ran} saved, {verdicts} verdicts of {self._verdicts}")
        if bool(grades) != bool(self._grades) or not grades <= self._grades:
            self.fault(Fault.RECORDS, f"the grades are {grades} of {self._grades}")

    def _check_settings(self) -> None:
        from engine.files.user_settings import _parse
        from engine.files.user_settings import _recent_file as _file

        path = self.home / "config" / "settings.json"
        consented = set(_parse(path.read_bytes()).consented) if path.exists() else set[str]()
        if missing := self._agreed - consented:
            self.fault(Fault.SETTINGS, f"consents {missing}")
        recent = {Path(name) for name in _file().parse((self.home / "state" / "recent.json").read_bytes())}
        if missing := self._opened - recent:
            self.fault(Fault.SETTINGS, f"recent files {missing}")
        for folder in (self.home, self.work):
            if aside := [path.name for path in folder.rglob("*") if "damaged" in path.name or "aside" in path.name]:
                self.fault(Fault.ERRORS, f"set aside: {aside}")

    def check_left(self) -> None:
        """After a studio was opened and closed once more: note what is left of those that were killed."""
        left = [path.name for folder in (self.home, self.work) for path in folder.rglob("*.tmp")]
        if left:
            self.fault(Fault.LEFT, ", ".join(left))

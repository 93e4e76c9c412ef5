"""What is left after a kill, compared with what must be: the file, the journal, the other files of the program."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from engine.files.journal import Journal, Recovered
from tests.fire.blueprints import Generated


@dataclass(slots=True)
class _State:
    text_hash: int
    seen: float | None = None


class Draft:
    """The text, the cursor in it, and the states so far. `text` stood there from the beginning."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.cursor = 0
        self._states = [_State(hash(text), seen=float("-inf"))]

    @property
    def line_end(self) -> str:
        """The line end of this text."""
        return "\r\n" if "\r\n" in self.text else "\n"

    @property
    def number(self) -> int:
        """The number of the present state."""
        return len(self._states) - 1

    def go_to(self, line: int) -> None:
        """Put the cursor at the end of a line, from 0."""
        lines = self.text.split(self.line_end)
        self.cursor = sum(len(each) + len(self.line_end) for each in lines[:line]) + len(lines[line])

    def type(self, text: str) -> None:
        """Type characters at the cursor: each makes a state."""
        for character in text:
            self.paste(character)

    def paste(self, text: str) -> None:
        """Insert `text` at the cursor at once. Its newlines become the line ends of this text."""
        self.replace(self.cursor, self.cursor, text.replace("\n", self.line_end))

    def delete(self, number: int) -> None:
        """Delete characters before the cursor, each by a key."""
        for _ in range(number):
            self.replace(self.cursor - 1, self.cursor, "")

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace a range at once; the cursor is behind it."""
        self.text = self.text[:start] + text + self.text[end:]
        self.cursor = start + len(text)
        self._states.append(_State(hash(self.text)))

    def seen(self, at: float) -> None:
        """The present state was on the screen at that time."""
        state = self._states[-1]
        state.seen = at if state.seen is None else min(at, state.seen)

    def newest_seen(self, until: float) -> int:
        """The number of the newest state that was seen at or before a time."""
        return max(
            number for number, state in enumerate(self._states) if state.seen is not None and state.seen <= until
        )

    def latest(self, text: str) -> int | None:
        """The number of the last state with this text; None if there never was one."""
        wanted = hash(text)
        return max((number for number, state in enumerate(self._states) if state.text_hash == wanted), default=None)


LIMIT = 2.0
"""Seconds for which a text stands on the screen before it must survive."""


class Kind(StrEnum):
    """What can be wrong."""

    TORN = "torn"
    """The file, or a text of the journal, never was a text of the author; or the mode of the file is another."""
    LOST = "lost"
    DAMAGED = "damaged"
    """A file of the program had to be set aside."""
    NOT_OFFERED = "not offered as the journal has it"
    PROCESSES = "processes left"
    STUCK = "not started, or a key without effect"


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that was wrong."""

    kind: Kind
    details: str


@dataclass(frozen=True, slots=True)
class Story:
    """What happened until the kill.

    `draft` is the text with its states, `before` the bytes of the file at the start, and `left` the versions in the
    journal then. `saved` are the states in which a save began. `gives_up`: the author has said that unsaved text may
    go. `at` is the time of the kill.
    """

    draft: Draft
    before: bytes
    left: tuple[Recovered, ...]
    saved: tuple[int, ...]
    gives_up: bool
    at: float

    @property
    def must_survive(self) -> int:
        """The number of the state which, or a later one, must survive."""
        return self.draft.newest_seen(self.at - LIMIT)


class Aftermath:
    """Looks at the file at `path`, and at the program's files in `home`."""

    def __init__(self, path: Path, home: Path, file: Generated, mode: int) -> None:
        self._path = path
        self._home = home
        self._file = file
        self._mode = mode
        self._journal = Journal(home / "state" / "journal")

    @property
    def text(self) -> str | None:
        """The text of the file; None if it is none that this file can have."""
        content = self._path.read_bytes()
        try:
            text = content.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError:
            return None
        return text if self._file.encoded(text) == content else None

    def left(self) -> tuple[Recovered, ...]:
        """The versions in the journal, newest first."""
        return self._journal.state(self._path).left

    def must_be_recovered(self, story: Story) -> bool:
        """Whether the text that must survive is not in the file."""
        return not story.gives_up and self._number_on_disk(story.draft) < story.must_survive

    def wrongs(self, story: Story) -> Iterator[Wrong]:
        """All that is wrong after the kill, but for processes that are left."""
        yield from self._torn(story)
        yield from self._lost(story)
        yield from self._damaged()

    def _torn(self, story: Story) -> Iterator[Wrong]:
        """The file has the bytes it had, or those of a text since the first save."""
        content = self._path.read_bytes()
        number = self._number_on_disk(story.draft)
        if content != story.before and not (story.saved and number >= min(story.saved)):
            details = f"{len(content)} bytes, before {len(story.before)}; text {number}, saved {story.saved}"
            yield Wrong(Kind.TORN, details)
        if (mode := stat.S_IMODE(self._path.stat().st_mode)) != self._mode:
            yield Wrong(Kind.TORN, f"the mode is {mode:o}, not {self._mode:o}")

    def _number_on_disk(self, draft: Draft) -> int:
        """The number of the state that the file has, -1 for none."""
        text = self.text
        number = None if text is None else draft.latest(text)
        return -1 if number is None else number

    def _lost(self, story: Story) -> Iterator[Wrong]:
        """A text at least as new as the one that must survive is there, and all that was in the journal before."""
        draft = story.draft
        state = self._journal.state(self._path)
        if state.owners:
            yield Wrong(Kind.PROCESSES, f"the journal has an owner: {state.owners}")
        before = {version.text for version in story.left}
        found = {version.text: draft.latest(version.text) for version in state.left}
        if any(number is None for text, number in found.items() if text not in before):
            yield Wrong(Kind.TORN, "the journal has a text that never was one")
        newest = max((number for number in found.values() if number is not None), default=-1)
        if self.must_be_recovered(story) and newest < story.must_survive:
            yield Wrong(
                Kind.LOST, f"text {story.must_survive} of {draft.number}: the newest in the journal is {newest}"
            )
        # A version that was taken up is a state: what was made of it has to survive instead.
        if gone := [text for text in before if text not in found and draft.latest(text) is None]:
            yield Wrong(Kind.LOST, f"{len(gone)} of {len(before)} texts that were in the journal before")

    def _damaged(self) -> Iterator[Wrong]:
        for path in [*self._home.rglob("*damaged*"), *self._home.rglob("*set-aside*")]:
            yield Wrong(Kind.DAMAGED, path.name)
        if (state := state_of_database(self._home)) != "ok":
            yield Wrong(Kind.DAMAGED, f"the database: {state}")


def state_of_database(home: Path) -> str:
    """What SQLite says of the database: `ok`, also where there is none yet."""
    database = home / "data" / "studio.sqlite3"
    if not database.exists():
        return "ok"
    try:
        with closing(sqlite3.connect(database)) as connection:
            return connection.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.DatabaseError as error:
        return str(error)

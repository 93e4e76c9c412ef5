"""What an author does when the studio is killed: typing, saving, running, fixing, closing."""

from __future__ import annotations

import random
import string
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from tests.fire.blueprints import COMMENT, TYPED_LINE
from tests.fire.kill_aftermath import Draft
from tests.fire.killed_window import KilledWindow

QUOTED = "    - \"$icontains: 'word'\""
UNQUOTED = "    - $icontains: 'word'"
"""A point with a problem that F4 fixes, and what it is then."""

_SETTLED = 2.05
"""Seconds after which what is on the screen must survive."""
_BEFORE_WORDS = ("", "é", "ß", "日本", "łódź", "100%", "it's", "Δ")


class Activity(StrEnum):
    """What is going on when the studio is killed."""

    TYPING = "typing"
    SAVING = "saving"
    RUNNING = "running"
    FIXING = "fixing"
    CLOSING = "closing"


@dataclass(slots=True)
class Author:
    """The author at one open file. Keys are pressed by `chance`; `draft` follows what they make of the text.

    `saved` are the numbers of the states in which a save began. `gives_up`: the author has said that unsaved text may
    go.
    """

    window: KilledWindow
    draft: Draft
    chance: random.Random
    saved: list[int] = field(default_factory=list[int])
    gives_up: bool = False

    # --- Typing

    def go_to(self, line: int) -> None:
        """Put the cursor at the end of a line, from 0."""
        self.window.press_until("C-g", lambda screen: "Go to line" in screen)
        is_last = line == self.draft.text.count(self.draft.line_end)
        self.window.type(str(line + 1 if is_last else line + 2))
        self.window.press("Enter")
        self.window.wait(lambda screen: "Go to line" not in screen)
        self.window.press("End" if is_last else "Left")  # a long line has several rows, and End stops at the first
        self.draft.go_to(line)

    def go_to_a_typed_line(self) -> None:
        """Put the cursor at the end of a line where any word may stand."""
        lines = self.draft.text.split(self.draft.line_end)
        self.go_to(self.chance.choice([n for n, line in enumerate(lines) if line.startswith(TYPED_LINE)]))

    def type_a_word(self) -> None:
        """Type a word that stands nowhere else, and see it."""
        word = self._new_word()
        written = f" {self.chance.choice(_BEFORE_WORDS)} {word}"
        if self.chance.random() < 0.5:
            self.window.type(written)
        else:
            for character in written:
                self.window.type(character)
        self.draft.type(written)
        self._see(lambda screen: word in screen)

    def delete_and_type(self) -> None:
        """Type a word, take some of it back, and type the rest of another."""
        self.type_a_word()
        number = self.chance.randrange(1, 6)
        self.window.press(*["BSpace"] * number)
        self.draft.delete(number)
        self.type_a_word()

    def paste_lines(self) -> None:
        """Paste a few comments, and see the last one."""
        self.go_to(self.draft.text.split(self.draft.line_end).index(COMMENT))
        word = self._new_word()
        text = f"\n# {self._new_word()} é\n# {word}"
        self.window.paste_text(text)
        self.draft.paste(text)
        self._see(lambda screen: word in screen)

    def write_something(self) -> None:
        """Do one of the above."""
        chosen = self.chance.random()
        if chosen < 0.6:
            self.type_a_word()
        elif chosen < 0.75:
            self.delete_and_type()
        elif chosen < 0.85:
            self.paste_lines()
        else:
            self.go_to_a_typed_line()
            self.type_a_word()

    def write_for(self, seconds: float) -> None:
        """Write until some time has passed."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.write_something()
            time.sleep(self.chance.uniform(0, 0.1))

    def write_and_perhaps_rest(self) -> None:
        """Write a little; in half of the cases it stands long enough to have to survive."""
        self.go_to_a_typed_line()
        self.write_for(self.chance.uniform(0.05, 0.5))
        if self.chance.random() < 0.5:
            time.sleep(_SETTLED)

    def _new_word(self) -> str:
        return "q" + "".join(self.chance.choices(string.ascii_lowercase + string.digits, k=7))

    def _see(self, shown: Callable[[str], bool]) -> None:
        self.draft.seen(self.window.wait(shown))

    # --- Deeds

    def kill_after(self, seconds: float) -> None:
        """Be killed after some time: mostly with all processes, sometimes the studio alone."""
        self.window.kill_after(seconds, with_children=self.chance.random() < 0.5)

    def does(self, activity: Activity) -> None:
        """Do it, and be killed within it. Raises `Killed`."""
        match activity:
            case Activity.TYPING:
                self._type()
            case Activity.SAVING:
                self._save()
            case Activity.RUNNING:
                self._run()
            case Activity.FIXING:
                self._fix()
            case Activity.CLOSING:
                self._close()

    def _type(self) -> None:
        """Stop more than two seconds before the kill, or go on until it, soon or late."""
        self.go_to_a_typed_line()
        match self.chance.randrange(3):
            case 0:
                self.write_for(self.chance.uniform(0.1, 1.5))
                self.kill_after(_SETTLED + self.chance.uniform(0, 0.5))
            case 1:
                self.kill_after(self.chance.uniform(2.5, 5))
                self.write_for(60)
            case _:
                self.kill_after(self.chance.uniform(0, 2))
                self.write_for(60)

    def _save(self) -> None:
        """Save once or several times, and be killed within the first second of that."""
        self.write_and_perhaps_rest()
        self.kill_after(self.chance.choice([0.05, 0.2, 1]) * self.chance.random())
        while True:
            self.window.press("C-s")
            self.saved.append(self.draft.number)
            if self.chance.random() < 0.5:
                self.window.wait(lambda screen: "not saved" not in screen)
            self.write_something()

    def _run(self) -> None:
        """Run one prompt or all, and write meanwhile."""
        self.write_and_perhaps_rest()
        self.kill_after(self.chance.uniform(0, 1.5))
        while True:
            self.window.press(self.chance.choice(["F5", "F5", "F6"]))
            self.write_something()

    def _fix(self) -> None:
        """Fix one problem after the other, take some fixes back, and be killed within that or after it."""
        self.kill_after(self.chance.choice([1, 4]) * self.chance.random() + 0.1)
        while QUOTED in self.draft.text:
            before = self.draft.text
            line = before[: before.index(QUOTED)].count(self.draft.line_end)
            self.go_to(line)
            self._replace_by_key("F4", QUOTED, UNQUOTED)
            if self.chance.random() < 0.2:
                self._replace_by_key("C-z", UNQUOTED, QUOTED)
                self._replace_by_key("C-y", QUOTED, UNQUOTED)
        self.window.wait(lambda _: False)

    def _replace_by_key(self, key: str, old: str, new: str) -> None:
        """Press a key that replaces a line, the first of its kind in the text for a fix; and see that."""
        shown = self.window.screen().count(new.strip())
        self.window.press(key)
        start = self.draft.cursor - len(old)
        assert self.draft.text[start : self.draft.cursor] == old
        self.draft.replace(start, self.draft.cursor, new)
        self._see(lambda screen: screen.count(new.strip()) > shown)

    def _close(self) -> None:
        """Quit or open another file, with or without unsaved text, and answer the question."""
        if self.chance.random() < 0.8:
            self.write_and_perhaps_rest()
        self.kill_after(self.chance.choice([0.1, 0.5, 2]) * self.chance.random())
        self.window.press(self.chance.choice(["C-q", "C-q", "C-o"]))
        self.window.wait(lambda screen: "Leave without saving" in screen)
        answer = self.chance.choice(["save", "discard", "stay", "wait"])
        if answer == "wait":
            self.window.wait(lambda _: False)
        self.window.press(*["Down"] * ["save", "discard", "stay"].index(answer))
        if answer == "save":
            self.saved.append(self.draft.number)
        self.gives_up = answer == "discard"
        self.window.press("Enter")
        if answer == "stay":
            self.window.wait(lambda screen: "Leave without saving" not in screen)
            self.write_for(60)
        self.window.wait(lambda _: False)

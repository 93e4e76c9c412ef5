"""The one thing that would help most now: a table of situations, of which the first that holds is told.

To add a situation, add its row to `situations.toml`, what it must know to `Facts`, and its case to `next_steps.yml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from string import Formatter
from typing import Any

from msgspec import convert

from engine.text.record import Record
from engine.text.spans import count, visible
from studio.session.state import EMPTY, Where


class Asks(StrEnum):
    """What may cost money: running the prompt or all, judging the answer or the ideal, running a criterion."""

    RUN = "run"
    ALL = "all"
    JUDGE = "judge"
    IDEAL = "ideal"
    CRITERION = "criterion"


class WordingFacts(Record):
    """The criterion whose answers are shown, in its present wording.

    `going` says how far its judges are, "" while none are asked. It has verdicts on `judged` of its `answers`. The
    ideal fails it, by the author's grade or by the judges, or so many other good answers do. `ungraded` answers are
    left while it is graded blind, else None.
    """

    going: str = ""
    answers: int = 0
    judged: int = 0
    is_check: bool = False
    ideal_fails: bool = False
    is_by_grade: bool = False
    good_fail: int = 0
    ungraded: int | None = None

    @property
    def is_blind(self) -> bool:
        """Whether it is graded blind."""
        return self.ungraded is not None

    @property
    def is_all_graded(self) -> bool:
        """Whether nothing of it is left to be graded blind."""
        return self.ungraded == 0

    @property
    def left(self) -> int:
        """How many answers have no verdict."""
        return self.answers - self.judged


class Facts(Record):
    """What the table looks at, of the prompt that is shown. Scores and what they lose are in words, "" for none.

    `going` says what runs, how far and for how long. The file cannot be read from line `unread` on, from 1; 0 if it
    can. `number` is that of the prompt, from 1, None in the header; `errors` are its own, there those of the file. It
    `lacks` the answer that is to be run. `failed` is why its run has no score. `open` counts the criteria in words
    without a verdict on the present text; in the header, those of all prompts. Of a prompt without criteria or ideal,
    errors and warnings have so many `fixes`, and the line of the cursor has one. The judges `differ` so far on the
    criterion `differ_at`, `selected` is the selected one. `gain` is what the best advice with a fix adds, and
    `dearest_of_all` what a criterion costs the file at most, there. Of the `answered` prompts, for which there may be
    an answer, `left` have no run. `prices` are those that are known.
    """

    where: Where = Where()
    going: str = ""
    unread: int = 0
    problems: int = 0
    prompts: int = 1
    is_new: bool = False
    unsaved: bool = False
    number: int | None = 1
    errors: int = 0
    asks_nothing: bool = False
    criteria: int = 1
    fixes: int = 0
    has_fix_here: bool = False
    answers: str = "its ideal"
    lacks: str = ""
    is_run: bool = True
    failed: str = ""
    is_stopped: bool = False
    open: int = 0
    has_judges: bool = True
    ideal_is_open: bool = False
    dearest: str = ""
    differ: str = ""
    differ_at: int | None = None
    selected: int | None = None
    gain: str = ""
    dearest_of_all: str = ""
    impostor: str = ""
    labelled: int = 1
    answered: int = 1
    left: int = 0
    is_trying: bool = False
    wording: WordingFacts = WordingFacts()
    prices: Mapping[Asks, str] = EMPTY

    @property
    def is_of_file(self) -> bool:
        """Whether the file as a whole is shown."""
        return self.number is None

    @property
    def is_on_criterion(self) -> bool:
        """Whether a criterion is selected, and not the score, a way or a note."""
        return self.selected is not None

    @property
    def differs_here(self) -> bool:
        """Whether the judges differ on the selected criterion."""
        return self.differ_at == self.selected


class Situation(Record, dict=True):
    """One row: the facts that hold, or do `not`, and the sentence, with a shorter one for where the room is missing.

    In the sentences `{run}` is the key of the action with this id, `{now.dearest}` a fact, and `{price}` what it costs
    to do what it `asks`. The actions that it names, and those that it `needs`, must work where the keys are. A row
    `of_wording` is told while all answers are seen: there the key that runs the prompt runs their criterion.
    """

    name: str
    when: tuple[str, ...]
    text: str
    short: str = ""
    asks: Asks | None = None
    needs: tuple[str, ...] = ()
    of_wording: bool = False

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The actions that work where it is told: those that it names, and those that it needs."""
        fields = (name for _, name, _, _ in Formatter().parse(f"{self.text} {self.short}") if name)
        return tuple(dict.fromkeys((*(name for name in fields if "." not in name and name != "price"), *self.needs)))

    @cached_property
    def _facts(self) -> list[tuple[attrgetter[object], bool]]:
        return [(attrgetter(each.removeprefix("not ")), not each.startswith("not ")) for each in self.when]

    def applies(self, now: Facts) -> bool:
        """Whether it is what the facts are."""
        if self.of_wording is not now.where.sees_answers and (self.of_wording or "run" in self.actions):
            return False
        has_keys = all(action in now.where.keys for action in self.actions)
        return has_keys and all(bool(fact(now)) is wanted for fact, wanted in self._facts)


class NextView(Record):
    """What would help most now, the longest form first, the price left out last. `keys` are those that it names."""

    forms: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


SITUATIONS = tuple(
    convert(tomllib.loads(Path(__file__).with_name("situations.toml").read_text("utf-8"))["situation"], list[Situation])
)
"""The rows in their order."""


class _Sentences(Formatter):
    """Counts by the forms behind a colon: `{now.open:open criterion|open criteria}` is `1 open criterion`."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return count(value, *format_spec.split("|")) if format_spec else str(value)


def situation(now: Facts) -> Situation:
    """The first row that applies; the last where none does."""
    return next((row for row in SITUATIONS if row.applies(now)), SITUATIONS[-1])


def next_view(now: Facts) -> NextView:
    """What would help most now."""
    row, keys = situation(now), now.where.keys
    price = "" if row.asks is None else now.prices.get(row.asks, "")
    texts = [text for text in (row.text, row.short) if text]
    told = [*((text, f" ({price})") for text in texts if price), *((text, "") for text in texts[-1 if price else 0 :])]
    forms = (visible(_Sentences().format(text, **keys, now=now, price=price)) for text, price in told)
    return NextView(tuple(forms), tuple(keys[each] for each in row.actions if each not in row.needs))

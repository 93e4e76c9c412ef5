"""What is done to the studio: files, terminals, and sequences of keys, drawn from a seed."""

from __future__ import annotations

import random
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from studio.example import EXAMPLE, read
from studio.tui.action import Place
from studio.tui.actions import ACTIONS
from tests.fire.hostile_scalars import ODD, TYPED
from tests.studio.driving import QUOTED
from tests.world import corpus_files

LEAST, MOST = 30, 60
"""How many steps a sequence has."""


class Do(StrEnum):
    """The kinds of steps."""

    KEY = "key"
    TYPE = "type"
    PASTE = "paste"
    CLICK = "click"
    WHEEL = "wheel"
    RESIZE = "resize"
    BURST = "burst"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: a key by Textual's name, a text, a place (shares of the screen), a direction, or a size in cells.

    A burst is the number of a line and letters: all keys to go there and type them, sent at once.
    """

    do: Do
    text: str = ""
    x: float = 0.0
    y: float = 0.0

    def __repr__(self) -> str:
        return f"{self.do} {self.text!r}" if self.text else f"{self.do} {self.x:g},{self.y:g}"


@dataclass(frozen=True, slots=True)
class Setup:
    """What is opened, and where. `with_model` makes a model of a server on this machine answer."""

    name: str
    text: str
    size: tuple[int, int]
    theme: str
    wrap: bool
    read_only: bool
    with_model: bool


@dataclass(frozen=True, slots=True)
class KeySequence:
    """One attack."""

    setup: Setup
    steps: tuple[Step, ...]


# --- Files

_SHORT = 30_000
"""Code points; longer files of the corpus are left to the rare long file."""


def _corpus(chance: random.Random) -> str:
    files = [path for path in corpus_files() if path.stat().st_size < _SHORT]
    if not files:
        return read(EXAMPLE.file)
    return chance.choice(files).read_text("utf-8", "replace")


def _damaged(chance: random.Random) -> str:
    text = _corpus(chance)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(text) + 1)
        match chance.randrange(3):
            case 0:
                text = text[:at] + text[at + chance.randint(1, 200) :]
            case 1:
                text = text[:at] + chance.choice(ODD) + text[at:]
            case _:
                text = text[:at]
    return text


def _with_ends(*ends: str) -> Callable[[random.Random], str]:
    def made(chance: random.Random) -> str:
        return "".join(line + chance.choice(ends) for line in QUOTED.splitlines())

    return made


def _long(chance: random.Random) -> str:
    prompts = (
        f"- id: p{number}\n  prompt: Say {number}\n  should:\n    - Says {number}\n    - $icontains: '{number}'\n"
        for number in range(600)
    )
    return "title: Long\n---\n" + "".join(prompts)


_FILES: Sequence[tuple[str, int, Callable[[random.Random], str]]] = (
    ("corpus", 40, _corpus),
    ("damaged", 16, _damaged),
    ("short", 16, lambda chance: QUOTED),
    ("example", 8, lambda chance: read(EXAMPLE.file)),
    ("empty", 5, lambda chance: ""),
    ("CRLF", 5, _with_ends("\r\n")),
    ("mixed line ends", 5, _with_ends("\n", "\r\n", "\r", "\u2028")),
    ("odd characters", 3, lambda chance: "- prompt: " + "\n  x: ".join(chance.sample(ODD, 8))),
    ("3,000 lines", 2, _long),
)
_SIZES = ((120, 36), (80, 24), (160, 50), (100, 30), (40, 12), (20, 6), (10, 3), (3, 2), (1, 1))
_SIZE_WEIGHTS = (30, 30, 8, 10, 8, 5, 4, 3, 2)


# --- Texts

_TYPED = (*"abcxyzäßøñż019_.,:;!?'\"`#|>[]{}&*%@$-- ", *TYPED)

_MOVES = (
    *("left", "right", "up", "down", "home", "end", "pageup", "pagedown", "ctrl+left", "ctrl+right"),
    *("ctrl+home", "ctrl+end"),
    *("shift+left", "shift+right", "shift+up", "shift+down", "shift+home", "shift+end"),
    *("ctrl+shift+left", "ctrl+shift+right", "shift+pageup", "shift+pagedown", "ctrl+shift+home", "ctrl+shift+end"),
    "ctrl+a",
)
_EDITS = (
    *("enter", "enter", "enter", "backspace", "backspace", "delete", "tab", "shift+tab", "ctrl+w", "ctrl+u"),
    *("ctrl+shift+k", "ctrl+x", "ctrl+c", "ctrl+v", "ctrl+v", "ctrl+underscore", "alt+delete"),
    *("ctrl+z", "ctrl+z", "ctrl+y"),
)
_LEAVES = {"quit", "start_screen"}
_ACTION_KEYS = tuple(
    key
    for action in ACTIONS
    if action.id not in _LEAVES and action.place in (Place.APP, Place.BLUEPRINT, Place.EDITOR)
    for key in action.bound
)
_IN_PANES = [action for action in ACTIONS if action.place not in (Place.APP, Place.START) and action.id not in _LEAVES]
_PANE_KEYS = tuple(dict.fromkeys(key for action in _IN_PANES for key in action.bound))
_NAMED = tuple(action.label for action in ACTIONS if action.in_palette and action.id not in _LEAVES)
_IN_LISTS = (*_PANE_KEYS, "up", "down", "pagedown", "home", "end", "tab")
_CHOICE = re.compile(r"\{([^{}]*)\}")


def _pasted(chance: random.Random) -> Step:
    return Step(Do.PASTE, "".join(chance.choice(ODD) for _ in range(chance.randint(1, 3))))


def _burst(chance: random.Random) -> Step:
    letters = "".join(chance.choices("abcxyz", k=chance.randint(1, 30)))
    return Step(Do.BURST, f"{chance.randint(0, 99)} {letters}")


def _place(chance: random.Random) -> Step:
    do = chance.choice((Do.CLICK, Do.CLICK, Do.WHEEL))
    return Step(do, chance.choice(("", "down")) if do is Do.WHEEL else "", chance.random(), chance.random())


def _key_of(*names: str) -> Callable[[random.Random], Step]:
    return lambda chance: Step(Do.KEY, chance.choice(names))


_DRAWN: dict[str, Callable[[random.Random], Step]] = {
    "!type": lambda chance: Step(Do.TYPE, chance.choice(_TYPED)),
    "!number": lambda chance: Step(Do.TYPE, str(chance.randint(0, 99))),
    "!named": lambda chance: Step(Do.TYPE, chance.choice(_NAMED)[: chance.randint(2, 12)]),
    "!move": _key_of(*_MOVES),
    "!edit": _key_of(*_EDITS),
    "!action": _key_of(*_ACTION_KEYS),
    "!inside": _key_of(*_IN_LISTS),
    "!choose": _key_of("down", "up", "space", "end", "pagedown"),
    "!resize": lambda chance: Step(Do.RESIZE, "{}x{}".format(*chance.choice(_SIZES))),
    "!paste": _pasted,
    "!burst": _burst,
    "!place": _place,
}


@cache
def _phrases() -> tuple[Sequence[str], Sequence[int]]:
    """The phrases of `key_phrases.txt`, and how often each is drawn."""
    lines = Path(__file__).with_name("key_phrases.txt").read_text("utf-8").splitlines()
    rows = [line.split(" ⇐ ") for line in lines if not line.startswith("#")]
    return [phrase for _, phrase in rows], [int(weight) for weight, _ in rows]


def _steps(chance: random.Random) -> list[Step]:
    """A phrase."""
    (phrase,) = chance.choices(*_phrases())
    while (found := _CHOICE.search(phrase)) is not None:
        phrase = phrase[: found.start()] + chance.choice(found[1].split("|")) + phrase[found.end() :]
    return [_step(word, chance) for word in shlex.split(phrase)]


def _step(word: str, chance: random.Random) -> Step:
    if word in _DRAWN:
        return _DRAWN[word](chance)
    return Step(Do.TYPE, word[1:]) if word.startswith("~") else Step(Do.KEY, word)


# --- Sequences


def setup(chance: random.Random) -> Setup:
    """What one sequence is about."""
    name, _, make = chance.choices(_FILES, [weight for _, weight, _ in _FILES])[0]
    return Setup(
        name,
        make(chance),
        chance.choices(_SIZES, _SIZE_WEIGHTS)[0],
        chance.choice(("studio-dark", "studio-light")),
        chance.random() < 0.8,
        chance.random() < 0.06,
        chance.random() < 0.2,
    )


def sequence(seed: int, number: int) -> KeySequence:
    """Sequence `number` of `seed`; the same each time."""
    chance = random.Random(f"{seed} {number}")
    what = setup(chance)
    wanted = chance.randint(LEAST, MOST)
    steps: list[Step] = []
    while len(steps) < wanted:
        steps += _steps(chance)
    return KeySequence(what, tuple(steps[:wanted]))

"""What is done to the studio: files, terminals, and sequences of keys, drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

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
_KEY = Do.KEY


def keys(*names: str) -> list[Step]:
    """Steps that press keys."""
    return [Step(_KEY, name) for name in names]


def _typing(chance: random.Random) -> list[Step]:
    return [Step(Do.TYPE, chance.choice(_TYPED)) for _ in range(chance.randint(1, 4))]


def _moving(chance: random.Random) -> list[Step]:
    return keys(*(chance.choice(_MOVES) for _ in range(chance.randint(1, 3))))


def _editing(chance: random.Random) -> list[Step]:
    return keys(chance.choice(_EDITS))


def _new_points(chance: random.Random) -> list[Step]:
    return [*keys("end", "enter"), Step(Do.TYPE, "- "), Step(Do.TYPE, "Says it"), *keys("enter", "enter")]


def _pasting(chance: random.Random) -> list[Step]:
    return [Step(Do.PASTE, "".join(chance.choice(ODD) for _ in range(chance.randint(1, 3))))]


def _finding(chance: random.Random) -> list[Step]:
    wanted = Step(Do.TYPE, chance.choice(("id", "a", "-", "Says", ".", "should")))
    steps = [*keys("ctrl+f"), wanted, *keys(*chance.choice(((), ("enter",), ("down", "up"))))]
    if chance.random() < 0.6:
        steps += [
            *keys("tab"),
            Step(Do.TYPE, chance.choice(("b", "x y", "é"))),
            *keys(chance.choice(("enter", "ctrl+r"))),
        ]
    return [*steps, *keys("escape")]


def _going(chance: random.Random) -> list[Step]:
    return [*keys("ctrl+g"), Step(Do.TYPE, str(chance.randint(0, 99))), *keys("enter")]


def _bursting(chance: random.Random) -> list[Step]:
    letters = "".join(chance.choices("abcxyz", k=chance.randint(1, 30)))
    return [Step(Do.BURST, f"{chance.randint(0, 99)} {letters}")]


def _completing(chance: random.Random) -> list[Step]:
    opened = Step(Do.TYPE, chance.choice(("$", "$ic", "$m"))) if chance.random() < 0.5 else Step(_KEY, "ctrl+@")
    chosen = chance.choice((("tab",), ("down", "enter"), ("escape",), ("up", "tab"), ("pagedown", "tab"), ("left",)))
    return [opened, *keys(*chosen)]


def _fixing(chance: random.Random) -> list[Step]:
    steps = keys(*["f8"] * chance.randint(0, 3), chance.choice(("f4", "f4", "ctrl+e")))
    return [*steps, *keys(*chance.choice((("enter",), ("down", "enter"), ("escape",), ("a",), ("down", "a"))))]


def _acting(chance: random.Random) -> list[Step]:
    return keys(chance.choice(_ACTION_KEYS))


def _in_panes(chance: random.Random) -> list[Step]:
    pane = chance.choice(("f2", "f3", "ctrl+r", "ctrl+k"))
    inside = (*_PANE_KEYS, "up", "down", "pagedown", "home", "end", "tab")
    steps = keys(pane, *(chance.choice(inside) for _ in range(chance.randint(1, 4))))
    return steps if chance.random() < 0.3 else [*steps, *keys("escape")]


def _in_palette(chance: random.Random) -> list[Step]:
    steps = [*keys("ctrl+p"), Step(Do.TYPE, chance.choice(_NAMED)[: chance.randint(2, 12)])]
    return [*steps, *keys(*chance.choice((("enter",), ("down", "enter"), ("pagedown", "escape"))), "escape")]


def _running(chance: random.Random) -> list[Step]:
    return keys(chance.choice(("f5", "f6", "ctrl+n")), *chance.choice(((), ("enter",), ("enter", "f5"))))


def _choosing_answers(chance: random.Random) -> list[Step]:
    moves = chance.choices(("down", "up", "space", "end", "pagedown"), k=chance.randint(1, 4))
    return keys("f9", *moves, chance.choice(("enter", "escape")))


def _pointing(chance: random.Random) -> list[Step]:
    do = chance.choice((Do.CLICK, Do.CLICK, Do.WHEEL))
    return [Step(do, chance.choice(("", "down")) if do is Do.WHEEL else "", chance.random(), chance.random())]


def _resizing(chance: random.Random) -> list[Step]:
    width, height = chance.choice(_SIZES)
    return [Step(Do.RESIZE, f"{width}x{height}")]


_PHRASES = (
    (26, _typing),
    (16, _moving),
    (20, _editing),
    (4, _new_points),
    (6, _pasting),
    (3, _finding),
    (2, _going),
    (4, _bursting),
    (5, _completing),
    (4, _fixing),
    (4, _acting),
    (5, _in_panes),
    (3, _in_palette),
    (2, _running),
    (2, _choosing_answers),
    (4, _pointing),
    (1, _resizing),
)


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
        phrase = chance.choices([phrase for _, phrase in _PHRASES], [weight for weight, _ in _PHRASES])[0]
        steps += phrase(chance)
    return KeySequence(what, tuple(steps[:wanted]))

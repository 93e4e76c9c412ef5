"""The scales by which judges grade: class names and the extents that they stand for (000, step 4; 002, judge options).

The documented scale has five steps, the experimental one ten (002 calls it the 9-point scale and lists ten extents). A
judge is shown the scale in force and no other; what it answers is understood by the names of all of them, since models
remember each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from engine.blueprint import Header
from engine.scoring.assessment import Grade


class JudgesAs(StrEnum):
    """The author's choice: judges, scale and backup as the documents have them, or as Weval has them today."""

    DOCUMENTED = "documented"
    WEVAL_TODAY = "weval-today"


@dataclass(frozen=True, slots=True)
class Step:
    """One class: its name, its extent (0–1, before inversion), and what it means, in the words for the judge."""

    name: str
    extent: float
    meaning: str

    @property
    def label(self) -> str:
        """The class as an author reads it: `partially present`."""
        return self.name.removeprefix("CLASS_").replace("_", " ").lower()


@dataclass(frozen=True, slots=True)
class Example:
    """One worked verdict that a judge is shown. `name` is a class of the scale that the example belongs to."""

    criterion: str
    answer: str
    reflection: str
    name: str


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale: its steps from the lowest, and verdicts that show its use."""

    name: str
    steps: tuple[Step, ...]
    examples: tuple[Example, ...] = ()

    def step(self, name: str) -> Step | None:
        """The class of this name, written in whatever way: `class_absent`, `Absent`, `FULLY PRESENT`."""
        wanted = _plain(name)
        return next((step for step in self.steps if _plain(step.name) == wanted), None)


_CANBERRA = "Says that Canberra is the capital of Australia"
_TIDES = "Explains that the tides come from the pull of both the Moon and the Sun"
_DOCTOR = "Tells the user to see a doctor if the fever lasts longer than three days"

FIVE_STEPS = Scale(
    "five steps",
    (
        Step(Grade.ABSENT, 0.0, "nothing of the criterion is there, or the contrary is said"),
        Step(Grade.SLIGHTLY_PRESENT, 0.25, "a small part of it is there; most is missing"),
        Step(Grade.PARTIALLY_PRESENT, 0.5, "about half of it is there"),
        Step(Grade.MAJORLY_PRESENT, 0.75, "most of it is there; a lesser part is missing or inexact"),
        Step(Grade.FULLY_PRESENT, 1.0, "all of it is there, in whatever words"),
    ),
    (
        Example(
            _CANBERRA,
            "Many expect Sydney, but the seat of government is Canberra.",
            "The seat of government is named, which is what the criterion asks for in other words.",
            Grade.FULLY_PRESENT,
        ),
        Example(
            _TIDES,
            "High tide follows the Moon, whose gravity draws the water towards it.",
            "The Moon's pull is explained; the Sun, the other half of the criterion, is not mentioned.",
            Grade.PARTIALLY_PRESENT,
        ),
        Example(
            _DOCTOR,
            "Drink plenty of water and get some rest. You will be fine soon.",
            "Nothing is said of a doctor, nor of how long the fever may last.",
            Grade.ABSENT,
        ),
    ),
)
"""The documented scale, by which authors grade too."""

FIVE_STEPS_MET = Scale(
    "five steps of being met",
    (
        Step("CLASS_UNMET", 0.0, "not met"),
        Step("CLASS_PARTIALLY_MET", 0.25, "a part is met"),
        Step("CLASS_MODERATELY_MET", 0.5, "half is met"),
        Step("CLASS_MAJORLY_MET", 0.75, "most is met"),
        Step("CLASS_EXACTLY_MET", 1.0, "all is met"),
    ),
)
"""A scale of five that Weval's judges have been shown; nobody is shown it here, but its names are understood."""

TEN_STEPS = Scale(
    "ten steps",
    (
        Step("CLASS_UTTERLY_UNMET", 0.0, "the answer says or does the contrary of the criterion"),
        Step("CLASS_UNMET", 0.001, "nothing of the criterion is there, though nothing contradicts it"),
        Step("CLASS_TRACE", 0.125, "no more than a hint of it"),
        Step("CLASS_SLIGHT", 0.25, "a small part of it"),
        Step("CLASS_PARTIAL", 0.375, "less than half of it; something important is missing"),
        Step("CLASS_MODERATE", 0.5, "about half of it"),
        Step("CLASS_SUBSTANTIAL", 0.625, "more than half of it"),
        Step("CLASS_MAJOR", 0.75, "most of it; a lesser part is missing"),
        Step("CLASS_VERY_NEARLY", 0.875, "all but a detail that hardly matters"),
        Step("CLASS_EXACT", 1.0, "all of it, in whatever words"),
    ),
    (
        Example(
            _CANBERRA,
            "Many expect Sydney, but the seat of government is Canberra.",
            "The seat of government is named, which is what the criterion asks for in other words.",
            "CLASS_EXACT",
        ),
        Example(
            _TIDES,
            "High tide follows the Moon, whose gravity draws the water towards it.",
            "The Moon's pull is explained; the Sun, the other half of the criterion, is not mentioned.",
            "CLASS_MODERATE",
        ),
        Example(
            _DOCTOR,
            "Drink plenty of water and get some rest. You will be fine soon.",
            "Nothing is said of a doctor, nor of how long the fever may last, and nothing speaks against it.",
            "CLASS_UNMET",
        ),
        Example(
            _CANBERRA,
            "The capital of Australia is Sydney.",
            "Another city is called the capital, which contradicts the criterion.",
            "CLASS_UTTERLY_UNMET",
        ),
    ),
)
"""The experimental scale (`useExperimentalScale`), which Weval applies to everything today (platform.md, A30)."""

ALL_SCALES = (FIVE_STEPS, FIVE_STEPS_MET, TEN_STEPS)


def scale_in_force(header: Header, judges_as: JudgesAs = JudgesAs.DOCUMENTED) -> Scale:
    """Documented: five steps unless `useExperimentalScale` asks for ten. As Weval today: ten, whatever is written."""
    match judges_as:
        case JudgesAs.DOCUMENTED:
            return TEN_STEPS if header.use_experimental_scale else FIVE_STEPS
        case JudgesAs.WEVAL_TODAY:
            return TEN_STEPS


def find_step(name: str, scale: Scale, *, in_tag: bool = False) -> Step | None:
    """The class that `name` stands for, None where none has it.

    A class of the scale in force may be written in any way. One of another scale is understood by its full name, or by
    two words of it; by one word only `in_tag`, and unless a class of the scale in force begins with it: "partial" may
    be meant for that. `CLASS_UNMET` alone stands in two scales, with 0 and 0.001; the one in force decides, else the
    scale of five.
    """
    plain = _plain(name)
    is_clear = in_tag and plain and not any(_plain(step.name).startswith(plain) for step in scale.steps)
    others = ALL_SCALES if _FULL_NAME.match(name) or "_" in plain or is_clear else ()
    return next((step for each in (scale, *others) if (step := each.step(name)) is not None), None)


_FULL_NAME = re.compile(r"\W*CLASS[\W_]", re.I)


def _plain(name: str) -> str:
    return re.sub(r"[^A-Z]+", "_", name.upper()).strip("_").removeprefix("CLASS_")

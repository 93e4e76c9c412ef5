"""The scales by which judges grade: class names and their extents (000, step 4; 002, judge options).

The documented scale has five steps, the experimental one ten (002 calls it the 9-point scale and lists ten extents). A
judge is shown only the scale in force, but its reply may use the class names of any scale, since models remember them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from engine.blueprint import Header
from engine.scoring.assessment import Grade


class JudgesAs(StrEnum):
    """The author's choice of judges, scale and backup: those of the documents, or those of Weval today."""

    DOCUMENTED = "documented"
    WEVAL_TODAY = "weval-today"


@dataclass(frozen=True, slots=True)
class Step:
    """One class: its name, its extent (0–1, before inversion), and its meaning, as the judge prompt words it."""

    name: str
    extent: float
    meaning: str

    @property
    def label(self) -> str:
        """The class as an author reads it: `partially present`."""
        return self.name.removeprefix("CLASS_").replace("_", " ").lower()


@dataclass(frozen=True, slots=True)
class Example:
    """An example verdict in the judge prompt. `name` is a class of the scale to which the example belongs."""

    criterion: str
    answer: str
    reflection: str
    name: str


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale: its steps, lowest first, and examples of its use."""

    name: str
    steps: tuple[Step, ...]
    examples: tuple[Example, ...] = ()

    def step(self, name: str) -> Step | None:
        """The class of this name, in any spelling, `class_absent`, `Absent`, `FULLY PRESENT`, or None."""
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
"""The documented scale, which authors also use for their grades."""

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
"""A scale of five that Weval's judges have been shown. Our judges never see it, but its names are understood."""

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
    """As documented: five steps unless `useExperimentalScale` is set. As on Weval today: always ten."""
    match judges_as:
        case JudgesAs.DOCUMENTED:
            return TEN_STEPS if header.use_experimental_scale else FIVE_STEPS
        case JudgesAs.WEVAL_TODAY:
            return TEN_STEPS


def find_step(name: str, scale: Scale, *, in_tag: bool = False) -> Step | None:
    """The class with this name, None where there is none.

    A class of the scale in force may have any spelling. A class of another scale needs its full name or two words of
    it; one word is enough only `in_tag`, and only if no class of the scale in force begins with it: "partial" may mean
    that class. `CLASS_UNMET` alone is in two scales, with 0 and 0.001: the scale in force wins, else the scale of five.
    """
    plain = _plain(name)
    is_clear = in_tag and plain and not any(_plain(step.name).startswith(plain) for step in scale.steps)
    others = ALL_SCALES if _FULL_NAME.match(name) or "_" in plain or is_clear else ()
    return next((step for each in (scale, *others) if (step := each.step(name)) is not None), None)


_FULL_NAME = re.compile(r"\W*CLASS[\W_]", re.I)


def _plain(name: str) -> str:
    return re.sub(r"[^A-Z]+", "_", name.upper()).strip("_").removeprefix("CLASS_")

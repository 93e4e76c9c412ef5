"""What an evaluation of one prompt with one source reports, in the order it happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from engine.conversation import ThreadTurn
from engine.providers.chat import Usage
from engine.scoring.assessment import Assessment
from engine.scoring.explanation import Explanation

NOTHING_COUNTED = Usage()


@dataclass(frozen=True, slots=True)
class Response:
    """The whole answer: the thread, the subject text that is judged, and how it came about.

    `subject` joins the generated turns by a blank line (002, "Sequential multi-turn"). `seconds` is the wall time of
    all requests, None where nothing was requested. `cut_off` tells that the answer ended by its token limit.
    """

    subject: str
    thread: tuple[ThreadTurn, ...]
    model: str | None = None
    seconds: float | None = None
    usage: Usage = NOTHING_COUNTED
    cut_off: bool = False
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Delta:
    """The next piece of the turn that is being generated (`turn` counts generated turns from 0)."""

    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class Responded:
    """The answer is there; checks and judges follow."""

    response: Response


@dataclass(frozen=True, slots=True)
class Assessed:
    """One point was assessed, or failed to be; `index` is its place in `Prompt.points()`."""

    index: int
    assessment: Assessment


@dataclass(frozen=True, slots=True)
class Scored:
    """The end of a run that came through: all assessments in the order of `Prompt.points()`, and the explanation."""

    response: Response
    assessments: tuple[Assessment, ...]
    explanation: Explanation


@dataclass(frozen=True, slots=True)
class Failed:
    """The end of a run that did not: what happened, what the other side said (untrusted), what to do.

    `partial` is what had arrived.
    """

    title: str
    detail: str = ""
    advice: str = ""
    partial: Response | None = None


__all__ = [
    "NOTHING_COUNTED",
    "Assessed",
    "Delta",
    "Event",
    "Failed",
    "Responded",
    "Response",
    "Scored",
    "ThreadTurn",
]

Event: TypeAlias = Delta | Responded | Assessed | Scored | Failed

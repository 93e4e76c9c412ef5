"""Where an answer comes from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias


class ControlKind(StrEnum):
    """Control answers ("test answers" on the screen): what a rubric must not reward."""

    EMPTY = "empty"
    REFUSAL = "refusal"
    ECHO = "echo"
    STUFFING = "stuffing"


@dataclass(frozen=True, slots=True)
class IdealSource:
    """The prompt's own `ideal`."""


@dataclass(frozen=True, slots=True)
class WrittenSource:
    """An answer that the author typed or pasted."""

    text: str


@dataclass(frozen=True, slots=True)
class ControlSource:
    """A control answer."""

    kind: ControlKind


@dataclass(frozen=True, slots=True)
class FixtureSource:
    """Saved answers: a Weval fixtures file; `model` picks a `byModel` entry."""

    path: Path
    model: str | None = None


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A model: `provider:model` as in a blueprint, `embedded:smollm2`, or a name at `base_url`."""

    model: str
    base_url: str | None = None


AnswerSource: TypeAlias = IdealSource | WrittenSource | ControlSource | FixtureSource | ModelSource


def source_key(source: AnswerSource) -> str:
    """The key under which results of this source stand in result JSON (DESIGN, "Machine-readable surface")."""
    match source:
        case IdealSource():
            return "ideal"
        case WrittenSource():
            return "response"
        case ControlSource(kind):
            return f"control:{kind}"
        case FixtureSource(_, model):
            return model or "fixtures"
        case ModelSource(model):
            return model


def source_label(source: AnswerSource) -> str:
    """What the screen calls it: "the ideal", "your answer", "test answer: refusal", "gpt-4o-mini"."""
    match source:
        case IdealSource():
            return "the ideal"
        case WrittenSource():
            return "your answer"
        case ControlSource(ControlKind.ECHO):
            return "test answer: the prompt repeated"
        case ControlSource(kind):
            return f"test answer: {kind}"
        case FixtureSource(path):
            return f"saved answers: {path.name}"
        case ModelSource(model):
            return model.partition(":")[2] or model

"""Answer sources as the settings keep them, so that a file is opened with the answers that were chosen for it."""

from __future__ import annotations

from pathlib import Path

from engine.evaluation.sources import (
    AnswerSource,
    ControlKind,
    ControlSource,
    FixtureSource,
    IdealSource,
    ModelSource,
    WrittenSource,
)


def as_remembered(source: AnswerSource) -> tuple[str, str, str | None]:
    """An answer source as the settings keep it: kind, value, and base URL or fixtures' model."""
    match source:
        case IdealSource():
            return "ideal", "", None
        case WrittenSource():
            return "response", "", None
        case ControlSource(kind):
            return "control", kind.value, None
        case FixtureSource(path, model):
            return "fixtures", str(path), model
        case ModelSource(model, base_url):
            return "model", model, base_url


def remembered(kind: str, value: str, base_url: str | None) -> AnswerSource | None:
    """The answer source that `as_remembered` described; None where it describes none."""
    match kind:
        case "ideal":
            return IdealSource()
        case "response":
            return WrittenSource("")
        case "control" if value in list(ControlKind):
            return ControlSource(ControlKind(value))
        case "fixtures":
            return FixtureSource(Path(value), base_url)
        case "model" if value:
            return ModelSource(value, base_url)
        case _:
            return None

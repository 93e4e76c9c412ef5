"""One prompt × one answer source: an async stream of typed events, cancellable."""

from engine.evaluation.events import (
    AllJudged,
    Assessed,
    Delta,
    Event,
    Failed,
    JudgingBegan,
    PointAssessed,
    Responded,
    Response,
    Scored,
)
from engine.evaluation.point_assessment import assess, assess_functions
from engine.evaluation.prompt_evaluation import evaluate, rescore
from engine.evaluation.sources import (
    AnswerSource,
    ControlKind,
    ControlSource,
    FixtureSource,
    IdealSource,
    ModelSource,
    StoredSource,
    WrittenSource,
)

__all__ = [
    "AllJudged",
    "AnswerSource",
    "Assessed",
    "ControlKind",
    "ControlSource",
    "Delta",
    "Event",
    "Failed",
    "FixtureSource",
    "IdealSource",
    "JudgingBegan",
    "ModelSource",
    "PointAssessed",
    "Responded",
    "Response",
    "Scored",
    "StoredSource",
    "WrittenSource",
    "assess",
    "assess_functions",
    "evaluate",
    "rescore",
]

"""A published result, with a blueprint beside it: the notice period is wrong in it, and the deposit right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.evaluation.published_files import open_with_result
from studio.tui.app import Studio
from tests.studio.text_files import text_file

BLUEPRINT = text_file("published.yml")


def said(text: str, extent: float, **more: Any) -> dict[str, Any]:
    return {"keyPointText": text, "coverageExtent": extent, "multiplier": 1, **more}


_JUDGED = [{"judgeModelId": "qwen", "coverageExtent": 0.25, "reflection": "Only in passing."}]
NOTICE = [
    said('Function: icontains("30 days")', 0),
    said("Names the lease", 0.25, individualJudgements=_JUDGED),
    said("Says who pays", 1),
]


def scored(average: float, *points: dict[str, Any]) -> dict[str, Any]:
    return {"keyPointsCount": len(points), "avgCoverageExtent": average, "pointAssessments": list(points)}


def result_of(*models: str) -> dict[str, Any]:
    """What Weval published of these models."""
    return {
        "configId": "tenants",
        "configTitle": "Tenants",
        "timestamp": "2026-03-01T10:00:00.000Z",
        "sourceBlueprintFileName": "tenants.yml",
        "config": {
            "title": "Tenants",
            "prompts": [
                {
                    "id": "notice",
                    "messages": [{"role": "user", "content": "What is the notice period?"}],
                    "points": [{"fn": "icontains", "fnArgs": "30 days"}, {"text": "Names the lease"}],
                },
                {"id": "deposit", "promptText": "Who keeps the deposit?", "points": [{"text": "Names the scheme"}]},
            ],
        },
        "allFinalAssistantResponses": {
            "notice": dict.fromkeys(models, "It is two weeks, as the lease says."),
            "deposit": dict.fromkeys(models, "A scheme."),
        },
        "evaluationResults": {
            "llmCoverageScores": {
                "notice": dict.fromkeys(models, scored(0.42, *NOTICE)),
                "deposit": dict.fromkeys(models, scored(1.0, said("Names the scheme", 1))),
            }
        },
    }


def published_in(folder: Path, *models: str, blueprint: str | None = BLUEPRINT) -> Path:
    """A result file, with its blueprint beside it where one is given."""
    path = folder / "abc_2026-03-01T10-00-00-000Z_comparison.json"
    path.write_text(json.dumps(result_of(*(models or ("openai:tiny",)))), "utf-8")
    if blueprint is not None:
        (folder / "tenants.yml").write_text(blueprint, "utf-8")
    return path


def studio_with(path: Path) -> Studio:
    """The app as `studio RESULT.json` opens it."""
    file, published = open_with_result(path)
    return Studio(file, published=published)

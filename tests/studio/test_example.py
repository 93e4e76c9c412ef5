"""The bundled example: its first lesson is a score that Weval gives too, before and after each fix."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import check
from engine.text.diagnostics import Diagnostic
from engine.text.spans import apply_edits
from studio.example import EXAMPLE, read
from tests.studio.command_line import studio


def first_problem() -> Diagnostic:
    return min(check(read(EXAMPLE.file)), key=lambda each: each.span.start)


def score(text: str, folder: Path) -> dict[str, Any]:
    """What the ideal of the first prompt scores, as `studio run` writes it."""
    file = folder / EXAMPLE.file
    file.write_text(text, "utf-8")
    out = folder / "out.json"
    studio("run", str(file), "--prompt", "broken-boiler", "--ideal", "--json", str(out))
    return json.loads(out.read_text("utf-8"))["evaluationResults"]["llmCoverageScores"]["broken-boiler"]["ideal"]


def on_weval(result: dict[str, Any]) -> tuple[str, float]:
    """The last line of the arithmetic: how it is said, and the figure."""
    step = result["explanation"]["steps"][-1]
    return step["label"], step["result"]


def test_the_first_problem_is_that_of_the_paths() -> None:
    assert first_problem().slug == "single-element-path"


def test_the_first_lesson_is_one_number_that_weval_stores_too(tmp_path: Path) -> None:
    result = score(read(EXAMPLE.file), tmp_path)
    assert result["bounds"] == [0.5, 0.5]
    assert on_weval(result) == ("Weval stores", result["avgCoverageExtent"])


@pytest.mark.parametrize(("choice", "stored"), [(0, 0.6), (1, 0.75)])
def test_after_each_fix_of_it_weval_stores_the_same(choice: int, stored: float, tmp_path: Path) -> None:
    fixed = apply_edits(read(EXAMPLE.file), first_problem().fixes[choice].edits)
    result = score(fixed, tmp_path)
    assert result["avgCoverageExtent"] == stored
    assert on_weval(result) == ("Weval stores", stored)

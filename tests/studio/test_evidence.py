"""The evidence of checks and judges in the result, in the answer, and in `studio explain`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import Approach, PanelJudge
from engine.judging.verdict import Verdict
from engine.models.chat import ChatRequest
from engine.parsing import parse
from engine.scoring.assessment import AssessedBy, Assessment
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.text.record import replace
from engine.text.spans import Span
from studio.session.views.result_view import ResultView, quoted_by_judges
from studio.tui.panes.criterion_foot import passage
from tests.session.faces import Author, Face
from tests.studio.command_line import studio
from tests.studio.results import foot, text_of
from tests.studio.text_files import text_file

TEXT = text_file("evidence.yml")


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    path = tmp_path / "river.yml"
    path.write_text(TEXT, "utf-8")
    return path


async def shown(path: Path) -> Face:
    """The file with the ideal run, and the evidence collected."""
    face = Face(path, Author())
    await face.settled()
    face.cursor_at("prompt")
    face.runs.run_or_stop()
    await face.until(lambda: has_evidence(face))
    return face


def lit(face: Face) -> tuple[list[str], bool]:
    """What is lit in the answer, and whether that is only a place to look."""
    view = face.runs.views.answer()
    return [span.of(turn.text) for turn in view.turns for span in turn.evidence], view.is_closest


def has_evidence(face: Face) -> bool:
    run = face.runs.selection.run
    return run is not None and bool(face.runs.evidence.of(run))


async def test_the_detail_of_a_check_shows_what_it_found_or_nearly_found(blueprint: Path) -> None:
    face = await shown(blueprint)
    view = face.runs.views.result()
    assert isinstance(view, ResultView)
    assert "found “Paraná” inside “Paranáense”" in foot(view, 0)
    assert "… people, ⟦since 1949⟧.   groups year: “1949”" in foot(view, 1)
    assert "● “people” once" in foot(view, 2)
    await face.close()


async def test_the_answer_lights_up_the_nearest_miss_as_a_place_to_look(blueprint: Path) -> None:
    face = await shown(blueprint)
    face.runs.selection.select_row(0, ())
    assert lit(face) == (["Paraná"], True)
    await face.close()


async def test_the_answer_lights_up_every_match(blueprint: Path) -> None:
    face = await shown(blueprint)
    face.runs.selection.select_row(1, ())
    assert lit(face) == (["since 1949"], False)
    await face.close()


async def test_a_check_that_changes_has_new_evidence(blueprint: Path) -> None:
    face = await shown(blueprint)
    face.replace("contains_word: Paraná", "contains: Paraná")
    await face.settled()
    await face.until(lambda: has_evidence(face))
    view = face.runs.views.result()
    assert isinstance(view, ResultView)
    assert [match.span for entry in view.evidence[0].entries for match in entry.matches] == [Span(4, 10)]
    await face.close()


def judged(reflection: str) -> Judgement:
    judge = PanelJudge("a", "openai:gpt-4o-mini", Approach.STANDARD)
    return Judgement(judge, "Names the people", (Attempt(ChatRequest("m", ()), "", Verdict(1.0, None, reflection)),))


def test_what_a_judge_quotes_replaces_the_closest_sentence() -> None:
    answer = "The Paranáense people, since 1949."
    judgements = (judged("It names “the Paranáense people” and “nobody else”."),)
    assert [span.of(answer) for span in quoted_by_judges(judgements, answer)] == ["The Paranáense people"]
    prompt = parse("- prompt: x\n  should:\n    - Names the people\n").blueprint.prompts[0]
    assessments = (Assessment(place(prompt)[0], 1.0, AssessedBy.JUDGE),)
    view = ResultView(prompt, "a", explain(prompt, assessments), assessments, answer=answer)
    view = replace(view, judgements={0: judgements})
    assert text_of(passage(view, 0, 80, None)) == [" answer  ⟦The Paranáense people⟧"]


def test_explain_prints_the_evidence_of_each_check(blueprint: Path) -> None:
    lines = [line.strip() for line in studio("explain", blueprint, "--prompt", "river", "--ideal").stdout.splitlines()]
    assert "found “Paraná” inside “Paranáense”" in lines
    assert "… people, ⟦since 1949⟧.   groups year: “1949”" in lines


def test_explain_gives_the_evidence_as_json(blueprint: Path) -> None:
    run = studio("explain", blueprint, "--prompt", "river", "--ideal", "--format", "json")
    word, pattern, _ = json.loads(run.stdout)[0]["evidence"]
    assert word["entries"][0]["nearest"] == {
        "line": 1,
        "column": 5,
        "text": "Paraná",
        "kinds": ["boundary"],
        "within": "Paranáense",
        "distance": 0,
        "message": "found “Paraná” inside “Paranáense”",
    }
    assert pattern["entries"][0]["matches"] == [
        {"line": 1, "column": 24, "text": "since 1949", "groups": {"year": "1949"}}
    ]

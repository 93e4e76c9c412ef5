"""What cost something to have is there again after a restart, and judged by the rubric of today."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import Block, Role
from engine.blueprint.conversation import ThreadTurn
from engine.evaluation.events import Response
from engine.evaluation.sources import AnswerSource, Candidate, ModelSource, WrittenSource
from engine.files.user_settings import SavedAnswers, Settings
from engine.judging.judgement import Attempt, Judgement
from engine.judging.panel import Approach, PanelJudge
from engine.judging.verdict import Verdict
from engine.models.chat import ChatRequest
from engine.parsing import parse
from engine.scoring.assessment import Criterion, Grade
from engine.store import PromptPlace, Store
from engine.text.record import replace
from studio.session.restored_answers import restored_run
from studio.session.run import Run
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import WIDE, analysis_of, runs_of, settle, studio_on, wait_until
from tests.studio.histories import ran

RUBRIC = """\
- id: notice
  prompt: What is the notice period?
  should:
    - $icontains: 30 days
    - Names the lease
"""


MODEL = ModelSource("openai:m")


def save_answer(path: Path, *, asked: str = "What is the notice period?", source: AnswerSource = MODEL) -> None:
    """As if a model had answered in an earlier session, and its author had graded it."""
    prompt = parse(RUBRIC, path).blueprint.prompts[0]
    place = PromptPlace.of(path, prompt)
    thread = (ThreadTurn(Role.USER, asked, generated=False), ThreadTurn(Role.ASSISTANT, "30 days.", generated=True))
    store = Store()
    store.save_response(place, Candidate(source).key, Response("30 days.", thread, "m"))
    store.grade(place, "30 days.", Criterion(Block.SHOULD, "Names the lease"), Grade.PARTIALLY_PRESENT)
    store.close()
    Settings(answers={str(path): SavedAnswers(kind="model", value="openai:m")}).save()


def shown(screen: BlueprintScreen) -> Any:
    prompt = analysis_of(screen).parsed.blueprint.prompts[0]
    return runs_of(screen).selection.of(prompt)


async def test_a_models_answer_and_its_grades_are_there_after_a_restart(tmp_path: Path) -> None:
    save_answer(tmp_path / "x.yml")
    app = studio_on(tmp_path / "x.yml", RUBRIC)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await wait_until(pilot, lambda: shown(screen) is not None)
        run = shown(screen)
        assert (run.source, run.restored, run.explanation.score) == (ModelSource("openai:m"), True, 0.75)
        assert "saved earlier" in app.export_screenshot().replace("&#160;", " ")


async def test_a_models_answer_under_another_system_prompt_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    save_answer(path)
    briefly = parse(f"system: Be brief.\n---\n{RUBRIC}", path).blueprint
    (prompt,) = briefly.prompts
    run = Run(PromptPlace.of(path, prompt), prompt, "", 0, Candidate(ModelSource("openai:m")))
    assert restored_run(Store(), run, briefly.header) is None
    assert restored_run(Store(), run, parse(RUBRIC, path).blueprint.header) is not None


async def test_what_judges_said_of_it_is_there_as_well(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    panel = "evaluationConfig: {llm-coverage: {judges: [{id: one, model: openai:judge, approach: standard}]}}\n"
    path.write_text(f"{panel}---\n{RUBRIC}", "utf-8")
    number = ran(path, ago=timedelta(days=1), candidate=Candidate(ModelSource("openai:m")), answer="30 days.")
    reading = Verdict(0.25, None, "Hardly.")
    judge = PanelJudge("one", "openai:judge", Approach.STANDARD)
    said = Judgement(judge, "Names the lease", (Attempt(ChatRequest("judge", ()), "CLASS_ABSENT", reading),))
    store = Store()
    store.save_judgement(said)
    store.save_run_judgement(number, said)
    Settings(answers={str(path): SavedAnswers(kind="model", value="openai:m")}).save()
    async with studio_on(path).run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(screen.editor.text_out().index("notice"))
        await wait_until(pilot, lambda: shown(screen) is not None)
        assert shown(screen).judgements == {1: (replace(said, reused=True),)}
        assert shown(screen).explanation.score == 0.625


@pytest.mark.parametrize("source", [MODEL, WrittenSource("30 days.")])
@pytest.mark.parametrize(("asked", "is_shown"), [("What is the notice period?", True), ("What is the rent?", False)])
async def test_an_answer_to_other_messages_is_not_taken_for_one_to_these(
    tmp_path: Path, source: AnswerSource, asked: str, is_shown: bool
) -> None:
    path = tmp_path / "x.yml"
    save_answer(path, asked=asked, source=source)
    blueprint = parse(RUBRIC, path).blueprint
    (prompt,) = blueprint.prompts
    run = Run(PromptPlace.of(path, prompt), prompt, "", 0, Candidate(source))
    assert (restored_run(Store(), run, blueprint.header) is not None) == is_shown


async def test_f_on_an_advice_mends_the_blueprint(tmp_path: Path) -> None:
    quoted = RUBRIC.replace("$icontains: 30 days", "\"$icontains: '30 days'\"").replace(
        "  should:", "  ideal: 30 days.\n  should:"
    )
    app = studio_on(tmp_path / "x.yml", quoted)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await pilot.press("f5")
        await wait_until(pilot, lambda: shown(screen) is not None and shown(screen).explanation is not None)
        await settle(pilot)
        result = screen.side.result
        assert result is not None
        index = next(index for index, row in enumerate(result.rows.rows) if row.fixable)
        screen.set_focus(result.rows)
        result.rows.selected = index
        await pilot.press("f")
        await wait_until(pilot, lambda: "- $icontains: '30 days'" in screen.editor.text_out())

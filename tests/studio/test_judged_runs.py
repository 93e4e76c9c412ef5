"""Judges in the studio: chosen, asked, kept, and what they said held while the rubric is edited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from textual.widgets import Static

from engine.judging.panel import JudgesAs
from studio.session.runs import Runs
from studio.tui.dialogs.before_run import BeforeRun
from studio.tui.dialogs.judge_dialog import ChooseJudges
from studio.tui.screens.blueprint_screen import BlueprintScreen
from tests.studio.driving import WIDE, analysis_of, press, runs_of, settle, studio_on, wait_until
from tests.studio.model_server import ModelServer, verdict

PROMPT = """\
- id: notice
  prompt: What is the notice period?
  ideal: It is 30 days, by the lease.
  should:
    - $icontains: 30 days
    - Names the lease
    - Is friendly
"""


def says(body: dict[str, Any]) -> str:
    criterion = body["messages"][1]["content"].rpartition("<criterion")[2]
    return verdict("CLASS_FULLY_PRESENT" if "lease" in criterion.partition("</")[0] else "CLASS_UNMET")


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, says)


def blueprint(server: ModelServer) -> str:
    judges = "judges: [{model: 'own:judge', approach: standard, id: first}]"
    header = f"models: [{server.model('judge')}]\nevaluationConfig: {{llm-coverage: {{{judges}}}}}"
    return f"{header}\n---\n{PROMPT}"


async def judged(pilot: Any) -> BlueprintScreen:
    """The screen after its prompt was run with judges."""
    screen = await settle(pilot)
    runs_of(screen).configuration.judges_as = JudgesAs.DOCUMENTED
    screen.editor.go_to(analysis_of(screen).starts[0])
    return await press(pilot, "f5")


def shown(screen: BlueprintScreen) -> Any:
    return runs_of(screen).selection.run


async def test_points_in_words_are_judged_by_the_blueprint_s_judges(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        screen = await judged(pilot)
        assert [each.extent for each in shown(screen).assessments] == [1.0, 1.0, 0.0]
        assert shown(screen).explanation.bounds.closed


async def test_the_same_question_is_not_asked_twice(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        await judged(pilot)
        screen = await press(pilot, "f5")
        assert shown(screen).explanation.bounds.closed
    assert len(server.bodies) == 2


async def test_nobody_is_asked_while_the_author_judges_alone(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await press(pilot, "ctrl+end", "f5")
    assert server.bodies == []


async def test_a_verdict_holds_while_its_criterion_moves(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        screen = await judged(pilot)
        line = blueprint(server)[: blueprint(server).index("    - Names")].count("\n")
        screen.editor.insert("    - Says when it begins\n", (line, 0))
        screen = await settle(pilot)
        assert [each.extent for each in shown(screen).assessments] == [1.0, None, 1.0, 0.0]
    assert len(server.bodies) == 2


async def test_a_criterion_that_is_written_otherwise_is_open_again(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        screen = await judged(pilot)
        place = blueprint(server).index("Is friendly")
        screen.editor.go_to(place)
        await pilot.press("V", "e", "r", "y", "space")
        screen = await settle(pilot)
        assert [each.extent for each in shown(screen).assessments] == [1.0, 1.0, None]


async def test_your_own_grade_counts_over_a_verdict_and_the_verdict_comes_back_without_it(
    tmp_path: Path, server: ModelServer
) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        await judged(pilot)
        screen = await press(pilot, "ctrl+r", "down", "1")
        assert [each.extent for each in shown(screen).assessments] == [1.0, 0.0, 0.0]
        screen = await press(pilot, "0")
        assert [each.extent for each in shown(screen).assessments] == [1.0, 1.0, 0.0]
    assert len(server.bodies) == 2


async def test_who_judges_is_chosen_in_the_result_and_remembered(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        await press(pilot, "ctrl+end", "f5", "ctrl+r")
        await pilot.press("w")
        await wait_until(pilot, lambda: isinstance(app.screen, ChooseJudges))
        await pilot.press("down", "enter")
        await wait_until(pilot, lambda: app.screen is screen)
        assert "answers: the ideal · judged" in str(screen.query_one("StatusLine").render())
    again = studio_on(tmp_path / "x.yml")
    async with again.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        assert runs_of(screen).configuration.judges_as is JudgesAs.DOCUMENTED


async def test_judges_elsewhere_are_named_before_they_get_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "not-a-real-key")
    app = studio_on(tmp_path / "x.yml", PROMPT)
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        runs_of(screen).configuration.judges_as = JudgesAs.DOCUMENTED
        await pilot.press("f5")
        await wait_until(pilot, lambda: isinstance(app.screen, BeforeRun))
        assert any("openrouter.ai" in str(each.render()) for each in app.screen.query(Static))
        await pilot.press("escape")
        await settle(pilot)
        assert shown(screen) is None


async def test_an_answer_of_your_own_is_judged_without_asking_for_another(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        screen = await settle(pilot)
        screen.editor.go_to(analysis_of(screen).starts[0])
        await press(pilot, "f5")
        runs_of(screen).configuration.judges_as = JudgesAs.DOCUMENTED
        screen = await press(pilot, "ctrl+r", "a")
        assert [each.extent for each in shown(screen).assessments] == [1.0, 1.0, 0.0]
    assert len(server.bodies) == 2


async def test_judging_again_asks_only_about_what_is_open(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", blueprint(server))
    async with app.run_test(size=WIDE) as pilot:
        screen = await judged(pilot)
        screen.editor.go_to(blueprint(server).index("Is friendly"))
        await pilot.press("V", "e", "r", "y", "space")
        await settle(pilot)
        screen = await press(pilot, "ctrl+r", "a")
        assert [each.extent for each in shown(screen).assessments] == [1.0, 1.0, 0.0]
    assert len(server.bodies) == 3


# Verdicts that are carried over


def holistic(server: ModelServer) -> str:
    return blueprint(server).replace("approach: standard", "approach: holistic")


def carried(screen: BlueprintScreen) -> list[bool]:
    return [bool(each.carried_over) for each in shown(screen).assessments]


async def test_a_holistic_verdict_is_carried_over_when_another_criterion_changes(
    tmp_path: Path, server: ModelServer
) -> None:
    app = studio_on(tmp_path / "x.yml", holistic(server))
    async with app.run_test(size=WIDE) as pilot:
        screen = await judged(pilot)
        assert carried(screen) == [False, False, False]
        screen.editor.go_to(holistic(server).index("Is friendly"))
        await pilot.press("V", "e", "r", "y", "space")
        screen = await settle(pilot)
        assert carried(screen) == [False, True, False]
        assert [row.text for row in rows_of(screen) if row.key == "carried-over"] == [
            "1 verdict is from before this edit: a asks again"
        ]
        assert "1 verdict before this edit" in str(screen.query_one("#result-head", Static).render())


async def test_judging_again_asks_anew_about_what_is_carried_over(tmp_path: Path, server: ModelServer) -> None:
    app = studio_on(tmp_path / "x.yml", holistic(server))
    async with app.run_test(size=WIDE) as pilot:
        screen = await judged(pilot)
        screen.editor.go_to(holistic(server).index("Is friendly"))
        await pilot.press("V", "e", "r", "y", "space")
        await settle(pilot)
        screen = await press(pilot, "ctrl+r", "a")
        assert carried(screen) == [False, False, False]
    assert len(server.bodies) == 4


async def test_another_description_carries_holistic_verdicts_over_in_every_prompt(
    tmp_path: Path, server: ModelServer
) -> None:
    text = f"description: On leases.\n{holistic(server)}"
    app = studio_on(tmp_path / "x.yml", text)
    async with app.run_test(size=WIDE) as pilot:
        screen = await judged(pilot)
        screen.editor.go_to(text.index("On leases"))
        await pilot.press("N", "o", "t", "space")
        await settle(pilot)
        trying = runs_of(screen)
        await wait_until(pilot, lambda: carried_over_in(trying) > 0)
        (run,) = trying.selection.all
        assert [each.carried_over for each in run.assessments] == [(), ("description",), ("description",)]
        await pilot.press("backspace", "backspace", "backspace", "backspace")
        await settle(pilot)
        await wait_until(pilot, lambda: not carried_over_in(trying))
    assert len(server.bodies) == 2


def rows_of(screen: BlueprintScreen) -> list[Any]:
    return list(screen.query_one("ResultRows").rows)  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue]


def carried_over_in(trying: Runs) -> int:
    explanations = (run.explanation for run in trying.selection.all)
    return sum(each.carried_over for each in explanations if each is not None)

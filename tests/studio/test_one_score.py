"""One answer has one score, on every face: what is stored counts alike wherever it is read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.blueprint import Block
from engine.judging.panel import JudgesAs
from engine.parsing import parse
from engine.scoring.assessment import Criterion, Grade
from engine.store import PromptPlace, Store
from engine.study.file_places import beside
from engine.text.diagnostics import Fix
from engine.text.spans import Span, TextEdit
from studio.session.host import FixQuestion, JudgeChoice
from tests.session.faces import Author, Face
from tests.studio.command_line import studio
from tests.studio.model_server import ModelServer, verdict

IDEAL = "It is due on the 3rd, by the lease."
RUBRIC = f"""\
- id: rent
  prompt: When is the rent due?
  ideal: {IDEAL}
  should:
    - $contains: 3rd
    - Names the lease
    - Is polite
"""
CASES = f"""\
version: 1
cases:
  - {{prompt: rent, answer: '{IDEAL}', label: good, score: [0, 100]}}
"""
STRICT = "{model: 'own:strict', approach: holistic, id: first}"
MILD = "{model: 'own:mild', approach: standard, id: second}"
OTHER = "{model: 'own:other', approach: holistic, id: first}"
EXTENTS = {"strict": "CLASS_PARTIALLY_PRESENT", "mild": "CLASS_FULLY_PRESENT", "other": "CLASS_ABSENT"}

Score = tuple[float, float]


def says(body: dict[str, Any]) -> str:
    return verdict(EXTENTS.get(body["model"], "CLASS_MODERATE"))


@pytest.fixture
def server(httpserver: HTTPServer) -> ModelServer:
    return ModelServer(httpserver, says)


@pytest.fixture
def rent(tmp_path: Path, server: ModelServer) -> Path:
    path = tmp_path / "rent.yml"
    path.write_text(blueprint(server, STRICT, MILD), "utf-8")
    beside(path).write_text(CASES, "utf-8")
    return path


def blueprint(server: ModelServer, *judges: str) -> str:
    models = ", ".join(server.model(name) for name in EXTENTS)
    panel = f"evaluationConfig: {{llm-coverage: {{judges: [{', '.join(judges)}]}}}}\n" if judges else ""
    return f"models: [{models}]\n{panel}---\n{RUBRIC}"


# --- What each face says


def bounds(data: Any) -> Score:
    low, high = data
    return round(low * 100, 6), round(high * 100, 6)


def first_figure(text: str) -> Score:
    """The score in a line such as `rent · ideal: 20–100, 1 of 3 criteria judged`."""
    figure = text.partition(",")[0].split()[-1].partition("*")[0]
    low, _, high = figure.partition("–")
    return float(low), float(high or low)


def by_people(path: Path, *options: str, w: JudgesAs | None = None) -> Mapping[str, Score]:
    """The score of the ideal where people read it."""
    text = studio("run", path, "--ideal", *options).stdout
    run = next(line for line in text.splitlines() if line.startswith("rent · ideal"))
    explained = studio("explain", path, "--prompt", "rent", "--ideal", *options).stdout.splitlines()[0]
    report = studio("report", path, "--format", "markdown", *options).stdout
    reported = next(line for line in report.splitlines() if line.startswith("### ideal"))
    return {
        "run": first_figure(run),
        "explain": first_figure(explained),
        "report": first_figure(reported.replace("|", " ").replace("*", "")),
        "studio": asyncio.run(in_studio(path, w)),
    }


def by_machines(path: Path, *options: str) -> Mapping[str, Score]:
    """The score of the ideal where machines read it."""
    out = path.parent / "out.json"
    studio("run", path, "--ideal", "--json", out, *options)
    result = json.loads(out.read_text("utf-8"))
    (explained,) = json.loads(
        studio("explain", path, "--prompt", "rent", "--ideal", "--format", "json", *options).stdout
    )
    report = json.loads(studio("report", path, "--format", "json", *options).stdout)
    (tested,) = json.loads(studio("test", path, "--format", "json", *options).stdout)
    old = path.with_name("old.yml")
    old.write_text(path.read_text("utf-8").replace("- $contains: 3rd", "- $contains: 4th"), "utf-8")
    beside(old).unlink(missing_ok=True)
    differ = json.loads(studio("diff", old, path, "--format", "json", *options).stdout)
    compared = json.loads(studio("compare", out, out, "--format", "json").stdout)
    answer = report["prompts"][0]["answers"][0]
    return {
        "run": bounds(result["evaluationResults"]["llmCoverageScores"]["rent"]["ideal"]["bounds"]),
        "explain": bounds(explained["bounds"]),
        "report": bounds(answer["score"]["bounds"]),
        "test": bounds(tested["cases"][0]["bounds"]),
        "diff": bounds(differ["prompts"][0]["ideal"]["after"]),
        "compare": bounds(compared["results"][0]["corners"]["newAnswerNewRubric"]),
    }


async def in_studio(path: Path, w: JudgesAs | None) -> Score:
    face = Face(path, Author())
    await face.settled()
    face.runs.configuration.set(judges_as=None)
    if w is not None:
        face.runs.configuration.set(judges_as=w)
    face.cursor_at("Is polite")
    face.runs.run_or_stop()
    await face.until(lambda: face.runs.selection.run is not None)
    await face.settled()
    run = face.runs.selection.run
    assert run is not None
    assert run.explanation is not None
    assert face.author.asked == []
    found = bounds((run.explanation.bounds.low, run.explanation.bounds.high))
    await face.close()
    return found


# --- What is stored, and the score that it makes


def judged(path: Path, server: ModelServer) -> None:
    assert studio("run", path, "--ideal", "--judge", "configured").exit_code == 0


def cut_down(path: Path, server: ModelServer) -> None:
    judged(path, server)
    path.write_text(blueprint(server, MILD), "utf-8")


def replaced(path: Path, server: ModelServer) -> None:
    judged(path, server)
    path.write_text(blueprint(server, OTHER), "utf-8")


def renamed(path: Path, server: ModelServer) -> None:
    judged(path, server)
    path.write_text(path.read_text("utf-8").replace("id: second", "id: third"), "utf-8")


def graded(path: Path, server: ModelServer) -> None:
    judged(path, server)
    (prompt,) = parse(path.read_text("utf-8"), path).blueprint.prompts
    store = Store()
    criterion = Criterion(Block.SHOULD, "Names the lease")
    store.grade(PromptPlace.of(path, prompt), IDEAL, criterion, Grade.ABSENT)
    store.close()


def scored(*extents: float) -> Score:
    score = round(sum(extents) / len(extents) * 100, 6)
    return score, score


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (judged, scored(1, 0.75, 0.75)),
        (cut_down, scored(1, 1, 1)),
        (replaced, (round(100 / 3, 6), 100.0)),
        (renamed, scored(1, 0.75, 0.75)),
        (graded, scored(1, 0, 0.75)),
    ],
)
def test_every_face_has_the_same_score(
    rent: Path, server: ModelServer, stored: Callable[[Path, ModelServer], None], expected: Score
) -> None:
    stored(rent, server)
    asked = len(server.bodies)
    found = {**by_people(rent), **{f"{name} JSON": score for name, score in by_machines(rent).items()}}
    shown = tuple(round(end, 1) for end in expected)
    assert {name: tuple(round(end, 1) for end in score) for name, score in found.items()} == dict.fromkeys(found, shown)
    assert len(server.bodies) == asked


def both(path: Path, *options: str, w: JudgesAs | None = None) -> tuple[set[Score], set[Score]]:
    """The scores that people and machines read, to one decimal."""
    found = by_people(path, *options, w=w), by_machines(path, *options)
    people, machines = ({(round(low, 1), round(high, 1)) for low, high in each.values()} for each in found)
    return people, machines


def test_verdicts_from_before_an_edit_count_for_people_and_are_open_for_machines(
    rent: Path, server: ModelServer
) -> None:
    judged(rent, server)
    rent.write_text(rent.read_text("utf-8").replace("Is polite", "Is polite to the tenant"), "utf-8")
    assert both(rent) == ({(58.3, 91.7)}, {(33.3, 100.0)})
    assert "1 verdict before this edit" in studio("run", rent, "--ideal").stdout
    (explained,) = json.loads(studio("explain", rent, "--prompt", "rent", "--ideal", "--format", "json").stdout)
    assert explained["explanation"]["carriedOver"] == 1
    (tested,) = json.loads(studio("test", rent, "--format", "json").stdout)
    assert tested["cases"][0]["carriedOver"] == 1
    assert "1 verdict before this edit does not count" in studio("test", rent).stdout
    asked = len(server.bodies)
    judged(rent, server)
    assert len(server.bodies) == asked + 3
    assert both(rent) == ({(83.3, 83.3)}, {(83.3, 83.3)})


def test_the_panel_that_is_chosen_is_another_one(rent: Path, server: ModelServer) -> None:
    assert studio("run", rent, "--ideal", "--judge", "configured", "--judges-as", "weval").exit_code == 0
    assert both(rent) == ({(33.3, 100.0)}, {(33.3, 100.0)})
    chosen = both(rent, "--judges-as", "weval", w=JudgesAs.WEVAL_TODAY)
    assert chosen == ({(83.3, 83.3)}, {(83.3, 83.3)})
    assert "83.3, judged as on Weval" in studio("run", rent, "--ideal", "--judges-as", "weval").stdout
    line = studio("run", rent, "--ideal").stderr.splitlines()[-1]
    assert "own:strict" in line
    assert "--judges-as weval counts" in line


def test_what_does_not_count_is_named_in_one_line(rent: Path, server: ModelServer) -> None:
    replaced(rent, server)
    for command in (("run", rent, "--ideal"), ("explain", rent, "--prompt", "rent", "--ideal"), ("report", rent)):
        named = [line for line in studio(*command).stderr.splitlines() if "own:strict" in line]
        assert len(named) == 1
        assert "own:mild" in named[0]
    assert "own:strict" in studio("test", rent).stderr


def test_without_what_is_stored_the_score_is_that_of_any_machine(rent: Path, server: ModelServer) -> None:
    graded(rent, server)
    found = {**by_people(rent, "--no-stored"), **by_machines(rent, "--no-stored")}
    del found["studio"]
    assert {tuple(round(end, 1) for end in score) for score in found.values()} == {(33.3, 100.0)}


@pytest.mark.parametrize("options", [(), ("--no-stored",)])
def test_what_the_case_file_records_counts_on_every_face_of_another_machine(
    rent: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    studio("test", rent, "--judge", "configured", "--record")
    monkeypatch.setenv("BLUEPRINT_STUDIO_HOME", str(rent.with_name("elsewhere")))
    asked = len(server.bodies)
    assert both(rent, *options) == ({(83.3, 83.3)}, {(83.3, 83.3)})
    assert len(server.bodies) == asked


def test_a_verdict_beside_a_judge_that_is_still_to_be_asked_narrows_the_bounds_everywhere(
    rent: Path, server: ModelServer
) -> None:
    judged(rent, server)
    rent.write_text(blueprint(server, MILD, OTHER), "utf-8")
    assert both(rent) == ({(66.7, 100.0)}, {(66.7, 100.0)})


@pytest.mark.parametrize("reply", ["I cannot assist with that.", "It is fine."])
def test_the_exit_code_is_of_what_machines_read(rent: Path, server: ModelServer, reply: str) -> None:
    rent.write_text(blueprint(server, STRICT), "utf-8")
    judged(rent, server)
    assert studio("run", rent, "--ideal").exit_code == 0
    rent.write_text(rent.read_text("utf-8").replace("- Is polite", "- $contains: lease"), "utf-8")
    server.said = lambda body: reply
    done = studio("run", rent, "--ideal", "--judge", "configured")
    assert "1 verdict before this edit" in done.stdout
    assert done.exit_code == 1
    rent.write_text(blueprint(server, MILD, OTHER), "utf-8")
    assert studio("run", rent, "--ideal").exit_code == 0  # a judge that was not asked has not failed


async def opened(path: Path, *answers: Any) -> Face:
    """The file, with the result of its ideal."""
    face = Face(path, Author(*answers))
    await face.settled()
    face.cursor_at("Is polite")
    face.runs.run_or_stop()
    await face.until(lambda: face.runs.selection.run is not None)
    await face.settled()
    return face


def score(face: Face) -> Score:
    run = face.runs.selection.run
    assert run is not None
    assert run.explanation is not None
    low, high = bounds((run.explanation.bounds.low, run.explanation.bounds.high))
    return round(low, 1), round(high, 1)


async def test_the_score_on_the_screen_follows_the_panel(rent: Path, server: ModelServer) -> None:
    await asyncio.to_thread(judged, rent, server)
    face = await opened(rent, lambda _: JudgeChoice(JudgesAs.WEVAL_TODAY))
    assert score(face) == (83.3, 83.3)
    face.replace(f"{STRICT}, ", "")
    await face.settled()
    assert score(face) == (100.0, 100.0)
    face.replace(MILD, OTHER)
    await face.settled()
    assert score(face) == (33.3, 100.0)
    run = face.runs.selection.run
    assert run is not None
    assert run.explanation is not None
    assert {each.model for each in run.explanation.others} == {"own:strict", "own:mild"}
    face.replace(OTHER, f"{STRICT}, {MILD}")
    await face.settled()
    assert score(face) == (83.3, 83.3)
    await face.runs.choose_judges()
    await face.settled()
    assert score(face) == (33.3, 100.0)
    await face.close()
    assert face.author.faults == []


async def test_the_line_of_the_cases_says_how_many_verdicts_are_from_before_an_edit(
    rent: Path, server: ModelServer
) -> None:
    await asyncio.to_thread(judged, rent, server)
    face = await opened(rent)
    assert face.runs.state.cases.text == "1 of 1 passes"
    face.replace("Is polite", "Is polite to the tenant")
    await face.settled()
    assert score(face) == (58.3, 91.7)
    assert face.runs.state.cases.text == "1 of 1 passes, 1 verdict before this edit"
    await face.close()


@pytest.mark.parametrize(("old", "new"), [("    - $contains: 3rd\n", ""), ("- Is polite", "- Is short")])
async def test_the_score_after_a_fix_is_the_one_that_it_then_has(
    rent: Path, server: ModelServer, old: str, new: str
) -> None:
    await asyncio.to_thread(graded, rent, server)
    face = await opened(rent)
    run = face.runs.selection.run
    assert run is not None
    before = run.headline
    start = face.text.index(old)
    fix = Fix("drop it", False, (TextEdit(Span(start, start + len(old)), new),))
    told: list[str | None] = []

    async def tell(question: FixQuestion) -> None:
        told.append(await asyncio.to_thread(question.known.effect, fix))

    face.author.ask = tell  # pyright: ignore[reportAttributeAccessIssue]
    await face.session.fixes.offer("", "", fix, face.snapshot().revision)
    face.replace(old, new)
    await face.settled()
    run = face.runs.selection.run
    assert run is not None
    assert before is not None
    assert run.headline is not None
    is_detailed = before.details != run.headline.details
    assert told == [f"{before if is_detailed else before.figure} → {run.headline}   with the ideal"]
    await face.close()


async def test_the_outline_has_the_score_of_today_of_a_prompt_that_nobody_visited(
    rent: Path, server: ModelServer
) -> None:
    await asyncio.to_thread(judged, rent, server)
    face = await opened(rent)
    assert score(face) == (83.3, 83.3)
    await face.close()
    rent.write_text(blueprint(server, MILD, OTHER), "utf-8")
    face = Face(rent, Author())
    face.cursor_at("models:")
    await face.settled()
    (standing,) = face.runs.overview.view().prompts
    assert standing.headline is not None
    assert (standing.figure, standing.headline.open_points) == ("67–100", 2)
    assert standing.last is not None
    await face.close()


def test_the_verdicts_of_judges_stand_beside_a_grade(rent: Path, server: ModelServer) -> None:
    graded(rent, server)
    text = studio("explain", rent, "--prompt", "rent", "--ideal").stdout
    assert "you graded it absent\n        first: partially present, second: fully present; mean 0.75" in text
    out = rent.with_name("out.json")
    studio("run", rent, "--ideal", "--json", out)
    result = json.loads(out.read_text("utf-8"))["evaluationResults"]["llmCoverageScores"]["rent"]["ideal"]
    point = result["pointAssessments"][1]
    judges = [(each["judgeModelId"], each["coverageExtent"]) for each in point["individualJudgements"]]
    assert judges == [("human", 0.0), ("first(own:strict)", 0.5), ("second(own:mild)", 1.0)]
    assert (point["coverageExtent"], point["reflection"]) == (0.0, "you graded it absent")
    assert "58.3" in studio("explain", out).stdout.splitlines()[0]


def test_a_path_that_no_judge_could_judge_is_called_failed(rent: Path, server: ModelServer) -> None:
    rent.write_text(rent.read_text("utf-8").replace("- Is polite", "- [[Is polite], [$contains: 4th]]"), "utf-8")
    server.said = lambda body: "It is fine."
    assert "path 1: failed" in studio("run", rent, "--ideal", "--judge", "configured").stdout


def test_the_reply_with_several_classes_is_in_the_report(rent: Path, server: ModelServer) -> None:
    server.said = lambda body: verdict("CLASS_ABSENT") + verdict("CLASS_FULLY_PRESENT")
    studio("run", rent, "--ideal", "--judge", "configured")
    report = json.loads(studio("report", rent, "--format", "json").stdout)
    verdicts = report["prompts"][0]["answers"][0]["points"][1]["verdicts"]
    assert all("FULLY" in each["reflection"] for each in verdicts)

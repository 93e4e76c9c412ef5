"""What commands print of answers counts as shown, so that a later criterion is not tested on them as on fresh ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.evaluation.events import Response
from engine.evaluation.sources import Candidate, ModelSource
from engine.parsing import parse
from engine.scoring.assessment import Grade
from engine.store import PromptPlace, Store
from engine.store.grades import BlindGrade, blueprint_key
from engine.store.stored_answers import UNKNOWN
from engine.study.judged_pairs import load_sample
from engine.text.record import text_digest
from studio.session.state import Tasks
from tests.engine.judged import save_answer
from tests.studio.command_line import studio

BLUEPRINT = "- id: rent\n  prompt: When is the rent due?\n  ideal: On the 3rd.\n  should:\n    - $contains: 3rd\n"
CASES = "version: 1\ncases:\n  - prompt: rent\n    answer: On the 5th.\n    label: bad\n    score: [0, 40]\n"
MODEL = ModelSource("openai:m")


def result(path: Path, answer: str) -> Path:
    """A result file with this answer of a model to `rent`."""
    said = [{"keyPointText": "Names the day", "multiplier": 1, "coverageExtent": 1}]
    data = {
        "allFinalAssistantResponses": {"rent": {"openai:m": answer}},
        "promptContexts": {"rent": [{"role": "user", "content": "What of rent?"}]},
        "evaluationResults": {"llmCoverageScores": {"rent": {"openai:m": {"pointAssessments": said}}}},
    }
    path.write_text(json.dumps(data), "utf-8")
    return path


def shown(path: Path) -> dict[str, str]:
    return dict(Store().first_shown(place(path)))


def test_a_run_shows_the_verdicts_on_its_answers(tmp_path: Path) -> None:
    path = tmp_path / "rent.yml"
    path.write_text(BLUEPRINT, "utf-8")
    assert studio("run", path, "--ideal").exit_code == 0
    assert shown(path) == {text_digest("On the 3rd."): UNKNOWN}


def test_a_run_that_is_stopped_has_shown_what_it_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rent.yml"
    path.write_text(BLUEPRINT, "utf-8")
    settle = Tasks.settle

    async def stopped_at_the_end(tasks: Tasks) -> None:
        await settle(tasks)
        raise KeyboardInterrupt

    monkeypatch.setattr(Tasks, "settle", stopped_at_the_end)
    assert studio("run", path, "--ideal").exit_code == 1
    assert shown(path) == {text_digest("On the 3rd."): UNKNOWN}


def test_a_test_shows_the_verdicts_on_its_cases(tmp_path: Path) -> None:
    path = tmp_path / "rent.yml"
    path.write_text(BLUEPRINT, "utf-8")
    path.with_name("rent.yml.cases").write_text(CASES, "utf-8")
    assert studio("test", path).exit_code == 0
    assert shown(path) == {text_digest("On the 5th."): UNKNOWN, text_digest("On the 3rd."): UNKNOWN}


def stored(path: Path, text: str) -> None:
    number = Store().begin_run(place(path), Candidate(MODEL), "", "")
    Store().save_run_answer(number, place(path), Candidate(MODEL), Response(text, ()))


def place(path: Path) -> PromptPlace:
    return PromptPlace(str(path), "rent")


@pytest.fixture
def exported(tmp_path: Path) -> tuple[Path, Path]:
    """A blueprint with a stored answer of a model, and the file of that result in another folder."""
    path = tmp_path / "rent.yml"
    path.write_text(BLUEPRINT, "utf-8")
    stored(path, "On the 3rd.")
    (tmp_path / "elsewhere").mkdir()
    return path, result(tmp_path / "elsewhere" / "out.json", "On the 3rd.")


@pytest.mark.parametrize("command", [("compare",), ("report",), ("explain",), ("explain", "--prompt", "rent")])
def test_a_result_file_shows_the_answers_that_are_stored_of_it(
    exported: tuple[Path, Path], command: tuple[str, ...]
) -> None:
    path, out = exported
    assert studio(command[0], out, *command[1:]).exit_code == 0
    assert shown(path)[text_digest("On the 3rd.")] > "2026"


def test_two_result_files_show_the_answers_of_both(exported: tuple[Path, Path]) -> None:
    path, out = exported
    stored(path, "On the 4th.")
    old = result(out.with_name("old.json"), "On the 4th.")
    assert studio("compare", old, out).exit_code == 0
    assert shown(path).keys() == {text_digest("On the 3rd."), text_digest("On the 4th.")}


def test_what_is_left_out_of_a_grid_is_not_shown(exported: tuple[Path, Path]) -> None:
    path, out = exported
    assert studio("compare", out, "--prompt", "another").exit_code == 2
    assert not shown(path)


def test_a_report_shows_its_answers_and_its_cases(exported: tuple[Path, Path]) -> None:
    path, _ = exported
    path.with_name("rent.yml.cases").write_text(CASES, "utf-8")
    assert studio("report", path).exit_code == 0
    assert shown(path).keys() == {text_digest("On the 3rd."), text_digest("On the 5th.")}


# --- The difference of two versions


def test_a_difference_shows_the_answers_whose_scores_it_prints(tmp_path: Path) -> None:
    old, new = tmp_path / "old.yml", tmp_path / "rent.yml"
    old.write_text(BLUEPRINT, "utf-8")
    new.write_text(BLUEPRINT.replace("3rd\n", "5th\n").replace("On the 5th.", "On the 3rd."), "utf-8")
    new.with_name("rent.yml.cases").write_text(f"{CASES}  - {{prompt: rent, answer: Soon., label: bad}}\n", "utf-8")
    stored(new, "Never on the 3rd.")
    stored(new, "Never.")
    assert studio("diff", old, new).exit_code == 0
    first = shown(new)
    assert first.keys() == {text_digest(each) for each in ("On the 5th.", "On the 3rd.", "Never on the 3rd.")}
    assert first[text_digest("Never on the 3rd.")] > "2026"


def test_versions_that_mean_the_same_show_nothing(tmp_path: Path) -> None:
    old, new = tmp_path / "old.yml", tmp_path / "rent.yml"
    old.write_text(BLUEPRINT, "utf-8")
    new.write_text(f"# the same\n{BLUEPRINT}", "utf-8")
    new.with_name("rent.yml.cases").write_text(CASES, "utf-8")
    assert studio("diff", old, new).exit_code == 0
    assert not shown(new)


# --- Grading


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """A blueprint with two judged answers of models."""
    path = tmp_path / "rent.yml"
    path.write_text("- id: rent\n  prompt: When?\n  should: [Names the day]\n", "utf-8")
    blueprint = parse(path.read_text("utf-8"), path).blueprint
    for answer, extent in (("On the 3rd.", 1.0), ("Soon.", 0.0)):
        save_answer(Store(), blueprint, blueprint.prompts[0], answer, [[extent]], "own:m", file=path)
    return path


def test_a_grading_sheet_shows_its_answers(judged: Path, tmp_path: Path) -> None:
    assert studio("grading", judged).exit_code == 0
    assert not shown(judged)
    assert studio("grading", judged, "--sheet", tmp_path / "sheet.csv").exit_code == 0
    assert shown(judged).keys() == {text_digest("On the 3rd."), text_digest("Soon.")}


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_disagreement_shows_the_verdict_on_its_answer(judged: Path, form: str) -> None:
    assert studio("grading", judged, "--size", 2).exit_code == 0
    pairs = load_sample(Store(), parse(judged.read_text("utf-8"), judged).blueprint, judged).judged
    grade = BlindGrade(Grade.FULLY_PRESENT)
    Store().save_blind_grades(blueprint_key(judged), "Maria", dict.fromkeys(pairs, grade))
    assert studio("grading", judged, "--format", form).exit_code == 0
    assert not shown(judged)
    assert studio("grading", judged, "--format", form, "--reveal").exit_code == 0
    assert shown(judged).keys() == {text_digest("Soon.")}

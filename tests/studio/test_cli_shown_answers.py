"""What commands print of answers counts as shown, so that a later criterion is not tested on them as on fresh ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.digests import text_digest
from engine.evaluation.candidates import Candidate
from engine.evaluation.events import Response
from engine.evaluation.sources import ModelSource
from engine.store import PromptPlace, Store
from engine.store.shown_answers import UNKNOWN
from tests.studio.command_line import studio
from tests.studio.test_cli_compare import result

BLUEPRINT = "- id: rent\n  prompt: When is the rent due?\n  ideal: On the 3rd.\n  should:\n    - $contains: 3rd\n"
CASES = "version: 1\ncases:\n  - prompt: rent\n    answer: On the 5th.\n    label: bad\n    score: [0, 40]\n"
MODEL = ModelSource("openai:m")


def shown(path: Path) -> dict[str, str]:
    return dict(Store().first_shown(place(path)))


def test_a_run_shows_the_verdicts_on_its_answers(tmp_path: Path) -> None:
    path = tmp_path / "rent.yml"
    path.write_text(BLUEPRINT, "utf-8")
    assert studio("run", path, "--ideal").exit_code == 0
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
    said = [{"keyPointText": "Names the day", "multiplier": 1, "coverageExtent": 1}]
    answers = {"rent": {"openai:m": "On the 3rd."}}
    return path, result(tmp_path / "elsewhere" / "out.json", {"rent": {"openai:m": said}}, answers)


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
    points = {"rent": {"openai:m": [{"keyPointText": "Names the day", "multiplier": 1, "coverageExtent": 0}]}}
    old = result(out.with_name("old.json"), points, {"rent": {"openai:m": "On the 4th."}})
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

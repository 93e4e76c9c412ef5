"""`studio run` and `studio explain` on a file that Weval refuses: what can be run is run, and the exit code is 1."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.parsing import parse
from tests.studio.command_line import studio
from tests.world import corpus_files, needs_corpus

HEAD = "title: Two\n---\n- id: sound\n  prompt: x\n  ideal: It is y.\n  should:\n    - $icontains: y\n"

REFUSED = {
    "a weight out of range": "- id: b\n  prompt: x\n  ideal: y\n  should:\n    - {text: a, weight: 99}\n",
    "a key told twice": "- id: b\n  prompt: x\n  prompt: z\n  ideal: y\n",
    "three levels of lists": "- id: b\n  prompt: x\n  ideal: y\n  should:\n    - - - $icontains: y\n",
    "a number as a point": "- id: b\n  prompt: x\n  ideal: y\n  should:\n    - 42\n",
    "an open quote": '- id: b\n  prompt: x\n  ideal: y\n  should:\n    - $icontains: "y\n    - $icontains: z\n',
    "an open bracket": "- id: b\n  prompt: x\n  ideal: y\n  should: [a, b\n",
    "a tab as indentation": "- id: b\n  prompt: x\n  ideal: y\n  should:\n\t- a\n",
    "an item that cannot be read": "- id: [b\n",
    "numeric ids, refused by the loader": "- id: 5\n  prompt: x\n  ideal: y\n- id: 6\n  prompt: x\n  ideal: y\n",
    "a prompt without a text": "- id: b\n  ideal: y\n  should:\n    - $icontains: y\n",
}
"""Second prompts for which Weval refuses the whole file."""

CUT_OFF = ("an open quote", "an open bracket", "a tab as indentation")
"""Those of which a part of the rubric cannot be read."""


@pytest.fixture(params=REFUSED)
def refused(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "refused.yml"
    path.write_text(HEAD + REFUSED[request.param], "utf-8")
    return path


@pytest.fixture(params=CUT_OFF)
def cut_off(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "cut.yml"
    path.write_text(HEAD + REFUSED[request.param], "utf-8")
    return path


def test_the_refusal_is_told_with_its_place(refused: Path) -> None:
    refusal = parse(refused.read_text("utf-8"), refused).weval.refusal
    done = studio("run", refused, "--ideal")
    assert refusal is not None
    assert f"{refused}:" in done.stderr
    assert f"Weval refuses this file: {refusal.message}\n" in done.stderr


def test_what_can_be_run_is_run_and_the_exit_code_is_1(refused: Path) -> None:
    done = studio("run", refused, "--ideal", "--details")
    assert "\nsound · ideal: 100.0\n" in f"\n{done.stdout}"
    assert done.exit_code == 1


def test_also_where_only_a_sound_prompt_is_asked_for(refused: Path) -> None:
    done = studio("run", refused, "--ideal", "--prompt", "sound")
    assert done.stdout.startswith("sound · ideal: 100.0\n")
    assert done.exit_code == 1


def test_also_of_a_plan(refused: Path) -> None:
    assert studio("run", refused, "--ideal", "--dry-run").exit_code == 1


def test_the_result_of_what_was_run_is_written(refused: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    studio("run", refused, "--ideal", "--prompt", "sound", "--json", out)
    scores = json.loads(out.read_text("utf-8"))["evaluationResults"]["llmCoverageScores"]
    assert scores["sound"]["ideal"]["avgCoverageExtent"] == 1.0


def test_explain_does_so_too(refused: Path) -> None:
    done = studio("explain", refused, "--ideal", "--prompt", "sound")
    assert done.stdout.startswith("sound · ideal: 100.0\n")
    assert "Weval refuses this file" in done.stderr
    assert done.exit_code == 1


def test_a_prompt_that_is_cut_off_gets_no_score(cut_off: Path) -> None:
    done = studio("run", cut_off, "--ideal")
    assert "b: not run\n  Its rubric is cut off" in done.stdout
    assert "b · ideal" not in done.stdout + done.stderr


def test_the_place_that_cannot_be_read_is_told(cut_off: Path) -> None:
    assert "This part cannot be read: " in studio("run", cut_off, "--ideal").stderr


def test_explain_says_of_it_that_it_is_not_scored(cut_off: Path) -> None:
    done = studio("explain", cut_off, "--ideal", "--prompt", "b")
    assert done.stdout.startswith("b · ideal: not scored\n  Its rubric is cut off")
    assert done.exit_code == 1


LOST = "- [b\n"
"""An item that cannot be read at all."""


@pytest.fixture
def lost(tmp_path: Path) -> Path:
    path = tmp_path / "lost.yml"
    path.write_text(HEAD + LOST, "utf-8")
    return path


def test_a_prompt_that_cannot_be_read_at_all_is_listed_by_its_line(lost: Path) -> None:
    done = studio("run", lost, "--ideal")
    assert "\nline 8: not run\n  This part of the file cannot be read, so a prompt is missing here" in done.stdout
    assert done.exit_code == 1


def test_a_prompt_behind_a_tab_is_listed_once(tmp_path: Path) -> None:
    path = tmp_path / "tab.yml"
    path.write_text(HEAD + "-\tid: b\n\tprompt: y\n", "utf-8")
    assert studio("run", path, "--ideal").stdout.count("not run") == 1


def test_it_is_not_listed_where_another_prompt_is_named(lost: Path) -> None:
    assert "line 8" not in studio("run", lost, "--ideal", "--prompt", "sound").stdout


def test_where_nothing_else_is_there_to_run_nothing_is_scored(tmp_path: Path) -> None:
    path = tmp_path / "only.yml"
    path.write_text(REFUSED["an open quote"], "utf-8")
    done = studio("run", path, "--ideal")
    assert done.stdout.startswith("b: not run\n")
    assert done.exit_code == 1


def test_where_no_prompt_can_be_read_at_all_the_file_is_unusable(tmp_path: Path) -> None:
    path = tmp_path / "none.yml"
    path.write_text("title: [a\n", "utf-8")
    done = studio("run", path, "--ideal")
    assert "Weval refuses this file" in done.stderr
    assert (done.exit_code, done.stdout) == (2, "")


@pytest.mark.parametrize("command", [("run",), ("explain", "--prompt", "sound")])
def test_a_file_that_weval_takes_is_exit_code_0(command: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "sound.yml"
    path.write_text(HEAD, "utf-8")
    assert studio(*command, path, "--ideal").exit_code == 0


@needs_corpus
def test_the_refused_files_of_the_corpus_are_exit_code_1() -> None:
    refused = [path for path in corpus_files() if parse(path.read_text("utf-8"), path).weval.refusal]
    for path in refused:
        done = studio("run", path, "--control", "empty", "--dry-run")
        assert "Weval refuses this file" in done.stderr
        assert done.exit_code == 1
    assert len(refused) >= 3

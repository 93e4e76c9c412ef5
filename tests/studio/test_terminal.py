"""An author's day in a real terminal: the installed program, driven by keys, read by capturing the screen."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.terminal import Terminal, needs_tmux
from tests.world import CORPUS, needs_corpus

pytestmark = needs_tmux

STUDIO = shutil.which("studio", path=str(Path(sys.executable).parent)) or "studio"

BLUEPRINT = """\
title: Deposits
---
- id: deposit
  prompt: Must my landlord protect my deposit?
  ideal: Yes, in a scheme, within 30 days.
  should:
    - "$icontains: '30 days'"
    - Says that it must be in a scheme
- id: boiler
  prompt: Who pays for the boiler?
  ideal: The landlord, under section 11.
  should:
    - $icontains: landlord
    - - $icontains: section 11
    - - $icontains: council
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    path = tmp_path / "deposits.yml"
    path.write_text(BLUEPRINT)
    return path


@pytest.fixture
def terminal(blueprint: Path, home: Path) -> Iterator[Terminal]:
    with Terminal([STUDIO, str(blueprint)], home=home) as opened:
        opened.wait_for("1 error")
        yield opened


def test_a_quoted_function_is_flagged_and_mended_by_one_key(terminal: Terminal, blueprint: Path) -> None:
    terminal.press("F8")
    terminal.press("F4")
    terminal.wait_until_gone("1 error")
    terminal.press("C-s")
    mended = BLUEPRINT.replace("\"$icontains: '30 days'\"", "$icontains: '30 days'")
    terminal.wait_until(lambda: blueprint.read_text() == mended)


def test_keys_sent_with_the_one_that_closes_a_dialog_reach_the_text(terminal: Terminal, blueprint: Path) -> None:
    terminal.send_bytes(b"\x074\r\x1b[F\x1b[F\rideal2: x")
    terminal.wait_for("ideal2: x")
    terminal.press("C-s")
    terminal.wait_until(lambda: "deposit?\n  ideal2: x\n" in blueprint.read_text())


def test_a_mistake_is_flagged_as_it_is_typed(terminal: Terminal) -> None:
    terminal.press("C-End")
    terminal.type("    - $contains_wurd: flat")
    terminal.wait_for("2 errors")
    terminal.wait_for("unknown-function")


def test_a_function_is_completed_from_its_first_letters(terminal: Terminal, blueprint: Path) -> None:
    terminal.press("C-End")
    terminal.type("    - $word")
    terminal.wait_for("$word_count_between")
    terminal.press("Tab")
    terminal.wait_for("$word_count_between: [, ]")
    terminal.type("10")
    terminal.press("C-s")
    terminal.wait_until(lambda: blueprint.read_text() == f"{BLUEPRINT}    - $word_count_between: [10, ]")


def test_ctrl_space_lists_the_keys_of_a_prompt(terminal: Terminal, blueprint: Path) -> None:
    terminal.press("C-End")
    terminal.type("  ")
    terminal.press("C-Space")
    terminal.wait_for("What this prompt is about.")
    terminal.type("rend")
    terminal.wait_until_gone("What this prompt is about.")
    terminal.press("Enter")
    terminal.press("C-Space")
    terminal.wait_for("plaintext")
    terminal.press("Down", "Enter", "C-s")
    terminal.wait_until(lambda: blueprint.read_text() == f"{BLUEPRINT}  render_as: html")


def test_the_ideal_is_run_and_its_score_explained(terminal: Terminal) -> None:
    terminal.press("C-End", "F5")
    screen = terminal.wait_for("their mean")
    assert "100.0" in screen
    assert "path 1, the best" in screen


def test_a_grade_moves_the_score_and_is_there_after_a_restart(blueprint: Path, home: Path) -> None:
    blueprint.write_text(BLUEPRINT.replace("\"$icontains: '30 days'\"", "$icontains: 30 days"))
    with Terminal([STUDIO, str(blueprint)], home=home) as first:
        first.wait_for("1 warning")
        first.press("Down", "Down", "Down", "F5")
        first.wait_for("not judged")
        first.press("C-r", "Down", "3")
        first.wait_for("75.0")
        first.press("C-q")
        assert first.wait_for_exit() == 0
    with Terminal([STUDIO, str(blueprint)], home=home) as second:
        second.wait_for("1 warning")
        second.press("Down", "Down", "Down", "F5")
        second.wait_for("75.0")


def test_quitting_with_unsaved_changes_asks_first(terminal: Terminal, blueprint: Path) -> None:
    terminal.type("# typed")
    terminal.press("Enter")
    terminal.press("C-q")
    terminal.wait_for("not saved")
    assert terminal.running
    assert blueprint.read_text() == BLUEPRINT


def test_what_was_typed_survives_a_kill(blueprint: Path, home: Path) -> None:
    with Terminal([STUDIO, str(blueprint)], home=home) as killed:
        killed.wait_for("1 error")
        killed.type("# typed before the kill")
        killed.wait_for("# typed before the kill")
        journal = home / "state" / "journal"
        killed.wait_until(lambda: any("typed before" in each.read_text() for each in journal.glob("*.json")))
    with Terminal([STUDIO, str(blueprint)], home=home) as again:
        again.wait_for("Take them up")
        again.press("Enter")
        again.wait_for("# typed before the kill")


def test_a_file_changed_by_another_program_is_not_overwritten(terminal: Terminal, blueprint: Path) -> None:
    terminal.type("# mine")
    terminal.press("Enter")
    blueprint.write_text("title: theirs\n")
    terminal.press("C-s")
    terminal.wait_for("changed")
    assert blueprint.read_text() == "title: theirs\n"


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "folder"), (b"\x7fELF\0\0", "binary"), (b"a: caf\xe9\n", "UTF-8"), (b"a: &a [*a]\n", "")],
    ids=["a folder", "binary", "Latin-1", "a cyclic anchor"],
)
def test_odd_files_open_with_a_word_and_never_with_a_traceback(
    tmp_path: Path, home: Path, content: bytes | None, told: str
) -> None:
    path = tmp_path / "odd.yml"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    with Terminal([STUDIO, str(path)], home=home) as opened:
        screen = opened.wait_for("F1 help")
        assert told in screen
        assert "Traceback" not in screen
        opened.press("C-q")
        assert opened.wait_for_exit() == 0


@needs_corpus
@pytest.mark.parametrize(("columns", "rows"), [(120, 36), (80, 24)])
def test_a_corpus_file_opens_at_either_size(home: Path, tmp_path: Path, columns: int, rows: int) -> None:
    path = tmp_path / "geography.yml"
    path.write_bytes((CORPUS / "factual-recall" / "geography-sample.yml").read_bytes())
    with Terminal([STUDIO, str(path)], home=home, columns=columns, rows=rows) as opened:
        opened.wait_for("warning")
        screen = opened.screen()
        assert 'title: "Factual Recall' in screen
        assert len(screen.splitlines()) == rows


def test_an_escape_in_a_paste_presses_no_key(terminal: Terminal, blueprint: Path) -> None:
    terminal.paste("# pasted \x1b\x11 text")
    terminal.wait_for("# pasted ␛")
    assert terminal.running
    assert "Save and leave" not in terminal.screen()
    assert blueprint.read_text() == BLUEPRINT


RESULT = """\
{"sourceBlueprintFileName": "deposits.yml", "allFinalAssistantResponses": {"boiler": {"openai:tiny": "The landlord."}},
 "evaluationResults": {"llmCoverageScores": {"boiler": {"openai:tiny": {"avgCoverageExtent": 0.5, "pointAssessments": [
  {"keyPointText": "Function: icontains(\\"landlord\\")", "coverageExtent": 1}]}}}}}
"""


def test_a_published_result_opens_with_its_blueprint(blueprint: Path, home: Path) -> None:
    result = blueprint.with_name("run_comparison.json")
    result.write_text(RESULT, "utf-8")
    with Terminal([STUDIO, str(result)], home=home) as opened:
        opened.wait_for("from 1 of 2 prompts")
        opened.wait_for("deposits.yml")

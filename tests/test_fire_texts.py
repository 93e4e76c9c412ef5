"""A part of the attack by hostile texts, and that the attack notices what it looks for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from engine.text.spans import Span, TextEdit
from tests.fire import texts
from tests.fire.figures import Figure
from tests.fire.hostile_texts import HostileText, hostile_text
from tests.fire.text_checks import TextReader, wrong_edits

ROOT = Path(__file__).parents[1]
TEXT = HostileText("plain", "- id: a\n  prompt: b\n  should: [c]\n", None, has_fixes=True)


def made(seed: int, count: int) -> list[HostileText]:
    return [hostile_text(Random(f"{seed} {number}"), has_fixes=number % 10 == 0) for number in range(count)]


@pytest.mark.parametrize("seed", [1, 20])
def test_hostile_texts_are_read_checked_shown_and_fixed(seed: int) -> None:
    def missed() -> list[Figure]:
        return [row for row in texts.run(seed, 100).rows if row.met is False]

    # A machine that is busy with something else disturbs one measurement of time, not two.
    assert missed() == [] or missed() == []


def test_what_a_text_is_objected_to_for_misses_a_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fire.text_checks.LIMIT", 0.0)
    monkeypatch.setattr("tests.fire.text_checks._SHORT", 0.0)
    assert "malformed results" in {row.what for row in texts.run(1, 1).rows if row.met is False}


def test_the_same_seed_makes_the_same_texts() -> None:
    assert made(3, 50) == made(3, 50)
    assert made(3, 1) != made(4, 1)


def test_another_process_makes_the_same_texts() -> None:
    """Hashes differ from process to process, so no order may depend on them: a failure is repeated by its number."""
    script = "from tests.test_fire_texts import made\nprint(ascii(made(3, 60)))"
    hashed = dict(os.environ, PYTHONHASHSEED="1")
    done = subprocess.run([sys.executable, "-c", script], env=hashed, cwd=ROOT, capture_output=True, check=True)
    assert done.stdout.decode("ascii").strip() == ascii(made(3, 60))


def test_every_kind_of_text_is_made() -> None:
    kinds = {each.kind.removeprefix("large ") for each in made(1, 3000)}
    assert len(kinds) == 9


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ([TextEdit(Span(3, 9), "")], "outside"),
        ([TextEdit(Span(0, 1), ""), TextEdit(Span(0, 3), "")], "overlap"),
        ([TextEdit(Span(2, 2), "x")], "splits"),
    ],
)
def test_edits_at_wrong_places_are_noticed(edits: list[TextEdit], words: str) -> None:
    (what,) = wrong_edits("a\r\nb", edits, "fix")
    assert words in what


def test_a_step_that_takes_too_long_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fire.text_checks.LIMIT", 0.0)
    monkeypatch.setattr("tests.fire.text_checks._SHORT", 0.0)
    with TextReader() as reader:
        assert any(what.startswith("reading and checking took") for what in reader.objections(TEXT))


def test_control_characters_in_a_report_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.cli.check_text.visible", lambda text: text)
    hostile = HostileText("escape", "- id: a\n  prompt: b\n  \x1b[2J: c\n", Path("\x1b.yml"), has_fixes=False)
    with TextReader() as reader:
        assert "the report as text holds raw control characters" in reader.objections(hostile)

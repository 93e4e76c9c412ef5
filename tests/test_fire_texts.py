"""A part of the attack by hostile texts, and that the attack notices what it looks for."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.text.spans import Span, TextEdit
from tests.fire import texts
from tests.fire.hostile_texts import HostileText, hostile_text
from tests.fire.shrinking import shrunk
from tests.fire.text_checks import Attack, wrong_edits

ROOT = Path(__file__).parents[1]
TEXT = HostileText("plain", "- id: a\n  prompt: b\n  should: [c]\n", None, has_fixes=True)


def attacked(seed: int) -> texts.Tally:
    tally = texts.Tally()
    with Attack() as attack:
        for number in range(100):
            texts.attack_with(attack, seed, number, tally)
    return tally


@pytest.mark.parametrize("seed", [1, 20])
def test_hostile_texts_are_read_checked_shown_and_fixed(seed: int) -> None:
    tally = attacked(seed)
    # A machine that is busy with something else disturbs one measurement of time, not two.
    assert [str(fault) for fault in tally.faults] == [] or [str(fault) for fault in attacked(seed).faults] == []
    assert tally.texts == 100
    assert tally.fixes > 0


def test_the_same_seed_makes_the_same_texts() -> None:
    assert [hostile_text(3, n) for n in range(50)] == [hostile_text(3, n) for n in range(50)]
    assert hostile_text(3, 0) != hostile_text(4, 0)


def test_another_process_makes_the_same_texts() -> None:
    """Hashes differ from process to process, so no order may depend on them: a failure is repeated by its number."""
    script = "from tests.fire.hostile_texts import hostile_text\nprint(ascii([hostile_text(3, n) for n in range(60)]))"
    hashed = dict(os.environ, PYTHONHASHSEED="1")
    done = subprocess.run([sys.executable, "-c", script], env=hashed, cwd=ROOT, capture_output=True, check=True)
    assert done.stdout.decode("ascii").strip() == ascii([hostile_text(3, n) for n in range(60)])


def test_every_kind_of_text_is_made() -> None:
    kinds = {hostile_text(1, number).kind.removeprefix("large ") for number in range(3000)}
    assert len(kinds) == 9


def raises(_: HostileText) -> Iterator[str]:
    yield "an objection"
    raise ValueError("no")


def test_an_exception_is_a_fault_with_its_place() -> None:
    seen = texts.objections_to(TEXT, raises)
    assert len(seen) == 2
    assert any(what.startswith("raised ValueError at ") and what.endswith(": no") for what in seen.values())


@pytest.mark.parametrize(
    ("what", "row"), [("raised ValueError at x.py:1: no", 0), ("it took 1.20 s of CPU", 1), ("edit 3 lies outside", 3)]
)
def test_a_fault_of_each_sort_misses_its_figure(what: str, row: int) -> None:
    rows = texts.figures(texts.Tally(texts=1, faults=[texts.Fault(1, 0, what, what, "x")]), hangs=0)
    assert [each.met for each in rows] == [number != row for number in range(4)]


def test_a_hang_misses_its_figure() -> None:
    assert [each.met for each in texts.figures(texts.Tally(), hangs=1)] == [True, True, False, True]


def test_a_text_that_fails_is_made_smaller() -> None:
    assert shrunk(TEXT, lambda one: "p" in one.text and "c" in one.text) == "pc"


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
    with Attack() as attack:
        assert any(what.startswith("reading and checking took") for what in attack.objections(TEXT))


def test_control_characters_in_a_report_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.cli.check_text.visible", lambda text: text)
    hostile = HostileText("escape", "- id: a\n  prompt: b\n  \x1b[2J: c\n", Path("\x1b.yml"), has_fixes=False)
    with Attack() as attack:
        assert "the report as text holds raw control characters" in attack.objections(hostile)

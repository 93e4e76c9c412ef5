"""Lone paths that are the whole rubric: always a hint, and a warning where a good answer meets two of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.functions.v8 import JavaScript
from engine.judging.panel import panel
from engine.parsing import parse
from engine.rules import ALL, Checker, check
from engine.study.case_reader import GoodAnswers
from engine.study.case_scoring import CaseCheck
from engine.study.file_places import beside
from engine.text.diagnostics import Diagnostic, Severity

CITIES = ("$contains: Lagos", "$icontains: cairo", "$imatches: 'kinshasa.{0,20}congo'")
WORDS = ("Names the form", "Names the office", "Says that it is free")


def rubric(*points: str, ideal: str = "", more: str = "") -> str:
    written = "".join(f"    - - {point}\n" for point in points)
    named = f"  ideal: {ideal}\n" if ideal else ""
    return f"- id: p\n  prompt: Which?\n{named}  should:\n{written}{more}"


def of_rule(found: tuple[Diagnostic, ...]) -> list[Diagnostic]:
    return [one for one in found if one.slug == "single-element-path"]


def only(found: tuple[Diagnostic, ...]) -> Diagnostic:
    [one] = of_rule(found)
    return one


def test_the_warning_stays_while_other_prompts_are_edited(javascript: JavaScript) -> None:
    checker, text = Checker(), rubric(*CITIES, ideal="Lagos, Cairo")
    checker.check(parse(text), javascript)
    assert only(checker.check(parse(f"title: T\n---\n{text}"))).severity is Severity.WARNING


def test_a_comment_suppresses_both(javascript: JavaScript) -> None:
    text = rubric(*CITIES, ideal="Lagos, Cairo").replace("should:", "should: # studio: ignore[R001] any")
    text = text.replace("should: # studio: ignore[R001] any\n", "should:\n    # studio: ignore[R001] any\n")
    assert check(parse(text), javascript) == check(parse(text)) == ()


# --- Labelled answers


def judged(text: str, cases: str, folder: Path, javascript: JavaScript, *, stored: bool = False) -> Diagnostic:
    path = folder / "p.yml"
    beside(path).write_text(f"version: 1\ncases:\n{cases}", "utf-8")
    verdicts = (lambda blueprint, js: CaseCheck(blueprint, js, panel(blueprint.header)).outcome) if stored else None
    checker = Checker(ALL, good_answers=GoodAnswers(path, verdicts))
    return only(checker.check(parse(text, path), javascript))


def test_an_answer_labelled_good_is_evidence(tmp_path: Path, javascript: JavaScript) -> None:
    cases = "  - {prompt: p, answer: Lagos, label: good}\n  - {prompt: p, answer: 'Lagos, Cairo', label: good}\n"
    one = judged(rubric(*CITIES), cases, tmp_path, javascript)
    assert one.severity is Severity.WARNING
    assert one.message == "any one of these 3 earns the whole score, and case 2, a good answer, meets 2 of them"


@pytest.mark.parametrize(
    "case",
    [
        "{prompt: p, answer: 'Lagos, Cairo', label: bad}",
        "{prompt: p, answer: 'Lagos, Cairo', score: 100}",
        "{prompt: q, answer: 'Lagos, Cairo', label: good}",
        "[",
    ],
)
def test_other_answers_are_none(tmp_path: Path, javascript: JavaScript, case: str) -> None:
    assert judged(rubric(*CITIES), f"  - {case}\n", tmp_path, javascript).severity is Severity.HINT


GRADED = (
    "  - prompt: p\n    answer: By the form, at the office.\n    label: good\n    grades:\n"
    "      - {criterion: Names the form, grade: fully present}\n"
    "      - {criterion: Names the office, grade: fully present}\n"
    "      - {criterion: Says that it is free, grade: absent}\n"
)


def test_verdicts_count_only_where_they_are_asked_for(tmp_path: Path, javascript: JavaScript) -> None:
    text = rubric(*WORDS)
    assert judged(text, GRADED, tmp_path, javascript).severity is Severity.HINT
    assert judged(text, GRADED, tmp_path, javascript, stored=True).message == (
        "any one of these 3 earns the whole score, and case 1, a good answer, meets 2 of them"
    )


def test_one_grade_is_none(tmp_path: Path, javascript: JavaScript) -> None:
    cases = GRADED.replace("office, grade: fully", "office, grade: slightly")
    assert judged(rubric(*WORDS), cases, tmp_path, javascript, stored=True).severity is Severity.HINT


def test_new_answers_are_seen_by_the_same_checker(tmp_path: Path, javascript: JavaScript) -> None:
    checker, parsed = Checker(), parse(rubric(*CITIES), tmp_path / "p.yml")
    assert only(checker.check(parsed, javascript)).severity is Severity.HINT
    beside(tmp_path / "p.yml").write_text("version: 1\ncases:\n  - {prompt: p, answer: 'Lagos Cairo', label: good}\n")
    checker.good_answers = GoodAnswers(tmp_path / "p.yml")
    assert only(checker.check(parsed, javascript)).severity is Severity.WARNING

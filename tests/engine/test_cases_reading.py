"""Case files are read by their documented form, and all that cannot be used is named at its place."""

from __future__ import annotations

import pytest

from engine.blueprint import Block
from engine.evaluation.sources import ControlKind
from engine.parsing import parse
from engine.scoring.assessment import Grade
from engine.study.case import Label, NamedPoint, ScoreRange, prompt_names
from engine.study.case_reader import CaseProblemKind, problems_with, read_cases
from engine.text.spans import LineIndex

HEAD = "version: 1\ncases:\n"
WHOLE = """\
version: 1
cases:
  - prompt: rent
    answer: On the 3rd.
    label: bad
    score: [20, 40.5]
    fails: {criterion: Names the court, block: should_not}
    reason: Too short
    by: Maria
    model: openai:gpt-4o
    edited: true
    test: refusal
    grades:
      - criterion: Names the grace period
        grade: majorly present
        by: Ahmed
"""
BLUEPRINT = """\
- id: rent
  prompt: When is the rent due?
  should:
    - Names the grace period
    - $contains: 3rd
  should_not:
    - Names the court
- prompt: Who pays?
  should: [Names the tenant]
- prompt: Who pays?
  should: [Names the landlord]
"""


def problems(text: str) -> list[tuple[int, str]]:
    """The line, from 1, and the message of each problem of a file by itself."""
    lines = LineIndex(text)
    return [(lines.position(each.span.start).line + 1, each.message) for each in read_cases(text)[1]]


def beside_blueprint(cases: str) -> list[str]:
    """The messages about `cases` beside the blueprint above."""
    return [each.message for each in problems_with(read_cases(HEAD + cases)[0], parse(BLUEPRINT).blueprint)]


def test_all_fields_of_a_case_are_read() -> None:
    (case,) = read_cases(WHOLE)[0].cases
    assert (case.prompt, case.turns, case.label) == ("rent", ("On the 3rd.",), Label.BAD)
    assert case.score == ScoreRange(20, 40.5)
    assert case.fails == NamedPoint("Names the court", Block.SHOULD_NOT)
    assert (case.reason, case.by, case.model, case.is_edited) == ("Too short", "Maria", "openai:gpt-4o", True)
    assert case.test is ControlKind.REFUSAL
    assert [(each.point.text, each.grade, each.by) for each in case.grades] == [
        ("Names the grace period", Grade.MAJORLY_PRESENT, "Ahmed")
    ]
    assert problems(WHOLE) == []


def test_an_answer_of_several_turns_is_a_list() -> None:
    (case,) = read_cases(HEAD + "  - {prompt: a, label: good, turns: [One, '']}\n")[0].cases
    assert case.turns == ("One", "")


def test_a_file_without_cases_is_fine() -> None:
    assert problems("version: 1\ncases:\n") == []


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("- prompt: a\n", 1, "a case file is a mapping with `version` and `cases`"),
        ("version: 2\ncases: []\n", 1, "this version of the form is unknown: `version: 1` is read"),
        (HEAD + "  - {prompt: a, answer: x, label: fine}\n", 3, "this must be `good` or `bad`"),
        (HEAD + "  - prompt: a\n    answer: x\n", 3, "case 1 does not say what is expected"),
        (HEAD + "  - label: bad\n    answer: x\n", 3, "case 1 names no prompt"),
        (HEAD + "  - prompt: a\n    label: bad\n    answer: 5\n", 5, "this must be text"),
        (
            HEAD + "  - prompt: a\n    label: bad\n",
            3,
            "a case has one `answer`, or `turns` for several answers in turn",
        ),
        (HEAD + "  - {prompt: a, label: bad, turns: [1]}\n", 3, "a turn must be text"),
        (HEAD + "  - prompt: a\n    answer: x\n    label: bad\n    lable: x\n", 6, "unknown key `lable` here"),
        (
            HEAD + "  - prompt: a\n    answer: x\n    label: bad\n    test: true\n",
            6,
            "this must be `empty` or `refusal` or `echo` or `stuffing`",
        ),
        (HEAD + "  - {prompt: a, answer: x, fails: b, label: good}\n", 3, "case 1 is good and fails a point"),
    ],
)
def test_what_cannot_be_used_is_named_at_its_line(text: str, line: int, message: str) -> None:
    assert (line, message) in problems(text)


def test_what_is_no_yaml_is_named_once_and_without_weval() -> None:
    (problem,) = read_cases("[")[1]
    assert (problem.slug, problem.why) == (CaseProblemKind.UNREADABLE, "")


@pytest.mark.parametrize("score", ["[80]", "[90, 80]", "[-1, 5]", "[0, 101]", "high", "[a, b]", "[.nan, 5]"])
def test_a_range_is_two_ascending_numbers_from_0_to_100(score: str) -> None:
    text = HEAD + f"  - {{prompt: a, answer: x, label: bad, score: {score}}}\n"
    assert problems(text) == [(3, "`score` is the lowest and the highest score that is right, each from 0 to 100")]


def test_one_number_is_a_range_of_one_score() -> None:
    (case,) = read_cases(HEAD + "  - {prompt: a, answer: x, score: 40}\n")[0].cases
    assert case.score == ScoreRange(40, 40)


def test_yaml_that_cannot_be_read_is_named() -> None:
    assert problems("version: 1\ncases:\n  - prompt: 'open\n")[0][0] == 3


def test_a_prompt_is_named_by_its_written_id_or_by_what_it_asks() -> None:
    first, second, third = prompt_names(parse(BLUEPRINT).blueprint).values()
    assert first == "rent"
    assert third == f"{second}#2"


def test_the_name_of_a_prompt_without_an_id_survives_edits_of_its_rubric() -> None:
    edited = BLUEPRINT.replace("Names the tenant", "Names the owner")
    assert prompt_names(parse(edited).blueprint) == prompt_names(parse(BLUEPRINT).blueprint)


def test_the_name_of_a_prompt_without_an_id_follows_its_system_prompt() -> None:
    other = prompt_names(parse(f"system: Be brief.\n---\n{BLUEPRINT}").blueprint)
    assert other[0] == "rent"
    assert other[1] != prompt_names(parse(BLUEPRINT).blueprint)[1]


def test_an_orphaned_case_is_reported() -> None:
    assert beside_blueprint("  - {prompt: gone, answer: x, label: bad}\n") == [
        "there is no prompt `gone` in the blueprint"
    ]


def test_a_grade_of_an_earlier_wording_is_reported() -> None:
    cases = "  - {prompt: rent, answer: x, label: bad, grades: [{criterion: Names a period, grade: absent}]}\n"
    assert beside_blueprint(cases) == [
        "no criterion of `rent` is worded “Names a period”, so this grade does not count"
    ]


def test_a_named_check_is_found_by_its_text_in_results() -> None:
    assert beside_blueprint("  - {prompt: rent, answer: x, fails: 'Function: contains(\"3rd\")'}\n") == []


def test_a_named_check_is_found_as_it_stands_in_the_rubric() -> None:
    assert beside_blueprint("  - {prompt: rent, answer: x, fails: '$contains: 3rd'}\n") == []


def test_a_point_that_is_not_there_is_reported() -> None:
    assert beside_blueprint("  - {prompt: rent, answer: x, fails: Names the king}\n") == [
        "no point is “Names the king”, so it is unknown whether the answer fails it"
    ]


def test_a_repeated_answer_is_reported() -> None:
    case = "  - {prompt: rent, answer: x, label: bad}\n"
    assert beside_blueprint(case + case) == ["case 2 repeats the answer of an earlier case to `rent`"]


def test_a_written_id_that_looks_like_a_second_name_keeps_it() -> None:
    same = "- id: a\n  prompt: When?\n"
    names = prompt_names(parse(f"{same}{same}- id: a#2\n  prompt: Who?\n").blueprint)
    assert list(names.values()) == ["a", "a#3", "a#2"]

"""Case files in every form that YAML allows: a change writes its own lines, and what is hidden is escaped."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from engine.blueprint import Block
from engine.evaluation.sources import ControlKind
from engine.scoring.assessment import Grade
from engine.study.case import Case, CaseGrade, CaseVerdict, Label, NamedPoint, VerdictDigests
from engine.study.case_reader import read_cases
from engine.study.case_writer import (
    CaseMark,
    new_case_file,
    with_case,
    with_grade,
    with_mark,
    with_verdicts,
    without_case,
    without_grade,
)
from engine.text.record import replace
from engine.text.spans import NOWHERE, visible
from tests.engine.test_cases_reading import CASES, TEXTS, without_places
from tests.many_cases import every

# Case files in every form that YAML allows: a change writes its own lines, and what is hidden is escaped


NEW = Case(1, NOWHERE, "rent", NOWHERE, ("x",), Label.BAD)
LINES = "  - prompt: rent\n    answer: x\n    label: bad\n"
ONE = "  - prompt: rent\n    answer: a\n    label: good\n"
GRADE = CaseGrade(NamedPoint("Names the lease"), Grade.ABSENT, "Maria", NOWHERE)
VERDICT = CaseVerdict(
    "Names the lease", "j", "own:m", "holistic", 0.25, "", VerdictDigests("a", "b", "c", "d"), NOWHERE
)
HIDDEN = st.text(st.sampled_from("ab \n\t\u202e\u200b\u2066\u2028\x85\xad\u3164\ufeff\U000e0041\x1b\x00\ud800'\"\\#:"))


# --- What is hidden


@given(CASES, HIDDEN)
def test_what_is_hidden_is_escaped_and_reads_back(case: Case, text: str) -> None:
    case = replace(case, turns=(text, *case.turns), reason=text, by=text)
    written = with_case(new_case_file("x.yml"), case)
    assert visible(written) == written
    assert [without_places(each) for each in read_cases(written)[0].cases] == [case]


# --- What stays

HEAD = "version: 1\ncases:\n"
ODD = {
    "a byte order mark": f"\ufeff{HEAD}{ONE}",
    "tabs": f"{HEAD}  - prompt: rent\n    answer:\ta\n    label: good\t# why\n",
    "anchors": f"{HEAD}  - &a\n    prompt: &p rent\n    answer: a\n    label: good\n",
    "a merge": f"{HEAD}  - &a\n    prompt: rent\n    answer: a\n    label: good\n  - <<: *a\n    answer: b\n",
    "escapes": f'{HEAD}  - prompt: rent\n    answer: "\\u00e9 \\x41 a\\\n      b"\n    label: good\n',
    "other indentation": f"{HEAD}  - prompt:   rent\n    answer: a\n      b\n    grades:\n          - criterion: x\n"
    "            grade:   absent\n    label:    good\n",
    "blank lines at the end of a text": f"{HEAD}  - prompt: rent\n    label: good\n    answer: |+\n      a\n\n\n",
    "a separator of lines within a line": f'{HEAD}  - prompt: rent\n    answer: "a\u2028b"\n    label: good\n',
    "an explicit key": f"{HEAD}  - ? prompt\n    : rent\n    answer: a\n    label: good\n",
    "a document mark": f"%YAML 1.2\n---\n{HEAD}{ONE}",
    "one line a case": f"{HEAD}  - {{prompt: rent, answer: 'a, b', label: good}} # here\n",
    "a comment without cases": f"{HEAD}",
}


@every("text", ODD.values())
def test_a_new_case_is_added_and_everything_stays(text: str) -> None:
    assert with_case(text, NEW) == text + LINES


@every("newline", ["\n", "\r\n", "\r"])
def test_a_new_case_has_the_line_ends_of_the_file(newline: str) -> None:
    text = f"{HEAD}{ONE}".replace("\n", newline)
    assert with_case(text, NEW) == text + LINES.replace("\n", newline)


def test_a_last_line_without_an_end_gets_one() -> None:
    assert with_case(f"{HEAD}{ONE}".rstrip("\n"), NEW) == f"{HEAD}{ONE}{LINES}"


@every("text", [ODD["tabs"], ODD["anchors"], ODD["escapes"], f"{HEAD}{ONE}"])
def test_a_grade_is_added_to_its_case_and_taken_back(text: str) -> None:
    graded = with_grade(text, 1, GRADE)
    assert [replace(each, span=NOWHERE) for each in read_cases(graded)[0].cases[0].grades] == [GRADE]
    assert without_grade(graded, 1, GRADE.point, "Maria") == text


def test_verdicts_are_recorded_in_a_case_on_one_line() -> None:
    text = with_verdicts(f"{ODD['one line a case']}{ONE}", {1: (VERDICT,), 2: (VERDICT,)})
    assert [each.verdicts[0].extent for each in read_cases(text)[0].cases] == [0.25, 0.25]
    assert text.count("\n  - ") == 2
    assert "label: good, verdicts: [{criterion: Names the lease, " in text


# What a person says of a case is changed in its own lines: everything else stays as it is


COMMENTED = """\
# Cases of the tenancy team
version: 1

cases:
# the good one
- prompt: rent   # by its id
  answer: "On the 3rd."
  label: good  # surely
  # why it is good
  by: Maria
  grades:
  - criterion: Names the lease
    grade: absent
# the bad one
- prompt: rent
  answer: >-
    Ask
    a lawyer.
  fails: Names the lease
  # behind it
- prompt: rent
  answer: |
    Ask

    a friend.
  label: bad
"""
TESTS = st.sampled_from([None, *ControlKind])
MARKS = st.builds(
    CaseMark,
    st.just(None),
    st.builds(NamedPoint, TEXTS, st.sampled_from([None, *Block])),
    st.none() | TEXTS,
    st.none() | TEXTS,
    TESTS,
) | st.builds(CaseMark, st.sampled_from(Label), st.just(None), st.none() | TEXTS, st.none() | TEXTS, TESTS)


@given(CASES, MARKS, st.none() | TEXTS)
def test_a_mark_is_read_as_it_was_written_and_nothing_else_changes(case: Case, mark: CaseMark, by: str | None) -> None:
    assume(case.label is not None or case.is_tested)
    text = with_case(with_case(new_case_file("x.yml"), case), case)
    first, second = read_cases(with_mark(text, 1, mark, by))[0].cases
    assert without_places(first) == mark.put_on(case, by)
    assert without_places(second) == case


def test_the_last_case_can_be_removed_and_another_one_added() -> None:
    case = read_cases(COMMENTED)[0].cases[0]
    alone = with_case(new_case_file("x.yml"), case)
    assert read_cases(without_case(alone, 1)) == (read_cases(new_case_file("x.yml"))[0], ())
    assert with_case(without_case(alone, 1), case) == alone

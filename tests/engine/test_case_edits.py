"""Case files in every form that YAML allows: a change writes its own lines, and what is hidden is escaped."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.blueprint import Block
from engine.evaluation.sources import ControlKind
from engine.scoring.assessment import Grade
from engine.study.case import Case, CaseGrade, CaseVerdict, Label, NamedPoint, VerdictDigests
from engine.study.case_reader import read_cases
from engine.study.case_writer import (
    CaseMark,
    NotWritable,
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


def test_a_character_that_turns_the_line_round_is_an_escape() -> None:
    written = with_case(new_case_file("x.yml"), replace(NEW, turns=("left\u202eright",)))
    assert '    answer: "left\\u202eright"\n' in written


@pytest.mark.parametrize("text", ["👩\u200d🚀 goes", "می\u200cخواهم"])
def test_what_a_script_or_an_emoji_needs_stays(text: str) -> None:
    assert text in with_case(new_case_file("x.yml"), replace(NEW, turns=(text,)))


def test_an_escape_stays_when_another_case_is_added() -> None:
    text = with_case(new_case_file("x.yml"), replace(NEW, turns=("a\u202eb",)))
    assert with_case(text, NEW) == text + LINES


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


@every(
    ("before", "after"),
    [
        ("", HEAD + LINES),
        ("# mine\n", f"# mine\n{HEAD}{LINES}"),
        ("version: 1\n", HEAD + LINES),
        ("version: 1\ncases: [] # none yet\n", f"version: 1\ncases: # none yet\n{LINES}"),
        ("cases:\n# hi\nversion: 1\n", f"cases:\n{LINES}# hi\nversion: 1\n"),
        (f"{HEAD}{ONE}# tail\n", f"{HEAD}{ONE}{LINES}# tail\n"),
        (
            "version: 1\ncases: [{prompt: rent, answer: a, label: good}]\n",
            "version: 1\ncases: [{prompt: rent, answer: a, label: good}, {prompt: rent, answer: x, label: bad}]\n",
        ),
    ],
)
def test_the_first_case_finds_its_place(before: str, after: str) -> None:
    assert with_case(before, NEW) == after


@every("text", ["- a\n", "version: 1\ncases: x\n", "version: 2\ncases:\n", f"{HEAD}{ONE}    note: x\n"])
def test_what_is_no_case_file_is_not_changed(text: str) -> None:
    with pytest.raises(NotWritable):
        with_case(text, NEW)


@every("text", [ODD["tabs"], ODD["anchors"], ODD["escapes"], f"{HEAD}{ONE}"])
def test_a_grade_is_added_to_its_case_and_taken_back(text: str) -> None:
    graded = with_grade(text, 1, GRADE)
    assert [replace(each, span=NOWHERE) for each in read_cases(graded)[0].cases[0].grades] == [GRADE]
    assert without_grade(graded, 1, GRADE.point, "Maria") == text


def test_a_grade_changes_its_word_alone() -> None:
    text = ODD["other indentation"]
    grade = replace(GRADE, point=NamedPoint("x"), grade=Grade.FULLY_PRESENT, by=None)
    assert with_grade(text, 1, grade) == text.replace("absent", "fully present")


@pytest.mark.parametrize(
    "written",
    [
        "    reason: >-  # of the team\n      It is\n      late\n",
        "    fails:\n      # the first\n      criterion: Names the lease\n",
    ],
    ids=["of a block", "within a mapping"],
)
def test_a_comment_that_a_change_would_drop_keeps_it_from_being_made(written: str) -> None:
    text = f"{HEAD}  - prompt: rent\n    answer: a\n{written}    score: [0, 40]\n"
    with pytest.raises(NotWritable, match="change it in the file"):
        with_mark(text, 1, CaseMark(fails=NamedPoint("Is friendly"), reason="Rude"))


def test_one_of_two_grades_is_taken_back() -> None:
    text = with_grade(with_grade(f"{HEAD}{ONE}", 1, GRADE), 1, replace(GRADE, by="Ahmed"))
    assert without_grade(text, 1, GRADE.point, "Maria") == with_grade(f"{HEAD}{ONE}", 1, replace(GRADE, by="Ahmed"))


def test_a_case_that_is_shared_by_an_alias_is_not_graded() -> None:
    text = f"{HEAD}  - &a\n    prompt: rent\n    answer: a\n    label: good\n  - *a\n"
    with pytest.raises(NotWritable, match="change it in the file"):
        with_grade(text, 2, GRADE)


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


def marked(number: int, mark: CaseMark) -> Case:
    return read_cases(with_mark(COMMENTED, number, mark))[0].cases[number - 1]


@given(CASES, MARKS, st.none() | TEXTS)
def test_a_mark_is_read_as_it_was_written_and_nothing_else_changes(case: Case, mark: CaseMark, by: str | None) -> None:
    assume(case.label is not None or case.is_tested)
    text = with_case(with_case(new_case_file("x.yml"), case), case)
    first, second = read_cases(with_mark(text, 1, mark, by))[0].cases
    assert without_places(first) == mark.put_on(case, by)
    assert without_places(second) == case


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_a_label_changes_its_own_line_alone(newline: str) -> None:
    before = COMMENTED.replace("\n", newline)
    after = with_mark(before, 1, CaseMark(Label.BAD))
    assert after == before.replace("label: good  # surely", "label: bad  # surely").replace(f"  by: Maria{newline}", "")


def test_a_reason_and_a_quote_stand_behind_the_label_and_before_its_comment() -> None:
    after = with_mark(COMMENTED, 1, CaseMark(Label.GOOD, None, "It names the day", "On the 3rd."))
    assert "  label: good  # surely\n  reason: It names the day\n  quote: On the 3rd.\n  # why it is good\n" in after


def test_a_point_that_an_answer_fails_takes_the_place_of_its_label() -> None:
    after = marked(3, CaseMark(fails=NamedPoint("Names the lease", Block.SHOULD), reason="No lease"))
    assert (after.label, after.fails) == (None, NamedPoint("Names the lease", Block.SHOULD))


def test_who_gave_the_mark_before_did_not_give_another_one() -> None:
    assert marked(1, CaseMark(Label.BAD)).by is None
    assert marked(1, CaseMark(Label.GOOD)).by == "Maria"


def test_who_gives_a_mark_stands_with_it() -> None:
    after = with_mark(COMMENTED, 1, CaseMark(Label.BAD, reason="No law"), "Ahmed")
    assert "  label: bad  # surely\n  reason: No law\n  # why it is good\n  by: Ahmed\n" in after


def test_a_mark_says_that_an_answer_is_a_test_answer_and_takes_it_back() -> None:
    after = with_mark(COMMENTED, 3, CaseMark(Label.BAD, test=ControlKind.REFUSAL))
    assert after == COMMENTED + "  test: refusal\n"
    assert with_mark(after, 3, CaseMark(Label.BAD)) == COMMENTED


def test_a_range_of_scores_goes_with_the_opposite_mark() -> None:
    text = "version: 1\ncases:\n  - prompt: rent\n    answer: a\n    label: good\n    score: [80, 100]\n"
    assert with_mark(text, 1, CaseMark(Label.BAD)) == text.replace("good", "bad").replace("    score: [80, 100]\n", "")
    assert "score: [80, 100]" in with_mark(text, 1, CaseMark(Label.GOOD, reason="So"))


def test_a_number_sign_in_quotes_is_no_comment() -> None:
    text = "version: 1\ncases:\n  - prompt: rent\n    answer: a\n    fails: {criterion: '#', block: should}\n"
    after = with_mark(text, 1, CaseMark(fails=NamedPoint("# it's", Block.SHOULD)))
    assert read_cases(after)[0].cases[0].fails == NamedPoint("# it's", Block.SHOULD)


def test_the_same_mark_changes_nothing() -> None:
    case = read_cases(COMMENTED)[0].cases[1]
    assert with_mark(COMMENTED, 2, CaseMark.of(case)) == COMMENTED


def test_a_case_is_removed_with_its_lines_alone() -> None:
    after = without_case(COMMENTED, 2)
    assert "a lawyer" not in after
    assert [line for line in COMMENTED.splitlines() if "#" in line] == [x for x in after.splitlines() if "#" in x]
    assert [case.turns for case in read_cases(after)[0].cases] == [("On the 3rd.",), ("Ask\n\na friend.\n",)]


def test_the_last_case_can_be_removed_and_another_one_added() -> None:
    case = read_cases(COMMENTED)[0].cases[0]
    alone = with_case(new_case_file("x.yml"), case)
    assert read_cases(without_case(alone, 1)) == (read_cases(new_case_file("x.yml"))[0], ())
    assert with_case(without_case(alone, 1), case) == alone


def test_what_cannot_be_changed_in_its_place_is_refused() -> None:
    text = "version: 1\ncases:\n  - label: good # why\n    prompt: rent\n    answer: a\n"
    with pytest.raises(NotWritable, match="change it in the file"):
        with_mark(text, 1, CaseMark(fails=NamedPoint("a")))


@pytest.mark.parametrize("written", [" [{}]\n", "\n  - {} # first\n"], ids=["list in brackets", "case in brackets"])
def test_a_case_in_brackets_is_marked_there(written: str) -> None:
    text = f"version: 1\ncases:{written.format('{prompt: rent, answer: a, label: good}')}"
    after = with_mark(text, 1, CaseMark(fails=NamedPoint("a: b"), reason="Rude"))
    assert after == text.replace("label: good", "fails: 'a: b', reason: Rude")


def test_a_label_in_front_gives_way_to_the_next_key() -> None:
    text = "version: 1\ncases:\n  - label: good\n    prompt: rent\n    answer: a\n"
    after = with_mark(text, 1, CaseMark(fails=NamedPoint("x")))
    assert after == "version: 1\ncases:\n  - prompt: rent\n    answer: a\n    fails: x\n"

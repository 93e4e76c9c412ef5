"""What a person says of a case is changed in its own lines: everything else stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.blueprint import Block
from engine.evaluation.sources import ControlKind
from engine.study.case import Case, Label, NamedPoint
from engine.study.case_reader import read_cases
from engine.study.case_writer import CaseMark, NotWritable, new_case_file, with_case, with_mark, without_case
from tests.engine.test_cases_writing import CASES, TEXTS, without_places

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

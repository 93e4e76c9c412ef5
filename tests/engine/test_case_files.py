"""Case files are read by their documented form, and all that cannot be used is named at its place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.blueprint import Block
from engine.evaluation.sources import ControlKind
from engine.parsing import parse
from engine.scoring.assessment import Grade
from engine.study.case import Case, CaseGrade, CaseVerdict, Label, NamedPoint, ScoreRange, VerdictDigests, prompt_names
from engine.study.case_reader import read_cases
from engine.study.case_writer import (
    CaseMark,
    NotWritable,
    change_case_file,
    new_case_file,
    with_case,
    with_grade,
    with_mark,
    with_verdicts,
    without_case,
    without_grade,
)
from engine.text.record import replace
from engine.text.spans import NOWHERE, LineIndex, visible
from engine.text.text_limits import FILE_BYTES
from tests.many_cases import every
from tests.pieces import whole_text

# Case files are read by their documented form, and all that cannot be used is named at its place


BLUEPRINT = whole_text("two-prompts-without-ids.yml")


def problems(text: str) -> list[tuple[int, str]]:
    """The line, from 1, and the message of each problem of a file by itself."""
    lines = LineIndex(text)
    return [(lines.position(each.span.start).line + 1, each.message) for each in read_cases(text)[1]]


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


def test_a_written_id_that_looks_like_a_second_name_keeps_it() -> None:
    same = "- id: a\n  prompt: When?\n"
    names = prompt_names(parse(f"{same}{same}- id: a#2\n  prompt: Who?\n").blueprint)
    assert list(names.values()) == ["a", "a#3", "a#2"]


# Case files are changed in place: what is written is read back as it was, and everything else stays


COMMENTED = whole_text("cases-with-comments.yml")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
GRADES = st.builds(
    CaseGrade,
    st.builds(NamedPoint, TEXTS, st.sampled_from([None, *Block])),
    st.sampled_from(Grade),
    st.none() | TEXTS,
    st.just(NOWHERE),
)
VERDICTS = st.builds(
    CaseVerdict,
    TEXTS,
    TEXTS,
    TEXTS,
    TEXTS,
    st.sampled_from([0.0, 0.125, 1.0]),
    TEXTS,
    st.builds(VerdictDigests, TEXTS, TEXTS, TEXTS, TEXTS),
    st.just(NOWHERE),
)
CASES = st.builds(
    Case,
    number=st.just(1),
    span=st.just(NOWHERE),
    prompt=TEXTS,
    prompt_span=st.just(NOWHERE),
    turns=st.lists(TEXTS, min_size=1, max_size=3).map(tuple),
    label=st.sampled_from([None, Label.BAD]),
    score=st.sampled_from([None, ScoreRange(0, 12.5), ScoreRange(40, 100)]),
    fails=st.none() | st.builds(NamedPoint, TEXTS, st.sampled_from([None, *Block])),
    reason=st.none() | TEXTS,
    quote=st.none() | TEXTS,
    by=st.none() | TEXTS,
    model=st.none() | TEXTS,
    is_edited=st.booleans(),
    test=st.sampled_from([None, *ControlKind]),
    grades=st.lists(GRADES, max_size=2).map(tuple),
    verdicts=st.lists(VERDICTS, max_size=2).map(tuple),
)


def without_places(case: Case) -> Case:
    """`case` as it was before it was written."""
    grades = tuple(replace(each, span=NOWHERE) for each in case.grades)
    verdicts = tuple(replace(each, span=NOWHERE) for each in case.verdicts)
    return replace(case, span=NOWHERE, prompt_span=NOWHERE, number=1, grades=grades, verdicts=verdicts)


def grade(criterion: str, by: str, value: Grade) -> CaseGrade:
    return CaseGrade(NamedPoint(criterion), value, by, NOWHERE)


@given(CASES)
def test_a_case_is_read_as_it_was_written(case: Case) -> None:
    text = with_case(new_case_file("x.yml"), case)
    assert [without_places(each) for each in read_cases(text)[0].cases] == [case]


@every("text", [": 0", ":0", "? 0", ": - 0", "- 0", "#", "a: b", "[a", "a, b}", "=", "~"])
def test_a_text_of_yaml_signs_is_read_as_it_was_written(text: str) -> None:
    digests = VerdictDigests(text, text, text, text)
    verdict = CaseVerdict(text, text, text, text, 0.5, text, digests, NOWHERE)
    file = new_case_file("x.yml") + "  - {prompt: rent, answer: a, label: good}\n"
    assert [
        replace(each, span=NOWHERE) for each in read_cases(with_verdicts(file, {1: [verdict]}))[0].cases[0].verdicts
    ] == [verdict]


@given(CASES)
def test_a_new_case_changes_nothing_else(case: Case) -> None:
    text = with_case(COMMENTED, case)
    assert text.startswith(COMMENTED.rstrip("\n"))
    assert without_places(read_cases(text)[0].cases[-1]) == case


def test_recorded_verdicts_replace_earlier_ones() -> None:
    def verdict(extent: float) -> CaseVerdict:
        digests = VerdictDigests("1e5", "b", "c", "d")
        return CaseVerdict("Names the lease", "j", "own:m", "holistic", extent, "", digests, NOWHERE)

    text = with_verdicts(COMMENTED, {2: (verdict(0.25),)})
    text = with_verdicts(text, {2: (verdict(0.75),)})
    assert [each.extent for each in read_cases(text)[0].cases[1].verdicts] == [0.75]
    assert "# the good one" in text


def test_a_long_text_is_recorded_in_a_case_on_one_line() -> None:
    long = "The answer names the day. " * 6 + "It does not name the lease."
    verdict = CaseVerdict(
        "Names the lease", "j", "own:m", "holistic", 0.5, long, VerdictDigests("a", "b", "c", "d"), NOWHERE
    )
    text = with_verdicts("cases:\n  - {prompt: rent, answer: Soon., label: bad}\n", {1: (verdict,)})
    assert [each.reflection for each in read_cases(text)[0].cases[0].verdicts] == [long]


def test_line_ends_of_windows_stay() -> None:
    text = with_grade(COMMENTED.replace("\n", "\r\n"), 1, grade("Names the lease", "Maria", Grade.ABSENT))
    assert text == COMMENTED.replace("\n", "\r\n")


def test_a_file_that_cannot_be_read_is_not_changed() -> None:
    with pytest.raises(NotWritable, match="Line 3"):
        with_case("version: 1\ncases:\n  - prompt: 'open\n", Case(1, NOWHERE, "a", NOWHERE, ("x",), Label.BAD))


def test_a_case_that_is_not_there_is_not_graded() -> None:
    with pytest.raises(NotWritable, match="There is no case 3"):
        with_grade(COMMENTED, 3, grade("x", "y", Grade.ABSENT))


# --- Long texts

WORDS = st.lists(
    st.sampled_from(["a", "of", "- x", "#", "---", "key: value", "'", "*", "é", "|", " ", "word" * 30, "%"])
)
LONG = st.builds(
    lambda words, blanks: "".join(word + " " * blank for word, blank in zip(words, blanks, strict=False)),
    st.lists(WORDS, min_size=30, max_size=60).map(lambda lists: [" ".join(each) or "x" for each in lists]),
    st.lists(st.sampled_from([1, 1, 1, 1, 2, 0]), min_size=60, max_size=60),
)


@given(LONG)
def test_a_long_text_reads_back_byte_for_byte(text: str) -> None:
    case = Case(1, NOWHERE, "rent", NOWHERE, (text,), Label.BAD, reason=text.strip())
    read, problems = read_cases(with_case(new_case_file("a.yml"), case))
    assert (read.cases[0].turns, read.cases[0].reason, problems) == ((text,), text.strip(), ())


# Case files on disk: what others write while one is edited stays


def test_a_text_that_came_meanwhile_is_edited_instead(tmp_path: Path) -> None:
    path = tmp_path / "a.cases"
    path.write_text("one\n", "utf-8")

    def edited(text: str) -> str:
        if "two" not in text:
            path.write_text("one\ntwo\n", "utf-8")
        return f"{text}mine\n"

    assert change_case_file(path, edited) == path.read_text("utf-8") == "one\ntwo\nmine\n"


def test_a_file_that_never_rests_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.cases"
    path.write_text("one\n", "utf-8")

    def edited(text: str) -> str:
        path.write_text(f"{text}theirs\n", "utf-8")
        return f"{text}mine\n"

    with pytest.raises(NotWritable, match="Another program keeps changing it"):
        change_case_file(path, edited)
    assert "mine" not in path.read_text("utf-8")


def test_a_file_that_is_not_there_yet_is_made_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.cases"
    assert change_case_file(path, lambda text: f"{text}mine\n", "head\n") == path.read_text("utf-8") == "head\nmine\n"


def test_a_file_that_has_to_be_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        change_case_file(tmp_path / "a.cases", lambda text: f"{text}mine\n")


def test_a_file_does_not_become_too_large_to_read(tmp_path: Path) -> None:
    path = tmp_path / "a.cases"
    with pytest.raises(NotWritable, match="It would have more than 4 MB"):
        change_case_file(path, lambda _: "é" * (FILE_BYTES // 2 + 1), "")
    assert not path.exists()


def test_an_unchanged_text_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.cases"
    path.write_bytes(b"one\r\n")
    before = path.stat().st_ino
    change_case_file(path, lambda text: text)
    assert (path.stat().st_ino, path.read_bytes()) == (before, b"one\r\n")


def test_a_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.cases"
    path.write_text("one\n", "utf-8")
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)
    with pytest.raises(PermissionError):
        change_case_file(path, lambda text: f"{text}mine\n")
    assert path.read_text("utf-8") == "one\n"


# Case files in every form that YAML allows: a change writes its own lines, and what is hidden is escaped


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


TEAM_CASES = whole_text("cases-of-a-team.yml")
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
    case = read_cases(TEAM_CASES)[0].cases[0]
    alone = with_case(new_case_file("x.yml"), case)
    assert read_cases(without_case(alone, 1)) == (read_cases(new_case_file("x.yml"))[0], ())
    assert with_case(without_case(alone, 1), case) == alone

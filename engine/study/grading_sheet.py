"""The grading sheet: a sample as a CSV file for a colleague, and the grades in the file that comes back.

The sheet is blinded: it has neither verdicts nor grades nor the names of models. Its rows are recognised by their keys
when it comes back, in any order, and as any spreadsheet program saves it. A program that opens the file evaluates cells
that begin with `=`, `+`, `-` or `@`, some also after white space or in the wide forms of these signs (OWASP, "CSV
Injection"). Such a cell gets an apostrophe in front. Reading takes it off again, so every text comes back as it was.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from engine.blueprint import Role
from engine.blueprint.conversation import ThreadTurn
from engine.scoring.assessment import Grade
from engine.store.grades import BlindGrade
from engine.store.run_records import PairId
from engine.study.judged_pairs import JudgedPair, pair_key
from engine.text.record import Record
from engine.text.spans import visible

LONGEST_CELL = 32_000
"""Spreadsheet programs cut cells beyond 32,767 characters."""
_CUT = " … [cut here: the text is longer than a cell can be]"
_RISKY = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")


def neutral_cell(text: str) -> str:
    """`text` as a cell that is no formula, cut to what a cell can hold."""
    cut = text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - len(_CUT)] + _CUT
    return f"'{cut}" if _RISKY.match(cut) else cut


def restored_cell(cell: str) -> str:
    """The text that `neutral_cell` was given, unless it was cut."""
    return cell[1:] if cell.startswith("'") and _RISKY.match(cell) else cell


# --- The sheet


KEY, GRADE, NOTE = "key", "grade", "note"
COLUMNS = (KEY, "conversation", "answer", "criterion", GRADE, NOTE)
INSTRUCTIONS = (
    "Grading sheet. Please grade each row by yourself, from what is in the row alone.",
    "Read the conversation and the answer. How far does the answer do what the criterion says? Write a number from 1 "
    "to 5 into the column grade.",
    "1: absent. 2: slightly present. 3: partially present. 4: majorly present. 5: fully present.",
    "A criterion may name something good or something bad. Either way, grade how far it is there.",
    "Leave the grade empty if you cannot tell. The column note is yours: a reason helps, and may stay empty.",
    "Do not change the column key: it says what a row is about. Rows may be sorted.",
)
_SKIPPED = frozenset({"", "-", "–", "?", "skip", "skipped", "n/a"})
_NUMBER = re.compile(r"([1-5])(?:[.,]0+)?")
_WORDS = {grade.label.partition(" ")[0]: grade for grade in Grade}
_DELIMITERS = ",;\t|"
_LARGEST_FIELD = 2**20


class UnreadableSheet(Exception):
    """The text is no grading sheet. The message is for authors."""


class SheetProblem(Record):
    """A row that cannot be used; `row` counts the rows of the file from 1."""

    row: int
    message: str


class ReturnedSheet(Record):
    """What a sheet that came back says, and the rows that cannot be used."""

    grades: Mapping[PairId, BlindGrade]
    problems: tuple[SheetProblem, ...]


def grading_sheet(pairs: Iterable[JudgedPair]) -> str:
    """The sheet of `pairs` as CSV with CRLF, in their order, below the instructions."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    for line in INSTRUCTIONS:
        writer.writerow([line])
    writer.writerow(COLUMNS)
    for pair in pairs:
        answer = pair.answer_turns
        texts = [_shown(pair.before), _shown(answer, alone=len(answer) == 1), pair.criterion.text]
        writer.writerow([pair_key(pair.id), *(neutral_cell(visible(each)) for each in texts), "", ""])
    return text.getvalue()


def _shown(turns: Sequence[ThreadTurn], *, alone: bool = False) -> str:
    if alone:
        return turns[0].content
    names = {Role.SYSTEM: "System", Role.USER: "User", Role.ASSISTANT: "Assistant"}
    return "\n\n".join(f"{names[turn.role]}: {turn.content}" for turn in turns)


def read_sheet(data: bytes, pairs: Iterable[PairId]) -> ReturnedSheet:
    """The grades in a sheet. `pairs` are those that may be in it. Raises `UnreadableSheet`.

    A row without a grade is a skipped pair. Of several rows with the same key, the last one counts.
    """
    known = {pair_key(pair): pair for pair in pairs}
    header, rows = _rows(data)
    grades: dict[PairId, BlindGrade] = {}
    problems: list[SheetProblem] = []
    for number, cells in rows:
        row = dict(zip(header, map(restored_cell, cells), strict=False))
        key = row[KEY].strip()
        if key not in known:
            problems.append(SheetProblem(number, f"no answer of this blueprint's sample has the key {key!r}"))
            continue
        written = row.get(GRADE, "")
        grade = _grade(written)
        if grade is None and written.strip().lower() not in _SKIPPED:
            problems.append(SheetProblem(number, f"{written.strip()!r} is no grade: write a number from 1 to 5"))
            continue
        grades[known[key]] = BlindGrade(grade, row.get(NOTE, "").strip())
    return ReturnedSheet(grades, tuple(problems))


def _grade(written: str) -> Grade | None:
    """The grade in a cell: `4`, `4.0`, `majorly present`, `CLASS_MAJORLY_PRESENT`; None if there is none."""
    text = written.strip().lower()
    number = _NUMBER.fullmatch(text)
    if number is not None:
        return list(Grade)[int(number[1]) - 1]
    words = text.removeprefix("class_").replace("_", " ").split()
    return _WORDS.get(words[0]) if words and words[1:] in ([], ["present"]) else None


def _rows(data: bytes) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The names of the columns, and the rows below them that are not empty, each with its number."""
    text = _decoded(data)
    for delimiter in _DELIMITERS:
        try:
            every = list(_parsed(text, delimiter))
        except csv.Error:  # it may be parted by another sign
            continue
        for index, (_, cells) in enumerate(every):
            names = [cell.strip().lower() for cell in cells]
            if KEY in names and GRADE in names:
                at = names.index(KEY)
                rows = [each for each in every[index + 1 :] if len(each[1]) > at and any(map(str.strip, each[1]))]
                return names, rows
    raise UnreadableSheet(f"No row names the columns {KEY} and {GRADE}: is it a grading sheet, saved as CSV?")


def _parsed(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    limit = csv.field_size_limit(_LARGEST_FIELD)
    try:
        yield from enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 1)
    finally:
        csv.field_size_limit(limit)


def _decoded(data: bytes) -> str:
    """The text of a file as spreadsheet programs save it: UTF-8, UTF-16 with a mark, or Windows-1252."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")

"""Writing the author's grades of labelled answers into the case file."""

from __future__ import annotations

import asyncio
from pathlib import Path

from engine.author_files import write_author_file
from engine.cases import Case, CaseGrade, NamedPoint, case_file_path, read_cases
from engine.cases.case_writer import NotWritable, with_grade, without_grade
from engine.regular_files import read_regular
from engine.scoring.assessment import Criterion, Grade
from engine.text import NOWHERE
from engine.text_limits import FILE_BYTES


async def grade_case(blueprint: Path, case: Case, criterion: Criterion, grade: Grade | None) -> str:
    """Write the author's grade of a case into the case file of `blueprint`; None removes it.

    Why it could not be written, in words for the author; "" if it was.
    """
    return await asyncio.to_thread(_write, blueprint, case, criterion, grade)


def _write(blueprint: Path, case: Case, criterion: Criterion, grade: Grade | None) -> str:
    path = case_file_path(blueprint)
    if path is None:
        return ""
    try:
        text = read_regular(path, FILE_BYTES).decode("utf-8")
        if not _is_there(text, case):
            return f"{path.name} has changed: this grade is not in it. Run the criterion again."
        point = NamedPoint(criterion.text, criterion.block)
        if grade is None:
            after = without_grade(text, case.number, point)
        else:
            after = with_grade(text, case.number, CaseGrade(point, grade, None, NOWHERE))
        if after != text:
            write_author_file(path, after.encode("utf-8"))
    except (NotWritable, UnicodeDecodeError) as error:
        reason = str(error) if isinstance(error, NotWritable) else "The file is not UTF-8 text."
        return f"The grade is not in {path.name}: {reason}"
    except OSError as error:
        return f"The grade is not in {path.name}, which cannot be written: {error.strerror}."
    return ""


def _is_there(text: str, case: Case) -> bool:
    """Whether the case with this number still has this answer."""
    return any((each.number, each.turns) == (case.number, case.turns) for each in read_cases(text)[0].cases)

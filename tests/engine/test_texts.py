"""What is made of short texts, as the files of `text_cases` say: one file for each question that is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from textwrap import indent

import pytest

from engine.parsing import parse
from engine.rules.source.path_lists import block_notes
from engine.study.case import Case
from engine.study.case_reader import problems_with, read_cases
from engine.study.change_text import header_lines, prompt_lines
from engine.study.changes import changes_between
from engine.text.spans import LineIndex
from tests.engine.short_cases import assert_says

CASES = Path(__file__).parent / "text_cases"
RENT = """\
- id: rent
  prompt: When is the rent due?
  ideal: On the 3rd.
  should:
    - $contains: 3rd
    - Names the lease
    - Is friendly and calm
    - Advises to pay in time
"""
PATHS = """\
- id: rent
  prompt: When is the rent due?
  should:
    - Names the lease
    - - Names the day of the month
      - Says that it is every month
    - - Refers to the lease for the date
"""
BESIDE = "- id: rent\n  prompt: When?\n  should: [Names the grace period, $contains: 3rd]\n"


def changes(mark: str, text: str) -> Iterator[str]:
    """What changes between two versions with `=>` between them: `whole`, or what differs of a header or of a prompt."""
    old, _, new = text.partition("=>\n")
    match mark:
        case "whole":
            before, after = old, new
        case "header":
            before, after = f"{old}---\n{RENT}", f"{new}---\n{RENT}"
        case _:
            before = RENT if mark == "rent" else PATHS
            assert before.count(old or before) == 1
            after = before.replace(old, new) if old else before + new
    found = changes_between(parse(before).blueprint, parse(after).blueprint)
    if found.is_empty:
        yield "nothing changes"
    yield from header_lines(found.header)
    for change in found.prompts:
        yield f"{change.state}{', moved' * change.moved}: {', '.join(change.consequences)}"
        yield from prompt_lines(change)
        for point in change.points:
            sides = (point.before, point.after)
            shares = " → ".join("–" if each is None or each.share is None else f"{each.share:g}" for each in sides)
            yield f"  {', '.join(point.kinds)}: {shares}"


def problems_of_cases(mark: str, text: str) -> Iterator[str]:
    """What is read of a file of cases, or of its `cases`, and what is wrong with it, alone or `beside` a blueprint."""
    whole = f"version: 1\ncases:\n{indent(text, '  ')}" if mark else text
    lines = LineIndex(whole)
    file, problems = read_cases(whole)
    if mark != "beside" and not problems:
        yield from map(read, file.cases)
    if mark == "beside":
        problems = problems_with(file, parse(BESIDE).blueprint)
    for each in problems:
        yield f"{lines.position(each.span.start).line + 1}: {each.slug}: {each.message}"


def read(case: Case) -> str:
    """The fields of a case that are written."""
    fields = [
        case.turns,
        case.label,
        case.score,
        case.fails,
        case.reason,
        case.by,
        case.model,
        case.is_edited,
        case.test,
    ]
    grades = [(each.point, each.grade, each.by) for each in case.grades]
    return f"{case.prompt}: {', '.join(str(each) for each in (*fields, *grades) if each not in (None, False))}"


def notes_of_paths(_: str, rubric: str) -> Iterator[str]:
    text = f"- id: p\n  prompt: Which?\n{indent(rubric, '  ')}"
    yield from (f"{text.splitlines()[at].strip()} ← {note}" for at, note in block_notes(parse(text)))


SAYS: dict[str, Callable[[str, str], Iterable[str]]] = {
    "changes": changes,
    "problems-of-cases": problems_of_cases,
    "notes-of-paths": notes_of_paths,
}


@pytest.mark.parametrize("name", SAYS)
def test_a_short_text_is_read_as_its_file_says(name: str, pytestconfig: pytest.Config) -> None:
    assert_says(CASES / f"{name}.txt", SAYS[name], pytestconfig)

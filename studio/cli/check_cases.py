"""The case file of a blueprint, as `studio check` reports it. Prints nothing."""

from __future__ import annotations

from pathlib import Path

from engine.parsing import Parsed
from engine.study.case_reader import CaseProblemKind, problems_with, read_cases
from engine.study.file_places import case_file_path, text_or_problem
from engine.text.record import Record, short_digest
from engine.text.spans import LineIndex
from studio.cli.checked_file import CheckedFile

_SLUGS = frozenset(kind.value for kind in CaseProblemKind)


class CheckedCases(Record):
    """The case file with its problems; None without one. `message` says why it could not be read, or is ""."""

    file: CheckedFile | None = None
    message: str = ""


def checked_cases(blueprint: Path, parsed: Parsed) -> CheckedCases:
    """The problems of the case file of `blueprint`, by itself and beside what is `parsed`. Blocks."""
    path = case_file_path(blueprint)
    if path is None:
        return CheckedCases()
    text, problem = text_or_problem(path)
    if problem:
        return CheckedCases(message=f"{path}: It {problem}")
    file, problems = read_cases(text)
    # A YAML error hides prompts and points, which are not gone.
    beside = () if parsed.tree.error is not None else problems_with(file, parsed.blueprint)
    found = tuple(sorted([*problems, *beside], key=lambda each: each.span))
    lines = LineIndex(text)
    digests = [short_digest(lines.line(lines.position(each.span.start).line).strip()) for each in found]
    return CheckedCases(CheckedFile(path, text, found, digests, _SLUGS))

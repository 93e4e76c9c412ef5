"""The labelled answers to one prompt, as they are in the case file."""

from __future__ import annotations

from pathlib import Path

from engine.study.case import Case
from engine.study.case_reader import cases_in
from engine.study.file_places import read_case_text


def cases_of_prompt(path: Path, name: str) -> tuple[tuple[Case, ...], str]:
    """The cases of the prompt `name` in the case file of the blueprint at `path`, and why they cannot be read. Blocks.

    () and "" where there is no case file.
    """
    text, problem = read_case_text(path)
    return tuple(case for case in cases_in(text).cases if case.prompt == name), problem

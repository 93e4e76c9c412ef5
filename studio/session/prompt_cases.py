"""The labelled answers to one prompt, as they are in the case file."""

from __future__ import annotations

from pathlib import Path

from engine.cases import Case, case_file_path, read_cases
from engine.regular_files import read_regular
from engine.text_limits import FILE_BYTES


def cases_of_prompt(path: Path, name: str) -> tuple[tuple[Case, ...], str]:
    """The cases of the prompt `name` in the case file of the blueprint at `path`, and why they cannot be read. Blocks.

    () and "" where there is no case file.
    """
    file = case_file_path(path)
    if file is None:
        return (), ""
    try:
        text = read_regular(file, FILE_BYTES).decode("utf-8")
    except OSError as error:
        return (), f"{file.name} cannot be read: {error.strerror}."
    except UnicodeDecodeError:
        return (), f"{file.name} is not UTF-8 text."
    return tuple(case for case in read_cases(text)[0].cases if case.prompt == name), ""

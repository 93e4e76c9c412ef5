"""The program's own files: read as untrusted, set aside under another name when damaged, written privately.

A file that is missing gives None, and so does one that is damaged; its reader then uses the defaults. What was set
aside is reported once, as a line for the author, to the listener of `listen`.

They are in the folders of the user's data, state and settings. The environment variable `BLUEPRINT_STUDIO_HOME` puts
all of these below one folder, for tests and portable installations.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Generic, TypeVar

import platformdirs
from msgspec import ValidationError, convert

from engine.files.atomic import NotRegular, TooLong, clear_temporaries, read_regular, write_atomically
from engine.text.record import Record

_APP = "blueprint-studio"


def _home() -> Path | None:
    home = os.environ.get("BLUEPRINT_STUDIO_HOME")
    return Path(home) if home else None


def data_dir() -> Path:
    """The folder of durable data: responses, grades, model weights. It may not exist yet."""
    home = _home()
    return home / "data" if home else platformdirs.user_data_path(_APP, appauthor=False)


def state_dir() -> Path:
    """The folder of session state: recovery journals, recent files. It may not exist yet."""
    home = _home()
    return home / "state" if home else platformdirs.user_state_path(_APP, appauthor=False)


def config_dir() -> Path:
    """The folder of the author's settings. It may not exist yet."""
    home = _home()
    return home / "config" if home else platformdirs.user_config_path(_APP, appauthor=False)


_MAX_BYTES = 16 << 20

Content = TypeVar("Content")
Listener = Callable[[str], object]


class Damaged(Exception):
    """The content of a file cannot be used. The message continues “it …”: “it is not JSON”."""


class CannotSetAside(OSError):
    """A damaged file has to stay where it is, so nothing is written over it."""


class OwnFile(Record, Generic[Content]):
    """One file. `parse` raises `Damaged`, `ValueError` or `RecursionError` for content that cannot be used."""

    path: Path
    parse: Callable[[bytes], Content]
    largest: int = _MAX_BYTES
    """Bytes. A longer file counts as damaged."""

    def load(self) -> Content | None:
        """The content, or None if the file is missing or damaged; a damaged one is set aside. Never raises. Blocks."""
        try:
            return self._load()
        except OSError as error:
            report(f"{self.path} cannot be used: {error.strerror or error}. The defaults apply.")
            return None

    def write(self, content: bytes) -> None:
        """Replace the file, in a folder and with a mode that only the user can read; a damaged one is set aside first.

        Blocks. Raises `OSError`: the file is unchanged.
        """
        self._load()
        make_private_folder(self.path.parent)
        write_atomically(self.path, content, mode=0o600)

    def _load(self) -> Content | None:
        """The content. Raises `OSError` for a file that can neither be used nor set aside."""
        seen = identity(self.path)
        try:
            return self.parse(read_regular(self.path, self.largest))
        except FileNotFoundError:
            return None
        except NotADirectoryError:  # what is in the place of the folder gives way when it is written
            return None
        except OSError as error:
            if not is_unusable(error):
                raise
            set_aside(self.path, reason(error), seen)
        except Damaged as error:
            set_aside(self.path, str(error), seen)
        except RecursionError:
            set_aside(self.path, "it is nested too deeply", seen)
        except ValueError:
            set_aside(self.path, "it is damaged", seen)
        return None


def parse_as(kind: type[Content], content: bytes, problem: str) -> Content:
    """The JSON in `content` as a value of this type. Raises `Damaged`, with `problem` for another type."""
    try:
        return convert(json.loads(content), kind)
    except ValidationError as error:
        raise Damaged(problem) from error
    except ValueError as error:
        raise Damaged("it is not JSON") from error


def is_unusable(error: OSError) -> bool:
    """Whether `error` is of the file itself, rather than a condition of the system that may pass."""
    return isinstance(error, (NotRegular, TooLong, PermissionError)) or error.errno == errno.ELOOP


def reason(error: OSError) -> str:
    """Why a file is set aside."""
    return "you have no permission to read it" if isinstance(error, PermissionError) else str(error.strerror)


# --- Setting aside

Identity = tuple[int, int] | None

_setting_aside = threading.Lock()


def identity(path: Path) -> Identity:
    """What is at `path` now, to notice when another studio replaces it."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino)


def set_aside(path: Path, why: str, seen: Identity, companions: tuple[Path, ...] = (), *, advice: str = "") -> None:
    """Rename the damaged file or folder at `path`, and `companions` with it, and report that with the reason `why`.

    `advice` is what to do then. Does nothing if the file is no longer the one that was `seen`: another studio has dealt
    with it. Raises `CannotSetAside`.
    """
    with _setting_aside:  # who finds it gone, finds it reported
        if identity(path) != seen:
            return
        aside = _free_name(path, datetime.now().astimezone().strftime("damaged-%Y%m%d-%H%M%S"))
        try:
            path.rename(aside)
        except FileNotFoundError:
            return
        except OSError as error:
            text = f"{why}, and it cannot be set aside: {error.strerror or error}"
            raise CannotSetAside(error.errno, text, str(path)) from error
        for companion in companions:
            if identity(companion) is not None:
                companion.rename(aside.with_name(aside.name + companion.name.removeprefix(path.name)))
        line = f"{path} could not be used: {why}. It is now {aside.name}, and the studio starts afresh without it."
        report(f"{line} {advice}".rstrip())


def set_aside_unless_folder(path: Path) -> None:
    """Set aside what is at `path` unless it is a folder, or nothing. Raises `CannotSetAside`."""
    seen = identity(path)
    if seen is not None and not path.is_dir():
        set_aside(path, "it is not a folder", seen)


def _free_name(path: Path, stamp: str) -> Path:
    aside, number = path.with_name(f"{path.name}.{stamp}"), 1
    while identity(aside) is not None:
        number += 1
        aside = path.with_name(f"{path.name}.{stamp}-{number}")
    return aside


# --- Reports

_MAX_PENDING = 20
_lock = threading.Lock()
_listeners: list[Listener] = []
_reported: set[str] = set()
_pending: list[str] = []


def listen(listener: Listener | None) -> None:
    """Call `listener` with each report, on any thread, from the ones that nobody has heard on; None ends that."""
    with _lock:
        _listeners[:] = [] if listener is None else [listener]
        pending = [*_pending]
        if listener is None:
            return
        _pending.clear()
    for message in pending:
        listener(message)


def report(message: str) -> None:
    """Tell the author `message`, a line about a file of the program itself, once."""
    with _lock:
        if message in _reported:
            return
        _reported.add(message)
        listeners = [*_listeners]
        if not listeners and len(_pending) < _MAX_PENDING:
            _pending.append(message)
    for listener in listeners:
        listener(message)


def report_state_unwritable(error: OSError) -> None:
    """Report once that the journal and the recent files cannot be written, until `state_is_writable` is called."""
    if isinstance(error, CannotSetAside):
        report(f"{error.filename} cannot be used: {error.strerror}.")
        return
    line = f"Files in {state_dir()} cannot be written: {error.strerror or error}."
    report(f"{line} {_NO_JOURNAL}")


def state_is_writable() -> None:
    """The journal could be written again, so its next failure is reported again."""
    with _lock:
        _reported.difference_update([line for line in _reported if line.endswith(_NO_JOURNAL)])


_NO_JOURNAL = (
    "Until that is fixed, unsaved text cannot be recovered after a crash, "
    "and studios do not see each other: save often."
)


# --- Temporary files


def clear_own_temporaries() -> None:
    """Remove the temporary files that killed processes left in the program's own folders. Blocks."""
    for folder in (config_dir(), data_dir(), state_dir(), state_dir() / "journal", state_dir() / "answers"):
        clear_temporaries(folder)


# --- Private folders


def make_private_folder(folder: Path) -> None:
    """Create `folder` and the missing ones above it, each for the user alone. An existing one is made so if it is ours.

    What is in the place of a folder of the program is set aside. Raises `OSError`.
    """
    for own in (config_dir(), data_dir(), state_dir()):
        for each in reversed([each for each in (folder, *folder.parents) if each == own or own in each.parents]):
            set_aside_unless_folder(each)
    for each in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        each.mkdir(mode=0o700, exist_ok=True)
    keep_private(folder, 0o700)


def keep_private(path: Path, mode: int) -> None:
    """Give the file or folder at `path` the mode `mode` if it is the user's, and others have rights to it.

    Raises `OSError`.
    """
    if not hasattr(os, "geteuid"):
        return
    status = path.stat()
    if status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) & 0o077:
        path.chmod(mode)


def settings_path() -> Path:
    """The path of the user's settings. The file may not exist yet."""
    return config_dir() / "settings.json"


def read_settings_json() -> dict[str, object]:
    """The settings as written, or {}; a file without a JSON object is set aside. Blocks."""
    return OwnFile(settings_path(), parse_settings).load() or {}


def parse_settings(content: bytes) -> dict[str, object]:
    """The JSON object in `content`. Raises `Damaged`, `RecursionError`."""
    return parse_as(dict[str, object], content, "it holds no JSON object")

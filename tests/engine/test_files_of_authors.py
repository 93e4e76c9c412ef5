"""A path that an author names may be a pipe, a device or a folder, or never end: no reader waits for it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest
from click import ClickException

from engine.evaluation.fixtures import UnusableFixtures, read_fixtures
from engine.evaluation.results import UnusableResult, is_result, read_result_file
from engine.parsing.model_collections import Collections, UnusableCollection
from engine.rules.selection import OWN_FILE, PYPROJECT, ProjectSettings, SettingsCache
from studio.cli.check_walk import walk
from studio.cli.options import SourceOptions
from studio.cli.show_commands import answer

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
_SECONDS = 60


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    def late(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"not read within {_SECONDS} seconds")

    earlier = signal.signal(signal.SIGALRM, late)
    signal.alarm(_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, earlier)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to(os.devnull)


def _folder(path: Path) -> None:
    path.mkdir()


KINDS = {"a named pipe": _pipe, "a device": _device, "a folder": _folder}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


def made(path: Path, kind: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    KINDS[kind](path)
    return path


@pytest.mark.parametrize("name", ["saved.yml", "saved.json"])
def test_saved_answers(name: str, kind: str, tmp_path: Path) -> None:
    with pytest.raises(UnusableFixtures, match=f"it is {kind}"):
        read_fixtures(made(tmp_path / name, kind))


def test_a_result_file(kind: str, tmp_path: Path) -> None:
    with pytest.raises(UnusableResult, match=f"it is {kind}"):
        read_result_file(made(tmp_path / "result.json", kind))


def test_what_may_be_a_result_file(kind: str, tmp_path: Path) -> None:
    assert not is_result(made(tmp_path / "result.json", kind))


def test_a_collection_of_models(kind: str, tmp_path: Path) -> None:
    made(tmp_path / "models" / "CORE.json", kind)
    with pytest.raises(UnusableCollection, match=f"it is {kind}"):
        Collections(tmp_path / "a.yml").members("CORE")


def test_settings_of_a_project(kind: str, tmp_path: Path) -> None:
    made(tmp_path / OWN_FILE, kind)
    (problem,) = SettingsCache().of(tmp_path / "a.yml").problems
    assert f"it is {kind}" in problem.message


def test_a_shared_settings_file_is_passed_over(kind: str, tmp_path: Path) -> None:
    made(tmp_path / PYPROJECT, kind)
    assert SettingsCache().of(tmp_path / "a.yml") == ProjectSettings()


@pytest.mark.parametrize("kind", ["a named pipe", "a device"])
def test_a_file_that_studio_parse_is_given(kind: str, tmp_path: Path) -> None:
    error = answer(made(tmp_path / "a.yml", kind))["error"]
    assert isinstance(error, dict)
    assert f"it is {kind}" in str(error["message"])


@pytest.mark.parametrize(
    "options",
    [lambda path: SourceOptions(response=path), lambda path: SourceOptions(fixtures=path)],
    ids=["response", "fixtures"],
)
def test_a_file_of_answers_of_a_command(options: Callable[[Path], SourceOptions], kind: str, tmp_path: Path) -> None:
    path = made(tmp_path / "answer", kind)
    with pytest.raises(ClickException, match=kind):
        options(path).sources(tmp_path / "a.yml")


def test_a_path_that_no_file_can_have_is_reported_and_not_raised() -> None:
    (found,) = walk([Path("a" * 5000)]).candidates
    assert "a" * 5000 in str(found)


def test_links_in_a_circle_are_reported_and_not_raised(tmp_path: Path) -> None:
    (tmp_path / "a.yml").symlink_to(tmp_path / "b.yml")
    (tmp_path / "b.yml").symlink_to(tmp_path / "a.yml")
    assert len(walk([tmp_path / "a.yml"]).candidates) == 1

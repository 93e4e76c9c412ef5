"""A published result on the screen: opened by itself, or chosen with F9; and results that are written to a place."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from engine.evaluation.result_json import result_name
from engine.evaluation.sources import FixtureSource
from engine.files.own_files import data_dir
from engine.study.file_places import results_folder
from tests.studio.command_line import studio
from tests.studio.driving import QUOTED, opened

# --- Chosen with F9


async def test_f9_asks_for_saved_answers_and_whose_of_them(tmp_path: Path) -> None:
    saved, plain = tmp_path / "saved.json", tmp_path / "saved.yml"
    saved.write_text('{"responses": {"p": {"default": "a", "byModel": {"openai:*": "Paris"}}}}', "utf-8")
    plain.write_text("responses:\n  p:\n    default: Paris\n", "utf-8")
    async with opened(tmp_path, "models: [openai:tiny, google:flash]\n---\n- {id: p, prompt: Hi?}\n") as page:
        for name, keys, source in (
            ("saved.json", ("down", "enter"), FixtureSource(saved, "openai:tiny")),
            (str(plain), (), FixtureSource(plain)),  # with defaults only, nothing more is asked
        ):
            await page.hit("f9")
            await (await page.asked("Where do answers come from?")).choose("fixtures")
            await (await page.asked("file")).fill("none.yml")
            asked = await page.asked("The file cannot be read")
            assert asked.field().value == "none.yml"
            await asked.fill(name)
            if keys:
                await page.asked("openai:tiny")
                await page.hit(*keys)
            await page.answered()
            assert page.answers is not None
            assert page.answers.sources == (source,)


# --- Written to a place


async def test_a_report_is_written_where_the_author_says(tmp_path: Path) -> None:
    out = tmp_path / "out.md"
    async with opened(tmp_path, QUOTED, keys=("f6",)) as page:
        await page.do("report")
        asked = await page.asked()
        assert asked.field().value == str(tmp_path / "x-report.html")
        await page.reply("escape")
        assert [path.name for path in tmp_path.iterdir() if "report" in path.name] == []
        await page.do("report")
        await (await page.asked()).fill(str(out))
        await page.until(out.exists)
        await page.settle()
        assert page.told[-1] == f"The report is in {out}."
    text = out.read_text("utf-8")
    assert text.startswith("# Two prompts\n")
    assert "The lease says so." in text


# --- Results written under the name that Weval gives them


BLUEPRINT = "title: x\n---\n- id: p\n  prompt: Hi?\n  ideal: Paris\n  should:\n    - $contains: Paris\n"
WHEN = datetime(2026, 3, 1, 9, 8, 7, 6_000, UTC)


def test_the_name_is_label_time_and_comparison() -> None:
    assert result_name("0123456789abcdef", WHEN) == "0123456789abcdef_2026-03-01T09-08-07-006Z_comparison.json"


def test_the_time_is_that_of_greenwich() -> None:
    assert result_name("a", WHEN.astimezone(timezone(timedelta(hours=2)))) == result_name("a", WHEN)


@pytest.mark.parametrize(("label", "written"), [(None, "run"), ("", "run"), ("../a b", "a-b"), ("march_1", "march_1")])
def test_a_label_stays_within_the_name(label: str | None, written: str) -> None:
    assert result_name(label, WHEN).startswith(f"{written}_2026-03-01T")


def test_a_folder_gets_the_result_under_its_usual_name(tmp_path: Path) -> None:
    blueprint, results = tmp_path / "x.yml", tmp_path / "results"
    blueprint.write_text(BLUEPRINT, "utf-8")
    results.mkdir()
    done = studio("run", blueprint, "--ideal", "--json", results)
    (written,) = results.iterdir()
    assert re.fullmatch(r"[0-9a-f]{16}_[0-9T-]{23}Z_comparison\.json", written.name)
    assert f"The result is in {written}." in done.stderr
    data = json.loads(written.read_text("utf-8"))
    assert written.name == f"{data['runLabel']}_{data['timestamp']}_comparison.json"


# Where results and recordings may lie


@pytest.mark.parametrize(("option", "name"), [("--json", "out.json"), ("--record", "deep/out.YAML")])
def test_a_place_below_blueprints_is_warned_of(tmp_path: Path, option: str, name: str) -> None:
    blueprint = tmp_path / "blueprints" / "x.yml"
    (tmp_path / "blueprints" / "deep").mkdir(parents=True)
    blueprint.write_text(BLUEPRINT, "utf-8")
    out = blueprint.parent / name
    done = studio("run", blueprint, "--ideal", option, out)
    assert f"{out} is below a folder blueprints/" in done.stderr
    assert f"Use a folder outside it, such as {tmp_path}." in done.stderr
    assert out.is_file()


@pytest.mark.parametrize("name", ["out.json", "blueprints/out.txt"])
def test_a_place_that_weval_does_not_run_is_not_warned_of(tmp_path: Path, name: str) -> None:
    blueprint = tmp_path / "blueprints" / "x.yml"
    blueprint.parent.mkdir()
    blueprint.write_text(BLUEPRINT, "utf-8")
    assert "is below a folder" not in studio("run", blueprint, "--ideal", "--json", tmp_path / name).stderr


def test_results_of_a_blueprint_below_blueprints_belong_above_that_folder(tmp_path: Path) -> None:
    assert results_folder(tmp_path / "blueprints" / "a" / "blueprints" / "x.yml") == tmp_path
    assert results_folder(tmp_path / "drafts" / "x.yml") == tmp_path / "drafts"


def test_results_go_to_the_data_folder_where_nothing_can_be_written_above() -> None:
    assert results_folder(Path("/blueprints/x.yml")) == data_dir() / "results"


@pytest.mark.parametrize("option", ["--json", "--record"])
def test_what_a_run_writes_is_no_blueprint_to_a_walk(tmp_path: Path, option: str) -> None:
    blueprint = tmp_path / "x.yml"
    blueprint.write_text(BLUEPRINT, "utf-8")
    studio("run", blueprint, "--ideal", option, tmp_path / "out.json")
    assert "1 JSON file is not a blueprint." in studio("check", tmp_path).stdout


def test_an_export_above_blueprints_finds_its_blueprint_again(tmp_path: Path) -> None:
    blueprint = tmp_path / "blueprints" / "users" / "x.yml"
    blueprint.parent.mkdir(parents=True)
    blueprint.write_text(BLUEPRINT, "utf-8")
    studio("run", blueprint, "--ideal", "--json", results_folder(blueprint))
    (written,) = tmp_path.glob("*_comparison.json")
    assert "in x.yml as it is now, from line 3" in studio("explain", written, "--prompt", "p").stdout

"""Results written under the name that Weval gives them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from studio.exporting import result_name
from tests.studio.command_line import studio

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
    assert written.name == result_name(data["runLabel"], datetime.fromisoformat(data["timestamp"]))


def test_an_export_finds_its_blueprint_again(tmp_path: Path) -> None:
    blueprint = tmp_path / "x.yml"
    blueprint.write_text(BLUEPRINT, "utf-8")
    studio("run", blueprint, "--ideal", "--json", tmp_path)
    (written,) = tmp_path.glob("*_comparison.json")
    assert "in x.yml as it is now, from line 3" in studio("explain", written, "--prompt", "p").stdout

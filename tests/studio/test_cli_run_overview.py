"""`studio run` begins with the blueprint's score and one line for each prompt; a reason is given once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.studio.command_line import studio

LONG = (
    "Says that the notice must be in writing, and that a tenant may refuse a visit at an unreasonable hour of the day"
)
NO_IDEAL = "This prompt has no ideal answer. Write `ideal:`, or choose another source of answers."
BLUEPRINT = f"""\
title: Tenancy
---
- id: visit
  prompt: When may my landlord visit?
  ideal: After 24 hours notice.
  weight: 3
  should:
    - $contains: 24 hours
    - {LONG}
    - {LONG}
- prompt: May he raise the rent at will, whenever he likes, and by how much a year?
  ideal: "No."
  should:
    - $icontains: "no"
    - $icontains: covenant
- id: gone
  prompt: hm?
  should: [x]
"""


@pytest.fixture
def tenancy(tmp_path: Path) -> Path:
    path = tmp_path / "tenancy.yml"
    path.write_text(BLUEPRINT, "utf-8")
    return path


def test_the_score_of_the_blueprint_comes_first_and_each_prompt_has_a_line(tenancy: Path) -> None:
    lines = re.sub(r"hash-\w+", "hash", studio("run", tenancy, "--ideal").stdout).splitlines()
    assert lines == [
        "Tenancy · ideal: 37.3–87.5, 3 of 5 points judged, from 2 of 3 prompts",
        "  visit · ideal: 33.3–100, 1 of 3 points judged",
        "  hash “May he raise the rent at will, …” · ideal: 50.0",
        f"  gone · ideal: not scored: {NO_IDEAL}",
        "",
        "  --details shows why, point by point; --prompt ID does for one prompt.",
    ]


def test_details_follow_on_request(tenancy: Path) -> None:
    brief, details = (studio("run", tenancy, "--ideal", *more).stdout for more in ((), ("--details",)))
    assert details.startswith(brief.partition("\n\n")[0])
    assert details.count("severity  points") == 2
    assert "severity  points" not in brief


def test_one_prompt_has_its_details_at_once(tenancy: Path) -> None:
    done = studio("run", tenancy, "--ideal", "--prompt", "visit").stdout
    assert done.startswith("visit · ideal: 33.3–100, 1 of 3 points judged\n")
    assert done == studio("run", tenancy, "--ideal", "--prompt", "visit", "--details").stdout


@pytest.mark.parametrize("command", ["run", "explain"])
def test_criteria_are_whole(tenancy: Path, command: str) -> None:
    done = studio(command, tenancy, "--ideal", "--prompt", "visit")
    assert done.stdout.count(f"  “{LONG}”\n") == 2
    assert "…" not in done.stdout.partition("evidence")[0]


def test_criteria_are_whole_in_the_table_of_cases(tenancy: Path) -> None:
    tenancy.with_name("tenancy.yml.cases").write_text(
        "version: 1\ncases: [{prompt: visit, answer: x, label: bad}]\n", "utf-8"
    )
    assert f"  “{LONG}”\n" in studio("test", tenancy, "--points").stdout


def test_an_open_point_has_dashes_for_cost_and_gain(tenancy: Path) -> None:
    done = studio("run", tenancy, "--ideal", "--prompt", "visit").stdout
    assert f"   2     –      1     –     –     66.7  “{LONG}”\n" in done


def test_identical_points_say_that_they_go_together(tenancy: Path) -> None:
    tenancy.write_text(BLUEPRINT.replace("- prompt: May", "    - $contains: 24 hours\n- prompt: May"), "utf-8")
    done = studio("explain", tenancy, "--ideal", "--prompt", "visit").stdout
    assert "      the same criterion as point 3: graded together\n" in done
    assert "      the same criterion as point 2: graded together\n" in done
    assert "      the same check as point 4: met together\n" in done


@pytest.mark.parametrize("details", [[], ["--details"]])
def test_a_missing_key_is_said_once(tenancy: Path, monkeypatch: pytest.MonkeyPatch, details: list[str]) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = studio("run", tenancy, "--model", "openai:gpt-4o-mini", *details)
    assert done.stdout.startswith("Tenancy · openai:gpt-4o-mini: not scored, from 0 of 3 prompts\n")
    assert [stream.count("OPENAI_API_KEY") for stream in (done.stdout, done.stderr)] == [1, 1]
    assert done.stdout.count("not scored: as visit\n") == 2


@pytest.mark.parametrize("details", [[], ["--details"]])
def test_the_missing_key_of_judges_is_said_once(
    tenancy: Path, monkeypatch: pytest.MonkeyPatch, details: list[str]
) -> None:
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    done = studio("run", tenancy, "--ideal", "--judge", "configured", *details)
    assert [stream.count("OPENROUTER_API_KEY") for stream in (done.stdout, done.stderr)] == [1, 1]

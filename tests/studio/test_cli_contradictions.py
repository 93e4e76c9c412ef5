"""Options that do not go together: each row of the one table of all commands, and what is let pass."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from studio.cli.frame import CONTRADICTIONS
from tests.studio.command_line import studio

REFUSED = [
    line.split(" => ")
    for line in (Path(__file__).parent / "line_cases" / "contradictions.txt").read_text("utf-8").splitlines()[1:]
]
"""Each call with a part of the sentence that refuses it."""

TAKEN = (
    "run a.yml --ideal --judge off --judge-repeat 1",
    "run a.yml --ideal --repeat 1",
    "check a.yml --select no-rubric --ignore slow-regex",
    "compare r.json r.json --judge off",
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yml").write_text("- id: a\n  prompt: Where?\n  ideal: Paris\n  should: [$contains: Paris]\n", "utf-8")
    studio("run", "a.yml", "--ideal", "--json", "r.json")


def test_what_does_not_go_together_is_refused_in_a_sentence() -> None:
    seen: dict[str, str] = {}
    wrong: list[str] = []
    for call, message in REFUSED:
        done = studio(*shlex.split(call))
        if (done.exit_code, done.stdout) != (2, "") or message not in done.stderr:
            wrong.append(f"{call}: {done.exit_code}, {done.stderr}")
        seen |= {each: call for _, each in CONTRADICTIONS if each in done.stderr}
    assert wrong == []
    assert {message for _, message in CONTRADICTIONS} == set(seen)


def test_what_goes_together_is_taken() -> None:
    assert {call: studio(*shlex.split(call)).exit_code for call in TAKEN} == dict.fromkeys(TAKEN, 0)


def test_each_option_of_the_table_is_one_of_a_command() -> None:
    helps = "".join(studio(each, "--help").stdout for each in ("check", "run", "explain", "compare", "grading", "test"))
    words = {
        word.lstrip("!").partition("=")[0]
        for row, _ in CONTRADICTIONS
        for each in row.split()
        for word in each.split("|")
    }
    assert [word for word in words if word.startswith("--") and f"{word} " not in helps] == []

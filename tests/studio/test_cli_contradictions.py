"""Options that do not go together: each row of the one table of all commands, and what is let pass."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from studio.cli.frame import CONTRADICTIONS
from tests.studio.command_line import studio

REFUSED = {
    "check - a.yml": "- reads standard input and is checked alone",
    "check - -": "- reads standard input and is checked alone",
    "check a.yml --stdin-filename b.yml": "--stdin-filename names what - reads from standard input",
    "check a.yml --fix --diff": "--fix writes the changes and --diff only shows them",
    "check a.yml --diff --statistics": "leave out --statistics",
    "check a.yml --diff --baseline k.json": "leave out --baseline",
    "check a.yml --watch --fix": "--watch only reports: leave out --fix",
    "check a.yml --watch --diff": "--watch reports problems: leave out --diff",
    "check a.yml --watch --baseline k.json --write-baseline": "--watch only reports: leave out --write-baseline",
    "check a.yml --watch --fail-on hint": "--watch ends with Ctrl+C and exits with 0: leave out --fail-on",
    "check a.yml --watch --exit-zero": "--watch ends with Ctrl+C and exits with 0: leave out --exit-zero",
    "check a.yml --watch --format json": "--watch prints text",
    "check - --watch": "--watch is for files",
    "check a.yml --exit-zero --fail-on error": "--exit-zero exits with 0 whatever is found",
    "check a.yml --write-baseline": "--write-baseline needs the file",
    "check - --stdin-filename a.yml --baseline k.json --write-baseline": "--write-baseline is for files",
    "check - --baseline k.json": "--baseline knows problems by their file",
    "explain r.json --ideal": "A result file has its answers in it",
    "explain r.json --max-tokens 5": "A result file has its answers in it",
    "explain r.json --allow-private": "so there is no host to allow",
    "explain r.json --no-stored": "A result file has its own verdicts",
    "report r.json --judges-as weval": "A result file has its own verdicts",
    "explain a.yml --ideal --prompt a --blueprint a.yml": "--blueprint goes with a result file",
    "report a.yml --blueprint a.yml": "--blueprint goes with a result file",
    "run a.yml --ideal --control empty": "Name one source of answers",
    "run a.yml --ideal --model openai:x": "Name one source of answers",
    "run a.yml --response a.txt --model openai:x --prompt a": "Name one source of answers",
    "run a.yml --control empty --fixtures f.json": "Name one source of answers",
    "run a.yml --ideal --base-url http://127.0.0.1": "--base-url goes with --model",
    "run a.yml --fixtures f.json --model m --base-url http://127.0.0.1": "--base-url goes with --model",
    "run a.yml --ideal --max-tokens 5": "--max-tokens goes with --model",
    "run a.yml": "Say where answers come from",
    "explain a.yml --prompt a": "Say where answers come from",
    "explain a.yml --ideal": "Name the prompt to explain with --prompt",
    "run a.yml --response a.txt": "--response is the answer to one prompt",
    "run a.yml --response a.txt --prompt a --prompt b": "--response is the answer to one prompt",
    "run a.yml --ideal --repeat 2": "--repeat goes with --model",
    "run a.yml --fixtures f.json --model m --repeat 2": "--repeat goes with --model",
    "run a.yml --ideal --judge-again": "--judge-again goes with --judge configured",
    "test a.yml --judge off --judge-again": "--judge-again goes with --judge configured",
    "run a.yml --model m --judge-repeat 2": "--judge-repeat goes with --judge configured",
    "compare r.json --most-usd 1": "Nothing is sent for one result file",
    "compare r.json --old-model m": "--old-model goes with two result files",
    "compare r.json r.json --less m": "--less and --judge go with one result file",
    "compare r.json r.json --judge m": "--less and --judge go with one result file",
    "compare r.json r.json --judge off --dry-run": "Nothing is sent without --judge configured",
    "compare r.json r.json --judge configured --no-stored": "--judge configured stores verdicts",
    "diff - -": "Only one of OLD and NEW can be standard input",
    "grading a.yml --read s.csv --by Maria --seed 1": "cannot be combined with --sheet, --size or --seed",
    "grading a.yml --read s.csv": "--read needs --by NAME",
    "grading a.yml --read s.csv --by ' '": "--read needs --by NAME",
    "grading a.yml --by Maria": "--by goes with --read",
}
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
    for call, message in REFUSED.items():
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

"""What the command line says of itself: completions, the pages of rules and functions, and what was written on it."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete
from click.testing import CliRunner

from engine.files.own_files import data_dir
from engine.functions import ALL as FUNCTIONS
from engine.parsing import parse
from engine.rules.registry import ALL, FAMILIES
from engine.store import Store
from studio.cli import main
from studio.commands import COMMANDS, names_file
from studio.example import EXAMPLE, read
from tests.engine.judged import save_answer
from tests.studio.command_line import studio
from tests.thoroughness import one_in
from tests.world import CORPUS, golden, needs_corpus, needs_shared

SLUGS = [rule.slug for rule in ALL]
CODES = [rule.code for rule in ALL]
STUDIO = Path(sys.executable).with_name("studio")


def completed(*arguments: str) -> list[str]:
    """What is offered for the last of `arguments`, in Fish, which shows the help beside."""
    *written, incomplete = arguments
    completion = FishComplete(main, {}, "studio", "_STUDIO_COMPLETE")
    return [item.value for item in completion.get_completions(list(written), incomplete)]


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_an_option_that_takes_rules_completes_their_slugs(option: str) -> None:
    assert completed("check", option, "") == SLUGS
    assert completed("check", option, "quoted-f") == ["quoted-function"]
    assert completed("check", ".", option, "quoted-f") == ["quoted-function"]
    assert completed("check", option, "zzz") == []


def test_codes_are_completed_once_a_capital_is_typed() -> None:
    assert completed("check", "--select", "Y") == [code for code in CODES if code.startswith("Y")]


def test_each_of_several_names_is_completed() -> None:
    assert completed("check", "--select", "no-rubric,quoted-f") == ["no-rubric,quoted-function"]


def test_a_name_that_stands_there_is_not_offered_again() -> None:
    assert completed("check", "--select", "quoted-function,quoted-f") == []
    assert completed("check", "--select", "quoted-function", "--select", "quoted-f") == []
    assert completed("check", "--select", "Y003", "--select", "quoted-f") == []


def test_rules_completes_the_slug_of_a_page() -> None:
    assert completed("rules", "") == SLUGS
    assert completed("rules", "unused-s") == ["unused-suppression"]


def test_functions_completes_names_with_and_without_the_sign() -> None:
    assert completed("functions", "") == [name for each in FUNCTIONS for name in each.names]
    assert "icontains" in completed("functions", "ico")
    assert "$icontains" in completed("functions", "$ico")


def test_a_rule_is_offered_with_what_it_looks_for() -> None:
    completion = ZshComplete(main, {}, "studio", "_STUDIO_COMPLETE")
    [item] = completion.get_completions(["rules"], "quoted-f")
    assert item.help == next(rule.summary for rule in ALL if rule.slug == "quoted-function")


def test_the_first_word_is_a_command_or_a_file() -> None:
    assert completed("") == [*COMMANDS, ""]
    assert completed("che") == ["check", "che"]
    completion = ShellComplete(main, {}, "studio", "_STUDIO_COMPLETE")
    assert [item.type for item in completion.get_completions([], "bluepr")] == ["file"]


@pytest.mark.parametrize("words", [("chek", ""), ("chek", "--sel"), ("no such thing", "x"), ("check", "--selct", "a")])
def test_a_word_that_means_nothing_breaks_no_completion(words: tuple[str, ...]) -> None:
    assert isinstance(completed(*words), list)


@pytest.mark.parametrize(
    ("option", "choices"),
    [
        ("--fail-on", ["error", "warning", "hint"]),
        ("--format", ["text", "json", "github", "sarif"]),
        ("--for", ["weval"]),
    ],
)
def test_choices_are_completed(option: str, choices: list[str]) -> None:
    assert completed("check", option, "") == choices


@pytest.mark.parametrize("words", [["check", ""], ["check", "--baseline", ""], ["check", "--stdin-filename", ""]])
def test_files_are_completed_where_a_file_is_named(words: list[str]) -> None:
    completion = ShellComplete(main, {}, "studio", "_STUDIO_COMPLETE")
    assert [item.type for item in completion.get_completions(words[:-1], words[-1])] == ["file"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="Bash is not installed")
def test_the_console_command_completes_for_bash() -> None:
    words = "studio check --select quoted-f"
    environment = {**os.environ, "_STUDIO_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": "3"}
    done = subprocess.run([STUDIO], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "plain,quoted-function\n"


@pytest.mark.parametrize("shell", [BashComplete, ZshComplete, FishComplete], ids=lambda shell: shell.name)
def test_the_script_for_a_shell_calls_the_studio(shell: type[ShellComplete]) -> None:
    assert f"_STUDIO_COMPLETE={shell.name}_complete" in shell(
        main, {}, "studio", "_STUDIO_COMPLETE"
    ).source_template % {
        "complete_func": "f",
        "complete_var": "_STUDIO_COMPLETE",
        "prog_name": "studio",
    }


# --- `studio functions`: the reference pages


def test_the_list_names_every_function_but_the_twins() -> None:
    result = CliRunner().invoke(main, ["functions"])
    assert result.exit_code == 0
    missing = [each.name for each in FUNCTIONS if each.negates is None and f"  ${each.name} " not in result.output]
    assert missing == []


def test_every_function_has_a_page_without_markup_or_blank_rows() -> None:
    for function in FUNCTIONS:
        result = CliRunner().invoke(main, ["functions", function.name])
        assert result.exit_code == 0
        assert f"- ${function.name}: " in result.output


# --- `studio rules`: the list of the pitfalls, and the page of each


def printed(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["rules", *arguments])
    return result.exit_code, result.output


def test_the_list_names_every_rule_with_its_code_and_level() -> None:
    code, out = printed()
    assert code == 0
    assert all(f"{rule.code}  {rule.slug}" in out for rule in ALL)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_rules_of_a_family_stand_below_its_title(family: str) -> None:
    _, out = printed()
    section = out.partition(f"{FAMILIES[family]}\n")[2].partition("\n\n")[0]
    listed = re.findall(r"^  [YSRF]\d{3}  (\S+)", section, re.MULTILINE)
    assert listed == [rule.slug for rule in ALL if rule.family == family] != []


# --- The command line shows what was written on it, in its own messages and in those of click


HIDDEN = "\u200b\u2060\xad\u202e\u115f\u3164\uffa0\U000e0041\x1b[31m\x9b"


@pytest.mark.parametrize(
    "arguments",
    [
        [f"--x{HIDDEN}"],
        [f"x{HIDDEN}"],
        ["check", f"--x{HIDDEN}"],
        ["check", f"--format={HIDDEN}", "x.yml"],
        ["check", f"--select={HIDDEN}", "x.yml"],
        ["check", f"nowhere{HIDDEN}.yml"],
        ["run", f"nowhere{HIDDEN}.yml", "--ideal"],
        ["run", "x.yml", "--control", f"x{HIDDEN}"],
        ["run", "x.yml", "--ideal", "--prompt", f"x{HIDDEN}"],
        ["explain", f"nowhere{HIDDEN}.json"],
        ["rules", f"x{HIDDEN}"],
        ["functions", f"x{HIDDEN}"],
        ["models", f"x{HIDDEN}"],
        ["models", "install", f"x{HIDDEN}"],
        ["models", "install", "--from", f"nowhere{HIDDEN}"],
    ],
    ids=" ".join,
)
def test_no_message_repeats_a_hidden_character(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.yml").write_text("- id: a\n  prompt: b\n  ideal: c\n  should: [c]\n", "utf-8")
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert set(HIDDEN) - set("[31m") & set(result.output) == set()


# --- `studio parse`: one JSON line for each file, and the exit code


def parsed(*files: Path) -> tuple[int, list[dict[str, Any]]]:
    result = CliRunner().invoke(main, ["parse", *map(str, files)])
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


@needs_shared
@needs_corpus
def test_the_lines_of_corpus_files_are_the_goldens() -> None:
    rows = one_in(8, golden("parse_corpus"))
    _, lines = parsed(*(CORPUS / row["file"].removeprefix("configs/blueprints/") for row in rows))
    assert [line["config"] for line in lines] == [row["config"] for row in rows]


# --- What the documents say runs: each command that a page, a help text or a message names can be called so


ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
DOCUMENTS = "\n".join(page.read_text("utf-8") for page in PAGES)
COMMAND_LINE = (ROOT / "docs" / "command-line.md").read_text("utf-8")
PLACEHOLDER = "FILE"

_IN_BACKTICKS = re.compile(r"`(studio(?: [^`]*)?)`")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def blocks() -> list[str]:
    """The `studio` lines of the documents' shell blocks, without their comments."""
    shell = re.findall(r"^```sh\n(.*?)^```", DOCUMENTS, re.MULTILINE | re.DOTALL)
    lines = [line.partition(" #")[0].strip() for block in shell for line in block.splitlines()]
    return list(dict.fromkeys(line for line in lines if line.startswith("studio ")))


@cache
def helps() -> tuple[str, ...]:
    """The help of `studio` and of each command, with that of each of its options."""
    return (studio("--help").stdout, *(studio(command, "--help").stdout for command in COMMANDS))


def texts() -> Iterator[str]:
    """Every text in the sources that name a command, with a word where a value is put in."""
    sources = (path.read_text("utf-8") for folder in ("studio", "engine") for path in (ROOT / folder).rglob("*.py"))
    for source in (source for source in sources if "`studio" in source):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.JoinedStr):
                yield "".join(
                    str(part.value) if isinstance(part, ast.Constant) else PLACEHOLDER for part in node.values
                )
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def advised() -> list[str]:
    """Every call of `studio` that stands in backticks in a page, in a help text or in a message."""
    named = (match for text in (DOCUMENTS, *helps(), *texts()) for match in _IN_BACKTICKS.findall(text))
    return sorted({" ".join(each.split()) for each in named})


def arguments_of(call: str) -> list[str]:
    """The arguments of a call as a shell hands them on; what is optional or goes on is left out."""
    return shlex.split(re.sub(r"\[[^]]*\]|…", "", call))[1:]


def check(arguments: list[str]) -> None:
    """Parse `arguments` as the command line does. What a name alone leaves out may be missing; else it raises."""
    match arguments:
        case [command, *rest] if command in COMMANDS:
            found = main.get_command(click.Context(main), command)
            assert found is not None
            there = [str(ROOT / "README.md") if each == "FILE" else each for each in rest]
            with contextlib.suppress(click.MissingParameter, click.exceptions.Exit):
                found.make_context(command, there or ["--help"])
        case [] | ["--example" | "--help" | "FILE" | "COMMAND", *_]:
            pass
        case [file]:
            assert names_file(file)
        case _:
            pytest.fail(f"no way to call the studio: {arguments}")


def test_a_command_of_the_documents_can_be_called() -> None:
    for call in blocks():
        check(arguments_of(call))


def test_a_command_that_is_advised_can_be_called() -> None:
    for call in advised():
        check(arguments_of(call))


OTHERS = {"--dist", "--rounds", "--seed", "--snapshot-update", "--svg"}
"""Options of pytest, of `python -m studio.screenshots`, of `python -m tests.fire` alone."""


def test_an_option_of_the_documents_is_one_of_a_command() -> None:
    options = set(_OPTION.findall(DOCUMENTS)) - OTHERS
    assert {option for option in options if not any(option in text for text in helps())} == set()


def test_each_command_is_in_the_page_of_the_command_line() -> None:
    assert [command for command in COMMANDS if f"\nstudio {command}" not in COMMAND_LINE] == []


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"open", "models", "rules", "functions"}))
def test_the_page_gives_each_command_a_chapter_with_its_exit_codes(command: str) -> None:
    chapters = re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", COMMAND_LINE, re.MULTILINE)
    [text] = [text for title, text in chapters if command in title.split()]
    assert "Exit codes:" in text


# --- Those that send nothing are run

PLACES = {
    "blueprints/": ".",
    "FILE": EXAMPLE.file,
    "OLD": EXAMPLE.file,
    "NEW": EXAMPLE.file,
    "ID": "visits-without-notice",
    "OUT": "out.json",
    "OLD.json": "RESULT.json",
    "NEW.json": "RESULT.json",
    "KEY": "ideal",
}
CASES = "version: 1\ncases:\n  - {prompt: visits-without-notice, answer: Soon., label: bad, score: [0, 100]}\n"
SENDS = (
    "--model openai:",
    "studio draft",
    "studio models install",
    "studio RESULT_comparison.json",
    "studio FILE",
    "studio --example",
    "studio open",
    "--judge configured",
    "--most-usd",
    "--max-tokens",
    "--watch",
)
"""What is not run here: it asks a model, fetches files, opens the screen, or does not end by itself."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with all that the documents' commands name."""
    monkeypatch.chdir(tmp_path)
    Path(EXAMPLE.file).write_text(read(EXAMPLE.file), "utf-8")
    Path("models").mkdir()
    Path("models/CORE.json").write_text('["openai:gpt-4o-mini"]', "utf-8")
    studio("run", EXAMPLE.file, "--ideal", "--json", "RESULT.json")
    _add_a_verdict(Path("RESULT.json"))
    Path(f"{EXAMPLE.file}.cases").write_text(CASES, "utf-8")
    _have_judged(Path(EXAMPLE.file))
    studio("grading", EXAMPLE.file, "--sheet", "returned.csv")
    Path("known.json").write_text('{"version": 1, "problems": []}', "utf-8")


def _add_a_verdict(path: Path) -> None:
    """Add a verdict of the judge NAME to each point in words."""
    data = json.loads(path.read_text("utf-8"))
    for models in data["evaluationResults"]["llmCoverageScores"].values():
        for point in models["ideal"]["pointAssessments"]:
            if not point["keyPointText"].startswith("Function:"):
                verdict = {"judgeModelId": "NAME", "coverageExtent": 1}
                point |= {"coverageExtent": 1, "individualJudgements": [verdict]}
    path.write_text(json.dumps(data), "utf-8")


def _have_judged(path: Path) -> None:
    """Store an answer to the second prompt of the file, with verdicts on its criteria."""
    blueprint = parse(path.read_text("utf-8"), path).blueprint
    prompt = blueprint.prompts[1]
    store = Store(data_dir() / "studio.sqlite3")
    extents = [[1.0]] * sum(point.text is not None for point in prompt.points())
    save_answer(store, blueprint, prompt, "Write to them.", extents, file=path)
    store.close()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("call", one_in(3, [call for call in blocks() if not any(each in call for each in SENDS)]))
def test_a_command_of_the_documents_that_sends_nothing_runs(call: str) -> None:
    arguments = [PLACES.get(each, each) for each in arguments_of(call)]
    done = studio(*arguments)
    assert done.exit_code in (0, 1), done.stderr
    assert done.exception is None or isinstance(done.exception, SystemExit)

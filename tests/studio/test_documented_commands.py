"""What the documents say runs: each command that a page, a help text or a message names can be called so."""

from __future__ import annotations

import ast
import contextlib
import json
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from engine.files.own_files import data_dir
from engine.parsing import parse
from engine.store import Store
from studio.cli import main
from studio.commands import COMMANDS, names_file
from studio.example import EXAMPLE, read
from tests.engine.judged import save_answer
from tests.studio.command_line import studio
from tests.thoroughness import one_in

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

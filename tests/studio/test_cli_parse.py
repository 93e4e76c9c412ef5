"""`studio parse`: one JSON line for each file, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from studio.cli import main
from tests.world import CORPUS, golden, needs_corpus, needs_shared

GOOD = "- id: a\n  prompt: x\n"
REFUSED = "- id: a\n  prompt: x\n  should:\n    - {}\n"
READ_HERE = "- id: a\n  prompt: x\n  should:\n    - [[b], [c]]\n"


def parsed(*files: Path) -> tuple[int, list[dict[str, Any]]]:
    result = CliRunner().invoke(main, ["parse", *map(str, files)])
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(text: str, name: str = "blueprint.yml") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        return path

    return write


def test_a_file_that_weval_reads_is_its_normalised_form(written: Any) -> None:
    path = written(GOOD)
    prompt = {"messages": [{"role": "user", "content": "x"}], "id": "a", "render_as": "markdown"}
    assert parsed(path) == (0, [{"file": str(path), "ok": True, "config": {"prompts": [prompt]}, "error": None}])


def test_a_refusal_is_told_with_its_place(written: Any) -> None:
    code, [line] = parsed(written(REFUSED))
    assert (code, line["ok"], line["config"]) == (1, False, None)
    assert (line["error"]["line"], line["error"]["column"]) == (4, 7)


def test_a_column_counts_code_points(written: Any) -> None:
    _, [line] = parsed(written("- id: a\n  😀é: 1\n  weight: 0\n  prompt: x\n"))
    assert (line["error"]["line"], line["error"]["column"]) == (3, 11)


def test_our_reading_is_there_only_where_it_differs(written: Any) -> None:
    _, lines = parsed(written(READ_HERE), written(GOOD, "good.yml"))
    assert ["reading" in line for line in lines] == [True, False]


def test_one_refused_file_of_several_makes_the_exit_code_1(written: Any) -> None:
    code, lines = parsed(written(GOOD), written(REFUSED, "refused.yml"))
    assert (code, [line["ok"] for line in lines]) == (1, [True, False])


def test_a_file_that_cannot_be_opened_is_a_line_too(written: Any, tmp_path: Path) -> None:
    code, lines = parsed(tmp_path / "nowhere.yml", tmp_path, written(GOOD))
    assert (code, [line["ok"] for line in lines]) == (1, [False, False, True])


def test_json_is_told_by_the_name_of_the_file(written: Any) -> None:
    _, [line] = parsed(written('{"prompts": [{"id": "a", "promptText": "x"}]}', "blueprint.json"))
    assert line["config"]["prompts"][0]["id"] == "a"


def test_no_file_is_unusable() -> None:
    assert CliRunner().invoke(main, ["parse"]).exit_code == 2


def test_nothing_that_steers_a_terminal_is_printed(written: Any) -> None:
    result = CliRunner().invoke(main, ["parse", str(written('title: "\\e[2J\\u202e é"\n'))])
    assert result.stdout.strip().isascii()
    assert result.stdout.strip().isprintable()


@needs_shared
@needs_corpus
def test_the_lines_of_corpus_files_are_the_goldens() -> None:
    rows = golden("parse_corpus")
    _, lines = parsed(*(CORPUS / row["file"].removeprefix("configs/blueprints/") for row in rows))
    assert [line["config"] for line in lines] == [row["config"] for row in rows]

"""`studio parse`: one JSON line for each file, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from studio.cli import main
from tests.world import CORPUS, golden, needs_corpus, needs_shared


def parsed(*files: Path) -> tuple[int, list[dict[str, Any]]]:
    result = CliRunner().invoke(main, ["parse", *map(str, files)])
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


@needs_shared
@needs_corpus
def test_the_lines_of_corpus_files_are_the_goldens() -> None:
    rows = golden("parse_corpus")
    _, lines = parsed(*(CORPUS / row["file"].removeprefix("configs/blueprints/") for row in rows))
    assert [line["config"] for line in lines] == [row["config"] for row in rows]

"""Whatever Weval refuses is told here: as an error, or as what works here and is refused there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.diagnostics import Severity
from engine.parsing import parse
from engine.rules import check
from tests.world import golden, needs_shared

pytestmark = needs_shared

CASES = {row["name"]: row for row in golden("parse_cases")}
REFUSED = [row for row in (*CASES.values(), *golden("docs_examples")) if not row["ok"]]
RUN_REFUSED = [row for row in golden("validate_prompts") if row["error"] and row["prompts_from"] != "parse_corpus"]
NO_LIST = "hand/prompts not a list"


def is_told(text: str, path: Path) -> bool:
    return any(found.severity is Severity.ERROR or found.flagged for found in check(parse(text, path)))


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.get("name", row["error"][:40]))
def test_a_file_that_weval_refuses_to_read_is_told(row: dict[str, Any]) -> None:
    assert is_told(row["content"], Path("x.json" if row["file_type"] == "json" else "x.yml"))


@pytest.mark.parametrize("row", [row for row in RUN_REFUSED if row["source"] in CASES], ids=lambda row: row["source"])
def test_a_file_that_weval_reads_and_refuses_to_run_is_told(row: dict[str, Any]) -> None:
    case = CASES[row["source"]]
    assert is_told(case["content"], Path("x.json" if case["file_type"] == "json" else "x.yml"))


@pytest.mark.parametrize(
    "row",
    [row for row in RUN_REFUSED if row["prompts_from"] == "inline" and row["source"] != NO_LIST],
    ids=lambda row: row["source"],
)
def test_a_conversation_that_weval_refuses_is_told(row: dict[str, Any]) -> None:
    assert is_told(json.dumps({"prompts": row["prompts"]}), Path("x.yml"))

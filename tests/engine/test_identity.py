"""Ids, digests and hashes, held against the platform's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.identity import CannotHash, blueprint_id, content_hash
from engine.javascript import JavaScript
from engine.parsing import parse, weval_config
from engine.yaml_nodes.nodes import Data
from tests.world import CORPUS, golden, needs_shared


@pytest.fixture(scope="module")
def javascript() -> Iterator[JavaScript]:
    with JavaScript() as running:
        yield running


def config_of(text: str) -> dict[str, Any]:
    config = weval_config(parse(text))
    assert isinstance(config, dict)
    return config


def corpus_path(row: dict[str, Any]) -> Path:
    return CORPUS / row["source"].removeprefix("configs/blueprints/")


def hashed_config(row: dict[str, Any]) -> dict[str, Any]:
    config = row["config"] if "config" in row else config_of(corpus_path(row).read_text("utf-8"))
    return {"models": ["CORE"]} | config if row.get("models_default_core") else config


HASHED = [row for row in golden("config_hash") if "config" in row or corpus_path(row).is_file()]
"""Every row but those of the application's four examples, which are not in the corpus."""


@needs_shared
@pytest.mark.parametrize("row", [pytest.param(row, id=row["source"]) for row in HASHED if row["hash"]])
def test_the_content_hash_is_the_platform_s(row: dict[str, Any], javascript: JavaScript) -> None:
    assert content_hash(hashed_config(row), javascript) == row["hash"]


@needs_shared
@pytest.mark.parametrize("row", [pytest.param(row, id=row["source"]) for row in HASHED if row["error"]])
def test_what_the_platform_cannot_hash_has_no_content_hash(row: dict[str, Any], javascript: JavaScript) -> None:
    with pytest.raises(CannotHash):
        content_hash(hashed_config(row), javascript)


TWO = """models: [b:y, a:x]
temperatures: [10, 9]
---
- id: second
  prompt: Two
- id: First
  prompt: One
"""


@pytest.mark.parametrize(
    "same",
    [
        pytest.param(TWO.replace("[b:y, a:x]", "[a:x, b:y]"), id="the order of models"),
        pytest.param(TWO.replace("[10, 9]", "[9, 10]"), id="the order of temperatures"),
        pytest.param(TWO.replace("prompt: Two", "prompt: Otherwise"), id="the wording of a prompt"),
        pytest.param(TWO + "  should_not: [lies]\n", id="should_not"),
    ],
)
def test_the_content_hash_does_not_see(same: str, javascript: JavaScript) -> None:
    assert content_hash(config_of(same), javascript) == content_hash(config_of(TWO), javascript)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(TWO.replace("a:x", "a:z"), id="a model"),
        pytest.param(TWO.replace("[10, 9]", "[10]"), id="a temperature"),
        pytest.param(TWO + "  should: [truth]\n", id="should"),
        pytest.param(TWO + "  weight: 2\n", id="a weight"),
        pytest.param("system: Be brief.\n" + TWO, id="a system prompt"),
    ],
)
def test_the_content_hash_sees(other: str, javascript: JavaScript) -> None:
    assert content_hash(config_of(other), javascript) != content_hash(config_of(TWO), javascript)


def prompts_named(*ids: str) -> dict[str, Data]:
    return {"models": ["a:x"], "prompts": [{"id": name} for name in ids]}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("a_b", "a-b", id="the underscore comes before the hyphen, as for people, not as in ASCII"),
        pytest.param("b", "C", id="case tells apart only what is otherwise the same"),
        pytest.param("é", "f", id="a letter with an accent stands by its letter"),
    ],
)
def test_prompts_are_hashed_in_the_order_of_their_ids_for_people(
    first: str, second: str, javascript: JavaScript
) -> None:
    once, again = content_hash(prompts_named(first, second), javascript), prompts_named(second, first)
    assert once == content_hash(again, javascript)


def test_an_id_that_is_no_text_leaves_no_content_hash(javascript: JavaScript) -> None:
    with pytest.raises(CannotHash, match="5 is none"):
        content_hash({"models": [], "prompts": [{"id": 5}]}, javascript)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("blueprints/capitals.yml", "capitals"),
        ("blueprints/subdir/my-test.yml", "subdir__my-test"),
        ("blueprints/users/ana/tenancy.v2.yaml", "users__ana__tenancy.v2"),
        ("/srv/ana/blueprints/fork/blueprints/law/rent.json", "law__rent"),
        ("elsewhere/capitals.yml", "capitals"),
        ("capitals.yml", "capitals"),
    ],
)
def test_a_blueprint_s_id_is_its_path_below_the_folder_blueprints(path: str, expected: str) -> None:
    assert blueprint_id(Path(path)) == expected

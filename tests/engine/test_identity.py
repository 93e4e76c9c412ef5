"""Ids, digests and hashes, held against the platform's own."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse, weval_config, weval_values
from engine.parsing.canonical_form import misses
from engine.parsing.normalised_form import CannotHash, blueprint_id, content_hash
from engine.rules import check
from engine.rules.selection import all_for_weval, with_form
from engine.yaml.nodes import Data
from tests.checked_corpus import read
from tests.many_cases import every
from tests.node import answers, needs_node
from tests.pieces import whole_text
from tests.thoroughness import tried
from tests.world import CORPUS, corpus_files, golden, needs_corpus, needs_shared

# Ids, digests and hashes, held against the platform's own


def config_of(text: str) -> dict[str, Any]:
    return config_in(parse(text))


def config_in(parsed: Parsed) -> dict[str, Any]:
    config = weval_values(parsed)
    assert isinstance(config, dict)
    return config


def corpus_path(row: dict[str, Any]) -> Path:
    return CORPUS / row["source"].removeprefix("configs/blueprints/")


def hashed_config(row: dict[str, Any]) -> dict[str, Any]:
    config = row["config"] if "config" in row else config_in(read(corpus_path(row)))
    return {"models": ["CORE"]} | config if row.get("models_default_core") else config


HASHED = [row for row in golden("config_hash") if "config" in row or corpus_path(row).is_file()]
"""Every row but those of the application's four examples, which are not in the corpus."""


@needs_shared
@needs_corpus
@every("row", [row for row in HASHED if row["hash"]], ids=lambda row: row["source"])
def test_the_content_hash_is_the_platform_s(row: dict[str, Any], javascript: JavaScript) -> None:
    assert content_hash(hashed_config(row), javascript) == row["hash"]


@needs_shared
@every("row", [row for row in HASHED if row["error"]], ids=lambda row: row["source"])
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


def test_a_second_id_that_is_no_text_leaves_no_content_hash(javascript: JavaScript) -> None:
    with pytest.raises(CannotHash, match="5 is not"):
        content_hash({"models": [], "prompts": [{"id": "a"}, {"id": 5}]}, javascript)


@every("name", ["2024-01-01", ".inf", "5", "true", "[a]"])
def test_an_id_that_is_no_text_leaves_no_content_hash_however_yaml_reads_it(name: str, javascript: JavaScript) -> None:
    two = config_of(f"models: [a]\n---\n- id: b\n  prompt: c\n- id: {name}\n  prompt: d\n")
    with pytest.raises(CannotHash, match="ids that are text"):
        content_hash(two, javascript)


def test_a_single_prompt_is_hashed_whatever_its_id_is(javascript: JavaScript) -> None:
    hashes = [content_hash({"models": [], "prompts": [{"id": name}]}, javascript) for name in (5, "5")]
    assert len(set(hashes)) == 2


IDS: list[Data] = [
    *("a", "B", "b", "é", "", "_x", "-x", "a b", "10", "9", "\u0301", "😀", "中"),
    5,
    None,
    False,
    ["a", 1],
]
VALUES: list[Data] = [*("b:y", "a:x", "é", "", "10"), 9, 10, None, 0.5, True, ["b", None], {"id": "m"}]
SEVERAL: list[Data] = [None, "", "a", "😀", "ba", "text", 5, 0, [], ["b", "a"], [None, "b"], [10, 9], {"a": 1}]


def random_config(chance: random.Random) -> dict[str, Data]:
    prompts: list[Data] = [
        {"id": chance.choice(IDS), **{key: chance.choice(VALUES) for key in chance.sample(HASHED_KEYS, 2)}}
        for _ in range(chance.randrange(4))
    ]
    config: dict[str, Data] = {"models": chance.sample(VALUES, chance.randrange(4)), "prompts": prompts}
    keys = chance.sample(["system", "systems", "temperature", "temperatures", "models"], chance.randrange(4))
    return {**config, **{key: chance.choice(SEVERAL) for key in keys}}


HASHED_KEYS = ["promptText", "idealResponse", "system", "points", "weight", "should_not", "messages"]


def hashed(config: dict[str, Data], javascript: JavaScript) -> str | None:
    try:
        return content_hash(config, javascript)
    except CannotHash:
        return None


@needs_node
def test_random_configurations_have_the_hash_that_node_gives_them(javascript: JavaScript) -> None:
    chance = random.Random(7)
    configs = [random_config(chance) for _ in range(tried(300, 1500))]
    there = answers("hashes.js", [{"config": config} for config in configs])
    rows = [(config, want, hashed(config, javascript)) for config, want in zip(configs, there, strict=True)]
    assert [row for row in rows if row[1] != row[2]] == []


@needs_node
def test_random_file_names_have_the_id_that_weval_gives_them() -> None:
    chance = random.Random(7)
    parts = ["a", "b.c", "/", ".yml", ".yaml", ".YML", ".json", ".weval", ".civic", "v1.2", "x y", ".yml\u2028", "é"]
    names = [f"a{''.join(chance.choices(parts, k=chance.randrange(1, 5)))}" for _ in range(tried(300, 1500))]
    paths = [str(Path(name)) for name in names]
    there = answers("hashes.js", [{"path": path} for path in paths])
    assert [blueprint_id(Path("blueprints", path)) for path in paths] == there


# The form of a normalised blueprint that Weval asks proposals for (platform.md, "The canonical form")


TEXT = whole_text("capitals.yml")


def test_a_definition_that_is_copied_as_it_stands_is_told_where_it_is_used() -> None:
    parsed = parse(TEXT)
    (found,) = with_form(parsed, ())
    assert (found.slug, found.span.of(TEXT)) == ("not-canonical", "$ref: short")
    assert "as of 1 July 2026" in found.message


def test_the_form_is_asked_for_only_by_those_who_send_a_blueprint_to_weval() -> None:
    parsed = parse(TEXT)
    slugs = [{each.slug for each in found} for found in (check(parsed), all_for_weval(parsed, check(parsed)))]
    assert ["not-canonical" in each for each in slugs] == [False, True]


@needs_corpus
def test_of_the_corpus_only_the_files_with_such_definitions_miss_the_form() -> None:
    configs = [weval_config(read(path)) for path in corpus_files()]
    assert sum(config is not None and bool(misses(config)) for config in configs) == 17

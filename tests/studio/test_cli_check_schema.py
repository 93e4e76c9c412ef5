"""The published schema of `studio check --format json`, and the addresses in SARIF."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from jsonschema import Draft202012Validator, ValidationError

from engine.cases.case_problems import CaseProblemKind
from engine.rules import ALL
from studio.cli.project_addresses import DOCUMENTATION, SOURCE
from tests.studio.command_line import studio
from tests.world import CORPUS, needs_corpus

ROOT = Path(__file__).parents[2]
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
EXAMPLE = ROOT / "studio" / "example" / "tenants-rights.yml"


@cache
def schema() -> Any:
    return json.loads(studio("check", "--schema").stdout)


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(schema())


def output(*arguments: object) -> Any:
    return json.loads(studio("check", "--format", "json", *arguments).stdout)


@cache
def example() -> Any:
    return output(EXAMPLE)


# --- The schema


def test_the_schema_is_a_schema_with_a_version() -> None:
    Draft202012Validator.check_schema(schema())
    assert re.fullmatch(r"urn:blueprint-studio:check-output:\d+\.\d+", schema()["$id"])


def test_the_schema_is_printed_without_files_to_check() -> None:
    result = studio("check", "--schema")
    assert (result.exit_code, result.stderr) == (0, "")


def test_the_page_names_the_version_of_the_schema() -> None:
    page = (ROOT / "docs" / "machine-readable.md").read_text("utf-8")
    assert f"the version, now {schema()['$id'].rpartition(':')[2]}:" in page


@needs_corpus
def test_the_output_for_a_folder_of_the_corpus_follows_the_schema() -> None:
    found = output("--for", "weval", CORPUS / "benchmarks")
    validator().validate(found)
    assert len({one["slug"] for one in found}) > 10


def test_the_output_for_the_cases_of_all_rules_follows_the_schema() -> None:
    found = output("--select", ",".join(rule.slug for rule in ALL), ROOT / "tests" / "engine" / "rule_cases")
    validator().validate(found)
    assert len({one["slug"] for one in found}) > len(ALL) // 2


def test_the_output_without_problems_follows_the_schema(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("- id: a\n  prompt: Which article is it?\n  should: [Names the article]\n")
    validator().validate(output(tmp_path))


def every_object(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all objects in `value`."""
    if isinstance(value, dict):
        yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from every_object(part, (*path, key))


def test_no_key_may_be_missing_or_unknown() -> None:
    for path in every_object(example()):
        copy = json.loads(json.dumps(example()))
        place = copy
        for step in path:
            place = place[step]
        for changed in [{**place, "else": 1}, *({k: v for k, v in place.items() if k != gone} for gone in place)]:
            place.clear()
            place.update(changed)
            with pytest.raises(ValidationError):
                validator().validate(copy)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("severity", "note"),
        ("line", 0),
        ("column", "1"),
        ("flagged", 0),
        ("code", "y3"),
        ("slug", "A b"),
        ("fixes", None),
    ],
)
def test_a_wrong_value_is_refused(key: str, value: object) -> None:
    [first, *_] = example()
    with pytest.raises(ValidationError):
        validator().validate([{**first, key: value}])


# --- Addresses in SARIF


@cache
def driver() -> Any:
    [run] = json.loads(studio("check", "--format", "sarif", EXAMPLE).stdout)["runs"]
    return run["tool"]["driver"]


CASE_SLUGS = {kind.value for kind in CaseProblemKind}


def rules() -> list[Any]:
    """The rules for blueprints, which have pages; problems of case files share one."""
    return [rule for rule in driver()["rules"] if rule["name"] not in CASE_SLUGS]


def test_every_rule_has_the_absolute_address_of_its_page() -> None:
    addresses = [rule["helpUri"] for rule in rules()]
    assert len(set(addresses)) == len(ALL)
    assert all(urlsplit(each).scheme == "https" and each.startswith(f"{URLS['Source']}/") for each in addresses)


def test_the_address_of_a_page_leads_to_its_text() -> None:
    for rule in rules():
        page = (ROOT / rule["helpUri"].removeprefix(f"{URLS['Source']}/blob/main/")).read_text("utf-8")
        assert page.startswith(rule["help"]["markdown"])


def test_every_rule_brings_its_page_for_readers_without_the_address() -> None:
    for rule in rules():
        assert "\nBad:\n" in rule["help"]["markdown"]
        assert rule["fullDescription"]["text"]


def test_the_address_of_the_source_is_that_of_the_project() -> None:
    assert (URLS["Source"], URLS["Documentation"]) == (SOURCE, DOCUMENTATION)


def test_the_tool_has_the_address_of_the_documentation() -> None:
    assert driver()["informationUri"] == URLS["Documentation"]


def test_problems_of_case_files_are_explained_on_the_page_of_cases() -> None:
    page = (ROOT / "docs" / "cases.md").read_text("utf-8")
    kinds = [rule for rule in driver()["rules"] if rule["name"] in CASE_SLUGS]
    address = f"{URLS['Source']}/blob/main/docs/cases.md#problems-of-a-case-file"
    assert [rule["helpUri"] for rule in kinds] == [address] * 6
    assert all(f"| `{rule['name']}` |" in page for rule in kinds)
    assert "## Problems of a case file" in page

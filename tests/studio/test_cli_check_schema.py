"""The published schema of `studio check --format json`, and the rules in SARIF."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from engine.rules import ALL
from engine.study.case_reader import CaseProblemKind
from tests.studio.command_line import studio
from tests.world import CORPUS, needs_corpus

ROOT = Path(__file__).parents[2]
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


# --- Rules in SARIF


def test_a_log_has_the_pages_of_the_rules_that_it_reports_and_no_others(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    path.write_text('- id: a\n  prompt: b\n  should:\n    - "$contains: c"\n    - "$icontains: d"\n')
    [run] = json.loads(studio("check", "--format", "sarif", path).stdout)["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["name"] for rule in rules] == ["quoted-function"]
    assert "\nBad:\n" in rules[0]["help"]["markdown"]
    assert rules[0]["fullDescription"]["text"]


def test_problems_of_case_files_are_explained_on_the_page_of_cases() -> None:
    page = (ROOT / "docs" / "cases.md").read_text("utf-8")
    assert "## Problems of a case file" in page
    assert all(f"| `{kind.value}` |" in page for kind in CaseProblemKind)


@pytest.mark.parametrize("top", ["engine", "studio", "docs", "pyproject.toml", "README.md"])
def test_no_placeholder_address_reaches_a_user(top: str) -> None:
    root = ROOT / top
    files = [root] if root.is_file() else [path for path in root.rglob("*") if path.suffix in (".py", ".md", ".yml")]
    assert [path for path in files if "repository.example" in path.read_text("utf-8")] == []

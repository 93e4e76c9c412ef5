"""What Weval refuses, on blueprints of the corpus with something changed: read, refused and told as it is there.

Node answers for Weval (`tests/reference/parsing.js`, which is held against the platform's own rows below).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from engine.parsing import Parsed, parse, weval_config
from engine.rules import check
from engine.rules.selection import RuleSelection, all_for_weval
from engine.text.diagnostics import Diagnostic, Severity
from engine.yaml.nodes import MappingNode, Node, Pair, SequenceNode
from engine.yaml.tree_loader import load
from tests.checked_corpus import checked, read
from tests.engine.test_parsing_against_node import (
    HEADER_KEYS,
    POINT_KEYS,
    POINTS,
    PROMPT_KEYS,
    VALUES,
    YAML_VALUES,
    assert_alike,
)
from tests.js_yaml import needs_js_yaml
from tests.many_cases import every
from tests.node import answers, needs_node
from tests.pieces import pieces
from tests.thoroughness import one_in, tried
from tests.world import corpus_files, golden, needs_shared

pytestmark = [needs_shared, needs_node, needs_js_yaml]

LINES = 40
SEEDS = range(tried(1, 2))
MUTATIONS_PER_SEED = 250
KEYS = sorted({*HEADER_KEYS, *PROMPT_KEYS, *POINT_KEYS, "role", "content", "user", "assistant", "should_not"})
SNIPPETS = [*VALUES, *YAML_VALUES, *POINTS, "", "*x", "&x 5", "{<<: {should: [5]}}", "|\n\n  text", "!!set {a, b}"]
MADE_UP = {"hand/prompts not a list"}
"""Rows that no file can give: the platform was called with prompts that are no list."""


def places(node: Node) -> Iterator[Pair | Node]:
    """The pairs and items below `node`."""
    for inner in node.pairs if isinstance(node, MappingNode) else node.items if isinstance(node, SequenceNode) else ():
        yield inner
        yield from places(inner.value if isinstance(inner, Pair) else inner)


class Mutations(random.Random):
    """Blueprints with one to three things changed: a value, a key, a line taken away or written anew, a document."""

    def texts(self, seeds: list[str], count: int) -> list[str]:
        return [self.mutated(self.choice(seeds), self.choice((1, 1, 2, 3))) for _ in range(count)]

    def mutated(self, text: str, times: int) -> str:
        for _ in range(times):
            roots = [document.root for document in load(text).documents if document.root is not None]
            found = [place for root in roots for place in places(root)]
            text = self.changed(text, self.choice(found)) if found else f"{text}\n---\n{self.choice(SNIPPETS)}"
        return text

    def changed(self, text: str, place: Pair | Node) -> str:
        how = self.random()
        if how < 0.5:
            return self.with_value(text, place)
        if how < 0.62:
            return self.without_lines(text, place)
        if how < 0.72 and isinstance(place, Pair):
            return f"{text[: place.key.span.start]}{self.choice(KEYS)}{text[place.key.span.end :]}"
        if how < 0.97:
            return self.with_line(text, place)
        return f"{text}\n---\n{self.choice(SNIPPETS)}\n"

    def with_value(self, text: str, place: Pair | Node) -> str:
        if not isinstance(place, Pair):
            return f"{text[: place.span.start]}{self.choice(SNIPPETS)}{text[place.span.end :]}"
        colon = text.find(":", place.key.span.end)
        return f"{text[: colon + 1]} {self.choice(SNIPPETS)}{text[place.value.span.end :]}"

    def without_lines(self, text: str, place: Pair | Node) -> str:
        start = text.rfind("\n", 0, place.span.start) + 1
        return text[:start] + text[place.span.end :].partition("\n")[2]

    def with_line(self, text: str, place: Pair | Node) -> str:
        start = text.rfind("\n", 0, place.span.start) + 1
        before = text[start : place.span.start]
        if before.strip(" -"):
            return f"{text[: place.span.start]}{self.choice(KEYS)}: {self.choice(SNIPPETS)}, {text[place.span.start :]}"
        written = f"{self.choice(KEYS)}: " if isinstance(place, Pair) else ""
        indent = before.replace("-", " ") if isinstance(place, Pair) else before
        end = (text + "\n").find("\n", place.span.end)
        return f"{text[:end]}\n{indent}{written}{self.choice(SNIPPETS)}{text[end:]}"


def beginnings() -> list[str]:
    """The first lines of every file of the corpus, and the platform's small documents."""
    files = ["\n".join(path.read_text("utf-8").split("\n")[:LINES]) + "\n" for path in corpus_files()]
    return [*files, *(row["content"] for row in golden("parse_cases") if row["file_type"] != "json")]


@cache
def mutations(seed: int) -> list[str]:
    return Mutations(seed).texts(beginnings(), MUTATIONS_PER_SEED)


def readable(seed: int) -> list[Parsed]:
    """The mutations that are YAML."""
    return [parsed for text in mutations(seed) if (parsed := parse(text, Path("x.yml"))).tree.error is None]


def errors(parsed: Parsed, found: tuple[Diagnostic, ...]) -> list[Diagnostic]:
    return [one for one in all_for_weval(parsed, found) if one.severity is Severity.ERROR]


def claims(found: tuple[Diagnostic, ...]) -> list[str]:
    """What is said of a file that Weval refuses: by any diagnostic, in its message or its reason."""
    return [f"{one.message} {one.why}" for one in found if "Weval refuses" in one.why or "to run it" in one.why]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_changed_blueprint_is_read_or_refused_as_by_the_platform_s_rules(seed: int) -> None:
    assert_alike(mutations(seed), Path("blueprint.yml"))


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_weval_refuses_and_nothing_else_is_an_error_for_weval_with_a_rule_of_its_own(seed: int) -> None:
    """`refused-by-weval` is for what nobody writes: there an id has a key `toString`."""
    for parsed in readable(seed):
        assert (weval_config(parsed) is not None) is parsed.weval.ok, parsed.text
        found = check(parsed)
        if parsed.weval.refusal is None:
            assert claims(found) == [], parsed.text
        else:
            told = {one.slug for one in errors(parsed, found)}
            assert told, parsed.text
            assert "refused-by-weval" not in told or "toString" in parsed.text, parsed.text


@every("path", corpus_files()[::6], ids=str)
def test_a_file_of_the_corpus_is_called_refused_only_where_weval_refuses_it(path: Path) -> None:
    assert bool(claims(checked(path))) is (read(path).weval.refusal is not None)


@every("row", one_in(4, golden("run_config")), ids=lambda row: row["source"])
def test_a_run_that_the_loader_refuses_is_an_error_for_weval(row: dict[str, Any]) -> None:
    parsed = parse(row["content"], Path(row["source"]))
    assert errors(parsed, check(parsed)) or (row["error"] is None and parsed.weval.hash_error is None)


def test_the_rule_that_tells_weval_s_words_can_be_left_out() -> None:
    refused = parse("title: [a]\n---\n- id: a\n  prompt: x\n")
    assert all_for_weval(refused, (), RuleSelection(ignore=frozenset({"S062"}))) == ()


def test_of_a_file_that_weval_takes_nothing_is_told_in_its_words() -> None:
    assert all_for_weval(parse("- id: a\n  prompt: x\n"), ()) == ()


def test_a_refusal_that_no_rule_tells_stands_in_weval_s_words_at_its_place() -> None:
    parsed = parse("title: [a]\n---\n- id: a\n  prompt: x\n")
    [found] = all_for_weval(parsed, ())
    assert (found.slug, found.span.start) == ("refused-by-weval", 7)
    assert found.message.endswith("Failed to determine a valid 'title' for the blueprint from file content or 'id'.")


DEFINITIONS = ["abc", '"😀a"', '[a, {$js: "1"}, 5, null]', "{a: '1', '0': {text: x}, b: 5, d: null}", "5", "2024-01-01"]
REFERENCES = ['"0"', '"1"', '"2"', "a", "b", "d", "toString", "__proto__", "zz", '""', "0", "{name: a}", "{}", "[a]"]
REFERRING = [
    f"{key}: {defined}\n---\n- id: p\n  prompt: x\n  should: [{{$ref: {name}}}]\n"
    for key in ("point_defs", "defs")
    for defined in DEFINITIONS
    for name in REFERENCES
]


FALSE_OR_NOT = [None, "null", "0", '""', "a"]


def test_a_point_with_false_values_is_read_as_it_is_there() -> None:
    values = [dict(zip(("text", "point", "fn", "arg"), each, strict=True)) for each in product(FALSE_OR_NOT, repeat=4)]
    points = [", ".join(f"{key}: {value}" for key, value in each.items() if value is not None) for each in values]
    assert_alike([f"- id: p\n  prompt: x\n  should: [{{{point}}}]\n" for point in points], Path("blueprint.yml"))


def test_what_a_reference_finds_is_what_it_finds_there() -> None:
    assert_alike(REFERRING, Path("blueprint.yml"))


def test_a_reference_is_called_refused_exactly_where_it_is() -> None:
    told = [(text, parse(text)) for text in REFERRING]
    assert [text for text, parsed in told if bool(claims(check(parsed))) is not bool(parsed.weval.refusal)] == []


def test_names_and_values_in_braces_are_told_as_they_are_there() -> None:
    headers = ["", "systems: [a]\n---\n", "externalServices: { '{x}': { url: '{y}' } }\n---\n"]
    headers += ["models: [{ id: '{x}', url: 5 }]\n---\n", "models: [{ id: '', x: '{y}' }]\n---\n"]
    prompts = [
        f"- {{ id: '{{a}}', prompt: x, {each} }}\n"
        for each in ("system: b", *pieces("keys of a prompt with braces in them"))
    ]
    assert_alike([f"{header}{prompt}" for header in headers for prompt in prompts], Path("blueprint.yml"))


# What is known not to be as it is there


def test_a_text_that_contains_itself_is_refused_here_though_weval_reads_it() -> None:
    """Weval makes an object of it that has no end, which nothing can be made of; we say so at once."""
    weval = parse("- &a\n  id: a\n  prompt: x\n  description: *a\n").weval
    assert weval.error is not None
    assert "contains itself" in weval.error.message


@pytest.mark.parametrize(("text", "name"), [("a: [", "x.yml"), ("{", "x.json")])
def test_a_text_that_cannot_be_read_is_refused_in_our_words_behind_weval_s_beginning(text: str, name: str) -> None:
    """The reason is js-yaml's without its excerpt; of JSON it is ours, as V8's differ from version to version."""
    error = parse(text, Path(name)).weval.error
    assert error is not None
    assert error.message.startswith("Failed to parse ")


# The reference itself


def expected(row: dict[str, Any]) -> str | None:
    message: str | None = row["error"]
    return message and message.partition(" blueprint: ")[0] if message and "Failed to parse" in message else message


@every("name", ["parse_cases", "docs_examples", "run_config"])
def test_the_reference_answers_the_platform_s_rows(name: str) -> None:
    rows = golden(name)
    is_json = [row.get("file_type") == "json" or row.get("source", "").endswith(".json") for row in rows]
    asked = [{"text": row["content"], "yaml": not json_} for row, json_ in zip(rows, is_json, strict=True)]
    told = [each["error"] or (each["run"] if name == "run_config" else None) for each in answers("parsing.js", asked)]
    kept = [
        message and message.partition(" blueprint: ")[0] if "Failed" in (message or "") else message for message in told
    ]
    assert [
        pair for pair in zip(rows, kept, strict=True) if pair[1] != expected(pair[0]) and pair[1] != "not JSON"
    ] == []


def test_the_reference_refuses_the_conversations_that_the_platform_refuses() -> None:
    rows = [row for row in golden("validate_prompts") if "prompts" in row and row["source"] not in MADE_UP]
    asked = [{"text": json.dumps({"prompts": row["prompts"]}), "yaml": False} for row in rows]
    assert [each["error"] or each["run"] for each in answers("parsing.js", asked)] == [row["error"] for row in rows]

"""The form of a normalised blueprint that Weval asks proposals for (platform.md, "The canonical form")."""

from __future__ import annotations

import pytest

from engine.parsing import parse, weval_config
from engine.parsing.canonical_form import misses
from engine.rules import check
from engine.rules.selection import all_for_weval, with_form
from engine.yaml.nodes import Data
from tests.world import corpus_files, needs_corpus

TEXT = """\
title: Capitals
point_defs:
  short: {$js: r.length < 400}
---
- id: capital
  prompt: What is the capital of Kenya?
  should:
    - Names Nairobi
    - $ref: short
"""
PROMPT = {"messages": [{"role": "user", "content": None}]}


@pytest.mark.parametrize(
    "config",
    [
        {"prompts": []},
        {"prompts": [PROMPT], "system": None, "more": 1},
        {"prompts": [PROMPT], "system": [None, "a"], "author": {"name": "a"}, "tags": ["a"], "noCache": True},
        {"prompts": [{**PROMPT, "weight": 10, "system": None, "points": [{"text": "a"}, [{"fn": "b"}]], "more": {}}]},
        {"prompts": [], "models": ["a", {"id": "b", "url": "c", "modelName": "d", "inherit": "e", "format": "chat"}]},
    ],
)
def test_a_blueprint_in_the_form_misses_nothing(config: Data) -> None:
    assert misses(config) == []


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({"title": 5}, ("title",)),
        ({"description": None}, ("description",)),
        ({"references": [{"name": "a"}]}, ("references", 0, "title")),
        ({"author": {"title": "a"}}, ("author",)),
        ({"tags": ["a", 5]}, ("tags", 1)),
        ({"noCache": "yes"}, ("noCache",)),
        ({"tools": ["a"]}, ("tools", 0)),
        ({"toolUse": []}, ("toolUse",)),
        ({"context": "a"}, ("context",)),
        ({"point_defs": "a"}, ("point_defs",)),
        ({"system": 5}, ("system",)),
        ({"models": [{"id": "b", "url": "c", "modelName": "d"}]}, ("models", 0)),
        ({"models": [{"id": "b", "url": "c", "modelName": "d", "inherit": "e", "format": "xml"}]}, ("models", 0)),
        ({"prompts": [{}]}, ("prompts", 0, "messages")),
        ({"prompts": [{"messages": [{"role": "user", "content": "a", "name": "b"}]}]}, ("prompts", 0, "messages", 0)),
        ({"prompts": [{"messages": [{"role": "tool", "content": "a"}]}]}, ("prompts", 0, "messages", 0)),
        ({"prompts": [{**PROMPT, "idealResponse": ["a"]}]}, ("prompts", 0, "idealResponse")),
        ({"prompts": [{**PROMPT, "weight": 11}]}, ("prompts", 0, "weight")),
        ({"prompts": [{**PROMPT, "points": [{"text": "a", "fn": "b"}]}]}, ("prompts", 0, "points", 0)),
        ({"prompts": [{**PROMPT, "points": [{"text": "a"}, []]}]}, ("prompts", 0, "points", 1)),
        ({"prompts": [{**PROMPT, "points": [{"text": "a", "multiplier": 0.05}]}]}, ("prompts", 0, "points", 0)),
        ({"prompts": [{**PROMPT, "should_not": [{"text": "a", "citation": 5}]}]}, ("prompts", 0, "should_not", 0)),
    ],
)
def test_what_does_not_meet_the_form_is_found_once_at_its_place(more: dict[str, Data], place: tuple[str | int]) -> None:
    assert misses({"prompts": [], **more}) == [place]


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
    configs = [weval_config(parse(path.read_text("utf-8"), path)) for path in corpus_files()]
    assert sum(config is not None and bool(misses(config)) for config in configs) == 17

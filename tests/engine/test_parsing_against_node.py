"""Blueprints put together at random, normalised by us and by the platform's rules in Node 20: the same, or refused."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.parsing import parse, weval_config
from tests.js_yaml import needs_js_yaml
from tests.node import answers, needs_node

pytestmark = needs_node

SEEDS = range(4)
BLUEPRINTS_PER_SEED = 600

VALUES = [
    *("null", "0", "1", "-1", "0.1", "2", "10.1", "1e21", "1e-7", "12345678901234567890", "true", "false", '""', '" "'),
    *('"a"', '"2"', '"$x"', '"$ref"', '"markdown"', '"html"', '"\\u00e9\\ud83d"', "[]", "{}", '["a", "b"]', "[null]"),
    *('[["a"]]', '[["a"], ["b"]]', "[[1]]", '{"a": "b"}', '{"a": 1}', '{"title": "T", "x": 1}', '{"title": 5}'),
    *('{"name": "N", "url": null}', '{"title": "", "name": "\\ufeff"}', '[{"title": "A"}, "b"]', '["a", {"url": "u"}]'),
    *(
        '[{"user": "x"}]',
        '[{"ai": null}]',
        '[{"role": "user", "content": "x"}, {"assistant": null}]',
        '[{"User": "x"}]',
    ),
    *(
        '[{"role": "", "user": "x"}]',
        '["x", null, 5]',
        '[{"user": "x", "assistant": "y"}]',
        '[{"User": "x"}]',
        '[{"name": "t"}]',
    ),
]
POINTS = [
    *('"a"', '""', '"$is_json"', '"$"', '"$matches: x"', "5", "true", "null", "[]", '["a", "b"]', "[[]]", '[["a"]]'),
    *('["a", ["b"]]', '["a", []]', '[[], "a"]', "[5]", '["$is_json", {"$contains": "x"}]', '{"a": "b"}', '{"a": ""}'),
    *('{"a": 5}', "{}", '{"a": "b", "c": "d"}', '{"weight": "2"}', '{"text": "a", "citation": null}', '{"text": 5}'),
    *('{"text": "", "point": "b"}', '{"text": "a", "weight": null, "multiplier": 3}', '{"text": "a", "weight": "2"}'),
    *('{"text": "a", "weight": 0.09}', '{"text": "a", "fn": "js"}', '{"text": "a", "arg": "x", "importance": 2}'),
    *('{"fn": "match", "fnArgs": "", "arg": "y"}', '{"fn": "contains", "fnArgs": 0}', '{"fn": 5}', '{"fn": "$x"}'),
    *('{"fn": "ref", "arg": "d", "weight": 2}', '{"$contain": "x", "weight": 2}', '{"$x": null, "$y": 1}', '{"$": 1}'),
    *('{"$ref": "d", "citation": "c"}', '{"$ref": "e", "weight": 2}', '{"$ref": "l"}', '{"$ref": "n"}', '{"$ref": 5}'),
    *('{"$ref": {"name": "d"}}', '{"$ref": "toString"}', '{"$ref": "__proto__"}', '{"$ref": "e", "weight": 20}'),
]
_OF_PROMPTS = """
    prompt promptText messages ideal idealResponse system citation reference weight importance multiplier temperature
    noCache render_as requiredTools prohibitedTools maxCalls should points expect expects should_not id description 1
"""
_OF_HEADERS = """
    id configId title configTitle system systemPrompt models author reference citation references citations render_as
    noCache tools toolUse externalServices temperature evaluationConfig defs prompt should expect x 2
"""
PROMPT_KEYS, HEADER_KEYS = _OF_PROMPTS.split(), _OF_HEADERS.split()
LISTS_OF_POINTS = frozenset(("should", "points", "expect", "expects", "should_not"))
DEFINITIONS = '{"d": "1", "e": {"$contains": "x"}, "l": ["a"], "n": 5}'


class Chance(random.Random):
    """Blueprints, by chance; each part is JSON, which is YAML too."""

    def fields(self, keys: Sequence[str], most: int) -> dict[str, str]:
        return {key: self.written(key) for key in self.sample(keys, self.randrange(most + 1))}

    def written(self, key: str) -> str:
        if key in LISTS_OF_POINTS and self.random() < 0.8:
            return f"[{', '.join(self.choices(POINTS, k=self.randrange(4)))}]"
        return self.choice(VALUES)

    def prompt(self) -> str:
        if self.random() < 0.04:
            return self.choice(VALUES)
        fields = self.fields(PROMPT_KEYS, 4)
        if self.random() < 0.6:
            fields["prompt"] = '"hi"'
        return mapping(fields)

    def header(self) -> dict[str, str]:
        fields = self.fields(HEADER_KEYS, 3)
        if self.random() < 0.5:
            fields["point_defs"] = DEFINITIONS
        return fields

    def json(self) -> str:
        prompts = f"[{', '.join(self.prompt() for _ in range(self.randrange(3)))}]"
        if self.random() < 0.1:
            return prompts
        fields = self.header()
        if self.random() < 0.95:
            fields["prompts"] = prompts if self.random() < 0.95 else self.choice(VALUES)
        return mapping(fields) if self.random() < 0.97 else self.choice(VALUES)

    def yaml(self) -> str:
        documents = [self.prompt() for _ in range(self.randrange(1, 3))]
        if self.random() < 0.6:
            documents = [f"[{', '.join(documents)}]"]
        if self.random() < 0.8:
            documents = [mapping(self.header()), *documents]
        return "\n---\n".join(documents) + "\n"


def mapping(fields: dict[str, str]) -> str:
    return f"{{{', '.join(f'{json.dumps(key)}: {value}' for key, value in fields.items())}}}"


def ours(text: str, path: Path) -> object:
    parsed = parse(text, path)
    return json.dumps(weval_config(parsed)) if parsed.weval.ok else None


def assert_alike(texts: list[str], path: Path) -> None:
    is_yaml = path.suffix != ".json"
    there = answers("parsing.js", [{"text": text, "yaml": is_yaml} for text in texts])
    wants = [None if answer is None else json.dumps(json.loads(answer)) for answer in there]
    here = [ours(text, path) for text in texts]
    assert [row for row in zip(texts, wants, here, strict=True) if row[1] != row[2]] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_random_json_is_normalised_or_refused_as_by_the_platform_s_rules(seed: int) -> None:
    chance = Chance(seed)
    assert_alike([chance.json() for _ in range(BLUEPRINTS_PER_SEED)], Path("blueprint.json"))


@needs_js_yaml
@pytest.mark.parametrize("seed", SEEDS)
def test_random_yaml_is_normalised_or_refused_as_by_the_platform_s_rules(seed: int) -> None:
    chance = Chance(seed)
    assert_alike([chance.yaml() for _ in range(BLUEPRINTS_PER_SEED)], Path("blueprint.yml"))

"""Blueprints put together at random, normalised by us and by the platform's rules in Node 20: the same, or refused."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from engine.parsing import parse, weval_config
from engine.parsing.urls import is_url
from tests.js_yaml import needs_js_yaml
from tests.many_cases import every
from tests.node import answers, needs_node
from tests.pieces import pieces
from tests.thoroughness import one_in, tried

pytestmark = needs_node

SEEDS = range(tried(2, 4))
BLUEPRINTS_PER_SEED = tried(300, 600)

VALUES = pieces("values of a blueprint")
YAML_VALUES = pieces("values that only YAML has")
POINTS = pieces("points")
_OF_PROMPTS = """
    prompt promptText messages ideal idealResponse system citation reference weight importance multiplier temperature
    noCache render_as requiredTools prohibitedTools maxCalls should points expect expects should_not id description 1
"""
_OF_HEADERS = """
    id configId title configTitle system systemPrompt models author reference citation references citations render_as
    noCache tools toolUse externalServices temperature evaluationConfig defs prompt should expect x 2 description tags
    systems temperatures point_defs prompts
"""
_OF_POINTS = "text point fn fnArgs arg weight multiplier citation $contain $ref $ x"
PROMPT_KEYS, HEADER_KEYS, POINT_KEYS = _OF_PROMPTS.split(), _OF_HEADERS.split(), _OF_POINTS.split()
LISTS_OF_POINTS = frozenset(("should", "points", "expect", "expects", "should_not"))
DEFINITIONS = '{"d": "1", "e": {"$contains": "x"}, "l": ["a"], "n": 5}'


class Form(Enum):
    """Where a key stands in a blueprint that is otherwise sound: the header, a prompt (alone or not), a point."""

    HEADER = "{}\n---\n- id: p\n  prompt: hi\n  system: s\n"
    PROMPT = "title: T\n---\n- {}\n"
    PAIR = "title: T\n---\n- id: p\n  prompt: hi\n- {}\n"
    POINT = "point_defs: {{d: '1', e: 5}}\n---\n- id: p\n  prompt: hi\n  should:\n    - {}\n"

    @property
    def keys(self) -> list[str]:
        """The keys that may stand there."""
        return [*{Form.HEADER: HEADER_KEYS, Form.POINT: POINT_KEYS}.get(self, PROMPT_KEYS)]

    def blueprint(self, key: str, value: str) -> str:
        """The blueprint with `key: value` there; a prompt without messages of its own asks "hi"."""
        asks = "" if self in (Form.HEADER, Form.POINT) or key in ("messages", "prompt") else ', "prompt": "hi"'
        return self.value.format(f'{{"{key}": {value}{asks}}}')


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


YAML_ERROR = "Failed to parse YAML blueprint: "
JSON_ERROR = "Failed to parse JSON blueprint: "


def ours(text: str, path: Path) -> dict[str, object]:
    parsed = parse(text, path)
    weval = parsed.weval
    said = {"error": weval.error, "run": weval.run_error, "hash": weval.hash_error}
    config = json.dumps(weval_config(parsed)) if weval.ok else None
    return {"config": config, **{name: error and _told(error.message) for name, error in said.items()}}


def theirs(answer: dict[str, Any]) -> dict[str, object]:
    config, error = answer["config"], answer["error"]
    return {**answer, "config": config and json.dumps(json.loads(config)), "error": error and _told(error)}


def _told(message: str) -> str:
    """`message`, of a text that is no YAML or no JSON only that it is none (its reason is js-yaml's, or V8's)."""
    for beginning in (YAML_ERROR, JSON_ERROR):
        if message.startswith(beginning) and not message.endswith("null documents."):
            return beginning
    return message


def assert_alike(texts: list[str], path: Path) -> None:
    is_yaml = path.suffix != ".json"
    there = map(theirs, answers("parsing.js", [{"text": text, "yaml": is_yaml} for text in texts]))
    rows = [(text, want, ours(text, path)) for text, want in zip(texts, there, strict=True)]
    assert [row for row in rows if row[1] != row[2]] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_random_json_is_normalised_or_refused_as_by_the_platform_s_rules(seed: int) -> None:
    chance = Chance(seed)
    assert_alike([chance.json() for _ in range(BLUEPRINTS_PER_SEED)], Path("blueprint.json"))


@needs_js_yaml
@pytest.mark.parametrize("seed", SEEDS)
def test_random_yaml_is_normalised_or_refused_as_by_the_platform_s_rules(seed: int) -> None:
    chance = Chance(seed)
    assert_alike([chance.yaml() for _ in range(BLUEPRINTS_PER_SEED)], Path("blueprint.yml"))


@needs_js_yaml
@every("form", one_in(2, [Form.PAIR, Form.PROMPT, Form.HEADER, Form.POINT]))
def test_every_value_under_every_key_is_read_or_refused_as_by_the_platform_s_rules(form: Form) -> None:
    texts = [form.blueprint(key, value) for key in form.keys for value in VALUES + YAML_VALUES]
    assert_alike([*one_in(3, texts)], Path("blueprint.yml"))


_OF_URLS = """
    http: https:// ws:// foo:// file:// :// / \\ @ ? # : :80 :99999 . .. example com bücher xn--bcher-kva xn-- xn--a
    ß İ 中国 \u00ad \u200d \u0301 %41 %c3%bc %zz 1.2.3.4 256.1.1.1 0x7f 09 [::1] [1] 。 a_b -a * < ! ~ 😀
"""


@pytest.mark.parametrize("seed", SEEDS)
def test_random_addresses_are_taken_or_refused_as_by_node(seed: int) -> None:
    chance = random.Random(seed)
    urls = ["".join(chance.choices(_OF_URLS.split(), k=chance.randrange(1, 6))) for _ in range(tried(500, 2000))]
    there = answers("urls.js", [{"url": url} for url in urls])
    assert [(url, want) for url, want in zip(urls, there, strict=True) if is_url(url) is not want] == []

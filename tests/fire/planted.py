"""Canary keys in every place from which the studio takes one: its environment, and a blueprint that names variables."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch
from urllib.parse import quote

from engine.models.provider_registry import GIVEN_ADDRESS_KEY, HOSTED, LOOPBACK
from tests.fire.canaries import Canary, canary

IN_HEADERS = ("MODEL_TOKEN", "MODEL_CUSTOM_HEADER", "SERVICE_SECRET", "PLAIN_NAME")
IN_ADDRESSES = ("URL_USER", "URL_PASSWORD", "URL_PATH", "URL_QUERY", "SERVICE_QUERY")
MODELS = (
    "own:headers", "own:basic", "own:whole", "openai:gpt-4o-mini", "anthropic:claude-3-5-haiku", "google:gemini-2.0",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Planted:
    """The canaries, and the variables that hold them and say where the servers are."""

    canaries: tuple[Canary, ...]
    variables: dict[str, str]


def planted(host: str, chance: random.Random) -> Planted:
    """New canaries for servers at `host`."""
    of_providers = {row.key_variable for row in (HOSTED | LOOPBACK).values() if row.key_variable} | {GIVEN_ADDRESS_KEY}
    names = (*sorted(of_providers), *IN_HEADERS, *IN_ADDRESSES)
    canaries = [canary(name, chance, marks=name not in IN_ADDRESSES) for name in names]
    variables = {each.place: each.value for each in canaries}
    for name, pattern in (
        ("OPENAI_BASE_URL", "http://me:{}@" + host + "/v1"),
        ("ANTHROPIC_BASE_URL", "http://me:{}@" + host),
        ("GOOGLE_GEMINI_BASE_URL", "http://me:{}@" + host),
        ("WHOLE_URL", "http://me:{}@" + host + "/v1/chat/completions"),
        ("HTTPS_PROXY", "http://me:{}@127.0.0.1:9"),
    ):
        each = canary(name, chance, marks=False)
        canaries.append(each)
        variables[name] = pattern.format(quote(each.value, safe=""))
    return Planted(tuple(canaries), variables)


def blueprint(host: str) -> str:
    """A blueprint whose models, judge and service are at `host`, with keys in every place where they may stand."""
    own = f"http://${{URL_USER}}:${{URL_PASSWORD}}@{host}/v1/${{URL_PATH}}/chat/completions?key=${{URL_QUERY}}"
    own_headers = {
        "Authorization": "Bearer ${MODEL_TOKEN}",
        "X-Own": "${MODEL_CUSTOM_HEADER}",
        "X-Plain": "${PLAIN_NAME}",
    }
    bearer = {"Authorization": "Bearer ${MODEL_TOKEN}"}
    malformed = f"http://${{URL_USER}}:${{URL_PASSWORD}}@[{host}/v1?key=${{URL_QUERY}}"
    models = [
        _model("own:headers", f"http://{host}/v1/chat/completions", own_headers),
        _model("own:basic", own, {}),
        _model("own:whole", "${WHOLE_URL}", {}),
        _model("own:proxied", "https://nowhere.invalid/v1/chat/completions", bearer),
        _model("own:absent", own.replace(host, "127.0.0.1:9"), bearer),
        _model("own:malformed", malformed, {}),
        _model("own:unset", f"http://{host}/v1", {"Authorization": "Bearer ${MODEL_TOKEN} ${NEVER_SET}"}),
    ]
    services = {
        name: {"url": f"http://me:${{SERVICE_SECRET}}@{at}/score?key=${{SERVICE_QUERY}}", "max_retries": 0,
               "headers": {"X-Key": "${SERVICE_SECRET}"}, "timeout_ms": 2000}
        for name, at in (("facts", host), ("absent", "127.0.0.1:9"), ("malformed", f"[{host}"))
    }  # fmt: skip
    judges = {"llm-coverage": {"judges": [{"model": "own:headers", "approach": "standard", "id": "first"}]}}
    header = {"title": "Canaries", "models": models, "externalServices": services, "evaluationConfig": judges}
    calls = "".join(f"    - $call: {{service: {name}, claim: '{{response}}'}}\n" for name in services)
    points = "    - Says that it is\n    - $contains: it\n    - $matches: 'i[t]'\n"
    asked = f"- id: asked\n  prompt: Say it\n  ideal: It is.\n  should:\n{points}{calls}"
    prompts = f"{asked}- id: bare\n  prompt: Say more\n  ideal: It is more.\n"
    return f"{json.dumps(header)}\n---\n{prompts}"


def _model(id: str, url: str, headers: dict[str, str]) -> dict[str, object]:
    return {"id": id, "url": url, "modelName": "m", "inherit": "openai", "headers": headers}


@contextmanager
def environment(variables: dict[str, str], home: Path) -> Iterator[None]:
    """These variables and no other key in the environment, with an own home for what is written."""
    home_and_proxy = {"BLUEPRINT_STUDIO_HOME": str(home), "NO_PROXY": "127.0.0.1"}
    with patch.dict(os.environ, variables | home_and_proxy):
        yield

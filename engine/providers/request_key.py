"""Keys of caches: digests of what is sent and to whom, from which nothing can be read.

The value of a variable counts like any other text, since another value makes another request. Only a header with
credentials counts as written in the blueprint: a new key of the author does not make another model.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from engine.providers.chat import ChatRequest
from engine.yaml_nodes.nodes import Data

_CREDENTIAL = re.compile(r"auth|key|token|secret|cookie|credential|password", re.I)


def headers_for_key(sent: Mapping[str, str | None], written: Mapping[str, Any]) -> dict[str, Any]:
    """Headers for a cache key: as `sent`, but those with credentials as `written` in the blueprint."""
    return {name: written.get(name) if _CREDENTIAL.search(name) else value for name, value in sent.items()}


def digest_of(sent: Any) -> str:
    """64 hex digits for the data that is sent."""
    return hashlib.sha256(json.dumps(sent, sort_keys=True, default=str).encode()).hexdigest()


def request_key(place: Data, request: ChatRequest) -> str:
    """64 hex digits for one request to one place of `engine.providers.provider_registry.answering_place`.

    Turns, model and all settings count; the time limit does not.
    """
    turns = [[turn.role.value, turn.content] for turn in request.turns]
    settings = [request.temperature, request.max_tokens, asdict(request.knobs)]
    return digest_of([place, request.model, turns, settings])

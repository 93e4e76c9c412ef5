"""The keys of caches: each is made of what is sent, and to whom. Nothing can be read from a key.

The value of a variable counts like any other text, since another value is another request. Only a header that carries
credentials counts as it is written: a new key of the author is no other model.
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
    """Headers as they count in a key: as `sent`, those that carry credentials as `written` in the blueprint."""
    return {name: written.get(name) if _CREDENTIAL.search(name) else value for name, value in sent.items()}


def digest_of(sent: Any) -> str:
    """64 hex digits for what is sent, as data."""
    return hashlib.sha256(json.dumps(sent, sort_keys=True, default=str).encode()).hexdigest()


def request_key(place: Data, request: ChatRequest) -> str:
    """64 hex digits for one request to one place of `engine.providers.provider_registry.answering_place`.

    Turns, model and every setting count, not how long it may take.
    """
    turns = [[turn.role.value, turn.content] for turn in request.turns]
    settings = [request.temperature, request.max_tokens, asdict(request.knobs)]
    return digest_of([place, request.model, turns, settings])

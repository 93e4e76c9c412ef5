"""`{response}` and the like, and `${NAME}`, in what an author sends to a service (000, "External Services")."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeAlias

from engine.functions.point_function import Subject
from engine.yaml_nodes.nodes import Data
from engine.yaml_nodes.values import iso_date

Put: TypeAlias = Callable[[str, str], str]
"""What stands for a variable: from `${NAME}` as written, and where it stands, such as `parameters.claim`."""

_PLACE = re.compile(r"\$\{[A-Za-z_]\w*\}|\{(response|modelId|promptId|messages|promptText)\}")


def as_written(variable: str, _where: str) -> str:
    """A variable left as its name, `${NAME}`."""
    return variable


def filled(data: Data, subject: Subject, put: Put, where: str = "parameters") -> Any:
    """`data` as it is sent, with every template filled, within lists and mappings too.

    A text that is one template and nothing else becomes the value itself: `"{messages}"` is the list of messages.
    Within a longer text a list stands as JSON. Each place is filled once: what a response or a variable holds is not
    looked at again. Numbers that JSON does not have become null, and dates their ISO text, as in JavaScript.
    """
    match data:
        case str():
            return _text(data, subject, put, where)
        case list():
            return [filled(item, subject, put, where) for item in data]
        case dict():
            return {name: filled(item, subject, put, f"{where}.{name}") for name, item in data.items()}
        case datetime():
            return iso_date(data)
        case float() if not math.isfinite(data):
            return None
        case _:
            return data


def _text(text: str, subject: Subject, put: Put, where: str) -> Any:
    whole = _PLACE.fullmatch(text)
    if whole is not None and whole[1] is not None:
        return _value(whole[1], subject)

    def stands_for(place: re.Match[str]) -> str:
        if place[1] is None:
            return put(place[0], where)
        value = _value(place[1], subject)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    return _PLACE.sub(stands_for, text)


def _value(template: str, subject: Subject) -> Any:
    match template:
        case "response":
            return subject.response
        case "modelId":
            return subject.model_id
        case "promptId":
            return subject.prompt_id
        case "messages":
            return [dict(message) for message in subject.messages]
        case _:
            return subject.prompt_text

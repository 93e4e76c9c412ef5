"""Fills in templates such as `{response}`, and variables `${NAME}`, in a request (000, "External Services")."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeAlias

from engine.functions.point_function import Subject
from engine.patterns import lazy
from engine.yaml_nodes.nodes import Data
from engine.yaml_nodes.values import iso_date

VariableValue: TypeAlias = Callable[[str, str], str]
"""The value of a variable, from `${NAME}` and its location, such as `parameters.claim`."""

NAMES = ("response", "modelId", "promptId", "messages", "promptText")
"""What a template in braces may name."""
_TEMPLATE = lazy(rf"\$\{{[A-Za-z_]\w*\}}|\{{({'|'.join(NAMES)})\}}")


def as_written(variable: str, _where: str) -> str:
    """The variable unchanged, `${NAME}`."""
    return variable


def filled(data: Data, subject: Subject, variable_value: VariableValue, where: str = "parameters") -> Any:
    """`data` as JSON data with all templates filled in, also inside lists and mappings.

    A string that is exactly one template becomes the value itself: `"{messages}"` is the list of messages. Inside a
    longer string, a list is written as JSON. Templates in a response or a variable are not filled in. Numbers that JSON
    lacks become null, and dates become ISO strings, as in JavaScript.
    """
    match data:
        case str():
            return _filled_text(data, subject, variable_value, where)
        case list():
            return [filled(item, subject, variable_value, where) for item in data]
        case dict():
            return {name: filled(item, subject, variable_value, f"{where}.{name}") for name, item in data.items()}
        case datetime():
            return iso_date(data)
        case float() if not math.isfinite(data):
            return None
        case _:
            return data


def _filled_text(text: str, subject: Subject, variable_value: VariableValue, where: str) -> Any:
    whole = _TEMPLATE.fullmatch(text)
    if whole is not None and whole[1] is not None:
        return _value(whole[1], subject)

    def replacement(template: re.Match[str]) -> str:
        if template[1] is None:
            return variable_value(template[0], where)
        value = _value(template[1], subject)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    return _TEMPLATE.sub(replacement, text)


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

"""Custom models: the definitions in the header's `models`, checked.

Documents: 002 and 004, "Custom Model Definitions" to "Environment Variable Substitution".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from engine.providers.chat import Failure, Knob, ProviderError
from engine.providers.completions import PromptFormat
from engine.providers.request_key import digest_of, headers_for_key
from engine.providers.url_variables import filled_url
from engine.providers.variables import Environment
from engine.record import replace
from engine.text import visible
from engine.yaml_nodes.javascript_text import property_text
from engine.yaml_nodes.nodes import Data
from engine.yaml_nodes.values import iso_date

_Enum = TypeVar("_Enum", bound=StrEnum)


class Inherit(StrEnum):
    """The provider whose wire format a custom model speaks."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GOOGLE = "google"
    MISTRAL = "mistral"
    TOGETHER = "together"
    XAI = "xai"
    OPENROUTER = "openrouter"


class Format(StrEnum):
    """What the address takes: messages, or one string."""

    CHAT = "chat"
    COMPLETIONS = "completions"


@dataclass(frozen=True, slots=True)
class CustomModel:
    """One definition, checked, with its variables filled in. Fields that may hold a key are not in its `repr`.

    `headers` are names and values; None removes a header of the wire format. `parameters` are JSON values; None removes
    a parameter. `mapping` renames settings. `environment` knows the variables that were used. `place` is the address
    as written, which identifies the model.
    """

    id: str
    url: str = field(repr=False)
    model_name: str
    inherit: Inherit
    format: Format = Format.CHAT
    prompt_format: PromptFormat = PromptFormat.CONVERSATIONAL
    headers: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"], repr=False)
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    mapping: Mapping[str, str] = field(default_factory=dict[str, str])
    environment: Environment = field(default_factory=lambda: Environment(""), repr=False)
    place: str = field(default="", repr=False)


def read_custom(definition: Mapping[str, Data], *, keyless: bool = False) -> CustomModel:
    """The model that a definition describes. Raises `ProviderError`, worded for the author of the definition.

    An unset variable is an error too; with `keyless` only one in the address is. Undocumented keys are skipped; rules
    report them.
    """
    reader = _Reader(definition, keyless=keyless)
    url = reader.url()
    if not url.startswith(("http://", "https://")):
        raise reader.wrong("`url` must begin with http:// or https://", "Write the whole address of the model.")
    custom = CustomModel(
        reader.id,
        url,
        reader.needed("modelName"),
        reader.one_of("inherit", Inherit, None),
        reader.one_of("format", Format, Format.CHAT),
        reader.one_of("promptFormat", PromptFormat, PromptFormat.CONVERSATIONAL),
        reader.headers(),
        reader.parameters(),
        reader.mapping(),
        reader.environment,
        place=str(definition.get("url")),
    )
    if custom.format is Format.COMPLETIONS and custom.inherit in (Inherit.ANTHROPIC, Inherit.GOOGLE):
        advice = "Leave out `format`, or inherit from openai."
        raise reader.wrong(f"`format: completions` is nothing that {custom.inherit} has", advice)
    return replace(custom, parameters=_checked(custom.parameters, reader))


def definition_digest(definition: Mapping[str, Data]) -> str:
    """64 hex digits for everything in a definition that is sent, with its variables filled in; `id` is not sent.

    The value of a variable in a header with credentials does not count: a new key does not make another model. No value
    can be read from the digest. Raises `ProviderError` if the definition cannot be used.
    """
    custom = read_custom(definition)
    written = definition.get("headers")
    headers = headers_for_key(custom.headers, written if isinstance(written, dict) else {})
    sent = [
        custom.url,
        custom.model_name,
        custom.inherit,
        custom.format,
        custom.prompt_format,
        headers,
        custom.parameters,
        custom.mapping,
    ]
    return digest_of(sent)


class _Reader:
    """Reads the fields of one definition."""

    def __init__(self, definition: Mapping[str, Data], *, keyless: bool) -> None:
        self._fields = definition
        self.id = str(definition.get("id") or "")
        self.environment = Environment(f"The model {self.id}", keyless)

    def wrong(self, what: str, advice: str) -> ProviderError:
        """The failure for a definition that cannot be used."""
        whose = f"The model {visible(self.id)}" if self.id else "A custom model"
        return ProviderError(Failure.MISCONFIGURED, f"{whose}: {what}", advice=advice)

    def needed(self, name: str) -> str:
        """A required string."""
        text = self._text(name)
        if text is None:
            raise self.wrong(f"it has no `{name}`", f"Write `{name}:` with a text in the blueprint's `models`.")
        return text

    def url(self) -> str:
        """The address."""
        written = self._fields.get("url")
        return filled_url(written, self.environment) if isinstance(written, str) and written else self.needed("url")

    def one_of(self, name: str, values: type[_Enum], default: _Enum | None) -> _Enum:
        """One of a few strings; `default` if nothing is written, and None as `default` makes it required."""
        text = self.needed(name) if default is None else self._text(name)
        if text is None and default is not None:
            return default
        known = {value.value: value for value in values}
        if text not in known:
            raise self.wrong(f"`{name}` cannot be {visible(text or '')}", f"It is one of: {', '.join(known)}.")
        return known[text]

    def headers(self) -> dict[str, str | None]:
        """The headers; values that are not strings are converted as in JavaScript."""
        found: dict[str, str | None] = {}
        for name, value in self._mapping("headers").items():
            if isinstance(value, dict | list):
                raise self.wrong(f"the header `{visible(name)}` must be text", "Put its value in quotes.")
            found[name] = None if value is None else self._header(name, property_text(value))
        return found

    def parameters(self) -> dict[str, Any]:
        """The parameters as JSON values."""
        return {name: self._json(value, f"parameters.{name}") for name, value in self._mapping("parameters").items()}

    def mapping(self) -> dict[str, str]:
        """The names by which settings are sent."""
        found: dict[str, str] = {}
        for name, value in self._mapping("parameterMapping").items():
            if not isinstance(value, str) or not value:
                advice = "Write the name that the server knows, as in `maxTokens: token_limit`."
                raise self.wrong(f"`parameterMapping` gives no name to `{visible(name)}`", advice)
            found[name] = self.environment.put_into(value, f"parameterMapping.{name}")
        return found

    def _header(self, name: str, value: str) -> str:
        value = self.environment.put_into(value, f"headers.{name}").strip()
        sendable = value.isascii() and value.isprintable() and name.isascii() and name.isprintable()
        if not sendable or not name or set(name) & set(' :"(),/;<=>?@[\\]{}'):
            advice = "It has a line break or an unusual character. Check it and its variables."
            raise self.wrong(f"the header `{visible(name)}` cannot be sent", advice)
        return value

    def _text(self, name: str) -> str | None:
        value = self._fields.get(name)
        if value is None or value == "":
            return None
        if not isinstance(value, str):
            raise self.wrong(f"`{name}` must be text", f"Put the value of `{name}` in quotes.")
        return self.environment.put_into(value, name)

    def _mapping(self, name: str) -> dict[str, Data]:
        value = self._fields.get(name)
        if value is None or value == "":
            return {}
        if not isinstance(value, dict):
            raise self.wrong(f"`{name}` must be a mapping", f"Write one `name: value` per line below `{name}:`.")
        return value

    def _json(self, value: Data, where: str) -> Any:
        match value:
            case str():
                return self.environment.put_into(value, where)
            case datetime():
                return iso_date(value)
            case float() if not math.isfinite(value):
                raise self.wrong(f"`{visible(where)}` is no number that can be sent", "Write a number.")
            case list():
                return [self._json(item, where) for item in value]
            case dict():
                return {name: self._json(item, f"{where}.{name}") for name, item in value.items()}
            case _:
                return value


def _checked(parameters: Mapping[str, Any], reader: _Reader) -> Mapping[str, Any]:
    """The parameters. Raises `ProviderError` if one of the two that are translated has an impossible value."""
    effort, budget = parameters.get(Knob.REASONING_EFFORT), parameters.get(Knob.THINKING_BUDGET)
    if effort is not None and not isinstance(effort, str):
        raise reader.wrong("`parameters.reasoningEffort` must be text", "It is mostly low, medium or high.")
    if budget is not None and (not isinstance(budget, int) or isinstance(budget, bool) or budget < 0):
        advice = "It counts tokens, and 0 turns thinking off."
        raise reader.wrong("`parameters.thinkingBudget` must be a whole number", advice)
    return parameters

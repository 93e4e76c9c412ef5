"""Custom models: the definitions in the header's `models`, checked, and the provider that sends what they say.

Documents: 002 and 004, "Custom Model Definitions" to "Environment Variable Substitution", "Parameter Control",
"Parameter Behavior", "Parameter Mapping"; 004, "Reasoning Model Support".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

import httpx

from engine.models.chat import ChatRequest, Failure, Knob, ProviderError, digest_of, headers_for_key
from engine.models.definitions import Definition, Environment, filled_url
from engine.models.http import Access, parsed_url
from engine.models.secret import Secret
from engine.models.server import ChatServer
from engine.models.wires import (
    ANTHROPIC_NAMES,
    GOOGLE_NAMES,
    OPENAI_NAMES,
    Adaptable,
    AnthropicWire,
    Chunk,
    CompletionsWire,
    GoogleWire,
    Names,
    OpenAIWire,
    PromptFormat,
    Wire,
    Written,
    fields_of,
)
from engine.text import replace, visible
from engine.yaml.nodes import Data, iso_date

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
    name = str(definition.get("id") or "")
    reader = _Reader(definition, Environment(f"The model {name}" if name else "A custom model", keyless))
    url = reader.url()
    if not url.startswith(("http://", "https://")):
        raise reader.wrong("`url` must begin with http:// or https://", "Write the whole address of the model.")
    custom = CustomModel(
        name,
        url,
        reader.needed("modelName"),
        reader.one_of("inherit", Inherit, None),
        reader.one_of("format", Format, Format.CHAT),
        reader.one_of("promptFormat", PromptFormat, PromptFormat.CONVERSATIONAL),
        reader.filled_headers(),
        reader.parameters(),
        reader.names(),
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


class _Reader(Definition):
    """Reads the fields of one definition, with its variables put in."""

    def __init__(self, definition: Mapping[str, Data], environment: Environment) -> None:
        super().__init__(definition, environment.whose)
        self.environment = environment

    def needed(self, name: str) -> str:
        """A required string."""
        text = self._text(name)
        if text is None:
            raise self.wrong(f"it has no `{name}`", f"Write `{name}:` with a text in the blueprint's `models`.")
        return text

    def url(self) -> str:
        """The address."""
        written = self.fields.get("url")
        return filled_url(written, self.environment) if isinstance(written, str) and written else self.needed("url")

    def one_of(self, name: str, values: type[_Enum], default: _Enum | None) -> _Enum:
        """One of a few strings; `default` if nothing is written, and None as `default` makes it required."""
        text = self.needed(name) if default is None else self._text(name)
        if text is None and default is not None:
            return default
        known = {value.value: value for value in values}
        if text not in known:
            raise self.wrong(f"`{name}` cannot be {text or ''}", f"It is one of: {', '.join(known)}.")
        return known[text]

    def filled_headers(self) -> dict[str, str | None]:
        """The headers as they are sent."""
        written = self.headers().items()
        return {name: None if value is None else self.environment.header(name, value) for name, value in written}

    def parameters(self) -> dict[str, Any]:
        """The parameters as JSON values."""
        return {name: self._json(value, f"parameters.{name}") for name, value in self.mapping("parameters").items()}

    def names(self) -> dict[str, str]:
        """The names by which settings are sent."""
        found: dict[str, str] = {}
        for name, value in self.mapping("parameterMapping").items():
            if not isinstance(value, str) or not value:
                advice = "Write the name that the server knows, as in `maxTokens: token_limit`."
                raise self.wrong(f"`parameterMapping` gives no name to `{name}`", advice)
            found[name] = self.environment.put_into(value, f"parameterMapping.{name}")
        return found

    def _text(self, name: str) -> str | None:
        value = self.fields.get(name)
        if value is None or value == "":
            return None
        if not isinstance(value, str):
            raise self.wrong(f"`{name}` must be text", f"Put the value of `{name}` in quotes.")
        return self.environment.put_into(value, name)

    def _json(self, value: Data, where: str) -> Any:
        match value:
            case str():
                return self.environment.put_into(value, where)
            case datetime():
                return iso_date(value)
            case float() if not math.isfinite(value):
                raise self.wrong(f"`{where}` is no number that can be sent", "Write a number.")
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


_GENERATION = frozenset(
    {"temperature", "maxOutputTokens", "topP", "topK", "presencePenalty", "frequencyPenalty", "stopSequences", "seed"}
    | {"candidateCount", "responseMimeType", "responseSchema", "thinkingConfig", "responseLogprobs", "logprobs"}
)
"""What Google takes within `generationConfig` only."""
_NAMES = {
    knob: frozenset(
        name for names in (OPENAI_NAMES, ANTHROPIC_NAMES, GOOGLE_NAMES) if (name := names.get(knob)) is not None
    )
    | {knob.value, *(["max_completion_tokens"] if knob is Knob.MAX_TOKENS else [])}
    for knob in Knob
}
"""All that a setting is called in some format."""


@dataclass(frozen=True, slots=True)
class CustomWire:
    """A wire format with `parameters` put over all that it writes, and headers of the author's own."""

    inner: Wire
    inherit: Inherit
    parameters: Mapping[str, Any] = field(repr=False)
    headers: Mapping[str, str | None] = field(repr=False)
    mapping: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def adaptable(self) -> Adaptable:
        """What the inner format adds by itself: nothing that `parameters` or `parameterMapping` name."""
        named = {*self.parameters, *self.mapping, *self.mapping.values()}
        return {
            path: knob
            for path, knob in self.inner.adaptable.items()
            if path.rpartition(".")[2] not in named and (knob is None or not self._is_own(knob))
        }

    def takes_temperature(self, model: str) -> bool:
        """Not where `parameters` set one, or take it away."""
        return not self._is_own(Knob.TEMPERATURE) and self.inner.takes_temperature(model)

    def _is_own(self, knob: Knob) -> bool:
        """Whether `parameters` decide on a setting, by any of its names."""
        names = (self.mapping.get(knob.value), *_NAMES[knob])
        return any(name in self.parameters for name in names if name is not None)

    def write(self, request: ChatRequest) -> Written:
        """What the inner format writes, overridden: a value is set, also a falsy one, and None takes away."""
        written = self.inner.write(self._with_reasoning(request))
        body = dict(written.body)
        for name, value in self.parameters.items():
            if name not in (Knob.REASONING_EFFORT, Knob.THINKING_BUDGET):
                self._override(body, name, value)
        if body.get("stream") is not True and "stream_options" not in self.parameters:
            body.pop("stream_options", None)
        own = frozenset({Knob.MAX_TOKENS}) if self._is_own(Knob.MAX_TOKENS) else frozenset[Knob]()
        return Written(written.url, body, self._headers(written.headers), written.unused | own)

    def read(self, data: Any) -> Chunk | None:
        """As the inner format reads it."""
        return self.inner.read(data)

    def _with_reasoning(self, request: ChatRequest) -> ChatRequest:
        effort = self.parameters.get(Knob.REASONING_EFFORT, request.reasoning_effort)
        budget = self.parameters.get(Knob.THINKING_BUDGET, request.thinking_budget)
        return replace(request, reasoning_effort=effort, thinking_budget=budget)

    def _override(self, body: dict[str, Any], name: str, value: Any) -> None:
        target = body
        generation = fields_of(body.get("generationConfig")) if self.inherit is Inherit.GOOGLE else {}
        if name not in body and (name in generation or (generation and name in _GENERATION)):
            target = generation
        if value is None:
            target.pop(name, None)
        else:
            target[name] = value

    def _headers(self, generated: Mapping[str, str]) -> dict[str, str]:
        """The headers of the format that the author has not written or taken away. The author's go with the keys."""
        own = {name.lower() for name in self.headers}
        return {name: value for name, value in generated.items() if name.lower() not in own}


def custom_provider(custom: CustomModel, at_once: int | None = None) -> ChatServer:
    """The server of a custom model. It gets no key but what its own headers say.

    `at_once` is how many requests may run at a time where it is not on this machine. Raises `ProviderError` for an
    address that is none.
    """
    try:
        whole = parsed_url(custom.url)
        origin = str(whole.copy_with(username=None, password=None, raw_path=b"/", fragment=None))
    except httpx.InvalidURL:
        whole, origin = None, ""
    if whole is None or not whole.host:
        title = f"The model {visible(custom.id)}: its `url` cannot be read"
        raise ProviderError(Failure.MISCONFIGURED, title, advice="Write the whole address, as in https://host/v1/chat.")
    # The address may hold a key, so it is put into the request as late as the headers are.
    wire = CustomWire(_inner(custom, origin), custom.inherit, custom.parameters, custom.headers, custom.mapping)
    return ChatServer(wire, origin, _access(custom), at_once=at_once, place=custom.place)


def _inner(custom: CustomModel, url: str) -> Wire:
    match custom.inherit:
        case Inherit.ANTHROPIC:
            return AnthropicWire(url, _renamed(ANTHROPIC_NAMES, custom.mapping))
        case Inherit.GOOGLE:
            return GoogleWire(url, _renamed(GOOGLE_NAMES, custom.mapping))
        case Inherit.OPENAI | Inherit.MISTRAL | Inherit.TOGETHER | Inherit.XAI | Inherit.OPENROUTER:
            names = _renamed(OPENAI_NAMES, custom.mapping)
            if custom.format is Format.COMPLETIONS:
                return CompletionsWire(url, names, prompt_format=custom.prompt_format)
            return OpenAIWire(url, names, counts_tokens=custom.inherit is not Inherit.MISTRAL)


def _renamed(names: Names, mapping: Mapping[str, str]) -> Names:
    """`names` with those of `mapping`, whose keys are the standard names, or the names that they have on this wire."""
    return {
        knob: mapping.get(knob) or mapping.get(names.get(knob, "")) or names[knob]
        for knob in Knob
        if knob in names or knob in mapping
    }


def _access(custom: CustomModel) -> Access:
    names = custom.environment.names
    sent = tuple((name, "", Secret(value)) for name, value in custom.headers.items() if value)
    where = f", and the variables {', '.join(names)}" if names else ""
    keys, masked = custom.environment.secrets(custom.url, custom.place)
    return Access(
        sent,
        keys,
        given=bool(sent) or bool(names),
        without=f"Write its key under `headers` of {custom.id}, as in Authorization: Bearer ${{MY_KEY}}.",
        refused=f"Check `headers` of {custom.id} in the blueprint{where}.",
        url=Secret(custom.url),
        masked=masked,
    )

"""What a custom model's `parameters` and `parameterMapping` do to a request, and the provider that sends it.

Documents: 002, "Parameter Control", "Parameter Behavior", "Parameter Mapping"; 004, "Reasoning Model Support".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from engine.providers import anthropic, google, openai
from engine.providers.anthropic import AnthropicWire
from engine.providers.chat import ChatRequest, Failure, Knob, ProviderError
from engine.providers.chunks import Chunk, fields_of
from engine.providers.completions import CompletionsWire
from engine.providers.custom import CustomModel, Format, Inherit
from engine.providers.google import GoogleWire
from engine.providers.http import Access, parsed_url
from engine.providers.openai import OpenAIWire
from engine.providers.secret import Secret
from engine.providers.server import ChatServer
from engine.providers.url_variables import is_from_variable, keys_in_url, masked_in_url
from engine.providers.wire import Adaptable, Names, Wire, Written
from engine.record import replace
from engine.text import visible

_GENERATION = frozenset(
    {"temperature", "maxOutputTokens", "topP", "topK", "presencePenalty", "frequencyPenalty", "stopSequences", "seed"}
    | {"candidateCount", "responseMimeType", "responseSchema", "thinkingConfig", "responseLogprobs", "logprobs"}
)
"""What Google takes within `generationConfig` only."""
_NAMES = {
    knob: frozenset(
        name for names in (openai.NAMES, anthropic.NAMES, google.NAMES) if (name := names.get(knob)) is not None
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
        knobs = request.knobs
        if Knob.REASONING_EFFORT in self.parameters:
            knobs = replace(knobs, reasoning_effort=self.parameters[Knob.REASONING_EFFORT])
        if Knob.THINKING_BUDGET in self.parameters:
            knobs = replace(knobs, thinking_budget=self.parameters[Knob.THINKING_BUDGET])
        return replace(request, knobs=knobs)

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
            return AnthropicWire(url, _renamed(anthropic.NAMES, custom.mapping))
        case Inherit.GOOGLE:
            return GoogleWire(names=_renamed(google.NAMES, custom.mapping), url=url)
        case Inherit.OPENAI | Inherit.MISTRAL | Inherit.TOGETHER | Inherit.XAI | Inherit.OPENROUTER:
            names = _renamed(openai.NAMES, custom.mapping)
            if custom.format is Format.COMPLETIONS:
                return CompletionsWire(url, names, custom.prompt_format)
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
    from_variable = is_from_variable(custom.place)
    url_keys = keys_in_url(custom.url, from_variable=from_variable)
    url_masked = masked_in_url(custom.url) if from_variable else ()
    return Access(
        sent,
        (*custom.environment.keys(), *url_keys),
        given=bool(sent) or bool(names),
        without=f"Write its key under `headers` of {custom.id}, as in Authorization: Bearer ${{MY_KEY}}.",
        refused=f"Check `headers` of {custom.id} in the blueprint{where}.",
        url=Secret(custom.url),
        masked=(*custom.environment.masked(), *url_masked),
    )

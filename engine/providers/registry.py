"""Which provider a model id names. A provider is one row here; its wire format is a module of its own.

A model id is `PROVIDER:MODEL`, and all after the first colon belongs to the model (`openai:ft:x:y`). Importing this is
cheap: what speaks HTTP is loaded by the first `resolve`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from engine.providers.chat import Failure, Provider, ProviderError
from engine.providers.secret import key_from_environment
from engine.text import visible

GIVEN_ADDRESS_KEY = "BLUEPRINT_STUDIO_API_KEY"


@dataclass(frozen=True, slots=True)
class OpenAIShapedRow:
    """A place that speaks the OpenAI-shaped format.

    `base_variable` names the environment variable that moves the address, for those where that is usual.
    """

    label: str
    base_url: str
    key_variable: str | None = None
    key_needed: bool = True
    base_variable: str | None = None
    start_hint: str = ""

    @property
    def address(self) -> tuple[str, int]:
        """Host and port."""
        url = urlsplit(self.base_url)
        return url.hostname or "", url.port or (443 if url.scheme == "https" else 80)


HOSTED = {
    "openai": OpenAIShapedRow("OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", base_variable="OPENAI_BASE_URL"),
    "openrouter": OpenAIShapedRow("OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "mistral": OpenAIShapedRow("Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "together": OpenAIShapedRow("Together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "xai": OpenAIShapedRow("xAI", "https://api.x.ai/v1", "XAI_API_KEY"),
}
LOOPBACK = {
    "ollama": OpenAIShapedRow(
        "Ollama", "http://127.0.0.1:11434/v1", start_hint="Start Ollama (`ollama serve`), then try again."
    ),
    "llamacpp": OpenAIShapedRow(
        "llama.cpp",
        "http://127.0.0.1:8080/v1",
        "LLAMA_API_KEY",
        key_needed=False,
        start_hint="Start llama.cpp's server (`llama-server -m FILE`), then try again.",
    ),
    "lmstudio": OpenAIShapedRow(
        "LM Studio",
        "http://127.0.0.1:1234/v1",
        start_hint="Start the server in LM Studio (`lms server start`), then try again.",
    ),
    "vllm": OpenAIShapedRow(
        "vLLM",
        "http://127.0.0.1:8000/v1",
        "VLLM_API_KEY",
        key_needed=False,
        start_hint="Start vLLM's server (`vllm serve MODEL`), then try again.",
    ),
}
COMING = {"anthropic": "Anthropic's", "google": "Google's"}
EMBEDDED = "embedded"


def resolve(model: str, base_url: str | None = None) -> tuple[Provider, str]:
    """The provider of a model id, and the model's name there.

    With `base_url` (up to and without `/chat/completions`) the whole of `model` is the name at that address, but for a
    leading `openai:`. That address gets the key in `BLUEPRINT_STUDIO_API_KEY` where one is set, and never another's.

    Raises `ProviderError`: no such provider, one that is not built in yet, or its key is missing.
    """
    if base_url is not None:
        return _given(base_url), model.removeprefix("openai:")
    name, colon, bare = model.partition(":")
    row = (HOSTED | LOOPBACK).get(name)
    if colon and bare:
        if row is not None:
            return _from_row(row, model), bare
        if name == EMBEDDED:
            from engine.providers.embedded import Embedded

            return Embedded(bare), bare
    raise _unknown(model, name, colon)


def _from_row(row: OpenAIShapedRow, model: str) -> Provider:
    from engine.providers.openai import OpenAIShaped

    key = key_from_environment(row.key_variable) if row.key_variable else None
    if key is None and row.key_variable and row.key_needed:
        raise ProviderError(
            Failure.MISSING_KEY,
            f"{visible(model)}: no key for {row.label}",
            advice=f"Set the variable {row.key_variable} to your key, and start again.",
        )
    moved = os.environ.get(row.base_variable, "").strip() if row.base_variable else ""
    return OpenAIShaped(
        _address(moved) if moved else row.base_url,
        key=key,
        key_variable=row.key_variable,
        start_hint=row.start_hint,
    )


def _given(base_url: str) -> Provider:
    from engine.providers.openai import OpenAIShaped

    return OpenAIShaped(_address(base_url), key=key_from_environment(GIVEN_ADDRESS_KEY), key_variable=GIVEN_ADDRESS_KEY)


def _address(text: str) -> str:
    """A base address as written by an author, with a pasted `/chat/completions` taken off."""
    address = text.strip().rstrip("/").removesuffix("/chat/completions")
    if not address.startswith(("http://", "https://")):
        raise ProviderError(
            Failure.UNREACHABLE,
            "The address of the server cannot be used",
            advice="It starts with http:// or https://, and mostly ends in /v1, as in http://127.0.0.1:8080/v1.",
        )
    return address


def _unknown(model: str, name: str, colon: str) -> ProviderError:
    known = ", ".join((*HOSTED, *LOOPBACK, EMBEDDED))
    if name in COMING:
        return ProviderError(
            Failure.NOT_INSTALLED,
            f"{visible(model)}: {COMING[name]} models come later",
            advice=f"Until then, reach it through openrouter, or choose one of: {known}.",
        )
    if not colon and name.isupper():
        return ProviderError(
            Failure.NO_SUCH_MODEL,
            f"{visible(model)} is a collection of models, not one model",
            advice="Name one model of it.",
        )
    return ProviderError(
        Failure.NO_SUCH_MODEL,
        f"{visible(model) or 'An empty name'} names no model that can be asked",
        advice=f"Write PROVIDER:MODEL, with one of these providers: {known}.",
    )

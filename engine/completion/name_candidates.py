"""Candidates for names (of definitions, tools, services and models) and for the values of a key."""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Header
from engine.completion.candidate import Candidate, Kind, Known
from engine.completion.cursor_place import Place
from engine.completion.insertion_text import value_written
from engine.completion.name_matching import fitting
from engine.parsing.keys import Key, Names, Shape
from engine.yaml_nodes.nodes import Data

_CORE = "The models that Weval runs if a blueprint names none."
_COLLECTIONS = {"CORE": _CORE, "FRONTIER": "The newest large models."}
_MODELS = (
    "openai:gpt-4o-mini",
    "openai:gpt-4o",
    "anthropic:claude-3-5-sonnet",
    "anthropic:claude-3.5-haiku",
    "anthropic:claude-3-haiku-20240307",
    "google:gemini-1.5-flash-latest",
    "mistral:mistral-large-latest",
    "together:meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo",
    "xai:grok-beta",
    "openrouter:google/gemini-pro",
    "openrouter:qwen/qwen3-30b-a3b-instruct-2507",
    "openrouter:openai/gpt-oss-120b",
)
"""The models in the format documents (002)."""


def names_in(header: Header) -> Known:
    """The names of definitions, tools and services in `header`, and its models and judges."""
    fields = header.fields
    models = [model for model in header.models if isinstance(model, str)]
    return Known(
        definitions=_keys(fields.get("point_defs")),
        tools=tuple(_texts(fields.get("tools"), "name")),
        services=_keys(fields.get("externalServices")),
        models=(*models, *(judge.model for judge in header.judges)),
    )


def _keys(value: Data) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, dict) else ()


def _texts(value: Data, key: str) -> Iterator[str]:
    for item in value if isinstance(value, list) else ():
        name = item.get(key) if isinstance(item, dict) else None
        if isinstance(name, str):
            yield name


def values_for(key: Key, place: Place) -> Iterator[Candidate]:
    """The values of `key` that match the typed word."""
    is_flag = key.shape is Shape.FLAG
    for value in fitting(place.word, ("true", "false") if is_flag else key.values, str):
        written = value_written(value, place, is_text=not is_flag)
        yield Candidate(value, written.text, written.cursor, Kind.VALUE, key.summary)


def names_for(names: Names, known: Known, place: Place) -> Iterator[Candidate]:
    """The names of this kind that match the typed word."""
    summaries = _summaries(names, known)
    for name in fitting(place.word, summaries, str):
        if any(letter in name for letter in "\r\n\"'#"):
            continue
        written = value_written(name, place)
        yield Candidate(name, written.text, written.cursor, Kind.NAME, summaries[name])


def _summaries(names: Names, known: Known) -> dict[str, str]:
    match names:
        case Names.DEFINITIONS:
            return dict.fromkeys(known.definitions, "Defined in the header, under point_defs.")
        case Names.TOOLS:
            return dict.fromkeys(known.tools, "A tool of the header.")
        case Names.SERVICES:
            return dict.fromkeys(known.services, "A service of the header, under externalServices.")
        case Names.MODELS:
            return (
                dict.fromkeys(_MODELS, "A model in the documentation.")
                | dict.fromkeys(known.models, "Used in this blueprint.")
                | _COLLECTIONS
                | dict.fromkeys(known.collections, "A collection beside this blueprint.")
            )
        case Names.FUNCTIONS:
            return {}

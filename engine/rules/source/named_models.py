"""How a model is named: `provider:model`, or the name of a collection (002, "Model Configuration"; 004)."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from engine.diagnostics import Fix
from engine.model_collections import Collections
from engine.parsing.keys import Part, names_read
from engine.rules.source.header_fields import header_mapping
from engine.text import TextEdit
from engine.yaml_nodes.nodes import (
    MappingNode,
    Node,
    NodeTree,
    ScalarNode,
    SequenceNode,
    Style,
    property_name,
    resolved,
)

if TYPE_CHECKING:
    from engine.rules.views import FileView

PROVIDERS = ("openai", "anthropic", "google", "mistral", "together", "xai", "openrouter")
"""Whom Weval can ask."""
APPLICATION_PROVIDERS = ("consumer",)
"""What its own blueprints name besides: `consumer:chatgpt_client`, the application that people use."""
PUBLISHED = (
    "CLAUDES",
    "CORE",
    "EXPERIMENTAL",
    "FRONTIER",
    "LLAMAS",
    "OPENAI_GPT4O_SNAPSHOTS",
    "OPEN_SOURCE_CORE",
    "QUICK",
)
"""The collections that Weval publishes beside its blueprints."""
_FAMILIES = (
    (re.compile(r"(?:gpt|chatgpt|o[134])\b|o[134]-"), "openai"),
    (re.compile(r"claude\b"), "anthropic"),
    (re.compile(r"gemini\b|gemma\b"), "google"),
    (re.compile(r"(?:mistral|mixtral|magistral|codestral|ministral)\b"), "mistral"),
    (re.compile(r"grok\b"), "xai"),
)
_WITHOUT_SLIPS = re.compile(r"[^\s:]*|[a-z0-9]+:\S*")
_OWN_KEYS = names_read(Part.MODEL)
_SECONDS = 2
"""How long the names of the collections above a file are remembered: no key waits for a folder to be read."""


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model's name as it is written. `expands` where a collection may stand as well."""

    node: ScalarNode
    name: str
    expands: bool


def providers_not_on_weval() -> tuple[str, ...]:
    """The providers that can be asked from here and not by Weval."""
    from engine.providers.provider_registry import EMBEDDED, HOSTED, LOOPBACK  # not needed by a blueprint without slips

    return tuple(name for name in (*HOSTED, *LOOPBACK, EMBEDDED) if name not in PROVIDERS)


def named_models(view: FileView) -> tuple[ModelName, ...]:
    """Every model that the header names: those to ask, and those that judge."""
    return tuple(_named(header_mapping(view)))


def _named(mapping: MappingNode | None) -> Iterator[ModelName]:
    if mapping is None:
        return
    yield from _texts(mapping.get("models"), expands=True)
    coverage = coverage_of(mapping)
    if coverage is None:
        return
    yield from _texts(coverage.get("judgeModels"), expands=False)
    for judge in list_items(coverage.get("judges")):
        node = resolved(judge)
        if isinstance(node, MappingNode):
            yield from _of_scalar(node.get("model"), expands=False)


def coverage_of(header: MappingNode) -> MappingNode | None:
    """What stands under `evaluationConfig`, `llm-coverage`."""
    node: MappingNode | None = header
    for step in ("evaluationConfig", "llm-coverage"):
        value = None if node is None else node.get(step)
        target = None if value is None else resolved(value)
        node = target if isinstance(target, MappingNode) else None
    return node


def list_items(node: Node | None) -> tuple[Node, ...]:
    """The items of a list; none where it is no list."""
    target = None if node is None else resolved(node)
    return target.items if isinstance(target, SequenceNode) else ()


def collection_models(tree: NodeTree) -> tuple[ModelName, ...]:
    """Every model that a collection's file lists."""
    root = tree.documents[0].root if tree.documents else None
    return tuple(_texts(root, expands=False))


def _texts(node: Node | None, *, expands: bool) -> Iterator[ModelName]:
    for item in list_items(node):
        yield from _of_scalar(item, expands=expands)


def _of_scalar(node: Node | None, *, expands: bool) -> Iterator[ModelName]:
    target = None if node is None else resolved(node)
    if isinstance(target, ScalarNode) and isinstance(target.value, str):
        yield ModelName(target, target.value, expands)


def custom_ids(view: FileView) -> frozenset[str]:
    """The ids that the header gives to models of its own."""
    models = view.blueprint.header.models
    return frozenset(name for model in models if isinstance(model, dict) and isinstance(name := model.get("id"), str))


def corrected(name: str) -> str:
    """`name` without the slips that leave no doubt: the name that a run asks by."""
    if _WITHOUT_SLIPS.fullmatch(name):
        return name
    from engine.providers.provider_registry import without_slips  # not needed by a blueprint without slips

    return without_slips(name)


def is_collection_name(name: str) -> bool:
    """Whether a name without a provider is meant for a collection's: capitals, as the platform tells them."""
    return re.fullmatch(r"[A-Z0-9][A-Z0-9_. -]*", name) is not None and any(letter.isalpha() for letter in name)


def known_collections(path: Path | None, folder: Path | None = None) -> frozenset[str]:
    """Weval's published collections, and those in `folder`, or else in a `models` folder above the file at `path`."""
    if path is None and folder is None:
        return frozenset(PUBLISHED)
    return _held(Path() if path is None else path.parent, folder, int(time.monotonic() / _SECONDS)).union(PUBLISHED)


@lru_cache(maxsize=4)
def _held(below: Path, folder: Path | None, _moment: int) -> frozenset[str]:
    return frozenset(Collections(below / "blueprint.yml", folder).names())


def provider_guesses(name: str) -> Sequence[str]:
    """What a name without a colon may be meant for, the likeliest first."""
    provider, slash, model = name.partition("/")
    if slash and model:
        found = [f"openrouter:{name}"]
        return [f"{provider}:{model}", *found] if provider in PROVIDERS and provider != "openrouter" else found
    return [f"{provider}:{name}" for pattern, provider in _FAMILIES if pattern.match(name)]


def renamed_model(node: ScalarNode, text: str, name: str) -> TextEdit | None:
    """The edit that writes another name in the quotes of the one that stands at `node`."""
    written = node.span.of(text)
    if node.style is Style.PLAIN:
        return TextEdit(node.span, name)
    if node.style in (Style.SINGLE, Style.DOUBLE):
        return TextEdit(node.span, f"{written[0]}{name}{written[0]}")
    return None


def rename_fixes(node: ScalarNode, text: str, names: Sequence[str], *, safe: bool) -> tuple[Fix, ...]:
    """A fix for each of the names that may be meant."""
    edits = ((name, renamed_model(node, text, name)) for name in names)
    return tuple(Fix(f"write {name}", safe, (edit,)) for name, edit in edits if edit is not None)


def joined_name(node: Node) -> str | None:
    """The `provider:model` that a mapping of one pair was meant for; None where it is a model of one's own."""
    if not isinstance(node, MappingNode) or len(node.pairs) != 1:
        return None
    provider, model = property_name(node.pairs[0].key), resolved(node.pairs[0].value)
    if provider in _OWN_KEYS or not isinstance(model, ScalarNode) or not model.text.strip():
        return None
    return corrected(f"{provider}:{model.text}") if " " not in f"{provider}{model.text}".strip() else None

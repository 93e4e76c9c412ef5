"""Names of models: `provider:model`, or the name of a collection (002, "Model Configuration"; 004)."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from engine.parsing.fields import items_of, member
from engine.parsing.model_collections import PUBLISHED, Collections
from engine.text import Fix, Record, Span, lazy
from engine.yaml.edit import rename
from engine.yaml.keys import Part, names_read
from engine.yaml.nodes import NO_MAPPING, MappingNode, Node, ScalarNode, Style, property_name, resolved

if TYPE_CHECKING:
    from engine.rules.rule import FileView

PROVIDERS = ("openai", "anthropic", "google", "mistral", "together", "xai", "openrouter")
"""The providers that Weval supports."""
APPLICATION_PROVIDERS = ("consumer",)
"""Providers in Weval's own blueprints that are applications and not APIs: `consumer:chatgpt_client`."""
_FAMILIES = (
    (lazy(r"(?:gpt|chatgpt|o[134])\b|o[134]-"), "openai"),
    (lazy(r"claude\b"), "anthropic"),
    (lazy(r"gemini\b|gemma\b"), "google"),
    (lazy(r"(?:mistral|mixtral|magistral|codestral|ministral)\b"), "mistral"),
    (lazy(r"grok\b"), "xai"),
)
_WITHOUT_SLIPS = lazy(r"[^\s:]*|[a-z0-9]+:\S*")
_OWN_KEYS = names_read(Part.MODEL)
_SECONDS = 2
"""How long the names of collections are cached, so that a keystroke does not wait for a folder to be read."""


class ModelName(Record):
    """A model's name as written at `node`, in the `item` of a list: of a custom model, its id.

    `expands` says that it may also be the name of a collection.
    """

    node: ScalarNode
    name: str
    item: Node
    expands: bool = False
    is_custom: bool = False

    @property
    def id(self) -> str:
        """The id under which the model has its results."""
        return self.name.strip() if self.is_custom else corrected(self.name)

    @property
    def span(self) -> Span:
        """Where the model is named in the list, also by an alias."""
        return self.node.span if self.is_custom else self.item.span


def providers_not_on_weval() -> tuple[str, ...]:
    """The providers that work here and not on Weval."""
    from engine.models.provider_registry import EMBEDDED, HOSTED, LOOPBACK

    return tuple(name for name in (*HOSTED, *LOOPBACK, EMBEDDED) if name not in PROVIDERS)


def named_models(view: FileView) -> Iterator[ModelName]:
    """All models that the header names: those to evaluate, and the judges."""
    yield from listed_models(member(view.header, "models"), expands=True)
    yield from judge_models(view)


def judge_models(view: FileView) -> Iterator[ModelName]:
    """The models of the judges that the header names."""
    coverage = coverage_of(view.header)
    yield from listed_models(member(coverage, "judgeModels"))
    for judge in items_of(member(coverage, "judges")):
        node = resolved(judge)
        yield from _model(node.get("model") if isinstance(node, MappingNode) else None, expands=False)


def listed_models(listed: Node | None, *, expands: bool = False) -> Iterator[ModelName]:
    """The models of a list; none if `listed` is not a list."""
    for item in items_of(listed):
        yield from _model(item, expands=expands)


def _model(item: Node | None, *, expands: bool) -> Iterator[ModelName]:
    target = item and resolved(item)
    node = member(target, "id") if isinstance(target, MappingNode) else target
    if item is not None and isinstance(node, ScalarNode) and isinstance(node.value, str):
        yield ModelName(node, node.value, item, expands, is_custom=node is not target)


def coverage_of(header: MappingNode) -> MappingNode:
    """The mapping at `evaluationConfig`, `llm-coverage`; an empty one if there is none."""
    node = member(member(header, "evaluationConfig"), "llm-coverage")
    return node if isinstance(node, MappingNode) else NO_MAPPING


def corrected(name: str) -> str:
    """`name` with its unambiguous mistakes corrected: the name that a run uses."""
    if _WITHOUT_SLIPS.fullmatch(name):
        return name
    from engine.models.provider_registry import without_slips  # not needed by a blueprint without slips

    return without_slips(name)


def is_collection_name(name: str) -> bool:
    """Whether a name without a provider is a collection's: in capitals, which is the platform's test."""
    return re.fullmatch(r"[A-Z0-9][A-Z0-9_. -]*", name) is not None and any(letter.isalpha() for letter in name)


def known_collections(path: Path | None, folder: Path | None = None) -> frozenset[str]:
    """Weval's published collections and those in `folder`; without it, in a `models` folder above `path`."""
    if path is None and folder is None:
        return frozenset(PUBLISHED)
    return _local_collections(Path() if path is None else path.parent, folder, int(time.monotonic() / _SECONDS)).union(
        PUBLISHED
    )


def forget_collections() -> None:
    """Read the names of collections again at the next check, without waiting until the cache is old."""
    _local_collections.cache_clear()


@lru_cache(maxsize=4)
def _local_collections(below: Path, folder: Path | None, _moment: int) -> frozenset[str]:
    return frozenset(Collections(below / "blueprint.yml", folder).names())


def provider_guesses(name: str) -> Sequence[str]:
    """The full names that a name without a colon may mean, the likeliest first."""
    provider, slash, model = name.partition("/")
    if slash and model:
        found = [f"openrouter:{name}"]
        return [f"{provider}:{model}", *found] if provider in PROVIDERS and provider != "openrouter" else found
    return [f"{provider}:{name}" for pattern, provider in _FAMILIES if pattern.match(name)]


def rename_fixes(node: ScalarNode, text: str, names: Sequence[str], *, safe: bool) -> tuple[Fix, ...]:
    """One fix for each of `names`, in the quotes of the present one; none for a block of text."""
    names = () if node.style in (Style.LITERAL, Style.FOLDED) else names
    return tuple(Fix(f"write {name}", safe, rename(text, node, name)) for name in names)


def joined_name(node: Node) -> str | None:
    """The `provider:model` that a mapping of one pair was meant as; None if it is a custom model."""
    if not isinstance(node, MappingNode) or len(node.pairs) != 1:
        return None
    provider, model = property_name(node.pairs[0].key), resolved(node.pairs[0].value)
    if provider in _OWN_KEYS or not isinstance(model, ScalarNode) or not model.text.strip():
        return None
    return corrected(f"{provider}:{model.text}") if " " not in f"{provider}{model.text}".strip() else None

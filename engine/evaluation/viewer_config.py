"""A result's `config` and `modelSystemPrompts` as Weval's viewer reads them (platform.md, "A result file that Weval's
viewer reads")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.blueprint import Header, Prompt
from engine.conversation import Variant, conversation, variants
from engine.yaml_nodes.nodes import Data

_DEFAULT_MODELS: tuple[Data, ...] = ("CORE",)
_NO_MODEL = ("ideal", "response", "fixtures")
_CONTROLS = "control:"


class Keyed(Protocol):
    """One result: its prompt, and the key that it stands under, with what the variant added to it."""

    @property
    def prompt(self) -> Prompt: ...
    @property
    def key(self) -> str: ...
    @property
    def suffix(self) -> str: ...


def viewer_config(config: Data, models: Sequence[Data] | None = None) -> dict[str, Data]:
    """The normalised `config` as Weval's loader leaves it, so that a result of ours looks like one of Weval's.

    A `system` that is a list becomes `systems`, unless those are written too, and is gone; `systemPrompt` becomes
    `system`. `models` is always a list: `models` where given, else as written, else the collection that Weval takes.
    """
    found = dict(config) if isinstance(config, dict) else {}
    one = found.pop("systemPrompt", None)
    if one is not None:
        found.setdefault("system", one)
    system = found.get("system")
    if isinstance(system, list):
        del found["system"]
        if not found.get("systems"):
            found["systems"] = system
    written = found.get("models")
    found["models"] = list(models) if models else written if isinstance(written, list) else list(_DEFAULT_MODELS)
    return found


def system_prompts(entries: Sequence[Keyed], header: Header) -> dict[str, Data]:
    """The system prompt of each key, None where there is none, or nobody was asked.

    Of several in `systems`, a key has that of its variant. Else it has what all its prompts were asked with, and the
    header's where they differ, as a prompt has its own then.
    """
    by_suffix = {each.suffix: each for each in variants(header)}
    in_force: dict[str, set[str | None]] = {}
    for entry in entries:
        variant = by_suffix.get(entry.suffix, Variant())
        asked = entry.key not in _NO_MODEL and not entry.key.startswith(_CONTROLS)
        system = conversation(entry.prompt, header, variant).system if asked else None
        in_force.setdefault(entry.key, set()).add(_of_variant(variant, header) if _has_own(variant) else system)
    usual = header.systems[0] if len(header.systems) == 1 else None
    return {key: next(iter(found)) if len(found) == 1 else usual for key, found in in_force.items()}


def _has_own(variant: Variant) -> bool:
    return variant.system is None or isinstance(variant.system, str)


def _of_variant(variant: Variant, header: Header) -> str | None:
    return variant.system if isinstance(variant.system, str) else None
